"""Run an inference over a whole model and give its outcome a final form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from attrs import evolve, frozen

from shapeinfer.diagnostics import codes
from shapeinfer.diagnostics.diagnostic import Diagnostic
from shapeinfer.diagnostics.finding import Claim
from shapeinfer.dims import Dim, Equal, Size, equal, substitute, text_of
from shapeinfer.facts import Fact, SparseTensor, Tensor
from shapeinfer.graph import Graph
from shapeinfer.infer.driver import Run
from shapeinfer.infer.scope import Scope
from shapeinfer.infer.solver import Asked, Solver
from shapeinfer.ops.signature import latest_versions

MAX_PASSES = 3
STANDARD = ("", "ai.onnx.ml")
"""Domains whose versions onnx itself counts."""

Bind = Mapping[str, int]
Shapes = Mapping[str, Sequence[int]]


@frozen
class Result:
    """All that one inference found. ``scopes`` has the values of every graph, ``labels`` adopted output names."""

    graph: Graph
    scopes: Mapping[Graph, Mapping[str, Fact | None]]
    diagnostics: tuple[Diagnostic, ...]
    asked: tuple[Asked, ...]
    labels: Mapping[Size, Dim]
    known: Mapping[Dim, Size]
    """What symbols turned out to be equal to."""

    def stands_for(self, declared: Dim, length: Size) -> bool:
        """Whether a declared dim is a name for a length: a label, or a dim found to be equal to it."""
        if self.labels.get(length) is declared:
            return True
        return bool(self.known) and isinstance(length, Dim) and substitute(declared, self.known) is length


def infer_graph(graph: Graph, bind: Bind | None = None, shapes: Shapes | None = None, *, memo: bool = True) -> Result:
    """Infer a graph, with dims of its inputs bound to numbers by name or by an input's whole shape."""
    run, scope = _settled_run(graph, bind or {}, shapes or {}, memo)
    _outputs_are_made(run, scope)
    run.diagnostics += _imports_too_new(graph)
    run.diagnostics += [said for names, said in run.misnamed if not equal(*(run.solver.size(n) for n in names)).is_yes]
    adopted = _labels(run)
    known = run.solver.final()
    mapping: dict[Dim, Size] = dict(known)
    mapping |= {
        size: label for size, label in adopted.items() if isinstance(size, Dim) and size.is_symbol and size.made
    }
    mapping = {s: substitute(v, mapping) for s, v in mapping.items()}
    scopes = {g: _final(s, mapping, g) for g, s in run.scopes.items()} if mapping else run.scopes
    return Result(
        graph,
        scopes,
        tuple(dict.fromkeys(run.diagnostics)),
        tuple(run.solver.asked.values()),
        adopted,
        known,
    )


def _settled_run(graph: Graph, bind: Bind, shapes: Shapes, memo: bool) -> tuple[Run, Scope]:
    """Infer, and once more with what later nodes showed of the inputs where earlier ones could have used it."""
    known: Solver | None = None
    for _ in range(MAX_PASSES):
        run = Run(graph, known, memo=memo)
        scope = Scope(graph)
        scope.update(_bound_inputs(run, graph, bind, shapes))
        run.infer(scope)
        learned = run.solver.carried()
        if not run.namer.count or learned.known == (known.known if known else {}):
            break
        known = learned
    return run, scope


def _final(scope: Scope, mapping: Mapping[Dim, Size], graph: Graph) -> dict[str, Fact | None]:
    """The facts with all that was learned; inputs keep the names that their author gave."""
    done: dict[Fact, Fact] = {}
    out: dict[str, Fact | None] = {}
    for name, fact in scope.items():
        if fact is not None and name not in graph.inputs:
            if fact not in done:
                done[fact] = fact.substitute(mapping)
            fact = done[fact]
        out[name] = fact
    return out


