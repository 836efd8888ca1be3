"""Declare an option once: what people read of a spec's field stands beside the field's type, default and bounds.

    protocol: Annotated[Protocol, Option("Which triplets are counted", "Triplets", PROTOCOLS, always=True)] = "exact"
    n_triplets: Annotated[int, Option("Triplets a pair", "Triplets a pair", told="{:,} triplets a pair",
                                      when={"protocol": ("sampled",)})] = Field(100_000, ge=1)

From it are read the option of the command line (`backend.experiments.command.declares`), the page's control and its name in the
URL (`pages.widgets.choosing.form`), the words of a run (`words_of_run`), the variant of its scores (`variant_of`) and title and
description in the spec's JSON schema. What several fields make together (languages, pairs, windows, presets) is no
option in this sense: its command, control and words are written by hand.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, get_args, get_origin

if TYPE_CHECKING:
    from pydantic import BaseModel, GetJsonSchemaHandler
    from pydantic.fields import FieldInfo
    from pydantic_core import CoreSchema

Kind = Literal["choice", "several", "switch", "whole", "fraction", "text", "other"]
"""What a field holds: one of several values, several values (typed with commas), true or false, a number, text, or what no
generic control can ask for."""


@dataclass(frozen=True)
class Option:
    """What people read of a field, beside its type, default and bounds."""

    help: str
    """One line for `--help`, and the control's tooltip."""
    label: str = ""
    """Of the control on a page; empty for an option of the command line alone."""
    words: Mapping[Any, str] = field(default_factory=dict)
    """Of a `Literal`, or of several: value → its name, capitalised as in a select box."""
    told: str = ""
    """How a run tells a value that is no choice, with `{}` for it: `{:,} triplets a pair`, or for one and for more than one
    `{} epoch|{} epochs`; empty where it tells nothing."""
    always: bool = False
    """A run, and its variant, tell the value even where it is the default."""
    variant: str | Mapping[Any, str] = ""
    """How the variant of scores names the value: with `{}` for it, or by value; empty where scores compare whatever it is."""
    when: Mapping[str, Collection[Any]] = field(default_factory=dict)
    """Field declared above → its values with which this one counts; else it is not asked for, told, or part of the variant."""
    key: str = ""
    """In the URL, where not the field's name: the session keeps one value a key for all pages."""
    flag: str = ""
    """On the command line, where not the field's name: `--k`."""
    typed: bool = True
    """Whether the command line has it."""
    empty: str = ""
    """Of a number that may be None: what the control says while it is empty, as `All`; without it, 0 stands for None."""
    step: float | None = None
    """By how much the control's arrows change a fraction."""

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        """Add label and help to what the JSON schema says of the field."""
        return {**handler(schema), "description": self.help, **({"title": self.label} if self.label else {})}


@dataclass(frozen=True)
class Declared:
    """One option of a spec: its field's name, type, default and bounds, and what people read of it."""

    name: str
    option: Option
    kind: Kind
    annotation: Any
    """The type as the field has it, without metadata: `int | None`."""
    info: FieldInfo
    least: float | None
    most: float | None

    @property
    def key(self) -> str:
        """The control's name in the URL."""
        return self.option.key or self.name

    @property
    def above(self) -> bool:
        """Whether the least value itself is out of bounds."""
        return any(getattr(each, "gt", None) is not None for each in self.info.metadata)

    @property
    def may_be_none(self) -> bool:
        """Whether the field takes None: no limit, or nothing of the kind."""
        return type(None) in get_args(self.annotation)

    def default(self, others: Mapping[str, Any]) -> Any:
        """Return the default beside the values of `others`, on which it may depend (`default_factory` with their dict)."""
        return self.info.get_default(call_default_factory=True, validated_data=dict(others))

    def applies(self, others: Mapping[str, Any]) -> bool:
        """Return whether the option counts beside the values of `others`."""
        return all(others.get(name) in values for name, values in self.option.when.items())

    def name_of(self, value: Any) -> str:
        """Return what people call a value: its words, or as `told` has it; a value of another version is called as it is."""
        if self.option.words:
            names = [self.option.words.get(each, str(each)) for each in (value if self.kind == "several" else [value])]
            return ", ".join(map(within_sentence, names)) if self.kind == "several" else names[0]
        one, _, more = self.option.told.partition("|")
        return (more if more and value != 1 else one).format(
            commas(value).replace(",", ", ") if self.kind == "several" else value
        )


