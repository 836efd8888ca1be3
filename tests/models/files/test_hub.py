"""The Hub's answers, good and bad, from a small server on this machine that speaks its protocol."""

from __future__ import annotations

import hashlib
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from huggingface_hub import HfApi

from isogloss.backend.errors import ModelError
from isogloss.backend.models.encoding.encode import encode
from isogloss.backend.models.files import hub
from isogloss.backend.models.library.discover import discover
from isogloss.backend.models.loading.load import load
from isogloss.backend.models.loading.tokenizer_alone import tokeniser_of
from isogloss.backend.settings import Settings
from tests.models.tiny import SENTENCES, tiny_model

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

COMMITS = {name: hashlib.sha1(name.encode()).hexdigest() for name in ("main", "step10", "step2", "global_step300", "pickled")}
REFUSALS = {
    "owner/gated": (403, "GatedRepo"),
    "owner/missing": (401, "RepoNotFound"),
    "FacebookAI/xlm-roberta-bsae": (401, "RepoNotFound"),
    "owner/broken": (400, ""),
}


class Handler(BaseHTTPRequestHandler):
    folders: dict[str, Path]
    """By commit: what the repository `owner/tiny` holds there."""

    def log_message(self, *_: Any) -> None:
        return

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_GET(self) -> None:
        path = self.path.split("?")[0].lstrip("/")
        parts = path.removeprefix("api/models/").split("/")
        repo, rest = "/".join(parts[:2]), parts[2:]
        if repo in REFUSALS:
            status, code = REFUSALS[repo]
            return self.answer(status, b"{}", {"X-Error-Code": code, "X-Error-Message": "no"})
        if path.startswith("api/models/"):
            return self.describe(rest)
        commit = COMMITS.get(rest[1], rest[1])
        file = self.folders[commit] / rest[2]
        if not file.is_file():
            return self.answer(404, b"", {"X-Error-Code": "EntryNotFound", "X-Repo-Commit": commit})
        content = file.read_bytes()
        tag = hashlib.sha1(content).hexdigest()
        return self.answer(200, content, {"X-Repo-Commit": commit, "ETag": f'"{tag}"'})

    def describe(self, rest: list[str]) -> None:
        if rest == ["refs"]:
            branches = [{"name": n, "ref": f"refs/heads/{n}", "targetCommit": c} for n, c in COMMITS.items()]
            tags = [{"name": "step-2", "ref": "refs/tags/step-2", "targetCommit": COMMITS["step2"]}]
            return self.json({"branches": branches, "converts": [], "tags": tags})
        revision = rest[1] if len(rest) > 1 else "main"
        commit = COMMITS.get(revision, revision)
        if commit not in self.folders:
            return self.answer(404, b"{}", {"X-Error-Code": "RevisionNotFound"})
        names = sorted(path.name for path in self.folders[commit].iterdir())
        if rest and rest[0] == "tree":
            folder = self.folders[commit]
            return self.json([{"type": "file", "path": n, "size": (folder / n).stat().st_size, "oid": "0" * 40} for n in names])
        return self.json({"id": "owner/tiny", "sha": commit, "siblings": [{"rfilename": name} for name in names]})

    def json(self, value: Any) -> None:
        self.answer(200, json.dumps(value).encode(), {"Content-Type": "application/json"})

    def answer(self, status: int, content: bytes, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(content))}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(content)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    root = tmp_path_factory.mktemp("hub")
    Handler.folders = {c: tiny_model(root / c, "xlm-roberta", seed=i) for i, c in enumerate(COMMITS.values())}
    for name in ("step10", "step2"):  # as the intermediate checkpoints of many models: no tokeniser of their own
        for file in Handler.folders[COMMITS[name]].glob("tokenizer*"):
            file.unlink()
    pickled = Handler.folders[COMMITS["pickled"]]
    (pickled / "model.safetensors").rename(pickled / "pytorch_model.bin")
    running = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=running.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{running.server_port}"
    running.shutdown()


@pytest.fixture
def online(server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> HfApi:
    return use(server, tmp_path / "cache", monkeypatch)


def use(endpoint: str, cache: Path, monkeypatch: pytest.MonkeyPatch) -> HfApi:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)  # elsewhere tests keep off the real Hub
    client = HfApi(endpoint=endpoint, token=False)
    for name in ("resolve_revision", "hf_hub_download", "snapshot_download"):
        method = getattr(client, name)
        monkeypatch.setattr(client, name, lambda *a, _method=method, **k: _method(*a, cache_dir=cache, **k))
    monkeypatch.setattr(hub, "api", lambda: client)
    return client


def test_a_model_and_its_commit(online: HfApi, tmp_path: Path) -> None:
    model = discover("owner/tiny")
    (checkpoint,) = model.checkpoints
    assert (model.name, model.architecture, model.layers, model.dims) == ("tiny", "xlm-roberta", 2, 32)
    assert (checkpoint.source, checkpoint.location, checkpoint.revision) == ("hub", "owner/tiny", "main")
    assert checkpoint.commit == COMMITS["main"]
    loaded = load(checkpoint, Settings(workspace=tmp_path, device="cpu"))
    assert encode(loaded, SENTENCES, ["mean"]).vectors["mean"].shape == (len(SENTENCES), 3, 32)


