"""The registry of rules by operator and version."""

from __future__ import annotations

import functools
import importlib
import inspect
import operator
import pkgutil
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from attrs import fields, frozen, has

from shapeinfer import plugins
from shapeinfer.facts import OPENVINO, Contents, Ends, Fact, Shape

Output: TypeAlias = "Fact | Shape | None"
"""One output of a rule: a shape, whose element type the schema gives, or a whole fact; None is unknown."""
Result: TypeAlias = "Output | list[Output] | list[Shape]"
RuleFunction: TypeAlias = Callable[..., Any]
Unranked: TypeAlias = "int | list[int | None] | None"
"""The outputs' ranks when an input that the rule needs has none; None is an unknown rank."""


@frozen(eq=False, repr=False)
class Rule:
    """A function from input facts and attributes to output facts, and the versions it covers."""

    function: RuleFunction
    domain: str
    name: str
    since: int
    unranked: Unranked
    fold: bool = False
    """Whether known inputs decide the shape, so that the call is worth computing."""

    @functools.cached_property
    def _signature(self) -> list[inspect.Parameter]:
        _, *rest = inspect.signature(self.function).parameters.values()  # not when registered: a model uses few rules
        return rest

    @functools.cached_property
    def parameters(self) -> tuple[str, ...]:
        """The names of its inputs."""
        return tuple(p.name for p in self._signature if p.kind is not p.KEYWORD_ONLY)

    @functools.cached_property
    def variadic(self) -> bool:
        """Whether its last input is variadic."""
        return any(p.kind is p.VAR_POSITIONAL for p in self._signature)

    @functools.cached_property
    def attributes(self) -> Mapping[str, Any]:
        """The attributes that it needs, with their defaults; of a group, those of its fields."""
        grouped = [defaults for _, defaults in self._groups.values()]
        single = {name: default for name, default in self._keywords.items() if name not in self._groups}
        return functools.reduce(operator.or_, grouped, single)

    def arguments(self, attributes: Mapping[str, Any]) -> dict[str, Any]:
        """Return the keyword arguments for attributes: the ones that it needs, by themselves or in their group."""
        out = {name: attributes[name] for name in self._keywords if name in attributes}
        for keyword, (group, defaults) in self._groups.items():
            held = {name: attributes[name] for name in defaults if name in attributes}
            if held:
                out[keyword] = group(**defaults | held)
        return out

    @functools.cached_property
    def _keywords(self) -> Mapping[str, Any]:
        return {p.name: p.default for p in self._signature if p.kind is p.KEYWORD_ONLY}

    @functools.cached_property
    def _groups(self) -> Mapping[str, tuple[type, dict[str, Any]]]:
        """By keyword the class of a group of attributes, and their defaults."""
        groups = {name: default for name, default in self._keywords.items() if has(type(default))}
        return {k: (type(g), {f.name: getattr(g, f.name) for f in fields(type(g))}) for k, g in groups.items()}

    def rank(self, output: int) -> int | None:
        """The rank of an output that is known even if the inputs are not."""
        if isinstance(self.unranked, list):
            return self.unranked[min(output, len(self.unranked) - 1)]
        return self.unranked


PLUGINS = "shapeinfer.rules"
"""Entry points of this group name modules of other packages that register rules."""

ContentsFunction: TypeAlias = Callable[..., "Contents | None"]
RangeFunction: TypeAlias = Callable[..., "Ends | list[Ends | None] | None"]
_Function = TypeVar("_Function", ContentsFunction, RangeFunction)


@frozen(eq=False, repr=False)
class ContentsRule:
    """How an operator computes entries, and the attributes it needs for that."""

    function: ContentsFunction | RangeFunction

    @functools.cached_property
    def attributes(self) -> frozenset[str]:
        """The attributes that it needs."""
        parameters = inspect.signature(self.function).parameters.values()
        return frozenset(p.name for p in parameters if p.kind is p.KEYWORD_ONLY)


_rules: dict[tuple[str, str], dict[int, Rule]] = {}
_Table: TypeAlias = "dict[tuple[str, str], dict[int, ContentsRule]]"
_contents: _Table = {}
_value_ranges: _Table = {}


def rule(
    *names: str, since: int = 1, domain: str = "", unranked: Unranked = None, fold: bool = False
) -> Callable[[RuleFunction], RuleFunction]:
    """Register a rule for operators from version ``since`` up to the next registration.

    The function takes a Context, the inputs (positional, None where absent, ``*`` for a variadic) and, by
    keyword, the attributes it needs with ONNX's defaults. A keyword whose default is an instance of an attrs
    class is a group: the fields of the class are attributes. It returns one output, or a list of them. With
    ``fold`` the call is computed if the shape stays unknown although every entry of the inputs is known.
    """

    def register(function: RuleFunction) -> RuleFunction:
        for name in names:
            add(Rule(function, domain, name, since, unranked, fold))
        return function

    return register


def add(new: Rule) -> None:
    """Register a rule. Raises ValueError if its operator has one of that version already, of another function."""
    versions = _rules.setdefault((new.domain, new.name), {})
    found = versions.setdefault(new.since, new)
    if found is not new:
        if not _is_run_again(found.function, new.function):
            raise ValueError(f"{new.name} {new.since} has two rules")
        versions[new.since] = new


