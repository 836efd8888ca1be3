"""Weights that are kept in fewer bits: what each way of keeping them needs beside transformers, said before anything is loaded.

Imports none of it: whether a package is installed is asked of Python's own look-up.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from isogloss.backend.errors import ModelError

if TYPE_CHECKING:
    from collections.abc import Mapping

NEEDS: dict[str, tuple[str, tuple[str, ...]]] = {
    "bitsandbytes": ("bitsandbytes", ("bitsandbytes", "accelerate")),
    "gptq": ("GPTQ", ("gptqmodel", "optimum")),
    "awq": ("AWQ", ("gptqmodel", "accelerate")),
    "compressed-tensors": ("compressed-tensors", ("compressed_tensors",)),
    "fp8": ("FP8", ("accelerate",)),
    "fbgemm_fp8": ("FBGEMM FP8", ("fbgemm_gpu", "accelerate")),
    "mxfp4": ("MXFP4", ("accelerate", "kernels")),
    "auto-round": ("AutoRound", ("auto_round",)),
    "torchao": ("torchao", ("torchao",)),
    "hqq": ("HQQ", ("hqq",)),
}
"""`quant_method` of a config.json → how people call it, and the modules that loading it imports."""


def is_quantised(config: Mapping[str, Any]) -> bool:
    """Return whether a config.json says that its weights are kept in fewer bits."""
    return config.get("quantization_config") is not None


def check_quantised(config: Mapping[str, Any], shown: str) -> None:
    """Raise `ModelError` where weights are kept in a way that cannot be loaded here, naming what is lacking."""
    if not is_quantised(config):
        return
    said = config["quantization_config"]
    method = said.get("quant_method") if isinstance(said, dict) else None
    if method is None and isinstance(said, dict) and (said.get("load_in_4bit") or said.get("load_in_8bit")):
        method = "bitsandbytes"  # older files say no more
    if not isinstance(method, str) or method not in NEEDS:
        raise ModelError(
            f"The weights of {shown} are quantised in a way that Isogloss does not load ({str(method)[:40]}). "
            "Choose the model as it was published in bfloat16 or float32."
        )
    name, modules = NEEDS[method]
    if lacking := [module for module in modules if not _there(module)]:
        packages = " and ".join(module.replace("_", "-") for module in lacking)
        raise ModelError(
            f"The weights of {shown} are quantised ({name}), and {packages} {'is' if len(lacking) == 1 else 'are'} not "
            f"installed. Install {'it' if len(lacking) == 1 else 'them'} where workers run, or choose the model in bfloat16 or "
            "float32."
        )


def _there(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except (ImportError, ValueError):  # a module that was half imported
        return False
