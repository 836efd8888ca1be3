"""`isogloss xferbench FILE`: from a file to a score and what is said where that cannot be."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow.compute as pc
import pytest

from isogloss.backend.cli import xferbench as one_command
from isogloss.backend.corpora.emergent import library as emergent_library
from isogloss.backend.corpora.parallel import library
from isogloss.backend.corpora.parallel.corpus import ParallelCorpus
from isogloss.backend.errors import CorpusError, SpecError
from isogloss.backend.experiments import registry
from isogloss.backend.experiments.sources.source import NoPretraining
from isogloss.backend.experiments.spec import Context
from isogloss.backend.experiments.xferbench import queries
from isogloss.backend.experiments.xferbench.spec import Target, XferBenchSpec
from isogloss.backend.settings import settings
from isogloss.backend.training.resumable.options import Stage
from tests.cli.typed import output
from tests.experiments.xferbench.small_xferbench import small_corpus
from tests.training.language_model.language_modelling import tiny_options

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def messages(tmp_path: Path) -> Path:
    path = tmp_path / "messages.jsonl"
    path.write_text("".join(f"[{i % 7}, {i % 3}, {i % 5}]\n" for i in range(60)))
    return path


@pytest.fixture
def computed_here(monkeypatch: pytest.MonkeyPatch) -> list[XferBenchSpec]:
    """Compute what is queued at once and in this process, with tiny models; return the specs."""
    asked: list[XferBenchSpec] = []

    def compute(spec: XferBenchSpec, wait: bool) -> None:
        assert wait
        asked.append(spec)
        for shard in spec.shards():
            registry.compute(spec, shard, Context(settings()))

    monkeypatch.setattr(one_command, "queue", compute)
    monkeypatch.setattr("isogloss.backend.experiments.xferbench.spec.preset", lambda *_, **given: tiny_options(**given))
    return asked


def test_a_file_becomes_a_score(workspace: Path, messages: Path, computed_here: list[XferBenchSpec]) -> None:
    library.keep(small_corpus(), "News", workspace)
    said = output("xferbench", str(messages), "--preset", "quick")
    (spec,) = computed_here
    assert [(target.language, target.name) for target in spec.targets] == [("da", "News"), ("fi", "News")]  # not English
    assert [entry.name for entry in emergent_library.entries([workspace])] == ["messages"]
    cells = queries.cross_entropies([workspace], spec.variant.name).set_index("target")["value"]
    for language, target in (("Danish", "da"), ("Finnish", "fi")):
        assert f"{language.ljust(7)}  {cells[target]:.3f}" in said
    assert (
        f"XferBench score of 'messages': {cells.mean():.3f} nats per token (lower is better), the mean over 2 targets" in said
    )
    assert "8 of its ten targets are lacking" in said
    assert "Tuned on less than the" not in said  # tiny models ask for little
    again = output("xferbench", str(messages), "--name", "Another name", "--target", "News/fi", "--seeds", "2")
    assert "saved as 'messages'" in again  # the same content stays under its name
    assert computed_here[1].seeds == (0, 1)
    assert (
        f"XferBench score of 'messages': {queries.cross_entropies([workspace], spec.variant.name)['value'].iloc[-1]:.3f}"
        in again
    )


def test_a_score_stands_beside_the_baselines_on_the_same_targets(
    workspace: Path, messages: Path, computed_here: list[XferBenchSpec]
) -> None:
    """Paired over targets; one that lacks a target is none, and the same text in another corpus is the same target."""
    entry = library.keep(small_corpus(), "News", workspace)
    said = output("xferbench", str(messages))
    assert "No baseline is computed on these targets" in said
    (spec,) = computed_here
    fewer = ParallelCorpus(small_corpus().table.filter(pc.not_equal(small_corpus().table["language"], "en")))
    other = library.keep(fewer, "Same lines", workspace)
    for corpus, tag in ((entry.id, "fi"), (other.id, "da")):
        target = Target(corpus=corpus, language=tag)
        base = spec.model_copy(update={"sources": (NoPretraining(),), "targets": (target,)})
        for shard in base.shards():
            registry.compute(base, shard, Context(settings()))
        said = output("xferbench", str(messages))
        assert ("No pre-training" in said) == (tag == "da")
    rows = queries.matrix(queries.cross_entropies([workspace], spec.variant.name))
    own = next(key for key in rows.index if key != "none")
    less = rows.loc[own] - rows.loc["none"]
    mean, half = less.mean(), 12.706 * less.std() / 2**0.5  # Student's t with one degree of freedom
    assert f"Less No pre-training ({rows.loc['none'].mean():.3f}): {mean:+.3f} [" in said
    low, high = said.partition("): ")[2].partition("[")[2].partition("]")[0].split(", ")
    assert (float(low), float(high)) == (pytest.approx(mean - half, abs=0.01), pytest.approx(mean + half, abs=0.01))
    assert "nats per token (below 0 = better; 95% over 2 targets)." in said
    assert "one target: no interval" in output("xferbench", str(messages), "--target", "News/da")


def test_a_target_that_is_too_short_is_said_beside_the_score(
    workspace: Path, messages: Path, computed_here: list[XferBenchSpec], monkeypatch: pytest.MonkeyPatch
) -> None:
    library.keep(small_corpus(), "News", workspace)
    more = Stage(tokens=100_000, epochs=1)
    monkeypatch.setattr(
        "isogloss.backend.experiments.xferbench.spec.preset", lambda *_, **given: tiny_options(tuning=more, **given)
    )
    said = output("xferbench", str(messages), "--target", "News/fi")
    assert computed_here
    assert "Tuned on less than the 100,000 tokens asked for, not repeated as in the paper: Finnish" in said
    assert "With fewer than 400 updates they do not rank sources: Finnish." in said


def test_the_longest_text_of_a_language_is_the_target(workspace: Path) -> None:
    library.keep(small_corpus(), "News", workspace)
    whole = small_corpus()
    longer = type(whole)(whole.table.set_column(2, "text", [[f"{text} and more" for text in whole.table["text"].to_pylist()]]))
    entry = library.keep(longer, "Longer", workspace)
    assert one_command.kept_targets() == [f"{entry.id}/da", f"{entry.id}/fi"]


def test_the_demos_few_sentences_are_no_target(
    workspace: Path, messages: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ISOGLOSS_DEMO", str(tmp_path / "demo"))
    library.keep(small_corpus(), "Demo sentences", tmp_path / "demo")
    with pytest.raises(SpecError, match="No corpus of yours"):
        output("xferbench", str(messages))


def test_what_is_lacking_is_said_before_anything_is_kept(workspace: Path, messages: Path) -> None:
    with pytest.raises(SpecError, match=r"No corpus of yours has text in a target of XferBench \(Danish, Basque.*--target"):
        output("xferbench", str(messages))
    assert not emergent_library.entries([workspace])
    library.keep(small_corpus(), "News", workspace)
    with pytest.raises(CorpusError, match=r"There is no file 'nowhere.jsonl'"):
        output("xferbench", str(messages.with_name("nowhere.jsonl")))
    with pytest.raises(SpecError, match="no corpus 'Nws'"):
        output("xferbench", str(messages), "--target", "Nws/fi")
