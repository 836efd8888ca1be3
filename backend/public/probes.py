"""`isogloss.probe`: what a linear probe of each layer tells, trained as the runs of Probing train theirs."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from isogloss.backend.errors import SpecError
from isogloss.backend.public.reading import in_words, vectors

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from isogloss.backend.experiments.probing.examples import Examples
    from isogloss.backend.training.probe.options import ProbeOptions

    Part = tuple[Any, Sequence[Any]]
    """Features and labels."""


def probe(
    training: Part,
    validation: Part,
    test: Part,
    *,
    words: tuple[Sequence[str], Sequence[str], Sequence[str]] | None = None,
    sentences: Sequence[int] | None = None,
    seeds: int = 6,
    device: str = "auto",
    **options: Any,
) -> pd.DataFrame:
    """Train linear softmax probes of every layer, of their mean and of a learned mix, and say how often they are right.

    Args:
        training: Features and labels to learn: `[rows, layers, dims]`, or `[rows, dims]` for one layer (numpy or torch,
            float16 to float64, rounded to float32), and a label a row, texts or numbers. A row is a word, or a sentence.
        validation: By whose loss each probe stops.
        test: What is tested on. A label that training lacks is never right.
        words: The word of each row of the three parts: then a control task is trained too, each word type with a random label.
        sentences: The number of the sentence of each test row, rising: intervals take sentences for what is drawn. By default
            each row is one.
        seeds: Probes of each layer, from seed 0.
        device: `auto`, `cpu`, `cuda` or `cuda:1`.
        options: Fields of the product's probes: `standardisation`, `optimiser`, `learning_rate`, `batch`, `weight_decay`,
            `patience`, `epochs`.

    Returns:
        A row a measure and layer: `metric`, `layer` (a number, `mean of layers` or `learned mix`; None for the most frequent
        label), `value`, `low`, `high`, `n` (test rows). `probe_accuracy`: share of rows told right, the mean over seeds,
        higher = better. `majority_accuracy`: that of always telling the most frequent label. With `words` also
        `word_majority_accuracy`, `control_accuracy` (of the random labels) and `selectivity` (the difference, −1 to 1).
        `low` and `high` are 95% intervals over sentences and seeds, crossed, on Wilson's scale; nan for one sentence.

    Raises:
        SpecError: Parts that do not fit one another, or an unknown option.
        IsoglossError: No row to learn from, or a feature that is not finite (its layer is named).

    Source: de Seyssel et al. 2025, section 5.1; control tasks: Hewitt & Liang 2019, section 2.
    """
    from isogloss.backend.experiments.probing import rows as made
    from isogloss.backend.metrics.probing.controls import tag_distribution
    from isogloss.backend.training.probe.probes import predict
    from isogloss.backend.training.probe.train import train_probes

    chosen = _options(options, seeds, control=words is not None)
    parts, tags = _parts((training, validation, test), words, sentences)
    learnt, stopped_by, tested = parts
    known = len(tags)
    distribution = tag_distribution(learnt.labels, known)
    controls = [_control(part, distribution, chosen) for part in parts]
    with in_words():
        places = [0] if learnt.features.layers == 1 else None  # one layer is its own mean and mix
        probes = train_probes(
            learnt.part(controls[0]), stopped_by.part(controls[1]), known, chosen, places=places, device=device
        )
        told = predict(probes, tested.features, device=device).tags
        rows = made.of_tags(told, tested, probes.places, probes.seeds, None) + made.of_lines(learnt, tested)
        if controls[2] is not None:
            of_control = predict(probes, tested.features, head="control", device=device).tags
            rows += made.of_controls(told, of_control, tested, controls[2], probes.places, probes.seeds)
    columns = ["metric", "layer", "value", "low", "high", "n"]
    means = [row | {"layer": row.get("layer", row.get("mix"))} for row in rows if "seed" not in row]
    layers = pd.Series([row["layer"] for row in means], dtype=object)  # numbers, names and None
    return pd.DataFrame(means, columns=columns).assign(layer=layers)


def _options(given: dict[str, Any], seeds: int, *, control: bool) -> ProbeOptions:
    """Return the probes' options. Raises `SpecError` for one that is unknown or out of its bounds."""
    from isogloss.backend.experiments.spec import validate
    from isogloss.backend.training.probe.options import ProbeOptions

    own = {"training_words": None, "seeds": tuple(range(seeds)), "control": "by seed" if control else False}
    if taken := sorted(own.keys() & given.keys()):
        raise SpecError(
            f"'{taken[0]}' is no option here: give all rows to train on, `seeds`, and `words` for the control task."
        )
    return validate(ProbeOptions, given | own)


