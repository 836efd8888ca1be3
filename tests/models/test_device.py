"""The choice of a device, and what is done before anything computes on one."""

from __future__ import annotations

import pytest
import torch

from isogloss.backend.errors import ModelError
from isogloss.backend.models.device import VECTOR_MATH, choose_device, choose_dtype, named
from tests.training.killed_scripts import ended, started


def test_an_unknown_device_is_named() -> None:
    with pytest.raises(ModelError, match="'tpu!', which is no device"):
        choose_device("tpu!")
    with pytest.raises(ModelError, match="GPUs are seen here"):
        choose_device("cuda:99")


@pytest.mark.parametrize("setting", ["mps", "xpu", "meta", "cpu:3"])
def test_a_device_that_nothing_was_compared_on_is_refused(setting: str) -> None:
    with pytest.raises(ModelError, match=f"'{setting}'. Scores are computed on a CPU or on CUDA alone"):
        choose_device(setting)


def test_cpu_computes_in_float32() -> None:
    assert choose_device("cpu") == torch.device("cpu")
    assert choose_dtype(torch.device("cpu"))[0] == torch.float32


def test_vector_functions_are_called_on_one_thread_before_anything_computes() -> None:
    """In a process of its own: once called, they stay resolved."""
    script = """
        import torch
        from torch.utils._python_dispatch import TorchDispatchMode
        from isogloss.backend.models.device import choose_device

        class Seen(TorchDispatchMode):
            def __torch_dispatch__(self, function, types, args=(), kwargs=None):
                seen.append((function.overloadpacket.__name__, *((args[0].dtype, args[0].numel()) if len(args) == 1 else ())))
                return function(*args, **(kwargs or {}))

        seen = []
        with Seen():
            choose_device("cpu")
            first = len(seen)
            choose_device("auto")
        assert len(seen) == first
        print(" ".join(sorted(name for name, *rest in seen if rest == [torch.float32, 1])))
        assert {one[2] for one in seen if len(one) == 3} == {1}
        print("done")
    """
    names, _ = ended(started(script))
    assert set(names.split()) == set(VECTOR_MATH)


def test_cublas_has_its_workspace_and_attention_no_plans_before_anything_computes() -> None:
    script = """
        import os
        os.environ.pop("CUBLAS_WORKSPACE_CONFIG", None)
        from isogloss.backend.models.device import choose_device
        import torch
        choose_device("auto")
        assert os.environ["CUBLAS_WORKSPACE_CONFIG"] == ":4096:8"
        assert not torch.backends.cuda.cudnn_sdp_enabled()
        assert torch.backends.cuda.flash_sdp_enabled() and torch.backends.cuda.mem_efficient_sdp_enabled()
        print("done")
    """
    assert ended(started(script)) == ["done"]


def test_a_gpu_goes_by_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda device: f"Card {device.index}")
    assert [named(torch.device(each)) for each in ("cpu", "cuda:1")] == ["cpu", "cuda (Card 1)"]
