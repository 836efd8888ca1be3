"""Probes from a spec to scores: against scikit-learn and plain counting, only what is missing, killed and resumed."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from sklearn.linear_model import LogisticRegression

from isogloss.backend.corpora.tasks import library as tasks
from isogloss.backend.corpora.tasks import three_parts
from isogloss.backend.corpora.tasks.task import SCHEMA as TASK_SCHEMA
from isogloss.backend.errors import CorpusError
from isogloss.backend.experiments.probing import labelled, predictions, texts
from isogloss.backend.experiments.probing.features import Encoder
from isogloss.backend.experiments.probing.labelled import LabelledSentences
from isogloss.backend.experiments.probing.shard import _Probing
from isogloss.backend.experiments.probing.spec import of_tasks
from isogloss.backend.experiments.probing.tagged_words import TaggedWords
from isogloss.backend.experiments.spec import Cancelled
from isogloss.backend.models.loading import load as load_module
from isogloss.backend.settings import Settings
from tests.experiments.probing.small_probing import Lab, copied, keep_tagged, keep_task, lab
from tests.training.killed_scripts import Death, died, ended, started

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from isogloss.backend.experiments.probing.examples import Examples

LONG: dict[str, Any] = {"epochs": 60, "patience": 60, "learning_rate": 0.02, "seeds": (0, 1, 2)}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a lab in which nothing is computed."""
    folder = tmp_path_factory.mktemp("made")
    lab(folder)
    return folder


@pytest.fixture
def there(made: Path, tmp_path: Path) -> Lab:
    return copied(made, tmp_path)


def means(rows: pd.DataFrame, **where: Any) -> pd.DataFrame:
    """The rows of means over seeds whose columns hold these values."""
    rows = rows[rows["seed"].isna()]
    for column, value in where.items():
        rows = rows[rows[column] == value]
    return rows


def one(rows: pd.DataFrame, **where: Any) -> pd.Series:
    found = means(rows, **where)
    assert len(found) == 1, found
    return found.iloc[0]


def layer_of(found: Examples, layer: int) -> NDArray[np.float64]:
    return found.features.read(np.arange(found.features.rows))[:, layer].double().numpy()


def test_a_layer_s_probe_is_as_good_as_scikit_learn_s_on_the_same_features(tmp_path: Path) -> None:
    there = lab(tmp_path, sizes={"train": 400, "validation": 150, "test": 300})
    spec = there.spec(targets=("de", "en"), probe=LONG)
    there.compute(spec)
    rows = there.rows()
    data, encoder = TaggedWords(spec, there.context.workspaces), Encoder(there.checkpoint, there.context, 2)
    training = data.training(encoder, "en", (0, 1))
    for layer in range(3):
        x = layer_of(training, layer)
        middle, spread = x.mean(0), x.std(0)
        found = LogisticRegression(C=10.0, max_iter=2000).fit((x - middle) / spread, training.labels)
        for target in ("de", "en"):
            test = data.test(encoder, target, (0, 1))
            expected = found.score((layer_of(test, layer) - middle) / spread, test.labels)
            row = one(rows, metric="probe_accuracy", layer=layer, target=target)
            assert row["n"] == len(test.labels)
            if target == "en":  # another language's words lie far from any that was learnt from
                assert row["value"] == pytest.approx(expected, abs=0.01), layer
            assert row["low"] < row["value"] < row["high"]


