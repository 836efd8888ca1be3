"""Families of other packages: what is sound is taken, what is not is left out with a sentence, and the others go on."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import pytest

from isogloss.backend import recipe_mark
from isogloss.backend.experiments import registry
from isogloss.backend.experiments.family import Experiment, Family, Measure, Menu
from isogloss.backend.experiments.plug_ins import commands_of, with_plug_ins
from isogloss.backend.experiments.spec import Spec
from isogloss.backend.recipe_mark import in_recipes, marked, name_of


class SyllableSpec(Spec):
    """What another package measures."""

    experiment: Literal["syllables"] = "syllables"


PAGE = Menu("Syllables", ":material/straighten:", "syllables", page=Path(__file__))
SOUND = Family(
    "syllables",
    (Experiment(SyllableSpec, lambda *_: None, title=lambda _spec: "Syllables", details=lambda *_: []),),
    PAGE,
    {"mean_syllables": Measure("Syllables", "syllables", "neither")},
    {"syllables": f"{__name__}:syllables"},
)


def syllables() -> SyllableSpec:
    return SyllableSpec()


@dataclass(frozen=True)
class Entry:
    """An entry point that gives, or raises, what a test wants."""

    gives: Any
    name: str = "syllables"
    value: str = "syllables.family:SYLLABLES"

    def load(self) -> object:
        if isinstance(self.gives, BaseException):
            raise self.gives
        return self.gives


def test_a_sound_family_comes_after_the_built_in_ones() -> None:
    assert with_plug_ins(registry.BUILT_IN, [Entry(SOUND)]) == ((*registry.BUILT_IN, SOUND), ())


@pytest.mark.parametrize(
    ("family", "why"),
    [
        (ImportError("No module named 'syllables'"), "ImportError: No module named 'syllables'"),
        (ZeroDivisionError(), "ZeroDivisionError"),
        ("SYLLABLES", "it names str, not a Family"),
        (replace(SOUND, name="../x"), r"its name is '\.\./x'"),
        (replace(SOUND, name="home"), "its name is 'home'"),
        (replace(SOUND, name="abx"), "the family 'abx' is there already"),
        (replace(SOUND, menu=replace(PAGE, page=None)), "its menu has no page"),
        (replace(SOUND, menu=replace(PAGE, page=Path("/nowhere/page.py"))), "its page /nowhere/page.py is not there"),
        (replace(SOUND, experiments=registry.BUILT_IN[0].experiments), "the experiment 'abx' is there already"),
        (replace(SOUND, experiments=(replace(SOUND.experiments[0], spec=int),)), "int is no Spec"),
        (replace(SOUND, measures=registry.BUILT_IN[0].measures), "the measure 'abx_language' is there already"),
        (replace(SOUND, commands={"abx": "syllables.command:abx"}), "the command 'abx' is there already"),
    ],
)
def test_a_family_that_cannot_be_used_is_left_out_with_a_sentence(family: object, why: str) -> None:
    families, left_out = with_plug_ins(registry.BUILT_IN, [Entry(family, "broken"), Entry(SOUND)])
    assert families == (*registry.BUILT_IN, SOUND)
    (sentence,) = left_out
    assert sentence.startswith("The family 'broken' (syllables.family:SYLLABLES) is left out: ")
    assert why.replace("\\", "") in sentence
    assert sentence.endswith(".")


def test_of_two_families_of_one_name_the_first_by_its_entry_is_taken() -> None:
    other = replace(SOUND, measures={})
    assert with_plug_ins((), [Entry(other, "b"), Entry(SOUND, "a")])[0] == (SOUND,)


def test_a_command_that_cannot_be_imported_is_left_out_but_for_the_built_in() -> None:
    broken = replace(SOUND, commands={"syllables": f"{__name__}:nothing", "more": "no.module:at_all"})
    commands, left_out = commands_of([SOUND, broken], ())
    assert commands["syllables"]() == SyllableSpec()
    assert len(left_out) == 2
    assert "The command 'more' (no.module:at_all) is left out: ModuleNotFoundError" in left_out[1]
    with pytest.raises(AttributeError):
        commands_of([broken], [broken])


def test_a_recipe_may_name_what_a_loaded_family_marked_and_imports_nothing_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recipe_mark, "_MARKED", dict(recipe_mark._MARKED))

    @in_recipes
    def rows() -> None:
        """Rows of another package."""

    assert marked(name_of(rows)) is rows
    (tmp_path / "foreign_rows.py").write_text("raise SystemExit('imported by a recipe')")
    monkeypatch.syspath_prepend(tmp_path)
    assert marked("foreign_rows:rows") is None
