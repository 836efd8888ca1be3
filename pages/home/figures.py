"""One living figure of each family, of one's own newest scores or the demo's, and the link to that very figure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from isogloss.backend.charts import glance as small
from isogloss.backend.corpora.languages.languages import language
from isogloss.backend.experiments import glance, named
from isogloss.backend.figures.relations import UNITS
from isogloss.backend.figures.tokenisers import TITLES
from isogloss.backend.figures.transfer.asked import NAMES
from isogloss.backend.models.entry import Checkpoint, Model
from isogloss.backend.store.shard_files import ShardFile
from isogloss.pages.shared import relation_measures, run_links, source_names
from isogloss.pages.shared.run_links import Query
from isogloss.pages.widgets.choosing import results, spoken
from isogloss.pages.widgets.server import keyed, streamlit_internals
from isogloss.pages.widgets.workspace import workspaces


@dataclass(frozen=True)
class Shown:
    """A figure, what it answers and is of, and the link to it on its page."""

    figure: go.Figure
    question: str
    of: str
    """Model and data, in words."""
    query: Query
    """What the URL of its page says."""


@dataclass(frozen=True)
class Last:
    """The newest results to draw: those of one checkpoint on one corpus, oldest first."""

    files: list[ShardFile]
    model: Model
    checkpoint: Checkpoint

    @property
    def newest(self) -> Mapping[str, Any]:
        """What the newest of them says of itself."""
        return self.files[-1].provenance

    @property
    def of(self) -> str:
        """Model and corpus."""
        return f"{self.model.name} · {corpus_names().get(self.newest['corpus'], 'a removed corpus')}"

    def query(self, experiment: str, view: str, **more: Any) -> Query:
        """Return the link to a view of them, as of the run that computed them; `more` are further fields of its spec."""
        spec = {"corpus": self.newest["corpus"], "checkpoints": [each.model_dump() for each in self.model.checkpoints]}
        spec |= {"experiment": experiment, "model": self.model.name, **self.newest.get("asked", {}), **more}
        found = run_links.link(spec, corpus_names())
        assert found is not None, experiment
        return {**found[1], "view": view, "over": "Layers", "lines": "Mean"}


def corpus_names() -> dict[str, str]:
    """Return what corpora are called, by content id; looked up once in a run of the script."""
    return streamlit_internals.once_a_run("corpus-names", named.corpus_names)


def _last(files: Sequence[ShardFile], entries: Sequence[Model]) -> Last | None:
    """Return the files of the last checkpoint of the model that a page opens on; None where there are none."""
    first = results.initial_selection(files, entries, {file.provenance["corpus"] for file in files})
    # Of the demo's the deepest: the real one, where it was measured.
    of_demo = sorted((model for model in entries if not first.own), key=lambda model: (-model.layers, model.name))
    for model in first.models if first.own else of_demo:
        for checkpoint in reversed(model.checkpoints):
            on_it = [file for file in files if file.provenance["fingerprint"] == checkpoint.fingerprint]
            corpora = [file.provenance["corpus"] for file in on_it]
            corpus = first.corpus if first.own else max(corpora, key=corpora.count, default=None)
            if found := [file for file in on_it if file.provenance["corpus"] == corpus]:
                return Last(found, model, checkpoint)
    return None


def _rows(query: Callable[..., pd.DataFrame], files: Sequence[ShardFile], metrics: Sequence[str]) -> pd.DataFrame:
    return keyed.rows(query, [(file.path, file.modified) for file in files], metrics=list(metrics))


def _over_layers(files: Sequence[ShardFile], names: dict[str, str], y: str, chance: float | None = None) -> go.Figure | None:
    """Draw the metrics that there are (by `names`) as lines over layers."""
    found = _rows(glance.by_layer, files, list(names))
    series = {
        name: (rows["layer"].tolist(), rows["value"].tolist())
        for metric, name in names.items()
        if len(rows := found[found["metric"] == metric])
    }
    return small.lines(series, x="Layer", y=y, chance=chance) if series else None


def _abx(have: Sequence[ShardFile], entries: Sequence[Model]) -> Shown | None:
    if (last := _last(have, entries)) is None:
        return None
    names = {"abx_language": "Languages", "abx_meaning": "Meanings"}
    query = last.query("abx", "Curves", languages=last.newest["languages"])
    figure = _over_layers(last.files[-1:], names, "Share of triplets", 0.5)
    return Shown(figure, "Does a layer tell languages and meanings apart?", last.of, query) if figure else None


def _alignment(have: Sequence[ShardFile], entries: Sequence[Model]) -> Shown | None:
    if (last := _last(have, entries)) is None:
        return None
    words = [file for file in last.files if str(file.provenance.get("variant", "word")).startswith("word")]
    files = glance.alike(words or last.files)
    pairs = [pair for file in files for pair in file.provenance["pairs"]]
    unit = "word" if words else "sentence"
    if words:
        ends = [dict(zip(("source", "target", "dictionary"), pair, strict=True)) for pair in pairs]
        query = last.query("word_alignment", "Curves", pairs=ends)
    else:
        tags = sorted({tag for pair in pairs for tag in pair})
        query = last.query("sentence_alignment", "Curves", languages=tags)
    figure = _over_layers(files, {f"{unit}_weak": "Weak", f"{unit}_strong": "Strong"}, f"Share of {unit}s")
    return Shown(figure, f"Is a {unit} nearest to its translation?", last.of, query) if figure else None


def _geometry(have: Sequence[ShardFile], entries: Sequence[Model]) -> Shown | None:
    if (last := _last(have, entries)) is None:
        return None
    query = last.query("geometry", "Curves", languages=last.newest["languages"])
    figure = _over_layers(last.files[-1:], {"cka": "CKA"}, "Debiased CKA")
    question = "How much of their geometry do languages share?"
    return Shown(figure, question, last.of, {**query, "geometry": "cka"}) if figure else None


def _probing(have: Sequence[ShardFile], entries: Sequence[Model]) -> Shown | None:
    if (last := _last(have, entries)) is None:
        return None
    own = [file for file in last.files if file.provenance["targets"] == [file.provenance["source"]]]
    files = glance.alike(own or last.files)
    newest = files[-1].provenance
    words = str(newest["variant"]).startswith("words")
    more = {"tested": newest["tested"], "sources": sorted({file.provenance["source"] for file in files})}
    more["targets"] = [] if own else sorted({tag for file in files for tag in file.provenance["targets"]})
    query = last.query("probing_words" if words else "probing_sentences", "Curves", **more)
    figure = _over_layers(files, {"probe_accuracy": "Probe", "control_accuracy": "Control task"}, "Accuracy")
    question = f"Which {'tags of words' if words else 'labels of sentences'} can a layer tell?"
    return Shown(figure, question, last.of, {**query, "measure": "probe_accuracy"}) if figure else None


def _transfer(have: Sequence[ShardFile], entries: Sequence[Model]) -> Shown | None:
    """Draw what the page makes of the records of all runs like the newest: IGap where there is one, else test accuracy."""
    if (last := _last(have, entries)) is None:
        return None
    newest, targets = last.newest, sorted(last.newest["languages"])
    sources = sorted({file.provenance["source"] for file in last.files})
    prefix = newest["options"].get("prefix", "")
    of = ([last.model], [last.checkpoint.label], newest["data"], newest["corpus"], sources, targets)
    alike = glance.runs_like_the_last(last.files, *of, {last.checkpoint.fingerprint: prefix})
    measure, found = glance.by_direction(alike, last.files, targets)
    if found.empty:
        return None
    table = found.pivot(index="source", columns="target", values="percent").sort_index()
    is_igap = measure == "igap"
    unit = "IGap, points" if is_igap else "Test accuracy, %"
    figure = small.cells(list(table.index), list(table.columns), table.to_numpy(), x="Evaluated in", y="Trained on", unit=unit)
    question = "What is lost from language to language?" if is_igap else "How much is right in another language?"
    drawn = {name: [str(each) for each in alike[name].unique()] for name in ("setting", "algorithm")}
    drawn |= {"corruption": [f"{each:g}" for each in alike["corruption"].unique()], "at": ["0"]}
    drawn |= {key: [NAMES[measure]] for key in ("transfer", "transfer_tested")}
    query = last.query("transfer", "Matrix", sources=sources, languages=targets) | drawn
    return Shown(figure, question, last.of + (", random labels" if newest["data"] == "parallel" else ""), query)


LINES = 6
"""A small figure has no room for more; of languages those that some layer tells most."""


def _latent(have: Sequence[ShardFile], entries: Sequence[Model]) -> Shown | None:
    if (last := _last(have, entries)) is None:
        return None
    asked = last.newest["asked"]
    target = asked["targets"][0]
    found = glance.latent_language(last.files[-1], last.checkpoint.fingerprint, last.model.layers, target)
    most = found.groupby("language")["value"].max().sort_values(ascending=False, kind="stable").index[:LINES]
    by_language = {
        language(tag).name: (rows["layer"].tolist(), rows["value"].tolist())
        for tag, rows in found[found["language"].isin(most)].groupby("language")
    }
    link = run_links.link({"model": last.model.name, "checkpoints": [last.checkpoint.model_dump()], **asked}, {})
    if not by_language or link is None:
        return None
    query = {**link[1], "view": "Layers", "answer": spoken.name(target)}
    figure = small.lines(by_language, x="Layer", y="Probability of words", chance=None)
    return Shown(figure, f"Which language do layers tell, asked for {language(target).name}?", last.model.name, query)


def _tokenisers(have: Sequence[ShardFile], entries: Sequence[Model]) -> Shown | None:
    if (last := _last(have, entries)) is None:
        return None
    tags = list(last.newest["languages"])
    pivot = "en" if "en" in tags else tags[0]
    found = glance.premiums(last.files[-1], tags, last.checkpoint.fingerprint, pivot).sort_values("value", ascending=False)
    known = [language(tag).name for tag in found["language"]]
    figure = small.ranked(known, found["value"].tolist(), x=f"Pieces, times {language(pivot).name}")
    query = last.query("tokenisers", "Languages", languages=tags)
    query |= {"model": last.model.name, "measure": TITLES["tokeniser_premium"], "pivot": spoken.name(pivot)}
    return Shown(figure, "What does each language pay, in pieces?", last.of, query) if len(found) else None


def _emergent(_have: Sequence[ShardFile], _entries: Sequence[Model]) -> Shown | None:
    means = glance.by_source(workspaces())
    if means.empty:
        return None
    names = source_names.names_of(means.index)
    figure = small.ranked([names[key] for key in means.index], means.tolist(), x="Nats per token")
    known = source_names.variant_labels(glance.variants(workspaces()))
    label = next(label for label, variant in known.items() if variant == means.name)
    question = "Which pre-trains best? Lower is better."
    return Shown(figure, question, f"XferBench · {label}", {"view": "Leaderboard", "variant": str(means.name)})


def _relations(have: Sequence[ShardFile], entries: Sequence[Model]) -> Shown | None:
    if (last := _last(have, entries)) is None:
        return None
    found = _rows(glance.by_pair, last.files[-1:], ["abx_language", "abx_meaning"])
    table = found.pivot(index=["source", "target"], columns="metric", values="value").dropna()
    if len(table) < 2 or set(table.columns) != {"abx_language", "abx_meaning"}:
        return None
    names = [f"{language(a).name} – {language(b).name}" for a, b in table.index]
    xs, ys = table["abx_language"].tolist(), table["abx_meaning"].tolist()
    variant = f"{last.newest['variant']} · {corpus_names().get(last.newest['corpus'], '')}"
    query: Query = {"view": "Scatter", "unit": UNITS["pair"], "pooled": "Nothing"}
    for axis, metric in (("x", "abx_language"), ("y", "abx_meaning")):
        query |= {axis: relation_measures.words_of(metric).title, f"{axis}_model": last.model.name, f"{axis}_variant": variant}
        query |= {f"{axis}_checkpoint": "Last", f"{axis}_layer": "Mean of all"}
    question = "Which measures go together? A point is a pair of languages."
    return Shown(small.points(xs, ys, names, x="Languages told apart", y="Meanings told apart"), question, last.of, query)


FIGURES: dict[str, Callable[[Sequence[ShardFile], Sequence[Model]], Shown | None]] = {
    "abx": _abx,
    "alignment": _alignment,
    "geometry": _geometry,
    "probing": _probing,
    "transfer": _transfer,
    "latent": _latent,
    "tokenisers": _tokenisers,
    "emergent": _emergent,
    "relations": _relations,
}