def test_scores_are_counts_of_what_was_told(there: Lab) -> None:
    spec = there.spec(sources=("en",), targets=("en", "de"))
    there.compute(spec)
    rows, [shard] = there.rows(), spec.shards().values()
    corpus = TaggedWords(spec, there.context.workspaces).trained
    known = [(word, tag) for each in corpus.sentences("en", "train") for word, tag in zip(each.words, each.tags, strict=True)]
    often = Counter(tag for _, tag in known)
    of_word: dict[str, Counter[str]] = {}
    for word, tag in known:
        of_word.setdefault(word, Counter())[tag] += 1
    for target in ("en", "de"):
        sentences = texts.tested(spec, target, there.context.workspaces)
        kept = predictions.load(spec.provenance(shard), target, there.context.workspaces)
        assert kept is not None
        assert (kept.seed, kept.tags) == (0, ("DET", "NOUN", "PUNCT", "VERB"))
        tags = [tag for each in sentences for tag in each.tags]
        words = [word for each in sentences for word in each.words]
        assert [kept.tags[i] for i in kept.right] == tags
        assert [sentences[i].words[j] for i, j in zip(kept.sentences, kept.words, strict=True)] == words
        for probe in kept.told:
            of_seed = rows[(rows["metric"] == "probe_accuracy") & (rows["target"] == target) & (rows["seed"] == 0)]
            layers = of_seed["layer"].astype("string").fillna("")
            own = of_seed[layers == probe] if probe.isdecimal() else of_seed[of_seed["variant"].str.endswith(f"/{probe}")]
            assert own["value"].item() == pytest.approx((kept.told[probe] == kept.right).mean())
            assert kept.confusion(probe).trace() == (kept.told[probe] == kept.right).sum()
        majority = one(rows, metric="majority_accuracy", target=target)
        assert majority["value"] == pytest.approx(tags.count(often.most_common(1)[0][0]) / len(tags))
        best = [of_word[word].most_common(1)[0][0] if word in of_word else often.most_common(1)[0][0] for word in words]
        lines = one(rows, metric="word_majority_accuracy", target=target)
        assert lines["value"] == pytest.approx(np.mean([a == b for a, b in zip(best, tags, strict=True)]), abs=0.02)
        assert [pd.isna(majority["layer"]), pd.isna(lines["layer"])] == [True, True]
    for metric in ("control_accuracy", "selectivity"):
        assert set(rows.loc[rows["metric"] == metric, "target"]) == {"en"}
    values = means(rows, target="en").set_index(["metric", "layer", "variant"])["value"]
    assert values["selectivity"].sub(values["probe_accuracy"] - values["control_accuracy"]).abs().max() < 1e-9


def test_the_mean_over_seeds_is_that_of_the_seeds(there: Lab) -> None:
    there.compute(there.spec(probe={"seeds": (4, 1, 2)}))
    rows = there.rows()
    keys = ["metric", "layer", "variant"]
    seeds = rows[rows["seed"].notna()].groupby(keys, dropna=False)["value"].agg(["mean", "count"])
    means_ = rows[rows["seed"].isna()].groupby(keys, dropna=False)["value"].first()
    together = seeds.join(means_)
    assert (together["count"] == 3).all()
    assert (together["mean"] - together["value"]).abs().max() < 1e-9
    assert set(rows["seed"].dropna()) == {1, 2, 4}


class Noise:
    """Words whose vectors say nothing: of each its own random numbers, whatever its tag."""

    tags, known, entities = ("A", "B", "C"), 3, False

    def __init__(self) -> None:
        self.draw = np.random.default_rng(0)

    def made(self, rows: int) -> Examples:
        from isogloss.backend.experiments.probing.examples import Examples
        from isogloss.backend.training.probe.features import VectorFeatures

        vectors = self.draw.normal(size=(rows, 2, 8)).astype(np.float16)
        words = [f"w{i}" for i in self.draw.integers(0, 300, rows)]
        labels = self.draw.choice(3, rows, p=[0.5, 0.3, 0.2])
        places = np.zeros(rows, np.int32)
        sentences = np.arange(rows, dtype=np.int32) // 5
        none: frozenset[str] = frozenset()
        return Examples(VectorFeatures(vectors), labels, sentences, places, words, 0, none, none, "train")

    def training(self, *_: Any) -> Examples:
        return self.made(4000)

    def validation(self, *_: Any) -> Examples:
        return self.made(1000)

    def test(self, *_: Any) -> Examples:
        return self.made(4000)


def test_on_random_vectors_the_selectivity_is_about_zero(there: Lab) -> None:
    spec = there.spec(probe={"seeds": (0, 1, 2)})
    [shard] = spec.shards().values()
    run = _Probing(spec.provenance(shard), Noise(), Encoder(there.checkpoint, there.context, 1), spec.options, there.context)
    run.train()
    run.test("en", (0.7, 1.0))
    for row in run.rows:
        if row["metric"] == "selectivity":
            assert abs(row["value"]) < 0.03
        if row["metric"] in ("probe_accuracy", "control_accuracy"):
            assert abs(row["value"] - 0.5) < 0.03  # what the most frequent tag gives


