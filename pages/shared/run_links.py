"""From a run to its figure: the page and the choices that show what it computed, by what its spec says."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from isogloss.backend.corpora.dictionaries import library as dictionaries
from isogloss.backend.errors import SpecError
from isogloss.backend.experiments import registry
from isogloss.backend.experiments.abx import controls
from isogloss.backend.experiments.abx.against import RANDOM
from isogloss.backend.experiments.pricing.estimate import model_of
from isogloss.backend.experiments.transfer.runs import setting
from isogloss.backend.experiments.words import Fields, Names
from isogloss.backend.jobs.watch.record import State, Watch
from isogloss.backend.models.entry import Checkpoint, Model
from isogloss.backend.option import declared, settled
from isogloss.pages.widgets.choosing import prefixes
from isogloss.pages.widgets.choosing.spoken import name as language_name
from isogloss.pages.widgets.links.references import SHOWN
from isogloss.pages.widgets.workspace import workspaces

Query = dict[str, str | list[str]]
"""What a URL says, by the controls' keys."""
VIEWS = {
    "xferbench": ("emergent", "Leaderboard"),
    "translation": ("emergent", "Translation"),
    "language_game": ("emergent", "Games"),
    "word_errors": ("alignment", "Errors"),
    "word_distributions": ("alignment", "Distributions"),
    "static_alignment": ("alignment", "Curves"),
    "static_sentences": ("alignment", "Curves"),
}
"""By experiment, where it is not the first view of its own family: the family of the page, and the view."""
OVER_CHECKPOINTS = "Layers × checkpoints"
NOWHERE = ("transfer_weights", "language_similarity", "pair_counts", "pair_precision")
"""Experiments whose result is a part of what a page shows of others, or no figure."""
ON_DATA = ("probing", "transfer")
"""Pages that choose languages to train on and others to test in."""


def model(spec: Fields) -> Model | None:
    """Return the kept model that a run is of, by its checkpoints and its name; None where there is none."""
    checkpoints = [spec["checkpoint"]] if "checkpoint" in spec else list(spec.get("checkpoints", ()))
    if not checkpoints:
        return None
    checkpoint = Checkpoint.model_validate(checkpoints[0])
    return model_of(checkpoint, spec.get("model"), workspaces()) or model_of(checkpoint, None, workspaces())


def link(spec: Fields, names: Names) -> tuple[str, Query] | None:
    """Return the family of the page that shows what a run computed, and what its URL says; None where no page does.

    `names` is content id → name of what is kept.
    """
    experiment = str(spec.get("experiment"))
    families = [family for family in registry.FAMILIES if experiment in {each.name for each in family.experiments}]
    if not families or experiment in NOWHERE:
        return None
    family, view = VIEWS.get(experiment, (families[0].name, ""))
    if not any(known.name == family and known.menu for known in registry.FAMILIES):
        return None
    query: Query = {"view": view} if view else {}
    if (kept := model(spec)) is not None:
        query["model"] = kept.name
        untrained = spec.get("checkpoints") and spec["checkpoints"][0].get("untrained") is not None
        if untrained or experiment == controls.FAMILY:
            query["against"] = [RANDOM] if untrained else list(controls.CONTROLS)
            return family, query | _of_texts(family, spec, names)
        labels = [each["label"] for each in spec.get("checkpoints", ())] or [spec["checkpoint"]["label"]]
        query |= {} if family == "tokenisers" or len(labels) == len(kept.checkpoints) else {"checkpoints": labels}
    return family, query | _of_texts(family, spec, names)


def _of_texts(family: str, spec: Fields, names: Names) -> Query:
    """Return what a link says of corpus, languages and options."""
    query: Query = {}
    if spec.get("corpus"):
        query["data" if family in ON_DATA else "corpus"] = _reference(spec["corpus"], names)
    return query | _languages(family, spec, names) | _options(family, spec)


def of_watch(watch: Watch, state: State, names: Names) -> tuple[str, Query] | None:
    """Return the page of what a watch scores, as `link` does: of the whole model, in the view where its columns come.

    None before the first checkpoint is scored: its model is not there, or has nothing to show.
    What `link` has a view of its own for, such as errors of words, is shown there.
    """
    if not state.scored:
        return None
    name = state.model or watch.model
    found = link({**watch.spec, "model": name, "checkpoints": []}, names)
    if found is None:
        return None
    family, query = found
    view: Query = {"view": OVER_CHECKPOINTS} if family in ("abx", "alignment", "geometry", "probing") else {}
    return family, view | query | {"model": name}