def _bound_inputs(run: Run, graph: Graph, bind: Bind, shapes: Shapes) -> dict[str, Fact]:
    named = {s.name: s for f in graph.inputs.values() for s in sorted(f.symbols, key=str)}
    mapping: dict[Dim, Size] = {}
    for name, value in bind.items():
        if name not in named:
            known = ", ".join(sorted(named)) or "none"
            _refuse(run, codes.UNKNOWN_BINDING, f"{name} is no dim of any input; the inputs' dims are {known}")
        elif value < 0:
            _refuse(run, codes.BINDING_CONFLICT, f"{name} cannot be {value}; a length is at least 0")
        else:
            mapping[named[name]] = value
    given = {name: dims for name, dims in shapes.items() if _fits(run, graph, name, dims)}
    for name, dims in given.items():
        for declared, size in zip(getattr(graph.inputs[name], "shape", None) or (), dims):
            if isinstance(declared, Dim) and declared.is_symbol:
                mapping.setdefault(declared, size)
    run.bound = mapping
    inputs = {name: fact.substitute(mapping) for name, fact in graph.inputs.items()}
    return inputs | {name: _of_shape(run, name, inputs[name], graph.inputs[name], dims) for name, dims in given.items()}


def _fits(run: Run, graph: Graph, name: str, dims: Sequence[int]) -> bool:
    """Whether a shape can be given to an input of this name."""
    fact = graph.inputs.get(name)
    if fact is None:
        known = ", ".join(graph.inputs) or "none"
        _refuse(run, codes.UNKNOWN_BINDING, f"{name} is no input; the inputs are {known}")
        return False
    if min(dims, default=0) < 0:
        _refuse(run, codes.BINDING_CONFLICT, f"{name} cannot be {list(dims)}; a length is at least 0")
        return False
    shape = fact.shape if isinstance(fact, (Tensor, SparseTensor)) else None
    if shape is not None and len(shape) != len(dims):
        message = f"{name} is declared {fact.text}, of rank {len(shape)}; the shape given has {len(dims)} axes"
        _refuse(run, codes.BINDING_CONFLICT, message)
        return False
    return True


def _of_shape(run: Run, name: str, bound: Fact, declared: Fact, dims: Sequence[int]) -> Fact:
    """An input of a shape that was given; where its dims are formulas, those are conditions."""
    if not isinstance(bound, Tensor) or not isinstance(declared, Tensor):
        return bound
    for axis, (size, said, given) in enumerate(zip(bound.shape or (), declared.shape or (), dims)):
        which = "" if said is size else f", which is {text_of(size)}"
        message = f"axis {axis} of {name} is declared {text_of(said)}{which}; it cannot be {given}"
        answer, _ = run.solver.settle(Claim(Equal(size, given), codes.BINDING_CONFLICT, message), None)
        if answer.is_no:
            _refuse(run, codes.BINDING_CONFLICT, message)
            return bound
    return bound.of(*dims)


def _refuse(run: Run, code: codes.Code, message: str) -> None:
    run.diagnostics.append(Diagnostic(code, code.severity, message))


def _imports_too_new(graph: Graph) -> list[Diagnostic]:
    latest = latest_versions()
    return [
        Diagnostic(
            codes.OPSET_TOO_NEW,
            codes.OPSET_TOO_NEW.severity,
            f"the model imports opset {version} of {domain or 'ai.onnx'}; the newest that the installed onnx "
            f"knows is {latest[domain]}, by which operators are read",
        )
        for domain, version in graph.opsets.items()
        if domain in STANDARD and version > latest[domain]
    ]


def _outputs_are_made(run: Run, scope: Scope) -> None:
    for name in scope.graph.outputs:
        if not scope.defines(name):
            message = f"the graph output {name} is made by no node, and is no input or initializer"
            _refuse(run, codes.MISSING_OUTPUT, message)


def _labels(run: Run) -> dict[Size, Dim]:
    """The labels that stand for one length each; one that stands for two is reported and dropped."""
    adopted: dict[Size, Dim] = {}
    for label, places in run.labels.items():
        sizes = {substitute(run.solver.size(size), run.solver.narrowed): said for size, said in places.items()}
        if len(sizes) == 1:
            (size,) = sizes
            adopted.setdefault(size, label)
            continue
        first, *rest = sizes.items()
        for size, said in rest:
            if not equal(size, first[0]).is_yes:
                note = f"elsewhere it stands for {text_of(first[0])}"
                run.diagnostics.append(evolve(said, notes=(*said.notes, note)))
    return adopted
