"""One look of a watch: what is complete and new is copied, added to its model and queued; what is scored is asked the rules.

Whoever looks, and however many do (a worker, another, a command), one of them does at a time, and each step may be done twice:
a model takes a checkpoint once, a queue that has a run of the same takes no second, and a shard whose file is there is skipped.
"""

from __future__ import annotations

import time
import uuid
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from isogloss.backend.errors import IsoglossError, ModelError, SpecError
from isogloss.backend.jobs import client, connection
from isogloss.backend.jobs.watch import announce, record, rules, template
from isogloss.backend.jobs.watch.record import Fired, Seen, State, Watch
from isogloss.backend.jobs.watch.sources import HUB_SECONDS, Candidate, candidates
from isogloss.backend.models.files import complete, fingerprint
from isogloss.backend.models.library import growing, taking
from isogloss.backend.models.library.discover import discover

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from isogloss.backend.models.entry import Checkpoint, Model
    from isogloss.backend.settings import Settings

COPIES = "copies"
AT_ONCE = 2
"""Checkpoints of a watch that are copied and wait for their scores: one is scored, the next is there when it is done."""


def look(watch: Watch, settings: Settings, clock: Callable[[], float] = time.time) -> tuple[State, tuple[Fired, ...]] | None:
    """Look once. Returns what is known now and which rules said something just now; None where another process looks.

    Raises `StoreError` where the workspace or the queue cannot be written: the next look goes on from there.
    """
    with record.held(settings.workspace, watch.id) as mine:
        if not mine:
            return None
        before = record.state(settings.workspace, watch.id)
        if before.ended:
            return before, ()
        once = _Look(watch, settings, before, clock())
        try:
            once.follow()
            once.search()
        except SpecError as error:  # of another version, or of a family that is not installed any more
            once.state = once.state.model_copy(update={"ended": str(error)})
        finally:
            if once.state != before:
                record.write(settings.workspace, watch.id, once.state)
            once.tidy()
        return once.state, once.state.fired[len(before.fired) :]


