"""Examples beside their predictions, against the data written out by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from isogloss.backend.errors import StoreError
from isogloss.backend.experiments.transfer import examples as transfer_examples
from isogloss.backend.experiments.transfer.data import TransferData
from isogloss.backend.store import records
from isogloss.backend.training.finetune.data import ClassificationData
from isogloss.backend.training.finetune.records import pack
from tests.pages.transfer.transfer_workspace import LABELS, fill

DEMO = Path(__file__).resolve().parents[3] / "cache" / "demo"


def data(labels: list[str]) -> TransferData:
    given = ClassificationData(
        source="en",
        train={"en": ["a", "b", "c", "d"], "ar": ["أ", "ب", "ج", "د"]},
        labels=np.array([0, 1, 1, 0]),
        validation={"en": [("e", "E"), ("f", "F")], "ar": [("ه", "ح"), ("و", "ط")]},
        validation_labels={"en": np.array([0, 1]), "ar": np.array([0, 0])},
    )
    return TransferData(given, ["r1", "r2", "r3", "r4"], labels, complete=True)


def packed(**said: list[int]) -> dict[tuple[str, str], bytes]:
    return {tuple(key.split("_")): pack(np.array(each, np.uint8), 2) for key, each in said.items()}  # type: ignore[misc]


def test_every_kind_of_training_example() -> None:
    found = transfer_examples.join_predictions(
        data(["no", "yes"]), packed(train_en=[0, 1, 0, 1], train_ar=[0, 0, 1, 1]), "ar", "train"
    )
    assert list(found["kind"]) == ["kept", "lost", "gained", "wrong"]
    assert list(found["row_id"]) == ["r1", "r2", "r3", "r4"]
    assert list(found["source_text"]) == ["a", "b", "c", "d"]
    assert list(found["target_text"]) == ["أ", "ب", "ج", "د"]
    assert found["source_pair"].isna().all()
    assert list(found["gold"]) == list(found["target_gold"]) == ["no", "yes", "yes", "no"]
    assert list(found["source_predicted"]) == ["no", "yes", "no", "yes"]
    assert list(found["target_predicted"]) == ["no", "no", "yes", "yes"]
    assert list(found.columns) == transfer_examples.COLUMNS


def test_a_validation_example_is_held_against_its_own_languages_label() -> None:
    found = transfer_examples.join_predictions(
        data(["no", "yes"]), packed(validation_en=[0, 1], validation_ar=[0, 0]), "ar", "validation"
    )
    assert list(found["gold"]) == ["no", "yes"]
    assert list(found["target_gold"]) == ["no", "no"]
    assert list(found["kind"]) == ["kept", "kept"]
    assert found.loc[1, ["source_text", "source_pair", "target_text", "target_pair"]].tolist() == ["f", "F", "و", "ط"]


def test_a_class_without_a_name_has_a_dash() -> None:
    single = data(["no", "yes"])
    single.data.labels[:] = 0
    found = transfer_examples.join_predictions(
        TransferData(single.data, single.row_ids, ["no"], complete=True),
        packed(train_en=[0] * 4, train_ar=[1, 0, 0, 0]),
        "ar",
        "train",
    )
    assert list(found["target_predicted"]) == ["–", "no", "no", "no"]


def test_predictions_of_other_data_are_refused() -> None:
    with pytest.raises(StoreError, match="do not fit"):
        transfer_examples.join_predictions(data(["no", "yes"]), packed(train_en=[0] * 4, train_ar=[0] * 9), "ar", "train")


def test_confusions_count_every_label() -> None:
    found = transfer_examples.join_predictions(
        data(["no", "yes"]), packed(train_en=[0, 1, 0, 1], train_ar=[0, 0, 1, 1]), "ar", "train"
    )
    counts = transfer_examples.confusions(found, ["no", "other", "yes"])
    assert counts.to_numpy().tolist() == [[1, 0, 1], [0, 0, 0], [1, 0, 1]]
    assert counts.index.tolist() == counts.columns.tolist() == ["no", "other", "yes"]


def test_a_kept_record_has_as_many_wrong_examples_as_it_counts_errors(workspace: Path) -> None:
    fill(workspace, DEMO)
    file = next(each for each in records.files([workspace]) if each.provenance["source"] == "en")
    counted = {(row["step"], row["split"], row["language"]): row["errors"] for row in pq.read_table(file.path).to_pylist()}
    for part in ("train", "validation"):
        for target in ("de", "zh"):
            found = transfer_examples.of_record(file, 50, target, part, [workspace, DEMO])
            wrong = (found["target_predicted"] != found["target_gold"]).sum()
            assert wrong == counted[50, part, target] == found["kind"].isin(["lost", "wrong"]).sum() > 0
            assert found["kind"].isin(["wrong", "gained"]).sum() == counted[50, part, "en"]
            assert set(found["gold"]) == set(LABELS)
            number = found["source_text"].str.extract(r"(\d+)")[0]
            assert (number == found["target_pair"].str.extract(r"(\d+)")[0]).all()
            assert found["target_text"].str.endswith(f"in {target}.").all()


def test_what_was_not_evaluated_is_said(workspace: Path) -> None:
    fill(workspace, DEMO)
    file = records.files([workspace])[0]
    with pytest.raises(StoreError, match="step 7 was not evaluated on the training examples"):
        transfer_examples.of_record(file, 7, "de", "train", [workspace, DEMO])
    with pytest.raises(StoreError, match="in tr"):
        transfer_examples.of_record(file, 50, "tr", "train", [workspace, DEMO])
