"""`isogloss pretrain`: train a small multilingual encoder from any parallel corpus."""

from __future__ import annotations

import signal
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from isogloss.backend.experiments.command import split_commas
from isogloss.backend.experiments.named import corpus_named, workspaces
from isogloss.backend.experiments.spec import validate

if TYPE_CHECKING:
    from isogloss.backend.corpora.parallel.corpus import ParallelCorpus


def pretrain(
    folder: Annotated[Path, typer.Argument(help="Where the checkpoint-<step> folders go; run again to go on after a stop")],
    corpus: Annotated[str, typer.Option(help="A saved corpus by name or id, or the path of a file or folder to read")],
    objective: Annotated[str, typer.Option(help="mlm, or mlm+contrast (with InfoXLM's translation contrast)")] = "mlm",
    languages: Annotated[str, typer.Option(help="BCP-47 tags separated by commas; all by default")] = "",
    layers: Annotated[int, typer.Option(help="Transformer layers")] = 4,
    dims: Annotated[int, typer.Option(help="Width of the hidden states")] = 128,
    heads: Annotated[int, typer.Option(help="Attention heads")] = 4,
    feed_forward: Annotated[
        int | None, typer.Option(help="Width of the feed-forward layers; four times dims by default")
    ] = None,
    dropout: Annotated[float, typer.Option(help="In training")] = 0.1,
    vocabulary: Annotated[int, typer.Option(help="Entries of the tokeniser")] = 8000,
    steps: Annotated[int, typer.Option(help="Training steps")] = 2000,
    batch: Annotated[int, typer.Option(help="Sentences (or translation pairs) a step")] = 32,
    learning_rate: Annotated[float, typer.Option(help="The highest, after warm-up")] = 1e-3,
    warmup: Annotated[int, typer.Option(help="Steps of linear warm-up")] = 100,
    contrast_layer: Annotated[int, typer.Option(help="The layer whose mean is drawn together")] = 3,
    temperature: Annotated[float, typer.Option(help="Of the contrast")] = 0.05,
    checkpoints: Annotated[
        str, typer.Option(help="Steps to keep, separated by commas; dense early, sparse late by default")
    ] = "",
    held_out: Annotated[int, typer.Option(help="Sentences never trained on")] = 200,
    precision: Annotated[str, typer.Option(help="How checkpoints are stored: float32 or float16")] = "float32",
    seed: Annotated[int, typer.Option(help="Same seed, same model")] = 0,
) -> None:
    """Pre-train an encoder of XLM-R's architecture and keep its checkpoints, ready for `models add`.

    Stopping it (Ctrl-C) loses nothing: the same command goes on where it was, to the same result.
    """
    asked = locals() | {"languages": split_commas(languages), "checkpoints": split_commas(checkpoints)}
    from isogloss.backend.training.encoder.options import PretrainOptions
    from isogloss.backend.training.encoder.pretrain import PretrainProgress
    from isogloss.backend.training.encoder.pretrain import pretrain as train

    options = validate(PretrainOptions, {field: asked[field] for field in PretrainOptions.model_fields if field in asked})

    def show(progress: PretrainProgress) -> None:
        if progress.step % 20 == 0 or progress.step == steps:
            typer.echo(f"step {progress.step}/{steps}  loss {progress.loss:.3f}  {progress.tokens_per_second:,.0f} tokens/s")

    stopped = threading.Event()
    signal.signal(signal.SIGINT, lambda *_: stopped.set())
    result = train(_corpus(corpus), options, folder, progress=show, should_stop=stopped.is_set)
    if not result.finished:
        typer.echo(f"Stopped at step {result.step}. Run the same command to go on.")
        return
    typer.echo(f"Checkpoints are in {folder}. Add them with: isogloss models add {folder}")


def _corpus(named: str) -> ParallelCorpus:
    from isogloss.backend.corpora.parallel import library
    from isogloss.backend.corpora.parallel.readers import InputFile, read
    from isogloss.backend.corpora.shared import apart

    path = Path(named)
    if path.exists():
        files = sorted(path.iterdir()) if path.is_dir() else [path]
        return apart.read(read, [InputFile(file.name, file) for file in files if file.is_file()])
    return library.load(corpus_named(named).id, workspaces())
