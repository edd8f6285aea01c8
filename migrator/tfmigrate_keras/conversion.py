"""What one conversion of a program to Keras 3 collects while it is planned.

A program is converted whole or not at all, so that nothing is edited while it is planned: a line
without an exact equivalent raises a Refusal, and what was collected until then is dropped.
"""

import ast
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NoReturn, TypeVar

from tfmigrate.model.edits import Code, Edit, ReplaceExpression, ReplaceStatement
from tfmigrate.resolve.calls import has_star_arguments, named_arguments
from tfmigrate.resolve.scopes import AssignBinding, Binding, OtherBinding, is_none
from tfmigrate.rulekit.basics import Drafts, Module, Program, Refusal, Severity, drafted
from tfmigrate_keras.tables.pieces import PIECES

Node = TypeVar("Node", bound=ast.AST)
LOOPS = (ast.For, ast.While)
REPEATED = (*LOOPS, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
"""What runs code in it several times."""
UPDATES = "tensorflow.GraphKeys.UPDATE_OPS"


class Conversion:
    """The plan of a conversion.

    Attributes:
        program: the files.
        edits: the changes of each file.
        written_out: the classes and functions that each file gets, by their names in
            ``data/written_out``.
        members: the methods that the classes among them get, of those that they may have.
        imports: the modules that each file needs ("keras", "absl.flags").
        unsafe: what is left out of the result, with the reason.
        model_code: the functions that build the model.
        of_values: code that gets tensors with values, as that of losses does: no layers.
        moved: assignments that such code has in their place.
        names_in_use: names of functions that code uses that is added.
        layer_names: the names of layers, to find those that several layers have.
        callbacks: the classes of hooks that become callbacks, with their files, and whether they
            are for the training, for an evaluation, or both.
        regularized: whether the loss has the penalty of regularizers.
        penalty_in_one_replica: whether one replica only took the gradient of the penalty.
        reuses: whether scopes may reuse variables.
    """

    def __init__(self, program: Program) -> None:
        self.program = program
        self.edits: dict[Module, list[Edit]] = defaultdict(list)
        self.written_out: dict[Module, set[str]] = defaultdict(set)
        self.members: dict[str, set[str]] = defaultdict(set)
        self.imports: dict[Module, set[str]] = defaultdict(set)
        self.unsafe: list[tuple[Module, ast.AST, str]] = []
        self.model_code: dict[ast.FunctionDef, Module] = {}
        self.moved: set[ast.stmt] = set()
        self.of_values: set[ast.AST] = set()
        self.names_in_use: set[tuple[ast.FunctionDef, str]] = set()
        self.layer_names: dict[str, ast.AST] = {}
        self.callbacks: dict[ast.ClassDef, tuple[Module, set[str]]] = {}
        self.regularized, self.penalty_in_one_replica = False, False
        self.reuses = any(m.uses_of("tensorflow.AUTO_REUSE") for m in program.modules)
        self._new_names: dict[Module, set[str]] = defaultdict(set)
        self._removed: set[ast.AST] = set()
        self._pinned: set[ast.AST] = set()
        self._shared: set[ast.AST] = set()
        self._replaced: set[ast.AST] = set()
        self._done: set[ast.AST] = set()

    def replace(self, module: Module, node: ast.expr, code: Code) -> None:
        """Replaces an expression; what its code does not hold any more counts as removed."""
        self.edits[module].append(ReplaceExpression(node, code))
        self._replaced.add(node)
        held = {inner for part in code.parts for inner in module.walk(part)}
        # What the code around it kept is gone with this expression, unless the new code has it.
        self._pinned.difference_update(n for n in module.walk(node) if n not in held)
        self.leave_out(module, node, code.parts)

    def replace_statement(self, module: Module, statement: ast.stmt, *codes: Code) -> None:
        """Replaces a statement; what its codes do not hold any more counts as removed."""
        self.edits[module].append(ReplaceStatement(statement, codes))
        self.leave_out(module, statement, [part for code in codes for part in code.parts])

    def rewrite(self, module: Module, statement: ast.stmt, *codes: Code) -> None:
        """Replaces a statement by others of its block, which is not empty then."""
        self.replace_statement(module, statement, *codes)
        self._removed.discard(statement)

    def remove(self, module: Module, statement: ast.stmt) -> None:
        """Removes a statement, unless it or the block around it is removed already."""
        if statement not in self._removed:
            self.replace_statement(module, statement)

    def drop(self, module: Module, statement: ast.stmt, kept_parts: Collection[ast.AST]) -> None:
        """Removes a statement of which other code keeps some nodes, even if its block goes."""
        for node in kept_parts:
            self._pinned.update(n for n in module.walk(node) if n not in self._removed)
        self.edits[module].append(ReplaceStatement(statement, ()))
        self.leave_out(module, statement, kept_parts)

    def leave_out(self, module: Module, node: ast.AST, kept_parts: Iterable[ast.AST] = ()) -> None:
        """Notes that the names in a node need no more edits."""
        kept_nodes = {inner for part in kept_parts for inner in module.walk(part)}
        kept_nodes |= self._pinned
        self._removed.update(inner for inner in module.walk(node) if inner not in kept_nodes)

    def keep(self, module: Module, node: ast.AST) -> None:
        """Notes that other code keeps a node of code that is removed."""
        self._removed.difference_update(module.walk(node))

    def pin(self, module: Module, node: ast.AST) -> None:
        """Notes that other code holds a node, too, even if the one around it is removed."""
        self._removed.difference_update(n for n in module.walk(node) if n not in self._replaced)
        self._pinned.update(n for n in module.walk(node) if n not in self._replaced)

    def share(self, module: Module, node: ast.AST) -> None:
        """Notes that other code holds a copy of a node."""
        self.pin(module, node)
        self._shared.update(module.walk(node))

    def is_left(self, module: Module, node: ast.AST) -> bool:
        """Returns whether the statement around a node stays, beside a copy of the node."""
        return node in self._shared and module.statement(node) not in self._removed

    def left(self, nodes: Iterable[Node]) -> Iterator[Node]:
        """Yields those of some nodes that the result holds when it comes to them."""
        return (node for node in nodes if node not in self._removed)

    def is_removed(self, node: ast.AST) -> bool:
        """Returns whether the result does not hold a node any more."""
        return node in self._removed

    def is_of_values(self, module: Module, node: ast.AST) -> bool:
        """Returns whether code gets tensors with values, as that of a loss does."""
        places = (node, *module.ancestors(node))
        return bool(self.of_values) and any(place in self.of_values for place in places)

    def needs(self, module: Module, *names: str) -> None:
        """Notes modules that a file has to import."""
        self.imports[module].update(names)

    def write_out(self, module: Module, piece: str) -> None:
        """Notes that a file gets a piece of ``data/written_out``, with those that it uses."""
        self.written_out[module].add(piece)
        for needed in PIECES[piece]:
            if needed in PIECES:
                self.write_out(module, needed)
            else:
                self.needs(module, needed)

    def new_name(self, module: Module, name: str) -> str:
        """Returns a name for code that is added; numbered where the name was given before."""
        taken_names = self._new_names[module]
        number = 2
        candidate = name
        while candidate in taken_names:
            candidate, number = f"{name}_{number}", number + 1
        taken_names.add(candidate)
        return candidate

    def first_time(self, node: ast.AST) -> bool:
        """Returns whether a node has not been asked about before."""
        new = node not in self._done
        self._done.add(node)
        return new


NOT_WRITTEN_OUT = object()
"""What ``literal`` returns for expressions whose value is not written out."""


def literal(node: ast.expr | None) -> object:
    """Returns the value of an expression that is written out, else ``NOT_WRITTEN_OUT``."""
    if node is None:
        return NOT_WRITTEN_OUT
    try:
        return ast.literal_eval(node)
    except ValueError:
        return NOT_WRITTEN_OUT


def refuse(node: ast.AST, reason: str, action: str = "") -> NoReturn:
    """Raises the Refusal of a place that keeps a program from becoming a Keras model."""
    raise Refusal(getattr(node, "stands_for", node), reason, action)


def check_stars(call: ast.Call, what: str) -> None:
    """Refuses a call that hides by ``*`` or ``**`` what is passed."""
    if has_star_arguments(call):
        refuse(call, f"the arguments of {what} are passed by `*` or `**`")


def arguments_of(call: ast.Call, names: Iterable[str], what: str) -> dict[str, ast.expr]:
    """Returns the arguments of a call by their names; refuses those that are hidden."""
    check_stars(call, what)
    return named_arguments(call, names)


def stand_in(
    node: ast.expr,
    function: ast.expr,
    arguments: Sequence[ast.expr],
    keywords: Sequence[ast.keyword] = (),
) -> ast.Call:
    """Returns a call that no file holds; refusals of it are those of a node that it stands for."""
    call = ast.Call(function, list(arguments), list(keywords))
    call.stands_for = node  # type: ignore[attr-defined]
    return call


def local_values(module: Module, name: ast.Name) -> list[ast.expr] | None:
    """Returns the values assigned to a name in its function, in order; None if it is not local."""
    if not (bindings := module.bindings(name)):
        return None
    values = [_value_of(module, binding) for binding in bindings]
    known = [value for value in values if value is not None]
    return known if len(known) == len(values) else None


def _value_of(module: Module, binding: Binding) -> ast.expr | None:
    """Returns the value that a name gets by ``a = x``, or by ``a, b = None, None``."""
    if isinstance(binding, AssignBinding):
        return binding.value
    if not isinstance(binding, OtherBinding) or not isinstance(binding.node, ast.Name):
        return None
    statement = module.statement(binding.node)
    if not isinstance(statement, ast.Assign) or not is_nothing(statement):
        return None
    (target,), value = statement.targets, statement.value
    if not isinstance(target, ast.Tuple) or not isinstance(value, ast.Tuple):
        return None
    return value.elts[target.elts.index(binding.node)]


def is_nothing(statement: ast.stmt) -> bool:
    """Returns whether a statement is ``a = None`` or ``a, b = None, None``."""
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return False
    (target,), value = statement.targets, statement.value
    if not isinstance(target, ast.Tuple) or not isinstance(value, ast.Tuple):
        return is_none(value)
    return len(target.elts) == len(value.elts) and all(is_none(e) for e in value.elts)


def value_before(module: Module, name: ast.Name) -> ast.expr | None:
    """Returns the value that a name has at its place; None if it is not known.

    A value of a branch is that of the name where no other one reaches the name.
    """
    if not (reaching := [v for v in _above(module, name) if not _ends_before(module, v, name)]):
        return None
    last, others = reaching[0], [v for v in reaching[1:] if not is_none(v)]
    # In a branch it is one of several: the others reach the name where that is not run.
    return None if others and _branch(module, last, name) else last


def last_value(module: Module, name: ast.Name) -> ast.expr | None:
    """Returns the value last assigned to a name above its place, in whatever branch."""
    return next(iter(_above(module, name)), None)


def _above(module: Module, name: ast.Name) -> list[ast.expr]:
    """Returns the values that a name is assigned above its place, the last one first."""
    values = local_values(module, name) or []
    above = [v for v in values if module.position(v) < module.position(name)]
    # An assignment's own target is at its place, too.
    above = [v for v in above if not any(n is name for n in ast.walk(v))]
    return sorted(above, key=module.position, reverse=True)


def _branch(module: Module, value: ast.AST, name: ast.AST) -> list[ast.stmt]:
    """Returns the outermost block around a value that is not around a name; [] for none."""
    around = {name, *module.ancestors(name)}
    branch: list[ast.stmt] = []
    inner = value
    for outer in module.ancestors(value):
        blocks = [getattr(outer, field, []) for field in ("body", "orelse", "finalbody")]
        block = next((b for b in blocks if isinstance(b, list) and inner in b), None)
        conditional = isinstance(outer, (ast.If, *LOOPS, ast.Try))
        if block and conditional and not any(s in around for s in block):
            branch = block
        inner = outer
    return branch


def _ends_before(module: Module, value: ast.AST, name: ast.AST) -> bool:
    """Returns whether a block with a value ends the function: the value never reaches a name."""
    block = _branch(module, value, name)
    return bool(block) and isinstance(block[-1], (ast.Return, ast.Raise))


def resolved(module: Module, node: ast.expr | None) -> str:
    """Returns the qualified name of what an expression means; "" if it is none."""
    return (module.resolve(node) or "") if node is not None else ""


def reads(module: Module, place: ast.AST, *names: str) -> list[ast.Name]:
    """Returns where names are read within a place."""
    alike = [node for node in module.all(ast.Name, place) if node.id in names]
    return [node for node in alike if isinstance(node.ctx, ast.Load)]


def stores(module: Module, place: ast.AST, *names: str) -> list[ast.Name]:
    """Returns where names are set within a place."""
    alike = [node for node in module.all(ast.Name, place) if node.id in names]
    return [node for node in alike if isinstance(node.ctx, ast.Store)]


def drafts_of(plan: Conversion, program: Program, message: str) -> Drafts:
    """Yields a draft for every file that a conversion changes, and for each unsafe change.

    Args:
        program: the program as it is, of which the plan may read another meaning.
        message: what becomes of a file.
    """
    for module, edits in plan.edits.items():
        if edits:
            home = program.module_of(module.tree)  # not as it was read
            yield drafted(home, module.tree, message, edits=edits, group="keras")
    for _, node, unsafe in plan.unsafe:
        home = program.module_of(node)
        yield drafted(home, node, unsafe, group="keras", severity=Severity.UNSAFE)