@cache  # a page asks for the variant of every checkpoint in each run of its script
def declared(model: type[BaseModel]) -> Mapping[str, Declared]:
    """Return the options that a spec (or a part of one) declares, by the name of their field, in the fields' order."""
    options = {name: _option_of(info) for name, info in model.model_fields.items()}
    return MappingProxyType(
        {name: _declared(name, option, model.model_fields[name]) for name, option in options.items() if option}
    )


def settled(model: type[BaseModel], fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the value of every declared option: as `fields` of this or an older version say, else its default there."""
    values: dict[str, Any] = {}
    for name, option in declared(model).items():
        values[name] = fields[name] if name in fields else option.default({**fields, **values})
    return values


def words_of_run(model: type[BaseModel], fields: Mapping[str, Any], leave: Collection[str] = ()) -> list[str]:
    """Return the options of a run but for `leave` in words, as within a sentence: what is not the default or always told."""
    values, options = settled(model, fields), declared(model)
    told = (
        options[name] for name in options if name not in leave and (options[name].option.words or options[name].option.told)
    )
    names = [option.name_of(values[option.name]) for option in told if _counts(option, values)]
    return [within_sentence(name) for name in names if name]


def variant_of(spec: BaseModel, *names: str) -> list[str]:
    """Return the parts of a variant that some options of a spec make, in the order of `names`.

    Values of one metric compare within a variant alone; so its text, once scores are stored under it, may not change.
    """
    values, options = settled(type(spec), dict(spec)), declared(type(spec))
    told = {name: options[name].option.variant for name in names if _counts(options[name], values)}
    return [text.format(values[name]) if isinstance(text, str) else text[values[name]] for name, text in told.items()]


def commas(values: Collection[Any]) -> str:
    """Return several values as they are typed: `0,0.5,1`."""
    return ",".join(f"{value:g}" if isinstance(value, float) else str(value) for value in values)


def within_sentence(name: str) -> str:
    """Return a name as it stands within a sentence: `Mean of tokens` → `mean of tokens`, `CSLS` as it is."""
    first = name.split(" ", 1)[0]
    return name[:1].lower() + name[1:] if first[1:].islower() or len(first) == 1 else name


def _counts(option: Declared, values: Mapping[str, Any]) -> bool:
    """Return whether a run with these values tells this option."""
    value = tuple(values[option.name]) if option.kind == "several" else values[option.name]  # JSON has lists
    if value is None or not option.applies(values):
        return False
    return option.option.always or bool(value != option.default(values))


def _option_of(info: FieldInfo) -> Option | None:
    return next((each for each in info.metadata if isinstance(each, Option)), None)


def _declared(name: str, option: Option, info: FieldInfo) -> Declared:
    def bound(*names: str) -> float | None:
        return next((getattr(each, name) for each in info.metadata for name in names if hasattr(each, name)), None)

    return Declared(name, option, _kind_of(info.annotation), info.annotation, info, bound("ge", "gt"), bound("le", "lt"))


def _kind_of(annotation: Any) -> Kind:
    """Return what a field of this type holds; `X | None` is of X's kind."""
    if get_origin(annotation) is Literal:
        return "choice"
    if get_origin(annotation) is tuple:
        return "several"
    match [each for each in get_args(annotation) if each is not type(None)]:
        case [only] if type(None) in get_args(annotation):
            return _kind_of(only)
    kinds: dict[Any, Kind] = {bool: "switch", int: "whole", float: "fraction", str: "text"}
    return kinds.get(annotation, "other")
