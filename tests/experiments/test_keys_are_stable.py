"""Ids, JSON and shard keys of every experiment are those that workspaces and queues were filled with."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import pytest

from isogloss.backend.experiments.registry import parse
from isogloss.backend.files import digest

STEP = {"source": "folder", "location": "/models/a", "label": "step 10", "step": 10, "fingerprint": "a" * 24}
MAIN = {"source": "hub", "location": "xlm-roberta-base", "commit": "1" * 40, "label": "main", "fingerprint": "b" * 24}
CORPUS, OTHER = "c" * 24, "d" * 24
SCALED = {"model": "XLM-R", "checkpoints": [STEP, MAIN], "corpus": CORPUS}
ONE = {"checkpoint": STEP, "corpus": CORPUS}
PAIR = {"source": "de", "target": "en", "dictionary": "e" * 24}
PAIRS = [PAIR | {"source": source, "target": target} for source, target in combinations(("fr", "en", "de"), 2)]
WORDS = {"model": "XLM-R", "corpus": CORPUS, "pairs": PAIRS}
LANGUAGES = ["fr", "de", "en"]
EMERGENT, TEXT = {"kind": "emergent", "corpus": CORPUS, "name": "Game"}, {"kind": "text", "corpus": OTHER, "language": "es"}
SOURCES = {"sources": [EMERGENT, TEXT, {"kind": "none"}]}
TARGETS = [{"corpus": CORPUS, "language": "da", "name": "News"}, {"corpus": CORPUS, "language": "eu"}]
SHAPE = {"layers": 1, "heads": 2, "dims": 16, "context": 16, "vocabulary": 300}
STAGES = {"pretraining": {"tokens": 500, "epochs": 2}, "tuning": {"tokens": 400, "epochs": 1}}
BART = {"encoder_layers": 1, "decoder_layers": 1, "heads": 2, "dims": 16, "feed_forward": 32, "context": 16, "vocabulary": 300}
TRANSLATED = {"experiment": "translation", "text": {"corpus": "f" * 24, "name": "Talks"}}
LATENT = {"experiment": "latent", "model": "XLM-R", "checkpoints": [STEP, MAIN], "pivot": "en"} | {
    "dictionaries": [{"language": "fr", "dictionary": "8" * 24}, {"language": "de", "dictionary": "7" * 24}]
}
TRANSFER = {"experiment": "transfer", "model": "XLM-R", "corpus": CORPUS}

SPECS: dict[str, dict[str, Any]] = {
    "abx": SCALED | {"experiment": "abx", "languages": LANGUAGES},
    "abx sampled": SCALED
    | {"experiment": "abx", "languages": LANGUAGES, "protocol": "sampled", "seed": 3, "sentences": 50, "pooling": "first"},
    "abx control": SCALED | {"experiment": "abx", "languages": ["en", "de"], "protocol": "control", "seed": 1},
    "abx without language": SCALED | {"experiment": "abx", "languages": LANGUAGES, "removed": "lsar", "rank": 2},
    "abx controls": SCALED | {"experiment": "abx_controls", "languages": LANGUAGES},
    "geometry": SCALED | {"experiment": "geometry", "languages": LANGUAGES},
    "geometry without language": SCALED
    | {"experiment": "geometry", "languages": LANGUAGES, "removed": "lir", "rank": 3, "k": 5, "pairs": [["de", "en"]]},
    "confusions": ONE | {"experiment": "confusions", "languages": LANGUAGES, "layer": 2, "source": "de", "target": "en"},
    "words": WORDS | {"experiment": "word_alignment", "checkpoints": [STEP, MAIN]},
    "words masked": WORDS
    | {"experiment": "word_alignment", "checkpoints": [MAIN], "masked": True, "centred": True, "repeated": True, "runs": 2},
    "static": WORDS | {"experiment": "static_alignment", "vectors": "9" * 24, "similarity": "cosine", "n_pairs": 100},
    "word errors": ONE | {"experiment": "word_errors", "pair": PAIR, "layer": 1, "task": "strong", "masked": True},
    "word distributions": ONE | {"experiment": "word_distributions", "pair": PAIR, "seed": 2},
    "pair precision": ONE | {"experiment": "pair_precision", "pair": PAIR, "gold": "8" * 24, "others": ["7" * 24, "6" * 24]},
    "sentences": SCALED | {"experiment": "sentence_alignment", "languages": LANGUAGES},
    "words by other protocols": WORDS
    | {"experiment": "word_alignment", "checkpoints": [MAIN], "self_neighbour": True, "unique": "once", "similarity": "l2"},
    "word distributions beside": ONE | {"experiment": "word_distributions", "pair": PAIR, "alignment": "8" * 24},
    "pair counts": {"experiment": "pair_counts", "corpus": CORPUS, "pair": PAIR, "others": ["7" * 24, "6" * 24]},
    "static sentences": {"experiment": "static_sentences", "model": "fastText", "vectors": "9" * 24, "corpus": CORPUS}
    | {"languages": LANGUAGES, "n_sentences": 5000, "runs": 10},
    "sentences drawn": SCALED
    | {"experiment": "sentence_alignment", "languages": LANGUAGES, "n_sentences": 5000, "runs": 10, "self_neighbour": True},
    "sentences cosine": SCALED
    | {"experiment": "sentence_alignment", "languages": LANGUAGES, "similarity": "cosine", "centred": True, "seed": 4},
    "similarity": SCALED | {"experiment": "language_similarity", "languages": LANGUAGES},
    "similarity first": SCALED | {"experiment": "language_similarity", "languages": LANGUAGES, "sentences": 20},
    "tokenisers": SCALED | {"experiment": "tokenisers", "languages": LANGUAGES},
    "tokenisers first": SCALED | {"experiment": "tokenisers", "languages": LANGUAGES, "sentences": 20},
    "latent": LATENT | {"source": "fr", "targets": ["de", "en"]},
    "latent repeated": LATENT
    | {"task": "repetition", "targets": ["de"], "words": 30, "examples": 2, "filter": "apart", "synonyms": True}
    | {"capitals": True, "seed": 2},
    "transfer": TRANSFER | {"checkpoints": [STEP, MAIN], "data": "task", "sources": ["en", "de"], "languages": LANGUAGES},
    "transfer parallel": TRANSFER
    | {"checkpoints": [STEP], "data": "parallel", "sources": ["en"], "languages": ["fr"], "sentences": 40, "seeds": [5]}
    | {"corruptions": [0.0, 0.5], "learning_rates": [1e-5], "algorithms": ["vanilla"], "training": {"windows": "all"}},
    "transfer published": TRANSFER
    | {"checkpoints": [MAIN], "data": "task", "sources": ["en"], "languages": ["de"]}
    | {"training": {"patience": None, "recipe": "trainer", "windows": [[0.0, 0.025], [0.025, 0.025]]}},
    "weights": {"experiment": "transfer_weights", "step": 7}
    | {
        "run": TRANSFER
        | {"checkpoints": [STEP], "data": "task", "sources": ["en"], "languages": ["de"]}
        | {"learning_rates": [2e-5], "seeds": [1]}
    },
    "xferbench": SOURCES | {"experiment": "xferbench", "targets": TARGETS, "seeds": [1, 0]},
    "xferbench paper": SOURCES | {"experiment": "xferbench", "targets": TARGETS, "preset": "paper", "protocol": "released"},
    "xferbench printed": SOURCES | {"experiment": "xferbench", "targets": TARGETS, "protocol": "printed"},
    "xferbench since 2024": SOURCES
    | {"experiment": "xferbench", "targets": TARGETS, "preset": "paper", "protocol": "released-2024-12"},
    "xferbench custom": SOURCES
    | {"experiment": "xferbench", "targets": TARGETS[:1], "preset": "custom", "custom": STAGES | {"architecture": SHAPE}},
    "translation": SOURCES | TRANSLATED | {"seeds": [2, 0]},
    "translation paper": SOURCES | TRANSLATED | {"preset": "paper", "settings": ["reduced", "full"]},
    "translation custom": SOURCES
    | TRANSLATED
    | {"preset": "custom", "settings": ["frozen", "reduced"]}
    | {"custom": STAGES | {"architecture": BART, "translation_tokens": 8}},
    "game": {"experiment": "language_game", "name": "Mine", "options": {"attributes": 3, "seed": 6}},
    "game with ends": {
        "experiment": "language_game",
        "name": "Mine",
        "options": {"attributes": 3, "seed": 6, "keep_end": True},
    },
    "wikipedia": {"experiment": "wikipedia", "languages": ["da", "Basque"], "characters": 5000},
    "probing words": SCALED | {"experiment": "probing_words", "sources": LANGUAGES},
    "probing words across": SCALED
    | {
        "experiment": "probing_words",
        "sources": ["en", "de"],
        "targets": LANGUAGES,
        "tested": OTHER,
        "description_length": True,
    }
    | {"probe": {"pooling": "first", "training_words": 500, "seeds": [2, 0], "control": False, "learning_rate": 0.01}},
    "probing sentences": SCALED | {"experiment": "probing_sentences", "sources": ["en"], "targets": LANGUAGES},
    "probing sentences alone": SCALED
    | {"experiment": "probing_sentences", "sources": ["en"], "pooling": "first", "features": "second", "probe": {"epochs": 3}},
}

PINNED = {
    "tokenisers": ("0e6efa188a17fbc79e34a3e0", "10b1260795f53ed721684dcd", "6d81be5ca44f4836cfd2d207"),
    "tokenisers first": ("d528895e661aad7b6fa13237", "d7f3e0c3f1d50c832b9b6671", "61d9f786a5dd44c1ba062aad"),
    "abx": ("803a1eb17be8211adc5768f7", "053ea30f2e81490fd00337a3", "26f1a73aac75754f4fe4d1c2"),
    "abx sampled": ("3f7a055cf4b5164767cdaf9f", "125818329fc1320da1731e45", "331a0715326af04512a96bd8"),
    "abx control": ("7590b9e74f103826b0082427", "9cfe3ec4889f2cacfb0b7845", "79d501ee346a751f0005b345"),
    "abx without language": ("9b75c0d5c2f732be5e22c227", "78746ecc7477dcde8876054b", "9c2eb66f5b960524155cf5b4"),
    "abx controls": ("1cd5e08e921a59743031f07a", "59ad9c68b49a8922466c6e71", "fcabebafd86d13ac1bca9e95"),
    "geometry": ("9870f615a7452de5388e91c2", "82a5e2d02a60ebf15d8c0694", "199771f4e00261cc93629812"),
    "geometry without language": ("95cef36c3ef65317d5012a8c", "d169b34be907d571b78ba020", "5627b691b55ebf8d699b83ca"),
    "confusions": ("675c211df815fb4e9637521d", "2fd7256d40b2326871410f4f", "88e3fa32c4dee79ab70f7de9"),
    "words": ("fa59a50026c93243592e91c3", "f689b73b5de66d07dd2baae5", "45488ef2ee4d6b0aebb0d8c3"),
    "words masked": ("7a840df68ca168eb248b7ad9", "0bce8e3f249d62b38fe29b14", "8c7268fbe520c3f199825ba3"),
    "static": ("0ecbfc78fcbd0b320254f360", "31b19263a4f66fe1572f7df4", "3c273e1bad6e7ecf14eca1ce"),
    "word errors": ("dd5aa1a4d9c64f68ec7a2455", "17d64136a2942064d0859259", "fe43f269002d4a1969d69670"),
    "word distributions": ("5d7fdc6abfdeee2aad4d6c63", "1ea3151701eef7ab4d7e528e", "2e0f6775954d21f5795cff17"),
    "pair precision": ("48de947c359607e7d02cd667", "e5c306ab6231aacafa1eeb9d", "55ef23a66435dbccf7c33e5f"),
    "sentences": ("b907234be2a0dbbefc1fff6b", "a8628fd9e871abbd94a39273", "0c8326b3e0ad2a2c02490f69"),
    "sentences cosine": ("eb6e0fe8a61c034c333aae70", "28880ca98b71da2b7c9c55fb", "0fde90ed7ea82643365f8885"),
    "words by other protocols": ("a9ca87d11a1a4c905a4b9f92", "d52e7fa0e321759c0730be47", "455f65e543842f399abea164"),
    "word distributions beside": ("766319287a6676d35e35af61", "142f29af1f5f1784b7fc4a24", "056d2c5d456650a0ec8d956e"),
    "pair counts": ("5556660acd977a61f2ad9174", "3c64df059555bec735a89a05", "52153654142d82ff4c9e4122"),
    "static sentences": ("c18d76b18ba77198eea8b1bb", "d862c6882f6ae62bbad453ca", "111e046ee687f8aaaa50ad95"),
    "sentences drawn": ("e9a30ae8273a64e25d5eb9fd", "165f2911d1c0bac9a4f74d4f", "a7518d66881068a418668861"),
    "similarity": ("b328247761131d92ff28bd8c", "47da8c1fd9ec9606ebd30baf", "88fe872dd34d757726df446a"),
    "similarity first": ("b27b6cefee7fd10487c5ce6b", "feae261848048bb1335e9d11", "7815b647021807e3153e7ab5"),
    "latent": ("64aecfda20d0dddd8e902ca9", "5711b329a6d740760279e443", "7120eb692b202fa4793b848b"),
    "latent repeated": ("00fba00be40a40c96717589d", "80b6c8334b12c49d5b7d28c6", "e4c627f0e61492c354ed5d31"),
    "transfer": ("9aacf19669706020a2719770", "4945f1d99637abecf66b4cf1", "9c7a53e53d25a3ebb9ebb8e4"),
    "transfer parallel": ("a75f17a35e07d2711d670056", "574c6e3423ab177006c4a450", "71c341803446efd172a71849"),
    "transfer published": ("b43494d9f373cab98fd38886", "6f2d5b484c0912d2a37d182a", "cbd87d18342405edfb49d77b"),
    "weights": ("643dffad6d2c6a76938e2ed1", "9feed664877ea2bfb2887b49", "a835d81ccb54c3d3c071a13e"),
    "xferbench": ("d923f9316901501d6306bf31", "81c2bf3e8554ef22f8a476d1", "20c8db8062ac19bb9af30b00"),
    "xferbench paper": ("7d1fa5efd820060ed4915a26", "140f5928681408f1c788efa9", "1691e9aea7bc3bc521a3ae3b"),
    "xferbench printed": ("efc7688b7c8b8b56e7b7348d", "701339ad207d66fef24027ab", "c10f1e9013829e652906ed7e"),
    "xferbench since 2024": ("091e6f3a9bb815a334a87213", "08ee1208e684ab9746a9a68d", "606527a0d78231d020000485"),
    "xferbench custom": ("3fa5c3d08a85709b81617496", "154a93b144cdb7173ba6fa1e", "70f32bcd345fa4bc4b34ba2f"),
    "translation": ("6a2df9b931d7fdd8f2fc30a9", "e70481c4893ce082fd6c05eb", "b574a372d20fb5c7816a8a3c"),
    "translation paper": ("c3779699982c37bee3ff838d", "a2555bda05bf62290a32a2ae", "b7bc2956fc7b54d64d00c739"),
    "translation custom": ("0c28cfc0d680d2a37781f50a", "f705d254ce6d3446a2d7575c", "94030cfdc45b7c5f845826b1"),
    "game with ends": ("c89f1cff58c897ba94e6a4a7", "1e35ef99844d4a36934d1d95", "36c83f1d1346555412126879"),
    "game": ("ad777eeefa3ed6eb3b58e50c", "d05d826eecd516fd9a7589bf", "17409d5ece042476079887a5"),
    "wikipedia": ("36b6fa8f6679b941ef7e544d", "bc1e3523ea3e0b4aaf41189e", "1c221ebbefa4fd1aca74a6ca"),
    "probing words": ("b609b040b2daed5e842b1a3f", "e290debeebbd6b268cd253e6", "972daede73907b44ae31dc72"),
    "probing words across": ("4c5a35d3abe1863c50872f1e", "58ec5e66b85c2d5111484bb8", "ad303a5d427303430f782034"),
    "probing sentences": ("5fffe67f4eda7acdd273e9b3", "5e8fa897a532b04ebf5d56af", "1a7288a9a47007873133fd44"),
    "probing sentences alone": ("d890e583094f6479b9b65715", "99ebe6675c41ade156a4d73b", "a0c59c4069a0c477337c0c1f"),
}
"""The id of each, and the digests of its JSON and of the list of its shards."""


@pytest.mark.parametrize("name", SPECS)
def test_a_spec_has_the_id_the_json_and_the_shards_that_it_always_had(name: str) -> None:
    spec = parse(SPECS[name])
    assert (spec.id, digest(spec.model_dump_json()), digest(list(spec.shards()))) == PINNED[name]


VARIANTS = {
    "xferbench": ["quick/correct/326424"],
    "xferbench paper": ["paper/released/bc0e6a"],
    "xferbench printed": ["quick/printed/326424"],
    "xferbench since 2024": ["paper/released-2024-12/66b941"],
    "xferbench custom": ["custom/correct/2a5161"],
    "translation": ["quick/frozen/37841d", "quick/full/37841d", "quick/reduced/37841d"],
    "translation paper": ["paper/full/a0add0", "paper/reduced/a0add0"],
    "translation custom": ["custom/frozen/cf0082", "custom/reduced/cf0082"],
}


@pytest.mark.parametrize("name", VARIANTS)
def test_scores_are_filed_under_the_variants_that_they_always_were(name: str) -> None:
    assert sorted({cell.variant.name for cell in parse(SPECS[name]).cells().values()}) == VARIANTS[name]


LATER: dict[str, dict[str, Any]] = {
    "abx": {"removed": "mean"},
    "confusions": {"removed": "lsar"},
    "words": {"self_neighbour": True, "unique": "once"},
    "static": {"unique": "source"},
    "word errors": {"unique": "once"},
    "word distributions": {"unique": "source"},
    "pair precision": {"unique": "source"},
    "sentences": {"self_neighbour": True},
}
"""Fields that came after results were stored."""


@pytest.mark.parametrize("name", LATER)
def test_a_later_field_is_silent_at_its_default_and_otherwise_another_request(name: str) -> None:
    spec = parse(SPECS[name])
    for field, value in LATER[name].items():
        default = type(spec).model_fields[field].default
        assert parse(SPECS[name] | {field: default}).model_dump_json() == spec.model_dump_json()
        other = parse(SPECS[name] | {field: value})
        assert other.id != spec.id
        assert set(other.shards()).isdisjoint(spec.shards())
        assert parse(other.model_dump(mode="json")) == other