@dataclass
class _Look:
    watch: Watch
    settings: Settings
    state: State
    now: float

    @property
    def _folder(self) -> Path:
        return record.folder(self.settings.workspace, self.watch.id)

    def _set(self, seen: Seen, **changes: object) -> Seen:
        new = seen.model_copy(update={**changes, **({"at": self.now} if "status" in changes else {})})
        self.state = self.state.with_seen(new)
        return new

    def follow(self) -> None:
        """Take down how the runs in hand have ended; queue what was about to be queued when a look was killed."""
        if not connection.ready(self.settings):
            return
        for seen in [each for each in self.state.seen if each.status == "queued"]:
            if not seen.run:
                self._submit(seen)
                continue
            job = client.job(seen.run, self.settings)
            if job is not None and job.state in ("waiting", "running"):
                continue
            if job is not None and job.state == "done":
                self._ask_rules(self._set(seen, status="scored", why="", copied=""))
            else:
                why = "its run was removed from the list" if job is None else "; ".join(reason for _, reason in job.failures)
                self._set(seen, status="failed", why=why or f"its run was {job.state if job else 'lost'}", copied="")

    def search(self) -> None:
        """Look at what is there now."""
        if self.watch.source == "hub" and self.now - self.state.asked_at < HUB_SECONDS:
            return
        try:
            found = candidates(self.watch)
        except (ModelError, OSError) as error:
            self._update(trouble=f"{error} It is tried again.", asked_at=self.now)
            return
        self._update(trouble="", asked_at=self.now if self.watch.source == "hub" else 0.0)
        there = {each.name for each in found}
        for seen in self.state.latest.values():
            if seen.status == "waiting" and seen.name not in there:
                self._set(seen, status="passed", why="vanished before it was complete")
        # As it stood when the look began: a candidate is of one name, and considered once.
        known, latest = {(each.name, each.mark): each for each in self.state.seen}, self.state.latest
        for each in found:
            self._consider(each, known, latest)
            if self.state.ended:
                return

    def _update(self, **changes: object) -> None:
        self.state = self.state.model_copy(update=changes)

    def _consider(self, candidate: Candidate, known: Mapping[tuple[str, str], Seen], latest: Mapping[str, Seen]) -> None:
        seen = known.get((candidate.name, candidate.mark))
        if seen is not None and (seen.status != "waiting" or seen.broken):
            return
        before = latest.get(candidate.name)
        if seen is None:
            if before is not None and before.status == "waiting":  # it is being written: what it was a moment ago is nothing
                self._update(seen=tuple(each for each in self.state.seen if each is not before))
            seen = Seen(name=candidate.name, mark=candidate.mark, step=candidate.step, since=self.now, at=self.now)
            self.state = self.state.with_seen(seen)
        if sum(each.status == "queued" for each in self.state.seen) >= AT_ONCE:
            self._wait(seen, f"waits until {AT_ONCE} others have their scores")
            return
        key = (str(candidate.folder), candidate.mark)
        if candidate.folder is not None:
            verdict = complete.look(
                candidate.folder,
                self.now - seen.since,
                allow_pickle=self.settings.allow_pickle,
                quiet=self.watch.quiet,
                announced=key in self._announced,
            )
            if not verdict.complete:
                self._wait(seen, verdict.why, broken=verdict.broken)
                return
        self._take(seen, candidate)
        announce.taken_up(path for each, path in self._announced.items() if each == key)

    @cached_property
    def _announced(self) -> dict[tuple[str, str], Path]:
        return announce.announced(self.settings.workspace)

    def _wait(self, seen: Seen, why: str, *, broken: bool = False) -> None:
        if seen.why != why:
            self._set(seen, why=why, broken=broken)

    def _take(self, seen: Seen, candidate: Candidate) -> None:
        """Copy a complete checkpoint, add it to its model and queue its scores; say why where that cannot be done."""
        into = self._folder / COPIES / uuid.uuid4().hex[:12]
        if self._is_gone():
            self._update(ended="Its model was removed from the library.")
            return
        try:
            found = self._found(candidate, into)
        except ModelError as error:
            self._fail(seen, candidate, error)
            return
        place = None if candidate.folder is None else str(candidate.folder)
        try:
            model, checkpoint = growing.add(found, self.settings.workspace, location=place, by=self.watch.by)
        except ModelError as error:
            taking.drop(into)
            self._set(seen, status="passed", why=f"is passed over: {error}")
            return
        of = {"label": checkpoint.label, "fingerprint": checkpoint.fingerprint, "copied": into.name if into.exists() else ""}
        seen = self._set(seen, status="queued", why="", **of)
        self._update(model=model.name)
        # Before it is queued: a run must not outlive the memory of the copy that it reads.
        record.write(self.settings.workspace, self.watch.id, self.state)
        if connection.ready(self.settings):
            self._submit(seen)

    def _submit(self, seen: Seen) -> None:
        """Queue the scores of a checkpoint that is in its model: read from the copy, where there is one."""
        model = growing.called(self.state.model, self.settings.workspace)
        kept = model and next((each for each in model.checkpoints if each.fingerprint == seen.fingerprint), None)
        if not model or not kept:
            self._set(seen, status="passed", why="was taken out of its model", copied="")
            return
        if seen.copied:  # the entry says where the weights lie for good
            kept = kept.model_copy(update={"location": str(self._folder / COPIES / seen.copied / seen.name)})
        spec = template.filled(self.watch.spec, model.name, kept)
        self._set(seen, run=client.submit(spec, self.settings, by=self.watch.by))

    def _fail(self, seen: Seen, candidate: Candidate, error: ModelError) -> None:
        """Wait where the files changed meanwhile, which the next look sees; pass over what is of no use as it is."""
        try:
            changed = candidate.folder is not None and complete.mark(candidate.folder) != candidate.mark
        except OSError:
            changed = True
        if changed:
            self._wait(seen, "changed or vanished while it was copied")
        else:
            self._set(seen, status="passed", why=f"is passed over: {error}")

    def _is_gone(self) -> bool:
        """Return whether the model that the watch has added checkpoints to was removed meanwhile: nobody wants it back."""
        return bool(self.state.model) and growing.called(self.state.model, self.settings.workspace) is None

    def _found(self, candidate: Candidate, into: Path) -> Model:
        """Return the checkpoint as a model of its own, read from a copy. Raises `ModelError` where it is none, or changes."""
        kept = growing.called(self.state.model or self.watch.model, self.settings.workspace)
        name = kept.name if kept else self.watch.model
        pickles = self.settings.allow_pickle
        if candidate.folder is None:
            return discover(f"{self.watch.location}@{candidate.name}", name=name, allow_pickle=pickles)
        roots = None if self.watch.roots is None else [Path(each) for each in self.watch.roots]
        there = {each.fingerprint for each in kept.checkpoints if each.location == str(candidate.folder)} if kept else set()
        if there:  # it was added before it was watched: nothing is copied to find that all of it is known
            cache = fingerprint.cache_file(self.settings.workspace)
            found = discover(str(candidate.folder), name=name, allow_pickle=pickles, cache=cache, roots=roots)
            if len(found.checkpoints) == 1 and found.checkpoints[0].fingerprint in there:
                return found
        copied = taking.take(candidate.folder, into, allow_pickle=pickles, roots=roots)
        try:
            return discover(str(copied), name=name, allow_pickle=pickles)
        except IsoglossError:
            taking.drop(into)
            raise

    def _ask_rules(self, seen: Seen) -> None:
        """Ask each rule of a checkpoint that has scores now, once."""
        model = growing.called(self.state.model, self.settings.workspace)
        scored = {each.fingerprint for each in self.state.scored}
        known = [each for each in model.checkpoints if each.fingerprint in scored] if model is not None else []
        places = [place for place, each in enumerate(known) if each.fingerprint == seen.fingerprint]
        # Runs may end in another order than that of the training: the one after it has another before it now.
        for place in range(places[0], min(places[0] + 2, len(known))) if places else ():
            self._ask(known[place - 1] if place else None, known[place])

    def _ask(self, before: Checkpoint | None, after: Checkpoint) -> None:
        spec = template.filled(self.watch.spec, self.state.model, after)
        for text in self.watch.rules:
            rule = rules.parse(text, spec.experiment)
            if any((each.rule, each.fingerprint) == (text, after.fingerprint) for each in self.state.fired):
                continue
            if sentence := rules.said(rule, spec, before, after, self.settings.workspaces):
                fired = Fired(rule=text, fingerprint=after.fingerprint, sentence=sentence, at=self.now)
                self._update(fired=(*self.state.fired, fired))

    def tidy(self) -> None:
        """Remove copies that no run needs any more, also those that a killed process left."""
        needed = {each.copied for each in self.state.seen if each.copied}
        for path in (self._folder / COPIES).glob("*"):
            if path.name not in needed:
                taking.drop(path)
