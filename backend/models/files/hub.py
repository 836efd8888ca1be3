"""What Isogloss asks of the Hugging Face Hub, with each of its failures as one sentence. No torch."""

from __future__ import annotations

import re
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from isogloss.backend.errors import ModelError
from isogloss.backend.models.files.catalogue import nearest
from isogloss.backend.models.files.steps import in_order, parse
from isogloss.backend.models.files.weights import CONFIG, TOKENIZER_FILES, runs

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from huggingface_hub import HfApi

_ID = re.compile(r"^[A-Za-z0-9][\w.-]*(/[A-Za-z0-9][\w.-]*)?$")


@dataclass(frozen=True)
class Revision:
    """A branch, tag or commit of a repository, and the commit it points to now."""

    name: str
    commit: str


@dataclass(frozen=True)
class Listing:
    """The names of a commit's files."""

    names: list[str]
    online: bool
    """Whether the Hub said so; otherwise these are the files on this machine, perhaps not all."""


def api() -> HfApi:
    """The Hub's client: its address, token and cache are those of `huggingface_hub` (`HF_ENDPOINT`, `HF_TOKEN`, `HF_HOME`)."""
    from huggingface_hub import HfApi

    return HfApi()


def is_hub_id(text: str) -> bool:
    """Return whether `text` has the form of a Hub id: `name` or `owner/name`."""
    return bool(_ID.match(text)) and ".." not in text and "--" not in text and not text.endswith(".git")


def resolve(hub_id: str, revision: str | None) -> Revision:
    """Return the commit that a revision (None: the default branch) points to; without a network, as this machine last knew it.

    Raises `ModelError` where the model or revision does not exist, or the Hub cannot be reached.
    """
    with readable_errors(hub_id, revision):
        return Revision(revision or "main", api().resolve_revision(hub_id, revision=revision).resolved)


def chosen_revisions(hub_id: str, wanted: Sequence[str] | str | None) -> list[Revision]:
    """Return the revisions wanted of a repository: those named, the default branch, or of `steps` all that tell a step.

    Raises `ModelError` as `resolve` does, and where no name tells one.
    """
    if wanted != "steps":
        each: Sequence[str | None] = wanted or [None]
        return [resolve(hub_id, revision) for revision in each]
    if not (chosen := step_revisions(hub_id)):
        raise ModelError(
            f"No branch or tag of '{hub_id}' is named after a training step or tokens. Name its revisions yourself."
        )
    return chosen


def step_revisions(hub_id: str) -> list[Revision]:
    """Return every branch and tag whose name tells a place in the training, in that order; each commit once.

    A step, tokens or an epoch (`step1000`, `1000B`); beside such, also a stage alone (`it-SFT`). Raises `ModelError` as
    `resolve` does.
    """
    with readable_errors(hub_id, None):
        refs = api().list_repo_refs(hub_id)
    named = [Revision(ref.name, ref.target_commit) for ref in [*refs.tags, *refs.branches] if parse(ref.name).is_known]
    if not any(parse(revision.name).is_counted for revision in named):
        return []
    # A branch and a tag often name the same commit: it is one checkpoint, called by the name that tells most.
    by_commit = {revision.commit: revision for revision in sorted(named, key=lambda revision: parse(revision.name).told)}
    return in_order(by_commit.values(), lambda revision: revision.name)


def listing(hub_id: str, commit: str) -> Listing:
    """Return the files at a commit; where the Hub cannot be reached, those that this machine has of it.

    Raises `ModelError` as `resolve` does.
    """
    import httpx2
    from huggingface_hub.errors import OfflineModeIsEnabled

    with readable_errors(hub_id, commit):
        try:
            # Not list_repo_files, which goes on trying for half a minute where there is no network.
            siblings = api().model_info(hub_id, revision=commit).siblings or []
            return Listing([sibling.rfilename for sibling in siblings], online=True)
        except (httpx2.TransportError, OfflineModeIsEnabled):
            if (folder := cached_folder(hub_id, commit)) is None:
                raise
            return Listing([path.name for path in folder.iterdir()], online=False)


def cached_folder(hub_id: str, commit: str) -> Path | None:
    """Return the folder with what this machine has of a commit (its content never changes), or None. Does not ask the Hub."""
    from huggingface_hub.errors import LocalEntryNotFoundError

    try:
        return Path(api().hf_hub_download(hub_id, CONFIG, revision=commit, local_files_only=True)).parent
    except LocalEntryNotFoundError:
        return None


