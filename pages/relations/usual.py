"""What is set against what before anything is chosen."""

from __future__ import annotations

from collections.abc import Sequence

from isogloss.backend.models.entry import Model
from isogloss.backend.store import scores
from isogloss.pages.shared.relation_measures import Choice
from isogloss.pages.widgets.choosing import results
from isogloss.pages.widgets.workspace import guard, workspaces


def usual_model(choices: Sequence[Choice], everything: Sequence[Model]) -> str:
    """Return the newest of one's own models that two measures are computed of.

    Without one, the model that most are computed of, of equal ones in most ways.
    """
    count: dict[str, tuple[int, int]] = {}
    for choice in choices:
        for model in () if choice.words.of_input else choice.models():
            measures, ways = count.get(model, (0, 0))
            count[model] = measures + 1, ways + sum(variant.of(model) is not None for variant in choice.variants)
    with guard():
        own = results.results_of_user(scores.shards(workspaces()))
    names = {each.fingerprint: model.name for model in everything for each in model.checkpoints}
    called = (str(file.provenance.get("model")) for file in own)
    now = (names.get(str(file.provenance.get("fingerprint")), "") for file in own)  # renamed since it was computed
    able = (name if name in count else new for name, new in zip(called, now, strict=True))
    newest = next((name for name in able if count.get(name, (0, 0))[0] > 1), None)
    return newest if newest else max(count, key=lambda model: count[model], default="")


def usual_predictor(choices: Sequence[Choice], model: str) -> Choice:
    """What is set against it at first: the first measure that the usual model has."""
    return next((each for each in choices if model in each.models()), choices[0])


def usual_outcome(choices: Sequence[Choice], x: Choice, model: str) -> Choice:
    """What is predicted at first: what the usual model can do after learning a task, else another measure."""
    others = [each for each in choices if each is not x and not each.given]
    tasks = [each for each in others if each.words.task and model in each.models()]
    same = [each for each in others if model in each.models()]
    return (tasks or same or others or list(choices))[0]
