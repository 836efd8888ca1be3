"""Who acts on a workspace, and what they may: whatever changes a workspace asks here first (`require`).

The command line and the workers act for the operator, who may do everything. The dashboard says whose press it is
(`identify_by`), so that a page cannot forget to ask: a button that is not drawn and one that is pressed all the same are alike.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from isogloss.backend.errors import IsoglossError

if TYPE_CHECKING:
    from isogloss.backend.settings import Settings

Role = Literal["nobody", "reader", "viewer", "editor", "admin"]
Action = Literal["look", "pin", "note", "run", "import", "rename", "remove", "change", "cancel", "forget"]
RANK: dict[Role, int] = {"nobody": 0, "reader": 1, "viewer": 2, "editor": 3, "admin": 4}
"""Each may do what those before may. A reader is whoever opens a dashboard that is read-only."""
NEEDS: dict[Action, tuple[Role, Role, str]] = {
    "look": ("reader", "reader", "Looking at this workspace"),
    "pin": ("viewer", "viewer", "Pinning figures"),
    "note": ("viewer", "viewer", "Writing notes"),
    "change": ("viewer", "editor", "Changing what another has pinned or written"),
    "run": ("editor", "editor", "Starting runs and workers"),
    "import": ("editor", "editor", "Adding to the Library"),
    "rename": ("editor", "editor", "Renaming"),
    "cancel": ("editor", "admin", "Cancelling the run of another"),
    "forget": ("editor", "admin", "Forgetting the run of another"),
    "remove": ("admin", "admin", "Removing what is saved, and checking files,"),
}
"""The least role that may do it to what is one's own, the least that may to what is another's, and its words."""


class RefusedError(IsoglossError):
    """Something that whoever asks for it may not do here."""


@dataclass(frozen=True)
class Person:
    """Whoever acts."""

    name: str = ""
    """What is kept with what they do, theirs alone: an e-mail address where the provider vouches for it. Empty: no login."""
    role: Role = "nobody"
    asked_again: bool = False
    """Whether their login is too old to count, so that they are nobody until they log in again."""


OPERATOR = Person(role="admin")
READER = Person(role="reader")
NOBODY = Person()

_identify: Callable[[], Person] = lambda: OPERATOR  # noqa: E731


def identify_by(identify: Callable[[], Person]) -> None:
    """Have `identify` say from now on, in this process, who acts in the thread that asks."""
    global _identify
    _identify = identify


def now() -> Person:
    """Return who acts."""
    return _identify()


def refusal(action: Action, *, of: str = "", who: Person | None = None) -> str | None:
    """Return why whoever acts (or `who`) may not do it, as a sentence; None where they may.

    `of`: the name of whose it is that would be changed or cancelled, as `Person.name`.
    """
    person = who or now()
    on_own, on_others, words = NEEDS[action]
    least = on_own if person.name and of == person.name else on_others
    if RANK[person.role] >= RANK[least]:
        return None
    if person.role == "reader":
        return "This dashboard is read-only: everything can be looked at and exported, and nothing can be changed."
    if not person.name:
        return f"{words} is for those who have logged in. Log in first."
    if person.role == "nobody":
        return f"{words} is for its members, and {person.name} is none. Ask who runs this server to be added."
    article = "an" if person.role[0] in "ae" else "a"
    return f"{words} is for {least}s, and {person.name} is {article} {person.role} here. Ask an admin of this workspace."


def only_looks() -> bool:
    """Return whether whoever acts may change nothing at all: then nothing is tidied for them either."""
    return RANK[now().role] < RANK["viewer"]


def require(action: Action, *, of: str = "") -> None:
    """Raise `RefusedError` where whoever acts may not do it; `of` as `refusal` takes it."""
    if (why := refusal(action, of=of)) is not None:
        raise RefusedError(why)


def from_claims(claims: Mapping[str, Any], now_settings: Settings, seconds: float) -> Person:
    """Return who has logged in, by what the provider's identity token claims (OpenID Connect).

    An address that the provider says is not verified is none: anybody may have typed it. `seconds` is the time, since 1970: a
    token older than `login_hours` counts for nothing, since nobody asks the provider whether its groups still hold.
    """
    name = _name(claims)
    issued = claims.get("iat")
    age = seconds - issued if isinstance(issued, int | float) else float("inf")
    if age > now_settings.login_hours * 3600:
        return Person(name, asked_again=True)
    email, groups = _email(claims), _groups(claims.get(now_settings.groups_claim))
    roles: list[tuple[Role, tuple[str, ...]]] = [
        ("admin", now_settings.admins),
        ("editor", now_settings.editors),
        ("viewer", now_settings.viewers),
    ]
    role: Role = next((role for role, members in roles if any(_is_meant(each, email, groups) for each in members)), "nobody")
    return Person(name, role)


def _is_meant(member: str, email: str, groups: frozenset[str]) -> bool:
    """Return whether an entry of a role means somebody: `*`, `group:NAME`, `@domain` or an address."""
    if member == "*":
        return True
    if member.startswith("group:"):
        return member.removeprefix("group:").strip() in groups
    if member.startswith("@"):
        return bool(email) and email.endswith(member.casefold())
    return bool(email) and email == member.casefold()


def _email(claims: Mapping[str, Any]) -> str:
    """Return the address, in lower case; empty where there is none, or where the provider does not vouch for it."""
    email, verified = claims.get("email"), claims.get("email_verified", True)
    if not isinstance(email, str) or (verified is not True and str(verified).casefold() != "true"):
        return ""
    return email.strip().casefold()


def _groups(claimed: object) -> frozenset[str]:
    """Return the names of groups: providers send a list, or one name as text."""
    if isinstance(claimed, str):
        return frozenset([claimed])
    return frozenset(each for each in claimed if isinstance(each, str)) if isinstance(claimed, list | tuple) else frozenset()


def _name(claims: Mapping[str, Any]) -> str:
    """Return the address, or where there is none a name with the provider's own id: people choose their names themselves."""
    if email := _email(claims):
        return email
    called = next((str(claims[key]) for key in ("preferred_username", "name") if claims.get(key)), "somebody")
    return f"{' '.join(called.split())[:60]} ({str(claims.get('sub') or 'no id')[:80]})"