def _reference(content: str, names: Names) -> str:
    """Write what links call the thing of this content."""
    return f"{names.get(content, 'removed')}~{content[:SHOWN]}"


def _languages(family: str, spec: Fields, names: Names) -> Query:
    """Return the languages of a run, and which pairs of them."""
    if family == "latent":
        return _of_words(spec)
    if family in ON_DATA:
        targets = spec.get("targets") or ([] if family == "probing" else spec.get("languages", ()))
        query: Query = {"from": _named(spec.get("sources", ())), "to": _named(targets)}
        if family == "probing":
            query["setting"] = "others" if targets else "own"
            query |= {"on": _reference(spec["tested"], names)} if spec.get("tested") not in (None, spec["corpus"]) else {}
        return {key: texts for key, texts in query.items() if texts}
    pairs: list[Mapping[str, Any]] = list(spec.get("pairs") or ()) if family == "alignment" else []
    pairs += [spec["pair"]] if "pair" in spec else []
    tags = {spec[end] for end in ("source", "target") if isinstance(spec.get(end), str)}
    tags |= {*spec.get("languages", ())} | {pair[end] for pair in pairs for end in ("source", "target")}
    query = {"languages": _named(sorted(tags))} if tags and family != "emergent" else {}
    query |= {f"dictionary_{pair['source']}_{pair['target']}": _reference(pair["dictionary"], names) for pair in pairs}
    listed = spec.get("listed") or (spec.get("pairs") if family in ("abx", "geometry") else None)
    return query | ({"pairs": "A list", "pair_list": [f"{one} – {other}" for one, other in listed]} if listed else {})


def _of_words(spec: Fields) -> Query:
    """Return whose words a run looked for, by which dictionaries, and what the prompts asked."""
    known = {entry.id: entry.name for entry in dictionaries.entries(workspaces())}
    query: Query = {"dictionaries": [_reference(each["dictionary"], known) for each in spec["dictionaries"]]}
    query["answers"] = _named(spec["targets"])
    return query | ({"asked_from": language_name(spec["source"])} if spec.get("source") else {})


def _named(tags: Any) -> list[str]:
    return [language_name(tag) for tag in tags]


def _options(family: str, spec: Fields) -> Query:
    """Return how a run was asked for, as the controls of its page say it."""
    if family == "transfer":
        return _of_training(spec)
    if family not in ("abx", "alignment", "geometry", "latent"):
        return {}  # these open on the options of what they have
    kind = registry.EXPERIMENTS[str(spec["experiment"])].spec
    values = settled(kind, spec)
    shown = {
        option.key: values[name]
        for name, option in declared(kind).items()
        if option.option.label and option.applies(values) and values[name] is not None
    }
    query: Query = {key: str(value).lower() if isinstance(value, bool) else str(value) for key, value in shown.items()}
    if prefix := spec.get("prefix"):
        query |= {"prefix": prefixes.OTHER, "prefix_text": prefix.replace("\n", "\\n")}
    return query | (_of_alignment(spec, values) if family == "alignment" else {})


def _of_training(spec: Fields) -> Query:
    """Return what was trained how, as files of errors say it: the page lists what it has of them."""
    try:
        run: Any = registry.parse(dict(spec))
    except SpecError:
        return {}  # of another version, or of a family that is not installed
    provenance = run.provenance(next(iter(run.shards().values()))) | {"complete": True}
    swept = {"algorithm": "algorithms", "learning_rate": "learning_rates", "seed": "seeds", "corruption": "corruptions"}
    query: Query = {
        key: [f"{each:g}" if isinstance(each, float) else str(each) for each in spec[name]] for key, name in swept.items()
    }
    return query | {"setting": setting(provenance)}


def _of_alignment(spec: Fields, values: Mapping[str, Any]) -> Query:
    """Return what the page asks for by hand: the unit, the candidates, the vector and the draws of sentences."""
    sentences = spec["experiment"] in ("sentence_alignment", "static_sentences")
    strong = "strong_self" if values.get("self_neighbour") else "strong"
    query: Query = {"unit": "sentence" if sentences else "word", "strong": strong}
    if sentences:
        query |= {"pooling": values.get("pooling") or "mean"}
        if values.get("n_sentences"):
            query |= {"n_sentences": str(values["n_sentences"]), "sentence_runs": str(values["runs"])}
    return query
