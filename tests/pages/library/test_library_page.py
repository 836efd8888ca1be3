"""The Library page: what is dropped is recognised, shown and kept; what cannot be is said in a sentence."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
import pytest
from safetensors.numpy import save_file
from streamlit.testing.v1 import AppTest

from isogloss.backend.corpora.parallel import hub
from isogloss.backend.errors import CorpusError
from isogloss.backend.models.library import library as models

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

TABLE = """en,de,ar
The ferry leaves.,Die Fähre fährt.,تغادر العبارة.
It rains.,Es regnet.,
Good night.,Gute Nacht.,تصبح على خير.
"""


def shown(app: AppTest) -> str:
    """All text on the page."""
    elements = [*app.markdown, *app.caption, *app.error, *app.warning, *app.success, *app.expander]
    html = " ".join(str(block.proto.body) for block in app.get("html"))
    return " ".join(str(e.value if hasattr(e, "value") else e.label).replace("\\", "") for e in elements) + html


def drop(app: AppTest, files: dict[str, bytes]) -> AppTest:
    for name, content in files.items():
        app.file_uploader[0].upload(name, content)
    app.run()
    assert not app.exception
    return app


def test_empty_shelves_say_what_to_do(open_page: Callable[..., AppTest]) -> None:
    assert "No corpus is saved yet" in shown(open_page("library"))
    assert "No model is saved yet" in shown(open_page("library", shelf="Models"))


def test_a_dropped_table_is_shown_in_its_scripts(open_page: Callable[..., AppTest]) -> None:
    app = drop(open_page("library"), {"greetings.csv": TABLE.encode()})
    text = shown(app)
    assert "3 languages" in text
    assert "3 sentences" in text
    assert 'dir="rtl"' in text  # Arabic runs from right to left
    assert "1 row left out" in text
    assert app.text_input(key="found-corpus-name").value == "greetings"


def test_a_corpus_before_any_model_asks_for_the_model_there_and_starts_at_a_press(
    open_page: Callable[..., AppTest], workspace: Path, tmp_path: Path
) -> None:
    """From files and a folder to a started run: Save, Save, Start."""
    app = drop(open_page("library"), {f"newstest2019-ref.{tag}.txt": b"Water.\nFire.\n" for tag in ("deu", "fin")})
    app.button(key="keep-corpus").click().run()
    app.text_input(key="model-typed").set_value(str(checkpoints(tmp_path / "mini", [0])))
    next(button for button in app.button if button.label == "Look up").click().run()
    app.button(key="keep-model").click().run()
    assert not app.exception
    assert [model.name for model in models.entries([workspace])] == ["mini"]
    assert "Measure **mini** on **newstest2019 ref**: ABX" in shown(app)
    assert any(button.label == "Start" for button in app.button)


def test_hub_without_network_is_one_sentence(open_page: Callable[..., AppTest], monkeypatch: pytest.MonkeyPatch) -> None:
    def offline(*_: object, **__: object) -> None:
        raise CorpusError("The Hub cannot be reached.", remedy="Check the network.")

    monkeypatch.setattr(hub, "load", offline)
    app = open_page("library", corpus_from="Hugging Face Hub")
    next(button for button in app.button if button.label == "Load").click().run()
    assert not app.exception
    assert "The Hub cannot be reached" in app.error[0].value.replace("\\", "")


def checkpoints(folder: Path, steps: list[int]) -> Path:
    """A folder of tiny checkpoints; nothing here runs them."""
    for step in steps:
        each = folder / f"checkpoint-{step}"
        each.mkdir(parents=True)
        config = {"model_type": "xlm-roberta", "num_hidden_layers": 2, "hidden_size": 8}
        (each / "config.json").write_text(json.dumps(config))
        (each / "tokenizer.json").write_text("{}")
        save_file({"weight": np.full((4, 8), step, dtype=np.float32)}, each / "model.safetensors")
    return folder


def test_folder_of_checkpoints_is_shown_before_it_is_kept(
    open_page: Callable[..., AppTest], workspace: Path, tmp_path: Path
) -> None:
    folder = checkpoints(tmp_path / "mini", [1000, 0, 200])
    app = open_page("library", shelf="Models", add_from="Folder")
    app.text_input(key="model-typed").set_value(str(folder))
    next(button for button in app.button if button.label == "Look up").click().run()
    assert not app.exception
    assert list(app.dataframe[0].value["Step"]) == [0, 200, 1000]
    assert models.entries([workspace]) == []
    app.button(key="keep-model").click().run()
    assert not app.exception
    (model,) = models.entries([workspace])
    assert (model.name, [checkpoint.step for checkpoint in model.checkpoints]) == ("mini", [0, 200, 1000])
    assert "mini" in shown(app)


@pytest.mark.parametrize("typed", ["/nowhere/at/all", "no such model!", "x" * 900, ""])
def test_what_is_no_model_is_one_sentence(open_page: Callable[..., AppTest], typed: str) -> None:
    app = open_page("library", shelf="Models", add_from="Several paths")
    app.text_area(key="list-lines").set_value(typed)
    next(button for button in app.button if button.label == "Read paths").click().run()
    assert not app.exception
    assert len(app.error) == 1


def test_a_model_is_renamed_where_it_is_listed(open_page: Callable[..., AppTest], workspace: Path) -> None:
    """Asked for by the page's own button; it is the same checkpoints under the new name."""
    from tests.cli.typed import output
    from tests.pages.abx.abx_page import DEMO, MLM

    kept = models.load_entry(MLM, [DEMO]).model_copy(update={"name": "mine"})
    models.keep(kept, workspace)
    app = open_page("library", shelf="Models")
    app.session_state[f"model-{models.entry_path('mine', workspace).stem[:12]}"] = True
    app.run()
    next(button for button in app.button if button.label == "Rename").click().run()
    assert app.text_input(key="rename-model-name").value == "mine"
    asked = AppTest.from_function(_rename, kwargs={"name": "mine"}).run()  # a test's next run would close the dialog
    asked.text_input(key="rename-model-name").set_value("ours")
    asked.button(key="rename-model-yes").click().run()
    assert not asked.exception
    assert [each.checkpoints for each in models.entries([workspace])] == [kept.checkpoints]
    assert [each.name for each in models.entries([workspace])] == ["ours"]
    assert output("models", "rename", "ours", "theirs") == "'ours' is now 'theirs'.\n"
    assert output("models", "remove", "theirs") == "'theirs' is no longer in the workspace.\n"
    assert models.entries([workspace]) == []


def _rename(name: str) -> None:
    from isogloss.pages.library.models import entries

    entries.rename(name)