def test_a_tokeniser_alone_of_the_hub_takes_no_weights(online: HfApi, tmp_path: Path) -> None:
    model = discover("owner/tiny#tokeniser")
    assert (model.name, model.tokeniser_alone) == ("tiny tokeniser", True)
    found = tokeniser_of(model.checkpoints[0], Settings(workspace=tmp_path, device="cpu"))
    whole = tokeniser_of(discover("owner/tiny").checkpoints[0], Settings(workspace=tmp_path, device="cpu"))
    assert found.tokenizer(SENTENCES)["input_ids"] == whole.tokenizer(SENTENCES)["input_ids"]
    assert found.max_tokens == whole.max_tokens
    assert not list((tmp_path / "cache").rglob("*.safetensors"))
    with pytest.raises(ModelError, match="'owner/tiny' at 'step10' has no tokeniser"):
        discover("owner/tiny@step10#tokeniser")


def test_every_revision_named_after_a_step(online: HfApi, tmp_path: Path) -> None:
    model = discover("https://huggingface.co/owner/tiny", revisions="steps")
    assert [(c.step, c.commit) for c in model.checkpoints] == [
        (2, COMMITS["step2"]),
        (10, COMMITS["step10"]),
        (300, COMMITS["global_step300"]),
    ]
    loaded = load(model.checkpoints[0], Settings(workspace=tmp_path, device="cpu"))
    assert loaded.tokenizer("a")["input_ids"][0] == 0  # the main branch's


class Refs:
    """A repository's references, as the Hub's client gives them: name → commit."""

    def __init__(self, branches: dict[str, str], tags: dict[str, str]) -> None:
        self.branches = [SimpleNamespace(name=name, target_commit=commit) for name, commit in branches.items()]
        self.tags = [SimpleNamespace(name=name, target_commit=commit) for name, commit in tags.items()]

    def list_repo_refs(self, _: str) -> Refs:
        return self


@pytest.mark.parametrize(
    ("branches", "tags", "found"),
    [
        ({"main": "a", "1000B": "b", "200B": "c"}, {}, ["200B", "1000B"]),
        ({"main": "a"}, {"global_step10000": "b", "global_step1000": "c"}, ["global_step1000", "global_step10000"]),
        # One commit, two names: that which tells more, whichever of them is the branch.
        ({"step10": "a"}, {"stage1-step10-tokens2B": "a"}, ["stage1-step10-tokens2B"]),
        ({"stage1-step10": "a"}, {"step10": "a", "step20": "b"}, ["stage1-step10", "step20"]),
        (
            {"it-SFT": "a", "lc-4k-to-32k-step-5": "b", "stage1-step-9": "c"},
            {},
            ["stage1-step-9", "lc-4k-to-32k-step-5", "it-SFT"],
        ),
        # Nothing tells how far the training was: names of stages alone make no series.
        ({"main": "a", "instruct": "b", "sft": "c"}, {"v1.0": "d"}, []),
    ],
)
def test_which_references_are_a_series(
    branches: dict[str, str], tags: dict[str, str], found: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hub, "api", lambda: Refs(branches, tags))
    assert [revision.name for revision in hub.step_revisions("owner/series")] == found


def test_revisions_by_hand(online: HfApi) -> None:
    for model in (discover("owner/tiny", revisions=["step10", "step2"]), discover("owner/tiny@step10\nowner/tiny@step2")):
        assert [checkpoint.label for checkpoint in model.checkpoints] == ["step2", "step10"]
    with pytest.raises(ModelError, match="has no revision 'step5'"):
        discover("owner/tiny@step5")


def test_pickles_on_the_hub(online: HfApi) -> None:
    with pytest.raises(ModelError, match=r"'owner/tiny' at 'pickled' has no safetensors.*ISOGLOSS_ALLOW_PICKLE=1"):
        discover("owner/tiny@pickled")
    assert discover("owner/tiny@pickled", allow_pickle=True).checkpoints[0].commit == COMMITS["pickled"]


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        ("owner/gated", "is gated: accept its terms at https://huggingface.co/owner/gated and set HF_TOKEN"),
        ("owner/missing", "There is no model 'owner/missing' on the Hub that this server may read. Check the spelling"),
        ("FacebookAI/xlm-roberta-bsae", "Did you mean 'FacebookAI/xlm-roberta-base'"),
        ("owner/broken", "The Hub refused 'owner/broken'"),
    ],
)
def test_refusals_are_one_sentence(online: HfApi, typed: str, message: str) -> None:
    for revisions in (None, "steps"):
        with pytest.raises(ModelError) as caught:
            discover(typed, revisions=revisions)  # type: ignore[arg-type]
        assert message in str(caught.value)
        assert "\n" not in str(caught.value)


def test_without_a_network(server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nowhere = "http://127.0.0.1:9"
    use(nowhere, tmp_path / "cache", monkeypatch)
    with pytest.raises(ModelError, match="The Hub cannot be reached"):
        discover("owner/tiny")
    with pytest.raises(ModelError, match="The Hub cannot be reached"):
        discover("owner/tiny", revisions="steps")
    # What this machine already has of it goes on working.
    use(server, tmp_path / "cache", monkeypatch)
    before = discover("owner/tiny")
    settings = Settings(workspace=tmp_path, device="cpu")
    load(before.checkpoints[0], settings)
    use(nowhere, tmp_path / "cache", monkeypatch)
    assert discover("owner/tiny").checkpoints == before.checkpoints
    assert load(before.checkpoints[0], settings).layers == 2


def test_a_tokeniser_of_the_hub_needs_no_weights(online: HfApi, server: str, tmp_path: Path, monkeypatch: Any) -> None:
    model = discover("owner/tiny", revisions=["main", "step10"])
    fresh = tmp_path / "fresh"
    use(server, fresh, monkeypatch)
    for checkpoint in model.checkpoints:  # that of the branch lies in the main one
        alone = tokeniser_of(checkpoint, Settings(workspace=tmp_path, device="cpu"))
        assert alone.max_tokens == 64
        assert alone.tokenizer(SENTENCES[0])["input_ids"]
    assert not list(fresh.rglob("*.safetensors"))