def _parts(
    given: tuple[Part, Part, Part], words: tuple[Sequence[str], ...] | None, sentences: Sequence[int] | None
) -> tuple[list[Examples], list[Any]]:
    """Return the three parts with their labels as numbers, and the labels of training by their numbers."""
    from isogloss.backend.experiments.probing.examples import Examples
    from isogloss.backend.training.probe.features import VectorFeatures

    names = ("Training", "Validation", "Test")
    if words is not None and len(words) != len(names):
        raise SpecError(f"`words` are those of the training, the validation and the test rows: three lists, not {len(words)}.")
    labels = [np.asarray(part[1]).tolist() for part in given]
    tags = list(dict.fromkeys(sorted(labels[0], key=str)))
    number = {tag: place for place, tag in enumerate(tags)}
    found = []
    for name, (features, _), own, spoken in zip(names, given, labels, words or [()] * 3, strict=True):
        array = _features(features, name)
        if len(own) != len(array) or (words is not None and len(spoken) != len(array)):
            of_words = f" and {len(spoken)} words" if words is not None else ""
            raise SpecError(f"{name} has {len(array)} rows, {len(own)} labels{of_words}: it needs one of each a row.")
        if name == "Validation" and (unknown := [tag for tag in own if tag not in number]):
            raise SpecError(f"Validation has the label '{unknown[0]}', which training lacks. Leave its rows out.")
        told = np.array([number.get(tag, len(tags)) for tag in own], np.int64)
        rows = np.arange(len(array), dtype=np.int32)
        nothing: frozenset[str] = frozenset()
        found.append(Examples(VectorFeatures(array), told, rows, rows * 0, list(spoken), 0, nothing, nothing, name))  # type: ignore[arg-type]
    if len({part.features.shape[1:] for part in found}) > 1:
        shapes = ", ".join(f"{name.lower()} {list(part.features.shape)}" for name, part in zip(names, found, strict=True))
        raise SpecError(f"All parts need the same layers and dimensions: {shapes}.")
    if sentences is not None:
        found[2] = replace(found[2], sentences=_sentences(sentences, len(found[2].labels)))
    return found, tags


def _features(given: Any, name: str) -> NDArray[np.float32]:
    """Return features as `[rows, layers, dims]`, in the type that they are trained in."""
    array = np.asarray(given.detach().cpu().float().numpy() if hasattr(given, "detach") else given)
    array = array[:, None] if array.ndim == 2 else array
    found: NDArray[np.float32] = vectors(array, f"{name} features", ("rows", "layers", "dims")).float().numpy()
    return found


def _sentences(given: Sequence[int], rows: int) -> NDArray[np.int32]:
    numbers = np.asarray(given, np.int64)
    if numbers.shape != (rows,) or (np.diff(numbers) < 0).any():
        raise SpecError(f"`sentences` are the numbers of the test rows' sentences, {rows} of them, rising.")
    return np.unique(numbers, return_inverse=True)[1].astype(np.int32)


def _control(part: Examples, distribution: NDArray[np.int64], options: ProbeOptions) -> NDArray[np.int64] | None:
    """Return the control task's labels of a part's words, a draw a seed."""
    from isogloss.backend.metrics.probing.controls import control_tags

    if not options.control:
        return None
    return np.stack([control_tags(part.words, distribution, seed) for seed in options.seeds])
