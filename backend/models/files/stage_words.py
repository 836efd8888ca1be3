"""Words in checkpoints' names: what names a stage of a training, a step, tokens, an epoch, and what tells nothing."""

from __future__ import annotations

WARM_UP, PRETRAINING, MID_TRAINING, LONG_CONTEXT, DECAY, POST_TRAINING, TUNED, PREFERRED, MERGED, EXPERT = range(10)
"""Kinds of stages in the order in which trainings have them. Numbered stages and a name without a stage are pre-training."""

_KINDS = {
    WARM_UP: "warmup",
    PRETRAINING: "pretrain pretraining pretrained stable",
    MID_TRAINING: "mid midtrain midtraining cpt continued continual continue",
    LONG_CONTEXT: "longctx longcontext longcxt lc ctx context extension ext extend extended yarn",
    DECAY: "decay decayed anneal annealing annealed cooldown",
    POST_TRAINING: "it instruct instruction chat posttrain posttraining",
    TUNED: "sft finetune finetuned finetuning",
    PREFERRED: "dpo apo kto orpo simpo ppo grpo rl rlhf rlvr rm reward",
    MERGED: "soup merge merged",
    EXPERT: "expert",
}
STAGES = {word: kind for kind, words in _KINDS.items() for word in words.split()}
NUMBERED = frozenset({"stage", "phase"})
PARTS = frozenset({"ingredient"})
TWO_WORDS = {
    ("pre", "train"): PRETRAINING,
    ("pre", "training"): PRETRAINING,
    ("warm", "up"): WARM_UP,
    ("mid", "train"): MID_TRAINING,
    ("mid", "training"): MID_TRAINING,
    ("long", "ctx"): LONG_CONTEXT,
    ("long", "context"): LONG_CONTEXT,
    ("context", "extension"): LONG_CONTEXT,
    ("cool", "down"): DECAY,
    ("post", "train"): POST_TRAINING,
    ("post", "training"): POST_TRAINING,
    ("instruction", "tuned"): POST_TRAINING,
    ("fine", "tuned"): TUNED,
    ("fine", "tuning"): TUNED,
}
STEPS = frozenset(
    {
        "step",
        "steps",
        "globalstep",
        "gstep",
        "iter",
        "iters",
        "itr",
        "iteration",
        "iterations",
        "update",
        "updates",
        "ba",
    }
)
"""`ba` is Composer's batch."""
SAVED = frozenset({"checkpoint", "ckpt", "chkpt", "ckp", "cp", "snapshot"})
"""Say a step where no word of `STEPS` does."""
TOKENS = frozenset({"token", "tokens", "tok", "toks"})
EPOCHS = frozenset({"epoch", "epochs", "ep"})
NEUTRAL = frozenset(
    {
        "train",
        "training",
        "trained",
        "global",
        "num",
        "total",
        "consumed",
        "seen",
        "intermediate",
        "base",
        "model",
        "models",
        "weights",
        "hf",
        "checkpoints",
        "final",
        "last",
    }
)
"""Tell neither a stage nor what a number beside them counts."""
UNITS = {"": 1, "k": 10**3, "m": 10**6, "b": 10**9, "bn": 10**9, "bt": 10**9, "t": 10**12, "tt": 10**12}
STEP_UNITS = frozenset({"", "k", "m"})
TOKEN_UNITS = frozenset({"b", "bn", "bt", "t", "tt"})
"""Nobody counts steps in these: `1000B` is tokens."""
ONLY_TOKENS = frozenset({"bt", "tt"})
"""Nor parameters in these."""
ROMAN = {"i": 1, "ii": 2, "iii": 3, "iv": 4, "v": 5, "vi": 6}
LETTERS = "abcdef"
LENGTHS = frozenset(2**power for power in range(11))
"""Lengths of a context in thousands: 1k to 1,024k (1M)."""
