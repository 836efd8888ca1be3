"""Whatever is chosen, in whatever order, no page breaks: random changes of a page's controls, on the demo.

Every run of the tests walks where nobody was; what it fails with says the seed. `ISOGLOSS_SEED=8042` walks there again,
`ISOGLOSS_VISITS=200` further.
"""

from __future__ import annotations

import os
import random
from typing import TYPE_CHECKING, Any

import pytest

from tests.pages.beside import on_the_demo
from tests.pages.opened import opened

if TYPE_CHECKING:
    from pathlib import Path

    from streamlit.testing.v1 import AppTest

VISITS, CHANGES = int(os.environ.get("ISOGLOSS_VISITS", "1")), 12
"""Each visit begins at what is computed: after many changes of options hardly anything is."""
SEED = os.environ.get("ISOGLOSS_SEED") or str(random.SystemRandom().getrandbits(16))
PAGES = ("abx", "alignment", "geometry", "probing", "transfer", "emergent", "relations")
FOLDED_OUT = {"controls": "true"}
"""What is computed only where it is asked for is asked for."""


def change(app: AppTest, chance: random.Random) -> str:
    """Change one control to something that it offers, as a visitor would; say which and to what."""
    kinds: dict[str, list[Any]] = {
        "one of": [box for box in (*app.selectbox, *app.radio) if not box.disabled and len(box.options) > 1],
        "some of": [box for box in app.multiselect if not box.disabled and box.options],
        "a button of": [group for group in app.button_group if not group.disabled and len(group.options) > 1],
        "on or off": [box for box in (*app.toggle, *app.checkbox) if not box.disabled],
        "a number": [box for box in (*app.number_input, *app.slider) if not box.disabled],
    }
    kind = chance.choice([name for name, found in kinds.items() if found])
    box = chance.choice(kinds[kind])
    match kind:
        case "one of" | "a button of":
            place = chance.randrange(len(box.options))
            value = offered(box)[place]
        case "some of":
            all_of_them = offered(box)
            value = chance.sample(all_of_them, chance.randint(0, min(4, len(all_of_them))))
        case "on or off":
            value = not box.value
        case _:
            value = in_its_range(box, chance)
    said = f"{box.label or box.key} = {value!r}"
    box.set_value(value).run()
    return said


def offered(box: Any) -> list[Any]:
    """The labels of what a control offers: what the harness takes as values."""
    return [getattr(option, "content", option) for option in box.options]


def in_its_range(box: Any, chance: random.Random) -> Any:
    least = box.min if box.min is not None else 0
    most = box.max if box.max is not None else least + 100
    if isinstance(box.value, int):
        return chance.randint(int(least), int(min(most, least + 10_000)))
    if isinstance(box.value, float):
        return round(chance.uniform(least, most), 2)
    return box.value


@pytest.mark.parametrize("page", PAGES)
def test_no_choice_breaks_a_page(page: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    on_the_demo(monkeypatch, tmp_path)
    print(f"ISOGLOSS_SEED={SEED}")  # pytest shows what a test that failed has printed
    for visit in range(VISITS):
        chance, app, done = random.Random(f"{SEED}{page} {visit}"), opened(page, FOLDED_OUT), list[str]()
        for _ in range(CHANGES):
            done.append(change(app, chance))
            assert not app.exception, (SEED, app.exception[0].message, done)


def test_what_one_page_keeps_breaks_no_other(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The session keeps a control's value by its name: a number that another page takes for a list ended in an exception."""
    on_the_demo(monkeypatch, tmp_path)
    kinds: dict[str, set[type]] = {}
    app = opened("home", {})
    for page in (*PAGES, *PAGES[::-1]):
        app.switch_page(f"pages/{page}/page.py").run()
        assert not app.exception, (page, app.exception[0].message)
        for box in (*app.selectbox, *app.multiselect, *app.button_group, *app.toggle, *app.number_input, *app.text_input):
            if box.key and box.value is not None:
                kinds.setdefault(box.key, set()).add(type(box.value))
    assert not {key: found for key, found in kinds.items() if len(found) > 1}


def test_an_older_links_seed_is_still_read(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    on_the_demo(monkeypatch, tmp_path)
    assert opened("alignment", {"seed": "5"}).number_input(key="words_seed").value == 5