def test_controls_change_nothing_of_the_tags(there: Lab) -> None:
    there.compute(there.spec())
    before = means(there.rows(), metric="probe_accuracy")
    there.files()[0].path.unlink()
    there.compute(there.spec(probe={"control": False}))
    after = means(there.rows(), metric="probe_accuracy")
    assert np.allclose(before["value"], after["value"], atol=0.011)  # a word that rounding turned
    assert not (there.rows()["metric"] == "selectivity").any()


def test_control_tags_by_seed_are_a_task_a_seed_and_scores_of_their_own(there: Lab) -> None:
    found = {}
    for control in (True, "by seed"):
        there.compute(there.spec(probe={"control": control, "seeds": (0, 1)}))
        rows = there.rows()
        found[control] = rows[rows["metric"] == "control_accuracy"]
        assert len(there.files()) == 1
        there.files()[0].path.unlink()
    one, by_seed = found[True], found["by seed"]
    assert by_seed["variant"].str.contains("/control tags by seed").all()
    assert not one["variant"].str.contains("control tags").any()
    place = ["layer", "variant", "source"]
    for seed, alike in ((0, True), (1, False)):  # of seed 0 the draw is the one that all seeds had
        ours, theirs = (
            each[each["seed"] == seed]
            .assign(variant=each["variant"].str.replace("/control tags by seed", ""))
            .sort_values(place)["value"]
            .to_numpy()
            for each in (by_seed, one)
        )
        assert np.allclose(ours, theirs, atol=0.011) == alike


def test_only_what_is_missing_is_computed(there: Lab, passes: list[str]) -> None:
    there.compute(there.spec(targets=("en", "de")))
    assert sorted(passes) == ["de", "en", "en", "en"]
    first = there.rows()
    there.compute(there.spec(targets=("en",)))
    there.compute(there.spec())
    assert len(there.files()) == 1
    passes.clear()
    there.compute(there.spec(targets=("en", "de", "zh")))
    assert passes == ["zh"]
    old, new = there.files()
    assert (old.provenance["targets"], new.provenance["targets"]) == (["de", "en"], ["zh"])
    alone = there.rows()
    assert first.equals(alone[alone["target"] != "zh"].reset_index(drop=True))
    passes.clear()
    there.compute(there.spec(targets=("en", "de", "zh"), probe={"batch": 16}))  # vectors are kept: no pass
    assert passes == []
    old.path.unlink()
    there.compute(there.spec(targets=("en", "de", "zh")))
    assert [sorted(file.provenance["targets"]) for file in there.files()] == [["zh"], ["de", "en", "zh"], ["de", "en"]]
    again = there.rows()
    assert len(again) == 2 * len(alone)


def test_a_target_added_later_has_the_scores_that_it_would_have_had(there: Lab, made: Path, tmp_path: Path) -> None:
    other = copied(made, tmp_path / "other")
    other.compute(other.spec(targets=("de", "en")))
    there.compute(there.spec(targets=("de",)))
    there.compute(there.spec(targets=("de", "en")))
    assert len(there.files()) == 2
    assert there.rows().equals(other.rows())


def test_another_corpus_is_tested_on_whole_and_its_own_tags_are_never_right(there: Lab) -> None:
    spec = there.spec(sources=("de",), targets=("de", "zh"), tested=there.other)
    there.compute(spec)
    [shard] = spec.shards().values()
    for target in ("de", "zh"):
        kept = predictions.load(spec.provenance(shard), target, there.context.workspaces)
        assert kept is not None
        assert kept.tags == ("DET", "NOUN", "PUNCT", "VERB", "INTJ")
        sentences = texts.tested(spec, target, there.context.workspaces)
        assert len(sentences) == 25
        foreign = kept.right == 4
        assert foreign.sum() == sum(tag == "INTJ" for each in sentences for tag in each.tags) > 5
        assert all((told[foreign] < 4).all() for told in kept.told.values())
    assert there.files()[0].provenance["counts"]["test zh"] == {"rows": 118, "sentences": 25, "lost": 0, "of": "test"}


