"""Run an inference over a whole model and give its outcome a final form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from attrs import evolve, frozen

from shapeinfer.diagnostics import codes
from shapeinfer.diagnostics.diagnostic import Diagnostic
from shapeinfer.dims import Dim, Size, equal, substitute, text_of
from shapeinfer.facts import Fact, SparseTensor, Tensor
from shapeinfer.graph import Graph
from shapeinfer.infer.driver import Run
from shapeinfer.infer.scope import Scope
from shapeinfer.infer.solver import Asked, Solver

MAX_PASSES = 3

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
    for name, dims in shapes.items():
        _bind_shape(run, graph, name, dims, mapping)
    run.bound = mapping
    return {name: fact.substitute(mapping) for name, fact in graph.inputs.items()}


def _bind_shape(run: Run, graph: Graph, name: str, dims: Sequence[int], mapping: dict[Dim, Size]) -> None:
    fact = graph.inputs.get(name)
    if fact is None:
        known = ", ".join(graph.inputs) or "none"
        _refuse(run, codes.UNKNOWN_BINDING, f"{name} is no input; the inputs are {known}")
        return
    if not isinstance(fact, (Tensor, SparseTensor)) or fact.shape is None:
        return
    if len(fact.shape) != len(dims):
        message = f"{name} is declared {fact.text}, of rank {len(fact.shape)}; the shape given has {len(dims)} axes"
        _refuse(run, codes.BINDING_CONFLICT, message)
        return
    for axis, (declared, given) in enumerate(zip(fact.shape, dims)):
        before = mapping.get(declared, declared) if isinstance(declared, Dim) else declared
        if isinstance(before, Dim) and before.is_symbol:
            mapping[before] = given
        elif equal(before, given).is_no:
            message = f"axis {axis} of {name} is declared {text_of(declared)}" + (
                "" if before is declared else f", which is {text_of(before)}"
            )
            _refuse(run, codes.BINDING_CONFLICT, f"{message}; it cannot be {given}")


def _refuse(run: Run, code: codes.Code, message: str) -> None:
    run.diagnostics.append(Diagnostic(code, code.severity, message))


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