def config_path(hub_id: str, commit: str) -> Path:
    """Download the `config.json` of a commit. Raises `ModelError` as `resolve` does, and where the file is not there."""
    with readable_errors(hub_id, commit):
        return Path(api().hf_hub_download(hub_id, CONFIG, revision=commit))


def count_parameters(hub_id: str, commit: str, *, encoder_decoder: bool) -> int | None:
    """Parameters of what is run, from the headers of the safetensors files; None where they cannot be had."""
    import httpx2
    from huggingface_hub.errors import NotASafetensorsRepoError, SafetensorsParsingError

    try:
        files = api().get_safetensors_metadata(hub_id, revision=commit).files_metadata.values()
    except (NotASafetensorsRepoError, SafetensorsParsingError, httpx2.HTTPError, OSError):
        return None  # only an estimate of costs hangs on it
    tensors = [pair for file in files for pair in file.tensors.items()]
    return sum(info.parameter_count for name, info in tensors if runs(name, encoder_decoder=encoder_decoder))


def download(hub_id: str, commit: str, *, pickles: bool) -> Path:
    """Return the folder with a commit's configuration, tokeniser and weights, downloaded where this machine lacks them.

    `pickles` takes `pytorch_model*.bin` instead of safetensors. Raises `ModelError` as `resolve` does.
    """
    stem, end = ("pytorch_model", "bin") if pickles else ("model", "safetensors")
    wanted = [CONFIG, *TOKENIZER_FILES, f"{stem}.{end}", f"{stem}.{end}.index.json", f"{stem}-*-of-*.{end}"]
    with readable_errors(hub_id, commit):
        return Path(api().snapshot_download(hub_id, revision=commit, allow_patterns=wanted))


def download_tokenizer(hub_id: str, revision: str | None = None) -> Path:
    """Return the folder with a model's tokeniser and configuration alone. Raises `ModelError` as `resolve` does."""
    with readable_errors(hub_id, revision):
        return Path(api().snapshot_download(hub_id, revision=revision, allow_patterns=[CONFIG, *TOKENIZER_FILES]))


@contextmanager
def readable_errors(hub_id: str, revision: str | None) -> Iterator[None]:
    """Turn the Hub's exceptions into a `ModelError` that says what to do."""
    import httpx2
    from huggingface_hub import errors

    try:
        yield
    except errors.GatedRepoError as error:
        raise ModelError(
            f"'{hub_id}' is gated: accept its terms at https://huggingface.co/{hub_id} and set HF_TOKEN on the server, "
            "then try again."
        ) from error
    except errors.RevisionNotFoundError as error:
        raise ModelError(
            f"'{hub_id}' has no revision '{revision}'. Look at its branches and tags at https://huggingface.co/{hub_id}/tree/main."
        ) from error
    except (errors.RepositoryNotFoundError, errors.HFValidationError) as error:
        raise ModelError(_missing(hub_id)) from error
    except errors.RemoteEntryNotFoundError as error:
        raise ModelError(
            f"'{hub_id}' is not a transformers model: it has no config.json at '{revision}'. Choose another one."
        ) from error
    except (errors.RevisionResolutionError, errors.LocalEntryNotFoundError, errors.OfflineModeIsEnabled) as error:
        raise _unreachable(hub_id) from error
    except errors.HfHubHTTPError as error:
        raise ModelError(f"The Hub refused '{hub_id}' ({_status(error)}). Try again later, or check HF_TOKEN.") from error
    except (httpx2.HTTPError, ConnectionError) as error:
        raise _unreachable(hub_id) from error


def _missing(hub_id: str) -> str:
    near = nearest(hub_id)
    hint = f"Did you mean '{near}'?" if near and near != hub_id else "Check the spelling, or set HF_TOKEN where it is private."
    return f"There is no model '{hub_id}' on the Hub that this server may read. {hint}"


def _unreachable(hub_id: str) -> ModelError:
    return ModelError(
        f"The Hub cannot be reached and '{hub_id}' is not on this machine. Connect it, or give the path of a folder."
    )


def _status(error: Exception) -> str:
    response = getattr(error, "response", None)
    return f"status {response.status_code}" if response is not None else type(error).__name__
