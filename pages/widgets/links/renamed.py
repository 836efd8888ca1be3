"""What was called otherwise once, views and choices: links to them, and those on boards, still open what they mean."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

VIEWS: Mapping[str, Mapping[str, Mapping[str, str]]] = {
    "emergent": {
        "Shuffled": {"view": "Entropies", "shuffled": "true"},
        "Success": {"view": "Games"},
        "Training": {"view": "XferBench"},
        "Scatter": {"view": "Score × statistic"},
    },
}
"""By page and by the old name: the parameters that say the same today."""

EPSILONS = ("0.001", "0.0025", "0.005", "0.01", "0.025", "0.05", "0.1", "0.2")
VALUES: Mapping[str, Mapping[str, str]] = {
    "add-from": {**dict.fromkeys(("Catalogue", "Hugging Face Hub", "Folder"), "One model"), "List": "Several paths"},
    "board_statistic": {
        "Length (mean tokens an utterance)": "Length (mean tokens per utterance)",
        "Entropy (bits a symbol)": "Entropy (bits per symbol)",
        "Conditional entropy (bits a symbol)": "Conditional entropy (bits per symbol)",
        "Order (bits a symbol says of the next)": "Excess mutual information (bits)",
        "Compressed (bits a token)": "Bits per token (compressor)",
    },
    "by": dict.fromkeys(("lowest (as usual)", "highest (as usual)"), "as usual"),
    "colour_range": {"true": "These values", "false": "Whole scale"},
    "bench_protocol": {"Correct": "Corrected"},
    "gloss": {"None": "no other language"},
    "protocol": {"100,000 sampled triplets": "sampled"},
    "subsamples": {"true": "5", "false": "1"},
    **{f"train_head_{preset}": {"true": "trainer", "false": "first"} for preset in ("quick", "paper", "scatter", "mnli")},
    **{
        f"evaluated{preset}": {"Figure 1: E′ 0 to 0.2": "figure1", "Table 9: E′ 0.03": "table9"}
        for preset in ("", "_paper", "_scatter", "_mnli")
    },
    "setting": {"Itself": "own", "Others too": "others"},
    "similarity": {"CSLS (10 nearest)": "csls", "Euclidean distance": "l2"},
    "standardised": {"Per layer and dimension": "per layer", "None": "none"},
    **{key: {each: f"{100 * float(each):g}%" for each in EPSILONS} for key in ("epsilon", "curve_epsilon")},
    "strong": {
        "Same language (Eq. 3)": "strong",
        "And itself (table IV)": "strong_self",
        **dict.fromkeys(("Both languages (released code)", "Both languages (2023)"), "strong_released"),
    },
}
"""By control: names of what it chooses among, as they were and as they are."""

COLOURS = dict.fromkeys(("fitted", "fitted_shares"), "colour_range")
KEYS: Mapping[str, Mapping[str, str]] = {
    "abx": COLOURS,
    "alignment": {"seed": "words_seed"} | COLOURS,
    "probing": COLOURS,
    "transfer": COLOURS,
}
"""By page: what a control was called in links, and is. The session keeps one value a name, so that no two pages may give one
name to a number and to a list."""
SHARES: Mapping[str, Mapping[str, str]] = {"transfer": {"at": "at_percent"}}
"""By page: what took a share, 0 to 1, and takes percent today."""


def renamed(page: str, asked: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """Return the parameters of a link as they are called today. What the link says of an option itself stays."""
    keys = KEYS.get(page, {})
    parameters = {keys.get(key, key): list(values) for key, values in asked.items()}
    for key, now in SHARES.get(page, {}).items():
        if key in parameters:
            parameters.setdefault(now, [_percent(each) for each in parameters.pop(key)])
    today = VIEWS.get(page, {}).get(parameters.get("view", [""])[-1], {})
    for key, value in today.items():
        if key == "view" or key not in parameters:
            parameters[key] = [value]
    for key, names in VALUES.items():
        if key in parameters:
            parameters[key] = [names.get(each, each) for each in parameters[key]]
    return parameters


def _percent(share: str) -> str:
    """Return a share as percent; what is no number as it is, for the control to refuse."""
    try:
        return f"{100 * float(share):g}"
    except ValueError:
        return share
