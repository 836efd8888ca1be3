"""What a run computes and where it stands, as text. No Streamlit."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

from backend.corpora.languages.languages import name_of
from backend.experiments.translation.spec import TranslationSpec
from backend.experiments.xferbench.spec import XferBenchSpec
from pages.widgets.words import count

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from backend.jobs.client import Job

NAMED = 6
"""Languages listed by name before the others are counted."""

PAIRS_NAMED = 3
"""Pairs of languages listed by name before the others are counted."""
SWEPT = ("checkpoints", "sources", "algorithms", "learning_rates", "seeds", "corruptions")
"""What a transfer experiment trains a model for each combination of."""
MEASURES = {
    "abx": "ABX",
    "word_alignment": "Word alignment",
    "sentence_alignment": "Sentence alignment",
    "language_similarity": "Similarity of languages",
}
PIECES = {"transfer": "run", "translation": "training", "wikipedia": "language", "xferbench": "training"}
"""What the parts of a run are called where they are not a model's checkpoints."""
TASKS = {"weak": "weak", "strong": "strong", "strong_released": "strong (both languages)"}
SWITCHES = {"centred": "language-centred", "masked": "masked words", "repeated": "repeated pairs"}
PROTOCOLS = {"exact": "all triplets", "control": "control that must come out at 0.5"}
POOLINGS = {
    "mean": "mean of tokens",
    "mean_special": "mean with special tokens",
    "first": "first token",
    "last": "last token",
}


def title(spec: Mapping[str, Any]) -> str:
    """The run in a few words: `ABX · mini (12 checkpoints)`."""
    match spec.get("experiment"):
        case "abx" | "word_alignment" | "sentence_alignment" | "language_similarity" as family:
            return f"{MEASURES[family]} · {spec['model']} ({count(len(spec['checkpoints']), 'checkpoint')})"
        case "static_alignment":
            return f"Static vectors · {spec['model']}"
        case "confusions":
            return f"Confused sentences · {spec['checkpoint']['label']}, layer {spec['layer']}"
        case "word_errors":
            return f"Word errors · {spec['checkpoint']['label']}, layer {spec['layer']}"
        case "word_distributions":
            return f"Similarity of words · {spec['checkpoint']['label']}"
        case "pair_precision":
            return f"Sources of word pairs · {spec['checkpoint']['label']}"
        case "transfer":
            return f"Transfer · {spec['model']} ({count(fine_tunings(spec), 'run')})"
        case "transfer_weights":
            return f"Model to keep · {spec['run']['checkpoints'][0]['label']}, step {spec['step']:,}"
        case "language_game":
            return f"Language from a signalling game · {spec['name']}"
        case "translation":
            sources, settings = count(len(spec["sources"]), "source"), count(len(spec["settings"]), "setting")
            return f"Machine translation · {sources}, {settings} ({spec['preset']})"
        case "wikipedia":
            return f"Text of Wikipedia · {listed(spec['languages'])}"
        case "xferbench":
            sources, targets = count(len(spec["sources"]), "source"), count(len(spec["targets"]), "target")
            return f"XferBench · {sources}, {targets} ({spec['preset']})"
        case other:
            return str(other)


def details(spec: Mapping[str, Any], corpora: Mapping[str, str]) -> str:
    """The rest of what was asked for: corpus, languages, options. `corpora` is content id → name."""
    if spec.get("experiment") == "language_game":
        return " · ".join(played(spec["options"]))
    if spec.get("experiment") == "xferbench":
        return " · ".join(benchmarked(spec))
    if spec.get("experiment") == "wikipedia":
        return f"up to {spec['characters']:,} characters each · dump {spec['dump']} · revision {spec['revision'][:12]}"
    if spec.get("experiment") == "translation":
        return " · ".join(translated(spec))
    if spec.get("experiment") == "transfer_weights":
        run = spec["run"]
        return " · ".join([on(run, corpora), f"from {listed(run['sources'])}", *trained(run, one=True)])
    parts = [on(spec, corpora)]
    match spec.get("experiment"):
        case "abx":
            parts += [listed(spec["languages"]), protocol(spec)]
        case "confusions":
            parts.append(f"{name_of(spec['source'])} and {name_of(spec['target'])}")
        case "word_alignment" | "static_alignment":
            parts += [paired(spec["pairs"]), drawn(spec), *options(spec)]
        case "sentence_alignment" | "language_similarity":
            parts += [listed(spec["languages"]), *options(spec)]
        case "word_errors":
            pair = spec["pair"]
            parts += [
                f"{name_of(pair['source'])} → {name_of(pair['target'])}",
                TASKS[spec["task"]],
                drawn(spec),
                *options(spec),
            ]
        case "word_distributions" | "pair_precision":
            parts += [paired([spec["pair"]]), *([drawn(spec)] if "n_pairs" in spec else [])]
        case "transfer":
            parts += [f"from {listed(spec['sources'])}", f"to {listed(spec['languages'])}", *trained(spec)]
        case _:
            pass
    if "pooling" in spec:
        parts.append(POOLINGS.get(spec["pooling"], spec["pooling"]))
    return " · ".join(parts)