def test_names_are_counted_whole_too(there: Lab) -> None:
    draw = np.random.default_rng(1)
    rows = []
    for part, count in (("train", 80), ("validation", 20), ("test", 30)):
        for i in range(count):
            tags = list(draw.choice(["O", "O", "B-PER I-PER", "B-LOC", "B-LOC I-LOC"], 4))
            flat = " ".join(tags).split()
            words = [
                {"O": "waits", "B": "ferry", "I": "storm"}[tag[0]] + ("" if tag[2:] != "LOC" else " clock") for tag in flat
            ]
            words = [word.replace(" ", "") for word in words]
            starts = [sum(map(len, words[:at])) + at for at in range(len(words))]
            ends = [start + len(word) for start, word in zip(starts, words, strict=True)]
            row = {"language": "en", "part": part, "sentence_id": f"{part}-{i}", "text": " ".join(words)}
            rows.append(row | {"starts": starts, "ends": ends, "tags": flat})
    spec = there.spec(corpus=keep_tagged(rows, "Names", there.context.workspace), probe=LONG)
    there.compute(spec)
    found = there.rows()
    f1 = means(found, metric="probe_f1")
    assert len(f1) == 5
    assert (f1["value"] > 0.9).all()
    assert (f1["value"] < 1.0001).all()


def test_pairs_of_sentences_are_told_from_both_and_not_from_one(there: Lab) -> None:
    task = keep_task(there.context.workspace, count=800)
    both = there.sentences_spec(task, targets=("de", "en"), probe=LONG)
    there.compute(both)
    rows = there.rows()
    examples = texts.tested(both, "en", there.context.workspaces)
    assert len(examples) == 80
    assert means(rows, metric="probe_accuracy", target="en")["value"].max() > 0.9
    assert set(rows["metric"]) == {"probe_accuracy", "majority_accuracy"}
    assert set(rows["n"]) == {80}
    [shard] = both.shards().values()
    kept = predictions.load(both.provenance(shard), "en", there.context.workspaces)
    assert kept is not None
    assert kept.right.tolist() == examples.labels.tolist()
    assert kept.sentences.tolist() == list(range(80))
    alone = there.sentences_spec(task, features="second", probe=LONG)
    there.compute(alone)
    variant = there.rows().query("variant.str.contains('second alone')")
    assert means(variant, metric="probe_accuracy", target="en")["value"].max() < 0.7


def test_the_parts_of_a_task_are_disjoint_and_the_same_in_every_language(there: Lab) -> None:
    spec = there.sentences_spec(keep_task(there.context.workspace))
    task = LabelledSentences(spec, there.context.workspaces).trained
    of = {
        tag: [set(three_parts.examples(task, tag, part).row_ids) for part in ("train", "validation", "test")]
        for tag in ("de", "en")
    }
    assert of["de"] == of["en"]
    assert [len(part) for part in of["de"]] == [120, 15, 15]
    assert len(set.union(*of["de"])) == 150


def test_a_test_part_of_its_own_is_in_the_key_and_seen(there: Lab) -> None:
    plain = there.sentences_spec(keep_task(there.context.workspace))
    there.compute(plain)
    entry = tasks.entries([there.context.workspace])[0]
    task = tasks.load(entry.id, [there.context.workspace])
    columns = task.table.slice(0, 150).to_pylist() + task.table.slice(150, 150).to_pylist()
    rows = [row | {"row_id": f"t{row['row_id']}", "split": "test"} for row in columns]
    entry = tasks.keep(replace(task, test=pa.Table.from_pylist(rows, TASK_SCHEMA)), "Pairs", there.context.workspace)
    assert entry.id == plain.corpus
    labelled._loaded.cache_clear()  # a worker that read the task before has it as it was asked for
    with pytest.raises(CorpusError, match="another test part since"):
        there.compute(plain.model_copy(update={"features": "second"}))
    spec = there.sentences_spec(**of_tasks(entry))
    assert not set(spec.shards()) & set(plain.shards())
    assert spec.variant == plain.variant.replace("mean/", f"mean/test part {entry.test_id[:6]}/")  # type: ignore[index]
    there.compute(spec)
    assert [file.provenance["counts"]["test en"]["rows"] for file in there.files()] == [15, 150]


