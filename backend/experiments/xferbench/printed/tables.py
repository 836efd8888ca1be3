"""The numbers printed in Boldt & Mortensen 2024: cross-entropies in nats per token, chrF and BLEU in percent.

Every row names the table that it is printed in. Frames are read once: they are not to be changed.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

import pandas as pd

from isogloss.backend.recipe_mark import in_recipes

FOLDER = Path(__file__).parent
PAPER = "Boldt & Mortensen 2024"
NOTE = (
    "Measured by the authors' released code on OSCAR text, according to their repository: from 5.2 to 5.5. With Wikipedia text "
    "they find 5.8 to 6.2, so these numbers are comparable only among themselves."
)
"""What must stand beside these numbers wherever they are shown with others."""
MEAN = "Mean"
"""Stands for a source or a target in table 5's row and column of that name."""
CORRELATION = "Correl. with XferBench"
"""The last row of table 2."""

Group = Literal["human", "synthetic", "emergent", "baseline"]
Setting = Literal["full", "frozen", "reduced"]
SETTINGS: tuple[Setting, ...] = ("full", "frozen", "reduced")
TRANSLATION = {"table 2": ("table2_chrf.csv", "chrF"), "table 4": ("table4_bleu.csv", "BLEU")}
WRITING = {
    "table 7": ("table7_writing_systems.csv", "writing system"),
    "table 8": ("table8_writing_system_types.csv", "type"),
}


@dataclass(frozen=True)
class Language:
    """A human language of the paper, with the writing system that tables 7 and 8 group it by."""

    tag: str
    """BCP-47."""
    writing_system: str
    writing_type: str


LANGUAGES = {
    "French": Language("fr", "Latin", "Alphabet"),
    "Spanish": Language("es", "Latin", "Alphabet"),
    "Russian": Language("ru", "Cyrillic", "Alphabet"),
    "Chinese": Language("zh", "Chinese", "Logographic"),
    "Korean": Language("ko", "Hangul", "Alphabet"),
    "Arabic": Language("ar", "Arabic", "Abjad"),
    "Hindi": Language("hi", "Devanagari", "Abugida"),
    "Danish": Language("da", "Latin", "Alphabet"),
    "Basque": Language("eu", "Latin", "Alphabet"),
    "Persian": Language("fa", "Arabic", "Abjad"),
    "Finnish": Language("fi", "Latin", "Alphabet"),
    "Hebrew": Language("he", "Hebrew", "Abjad"),
    "Indonesian": Language("id", "Latin", "Alphabet"),
    "Japanese": Language("ja", "Japanese", "Mixed"),
    "Kazakh": Language("kk", "Cyrillic", "Alphabet"),
    "Romanian": Language("ro", "Latin", "Alphabet"),
    "Urdu": Language("ur", "Arabic", "Abjad"),
}
"""The seven human sources, then the ten targets."""
TARGETS = tuple(language.tag for language in LANGUAGES.values())[7:]
"""BCP-47 of the ten target languages."""

GROUPS: dict[str, Group] = {
    **dict.fromkeys(("French", "Spanish", "Russian", "Chinese", "Korean", "Arabic", "Hindi"), "human"),
    **dict.fromkeys(("Paren, real", "Paren, synth"), "synthetic"),
    **dict.fromkeys(("Disc, large", "Disc, small", "Rec, large", "Yao+", "Mu+, SW", "Mu+, CUB"), "emergent"),
    **dict.fromkeys(("Random", "No pretrain"), "baseline"),
}
"""What each source of tables 2, 4 and 5 is."""


@cache
def cross_entropies() -> pd.DataFrame:
    """Table 5, a row a source and target: table, source, group, target, value, without its `MEAN`s."""
    return pd.DataFrame(
        [
            {
                "table": "table 5",
                "source": row["source"],
                "group": GROUPS[row["source"]],
                "target": target,
                "value": float(value),
            }
            for row in _rows("table5_cross_entropy.csv")
            if row["source"] != MEAN
            for target, value in row.items()
            if target not in {"source", MEAN}
        ]
    )


@in_recipes
def cells() -> pd.DataFrame:
    """Table 5 as scores are read: `cross_entropies` with a `corpus`."""
    return cross_entropies().assign(corpus="table 5")


@in_recipes
def translations() -> pd.DataFrame:
    """Tables 2 and 4 as scores are read: `translation` with `seeds`, which are not told."""
    return translation().assign(seeds=float("nan"))


@in_recipes
@cache
def translation() -> pd.DataFrame:
    """Tables 2 and 4, English–French translation, a row a source and setting: table, metric, source, group, setting, value.

    `metric` is chrF or BLEU, in percent, higher is better; each the mean over beams of 1, 3 and 5.
    """
    return pd.DataFrame(
        [
            {
                "table": table,
                "metric": metric,
                "source": row["source"],
                "group": GROUPS[row["source"]],
                "setting": setting,
                "value": float(row[setting]),
            }
            for table, (file, metric) in TRANSLATION.items()
            for row in _rows(file)
            if row["source"] != CORRELATION
            for setting in SETTINGS
        ]
    )


@cache
def correlations() -> pd.DataFrame:
    """Table 2's last row, Pearson's correlation of chrF with XferBench over the 17 sources: table, metric, setting, value."""
    (row,) = (each for each in _rows("table2_chrf.csv") if each["source"] == CORRELATION)
    return pd.DataFrame(
        [{"table": "table 2", "metric": "chrF", "setting": setting, "value": float(row[setting])} for setting in SETTINGS]
    )