def _is_run_again(old: Callable[..., Any], new: Callable[..., Any]) -> bool:
    """Whether two functions are one whose module was run again, as a notebook's cell is."""
    places = [(getattr(f, "__module__", None), getattr(f, "__qualname__", None)) for f in (old, new)]
    return places[0] == places[1] and None not in places[0]


def contents(*names: str, since: int = 1, domain: str = "") -> Callable[[ContentsFunction], ContentsFunction]:
    """Register how an operator computes small known contents of its first output.

    The function takes the output's Tensor, then the inputs as the rule does and, by keyword, the attributes
    it needs; it returns the entries in row-major order (None for an unknown one), or None for no entries. It
    is called only where the output's shape is known and small.
    """
    return _registered(_contents, names, since, domain)


def value_range(*names: str, since: int = 1, domain: str = "") -> Callable[[RangeFunction], RangeFunction]:
    """Register what the least and the greatest entry of an operator's first output are, however many it has.

    The function takes what one for ``contents`` does, and returns a pair of sizes, a list with a pair or None for each
    position of the last axis, or None. It is called only for integers whose entries are not known.
    """
    return _registered(_value_ranges, names, since, domain)


def _registered(table: _Table, names: Iterable[str], since: int, domain: str) -> Callable[[_Function], _Function]:
    def register(function: _Function) -> _Function:
        new = ContentsRule(function)
        for name in names:
            versions = table.setdefault((domain, name), {})
            found = versions.setdefault(since, new)
            if found is not new and not _is_run_again(found.function, function):
                raise ValueError(f"the contents of {name} {since} are defined twice")
            versions[since] = new
        return function

    return register


def find_rule(domain: str, name: str, since: int) -> Rule | None:
    """Return the rule in force for the schema version ``since``, None if there is none."""
    load(domain, name)
    versions = _rules.get((domain, name), {})
    return versions.get(_newest(versions, since))


def find_contents(domain: str, name: str, since: int) -> ContentsRule | None:
    """Return the contents function in force for the schema version ``since``."""
    load(domain, name)
    versions = _contents.get((domain, name), {})
    return versions.get(_newest(versions, since))


def find_value_range(domain: str, name: str, since: int) -> ContentsRule | None:
    """Return the function for the least and the greatest entry in force for the schema version ``since``."""
    load(domain, name)
    versions = _value_ranges.get((domain, name), {})
    return versions.get(_newest(versions, since))


def _newest(versions: Iterable[int], since: int) -> int:
    # a copy in one step: another thread may register one meanwhile
    return max((v for v in list(versions) if v <= since), default=-1)


def rules() -> list[Rule]:
    """Return every registered rule, in a stable order."""
    load()
    return [versions[v] for _, versions in sorted(_rules.items()) for v in sorted(versions)]


def load(domain: str | None = None, name: str = "") -> None:
    """Import once the modules with rules for a domain (for all by default), and those of plugins.

    Of ONNX's own only those that speak for the operator, if one is named: a small model needs few of them.
    """
    if domain == "" and name in homes():
        _load_homes(name)
        return
    for kind in _FOLDERS if domain is None else folders_of(domain):
        load_kind(kind)


_ONNX = "shapeinfer.ops.onnx."
_OWN = {
    "": "onnx",
    "ai.onnx.ml": "ml",
    "ai.onnx.contrib": "extensions",
    "com.ms.internal.nhwc": "nhwc",
    OPENVINO: "openvino",
}
_FOLDERS = (*_OWN.values(), "microsoft")


def folders_of(domain: str) -> tuple[str, ...]:
    """Return the folders with rules for a domain."""
    return (_OWN[domain],) if domain in _OWN else ("onnx", "microsoft")


@functools.cache
def homes() -> dict[str, list[str]]:
    """Return the modules with rules for each of ONNX's own operators, as listed in ``homes.txt``."""
    text = Path(__file__).with_name("homes.txt").read_text(encoding="utf-8")
    return {name: modules for name, *modules in map(str.split, text.splitlines())}


def homes_anew() -> str:
    """Return the lines of ``homes.txt``: each operator of ONNX's own, and the modules that its functions are from."""
    load("")
    found: dict[str, set[str]] = {}
    for table in (_rules, _contents, _value_ranges):
        for (domain, name), versions in table.items():
            for new in versions.values() if not domain else ():
                module = new.function.__module__
                if module.startswith(_ONNX):  # a partial function's is none
                    found.setdefault(name, set()).add(module.removeprefix(_ONNX))
    return "".join(f"{name} {' '.join(sorted(modules))}\n" for name, modules in sorted(found.items()))


@functools.cache
def _load_homes(name: str) -> None:
    for module in homes()[name]:
        importlib.import_module(_ONNX + module)
    _load_plugins()


@functools.cache
def load_kind(kind: str) -> None:
    """Import the modules of one folder of operators: a model seldom needs more than one."""
    package = importlib.import_module(f"shapeinfer.ops.{kind}")
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        importlib.import_module(module.name)
    _load_plugins()


@functools.cache
def _load_plugins() -> None:
    """Import the rules of installed packages."""
    plugins.load(PLUGINS)