def on(spec: Mapping[str, Any], corpora: Mapping[str, str]) -> str:
    """The corpus by name, and how much of it."""
    corpus = corpora.get(str(spec.get("corpus")), f"a corpus no longer kept ({str(spec.get('corpus'))[:6]})")
    limit = spec.get("sentences")
    return f"on {corpus}" + (f", first {limit:,} sentences" if limit else "")


def paired(pairs: Sequence[Mapping[str, str]]) -> str:
    """Pairs of languages by name, those beyond `PAIRS_NAMED` counted."""
    names = [f"{name_of(pair['source'])}–{name_of(pair['target'])}" for pair in pairs]
    if len(names) <= PAIRS_NAMED:
        return ", ".join(names)
    return f"{', '.join(names[: PAIRS_NAMED - 1])} and {len(names) - PAIRS_NAMED + 1} more"


def drawn(spec: Mapping[str, Any]) -> str:
    """How many word pairs a run takes at most, and how many runs there are."""
    runs = spec.get("runs", 1)
    return f"{spec['n_pairs']:,} word pairs" + (f" a run, {runs} runs" if runs > 1 else "")


def options(spec: Mapping[str, Any]) -> list[str]:
    """What was asked for beside the defaults of alignment, in the words of its page."""
    found = ["cosine"] if spec.get("similarity") == "cosine" else []
    return [*found, *(said for key, said in SWITCHES.items() if spec.get(key))]


def played(options: Mapping[str, Any]) -> list[str]:
    """A signalling game: what about, in which symbols, how long at most."""
    found = [options["game"], f"{options['values']} values of {count(options['attributes'], 'attribute')}"]
    found += [count(options["distractors"], "distractor")] if options["game"] == "discrimination" else []
    length = f"up to {options['length']}" if options["end_of_sequence"] else str(options["length"])
    found += [f"{options['vocabulary']} symbols, {length} a message", f"up to {count(options['epochs'], 'epoch')}"]
    return [*found, f"seed {options['seed']}"]


def benchmarked(spec: Mapping[str, Any]) -> list[str]:
    """An XferBench run: from what, to what, how."""
    parsed = XferBenchSpec.model_validate(spec)
    found = [f"from {several([source.label for source in parsed.sources])}"]
    found += [f"to {several([target.label for target in parsed.targets])}", f"{parsed.protocol} protocol"]
    return [*found, count(len(parsed.seeds), "seed")]


def translated(spec: Mapping[str, Any]) -> list[str]:
    """A machine-translation check: from what, between which languages, how."""
    parsed = TranslationSpec.model_validate(spec)
    found = [f"from {several([source.label for source in parsed.sources])}", parsed.text.label]
    return [*found, ", ".join(parsed.settings), count(len(parsed.seeds), "seed")]


def fine_tunings(spec: Mapping[str, Any]) -> int:
    """How many models a transfer experiment trains."""
    return prod(len(spec[name]) for name in SWEPT)


def trained(spec: Mapping[str, Any], *, one: bool = False) -> list[str]:
    """How a transfer experiment's models are trained; `one` of them is known by its seed."""
    rates = ", ".join(f"{rate:g}" for rate in spec["learning_rates"])
    found = ["random labels"] if spec["data"] == "parallel" else []
    found += [", ".join(spec["algorithms"]), f"learning rate {rates}", count(spec["training"]["epochs"], "epoch")]
    found += [f"seed {spec['seeds'][0]}" if one else count(len(spec["seeds"]), "seed")]
    if any(spec["corruptions"]):
        found.append(f"corruption {', '.join(f'{share:g}' for share in spec['corruptions'])}")
    return found


def protocol(spec: Mapping[str, Any]) -> str:
    kind = str(spec.get("protocol", "exact"))
    if kind == "sampled":
        return f"{spec['n_triplets']:,} sampled triplets a pair, seed {spec['seed']}"
    return PROTOCOLS.get(kind, kind)


def listed(tags: Sequence[str]) -> str:
    """Languages by name, those beyond `NAMED` counted."""
    return several([name_of(tag) for tag in tags])


def several(names: Sequence[str]) -> str:
    """Names, those beyond `NAMED` counted."""
    if len(names) <= NAMED:
        return ", ".join(names)
    return f"{', '.join(names[: NAMED - 1])} and {len(names) - NAMED + 1} more"


def outcome(job: Job) -> str:
    """Where the run stands, in one line. A run of one piece has no checkpoints to count."""
    if not has_pieces(job):
        return _outcome_of_one(job)
    of = f"{job.done} of {count(job.total, PIECES.get(str(job.spec.get('experiment')), 'checkpoint'))} done"
    match job.state:
        case "waiting":
            return "Waiting for a worker"
        case "running":
            return of + (f", now {job.doing}" if job.doing else "")
        case "done":
            return of
        case "failed":
            return f"{of}, {len(job.failures)} failed"
        case "cancelled":
            return f"{of} before it was cancelled"


def has_pieces(job: Job) -> bool:
    """Whether its parts are worth counting."""
    return "checkpoints" in job.spec or job.spec.get("experiment") in PIECES


def _outcome_of_one(job: Job) -> str:
    match job.state:
        case "waiting":
            return "Waiting for a worker"
        case "running":
            return f"Now {job.doing}" if job.doing else "Started"
        case "done":
            return "Computed"
        case "failed":
            return "Not computed"
        case "cancelled":
            return "Cancelled before it was computed"