@in_recipes
@cache
def writing_systems() -> pd.DataFrame:
    """Tables 7 and 8, mean normalised scores of the human sources: table, by, source, target, value; negative is better.

    `by` is `writing system` or `type`, which `source` and `target` then are; `LANGUAGES` says which are whose.
    """
    return pd.DataFrame(
        [
            {"table": table, "by": by, "source": row["Source"], "target": target, "value": float(value)}
            for table, (file, by) in WRITING.items()
            for row in _rows(file)
            for target, value in row.items()
            if target != "Source"
        ]
    )


@in_recipes
@cache
def emergent_languages() -> pd.DataFrame:
    """Table 1, the emergent languages: table, setting, observation, vocabulary, message_length, corpus_size.

    `Recon, large` is the other tables' `Rec, large`. Sizes are printed with two digits, 1.3 M being 1,300,000.
    """
    return pd.DataFrame(
        [
            {
                "table": "table 1",
                "setting": row["setting"],
                "observation": row["observation"],
                "vocabulary": int(row["vocabulary"]),
                "message_length": int(row["message_length"]),
                "corpus_size": _count(row["corpus_size"]),
            }
            for row in _rows("table1_languages.csv")
        ]
    )


def sizes() -> dict[str, tuple[int, int, int]]:
    """Return symbols, length of a message and tokens of the emergent languages, by what tables 2, 4 and 5 call them."""
    rows = emergent_languages().to_dict("records")
    return {
        row["setting"].replace("Recon", "Rec"): (row["vocabulary"], row["message_length"], row["corpus_size"]) for row in rows
    }


@dataclass(frozen=True)
class GameSuccess:
    """How well the agents of one of the paper's games play, in shares from 0 to 1; higher is better."""

    setting: str
    """The game's name in table 1."""
    success: float
    """The share of objects found, or of which all attributes are named."""
    at_least: bool
    """Whether the paper says that success is above this, and no more."""
    chance: float
    attributes: float | None
    """The share of attributes named rightly, and what guessing comes to; None in discrimination."""
    attribute_chance: float | None


@cache
def games() -> dict[str, GameSuccess]:
    """Return what section 4.3 prints of the games of its emergent languages, by the game's name in table 1."""
    return {
        row["setting"]: GameSuccess(
            row["setting"],
            _share(row["success"].removeprefix(">")) or 0.0,
            row["success"].startswith(">"),
            _share(row["chance"]) or 0.0,
            _share(row["attributes"]),
            _share(row["attribute_chance"]),
        )
        for row in _rows("section4_3_games.csv")
    }


def _share(percent: str) -> float | None:
    return float(percent) / 100 if percent else None


@in_recipes
@cache
def successes() -> pd.DataFrame:
    """Section 4.3 as a frame of shares: table, setting, at_least, success, chance, attributes, attribute_chance."""
    columns = ["setting", "at_least", "success", "chance", "attributes", "attribute_chance"]
    rows = [[getattr(game, name) for name in columns] for game in games().values()]
    return pd.DataFrame(rows, columns=columns).assign(table="section 4.3")[["table", *columns]]


@in_recipes
@cache
def compute() -> pd.DataFrame:
    """Table 3, estimated hours of an NVIDIA RTX 2080 Ti: table, item, hours_each, runs, hours; the last row is the total."""
    columns = ["hours_each", "runs", "hours"]
    rows = [
        {"item": row["item"], **{name: float(row[name] or "nan") for name in columns}} for row in _rows("table3_compute.csv")
    ]
    return pd.DataFrame(rows).assign(table="table 3")[["table", "item", *columns]]


@in_recipes
@cache
def times() -> pd.DataFrame:
    """Section 3.3, how long the benchmark takes on one NVIDIA RTX 2080 Ti: table, stage, minutes, times.

    Its first row is the whole; the parts below add up to an hour more.
    """
    columns = ["minutes", "times"]
    rows = [{"stage": row["stage"], **{name: int(row[name]) for name in columns}} for row in _rows("section3_3_time.csv")]
    return pd.DataFrame(rows).assign(table="section 3.3")[["table", "stage", *columns]]


def price(experiment: Literal["xferbench", "translation"]) -> str:
    """Write what the paper says that one source costs: in XferBench with its ten targets, or in machine translation."""
    hours = compute().set_index("item")["hours_each"]
    if experiment == "translation":
        return f"Printed: {hours['MT']:g} hours a run on an RTX 2080 Ti (table 3)."
    whole, base, target = times().to_dict("records")
    minutes, often = target["minutes"], target["times"]
    return (
        f"Printed, for a source and {often} targets on an RTX 2080 Ti: {whole['minutes'] / 60:g} hours (section 3.3), "
        f"{hours['XferBench']:g} (table 3). The printed parts, {base['minutes']} minutes and {often} × {minutes}, make "
        f"{(base['minutes'] + minutes * often) / 60:g}."
    )


def source(table: str) -> str:
    """Return where a number is printed, in words: the paper and the `table` of its row."""
    return f"{PAPER}, {table}"


def _count(printed: str) -> int:
    number, _, millions = printed.partition(" ")
    return round(float(number) * (1_000_000 if millions == "M" else 1))


def _rows(file: str) -> list[dict[str, str]]:
    frame = pd.read_csv(FOLDER / file, dtype=str, keep_default_na=False)
    return [{str(name): str(value) for name, value in row.items()} for row in frame.to_dict("records")]