def test_fewer_words_are_trained_on_where_asked(there: Lab) -> None:
    there.compute(there.spec(probe={"training_words": 90}))
    counts = there.files()[0].provenance["counts"]
    assert 80 < counts["train"]["rows"] <= 90
    assert counts["validation"]["sentences"] == 20


def test_without_a_budget_the_scores_are_the_same(there: Lab) -> None:
    spec = there.spec(targets=("de", "en"))
    there.compute(spec)
    kept = there.rows()
    for folder in ("scores/probing", "embeddings", "details"):
        for file in (there.context.workspace / folder).iterdir():
            file.unlink()
    there.compute(spec, settings=Settings(workspace=there.context.workspace, demo=None, device="cpu", embeddings_gib=0.0))
    assert there.rows().equals(kept)
    assert not list((there.context.workspace / "embeddings").glob("*"))


def test_cancelled_nothing_is_published_and_what_is_encoded_stays(
    there: Lab, passes: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []

    def progress(what: str, share: float) -> None:
        assert 0 <= share <= 1
        said.append(what)

    with pytest.raises(Cancelled):
        there.compute(there.spec(), progress=progress, should_stop=lambda: bool(said) and said[-1].startswith("training"))
    assert not there.files()
    assert passes == ["en", "en"]
    seen = len(said)
    there.compute(there.spec(), progress=progress)
    assert passes == ["en", "en", "en"]  # the test part alone
    assert said[seen:][-1] == "testing in en"
    assert any(what == "training probes of en" for what in said[seen:])

    def load(*_: Any, **_options: Any) -> Any:
        raise AssertionError("the model was loaded")

    monkeypatch.setattr(load_module, "load", load)
    there.compute(there.spec(probe={"batch": 8}))
    assert len(there.files()) == 2


SCRIPT = """
    import sys
    from dataclasses import replace
    from pathlib import Path
    from tests.experiments.probing.small_probing import lab_again

    there = lab_again(Path(sys.argv[1]))
    there.context = replace(there.context, progress=lambda what, share: print(what, round(share, 3), flush=True))
    there.compute(there.spec(sources=("de", "en"), targets=("de", "en")))
    print("done")
"""


def test_killed_anywhere_and_resumed_the_scores_are_the_same(made: Path, tmp_path: Path) -> None:
    there, unbroken = (copied(made, tmp_path / name) for name in ("killed", "unbroken"))
    unbroken.compute(unbroken.spec(sources=("de", "en"), targets=("de", "en")))
    contents: dict[str, bytes] = {}
    for words, times, delay in (
        ("encoding", 2, 0.0),
        ("training probes of de", 2, 0.01),
        ("testing in de", 1, 0.01),
        ("training probes of en", 1, 0.005),
        ("testing in en", 1, 0.0),
    ):
        died(started(SCRIPT, tmp_path / "killed", death=Death(words, times, delay)))
        for file in there.files():
            assert contents.setdefault(file.run, file.path.read_bytes()) == file.path.read_bytes()
        assert not list(there.context.workspace.glob("tmp*"))
    ended(started(SCRIPT, tmp_path / "killed"))
    assert len(there.files()) == 2
    assert len(contents) >= 1
    assert there.rows().equals(unbroken.rows())


def test_a_language_that_the_corpus_lacks_is_said(there: Lab) -> None:
    with pytest.raises(CorpusError, match="has no language 'fr'"):
        there.compute(there.spec(sources=("fr",)))
    with pytest.raises(CorpusError, match="has no language 'en'"):
        there.compute(there.spec(sources=("en",), tested=there.other))
    gone = replace(there, corpus="0" * 24)
    with pytest.raises(CorpusError):
        gone.compute(gone.spec())
