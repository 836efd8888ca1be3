"""Isogloss: look inside multilingual language models.

What is named in `__all__` is the public interface (docs/python.md); each name is imported when it is first asked for, so that
`import isogloss` takes no time and brings no torch.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from isogloss.backend.errors import CorpusError, IsoglossError, ModelError, SpecError, StoreError
    from isogloss.backend.public.arrays import abx, igap, retrieval
    from isogloss.backend.public.callbacks import lightning_callback, trainer_callback
    from isogloss.backend.public.evaluations import evaluations
    from isogloss.backend.public.measure import measure
    from isogloss.backend.public.models import compare_models, rank_models
    from isogloss.backend.public.probes import probe
    from isogloss.backend.public.recipes import draw, queries, query, record
    from isogloss.backend.public.running import TimeUpError
    from isogloss.backend.public.saved import scores
    from isogloss.backend.public.schemas import schemas
    from isogloss.pages.widgets.figures.by_name import figure, rows, views

__version__ = "0.2.0"
__all__ = [
    "CorpusError",
    "IsoglossError",
    "ModelError",
    "SpecError",
    "StoreError",
    "TimeUpError",
    "abx",
    "compare_models",
    "draw",
    "evaluations",
    "figure",
    "igap",
    "lightning_callback",
    "measure",
    "probe",
    "queries",
    "query",
    "rank_models",
    "record",
    "retrieval",
    "rows",
    "schemas",
    "scores",
    "trainer_callback",
    "views",
]
_PLACES = {
    "backend.errors": ("CorpusError", "IsoglossError", "ModelError", "SpecError", "StoreError"),
    "backend.public.arrays": ("abx", "igap", "retrieval"),
    "backend.public.callbacks": ("lightning_callback", "trainer_callback"),
    "backend.public.evaluations": ("evaluations",),
    "backend.public.measure": ("measure",),
    "backend.public.models": ("compare_models", "rank_models"),
    "backend.public.probes": ("probe",),
    "backend.public.recipes": ("draw", "queries", "query", "record"),
    "backend.public.running": ("TimeUpError",),
    "backend.public.saved": ("scores",),
    "backend.public.schemas": ("schemas",),
    "pages.widgets.figures.by_name": ("figure", "rows", "views"),
}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first asked for."""
    for module, names in _PLACES.items():
        if name in names:
            return getattr(import_module(f"isogloss.{module}"), name)
    raise AttributeError(f"module 'isogloss' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
