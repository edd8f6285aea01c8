"""Code that runs under some versions of TensorFlow only, because its program asks first."""

import ast
from collections.abc import Callable, Iterator, Sequence

from tfmigrate.resolve.control_flow import conditions_around
from tfmigrate.resolve.module import Module, asked_once, imports
from tfmigrate.resolve.versions import package_searched, truth
from tfmigrate.tables import symbol_table
from tfmigrate.tables.chains import Chain
from tfmigrate.tables.present_names import KERAS_2, KERAS_3, missing_part

_VERSIONS = (
    "tensorflow.__version__", "tensorflow.VERSION", "tensorflow.version.VERSION",
    "tensorflow.python.tf2.enabled", "sys.version_info", "six.PY2", "six.PY3",
)  # fmt: skip
# TensorFlow 1.x has both modes as well: it depends on the program, not on the installed version.
_MODE = "tensorflow.executing_eagerly"
# A file without any of these does not ask.
_ASKING = ("__dict__", "dir", "getattr", "hasattr", "vars")
_WORDS = (*{name.rpartition(".")[2] for name in (*_VERSIONS, _MODE)}, *_ASKING)
_MISSING_NAME = ("ImportError", "ModuleNotFoundError", "AttributeError")
_COMPANIONS = (
    "keras", "tensorflow", "tensorflow_core", "tensorflow_estimator", "tf_keras", "tf_slim",
)  # fmt: skip
ANYTHING = ("Exception", "BaseException")


def is_guarded(module: Module, node: ast.AST) -> bool:
    """Returns whether a place is only reached where the program found TensorFlow to be suitable.

    That is: below a test of TensorFlow's version or of one of its names (``hasattr``), after
    a test that returns, or in a ``try`` statement that catches what a missing name raises. A test
    that always holds on TensorFlow 2.16 and newer guards nothing.
    """
    return any(_guards(module, node, _is_unlike(True)))


def is_guarded_by_mode(module: Module, node: ast.AST) -> bool:
    """Returns whether a place is only reached in one mode, eager or not, or is guarded."""
    return any(_guards(module, node, _is_unlike(True), modes=True))


def is_dead(module: Module, node: ast.AST) -> bool:
    """Returns whether a test keeps a place from being reached on TensorFlow 2.16 and newer."""
    return any(_guards(module, node, _is_unlike(True, None)))


def depends_on_version(module: Module, node: ast.AST) -> bool:
    """Returns whether a place is below a condition on TensorFlow's version or mode, any at all.

    What a function of another file finds out is not known here, but that it asks is.
    """
    return any(_guards(module, node, lambda answer: True, modes=True, elsewhere=True))


def _is_unlike(*answers: bool | None) -> Callable[[bool | None], bool]:
    return lambda answer: answer not in answers


def _guards(
    module: Module,
    node: ast.AST,
    keeps: Callable[[bool | None], bool],
    modes: bool = False,
    elsewhere: bool = False,
) -> Iterator[bool]:
    """Yields, for each condition around a place, whether it keeps the place from being reached.

    Args:
        node: the place.
        keeps: whether it does, by whether the condition holds on the target (None for unknown).
        modes: whether conditions on the mode count as well.
        elsewhere: whether conditions that another file of the program asks count as well.
    """
    outer = list(module.ancestors(node))
    for test in conditions_around(module, node, outer):
        if _asks(module, test.expression, modes, elsewhere):
            answer = truth(module, test.expression)
            yield keeps(None if answer is None else answer is test.holds)
    for statement, child in zip(outer, [node, *outer], strict=False):
        if isinstance(statement, ast.Try) and _catches_missing_name(statement, child):
            if child in statement.orelse:  # it runs where nothing was missing
                yield keeps(None if _fails(module, statement) else True)
            elif child not in statement.handlers:
                yield keeps(True if _raises(statement) else None)
            elif _asks_tensorflow(module, statement):
                yield keeps(True if _fails(module, statement) else None)


@asked_once
def _asks(module: Module, test: ast.expr, modes: bool, elsewhere: bool) -> bool:
    """Returns whether a condition is about which TensorFlow is installed, or about the mode."""
    known = _names_that_know(module, modes)
    if elsewhere:
        known |= _imported_names_that_know(module, modes)
    if not known and not module.mentions(*_WORDS):
        return False
    for node in module.walk(test):
        if isinstance(node, ast.Name) and node.id in known:
            return True
        if _tells_version(module, node, modes):
            return True
    return False


@asked_once
def _names_that_know(module: Module, modes: bool) -> frozenset[str]:
    """Returns the variables and functions whose values depend on the installed TensorFlow."""
    if not module.mentions(*_WORDS):
        return frozenset()
    dependent_names: set[str] = set()
    open_ones: list[tuple[list[str], set[str]]] = []  # names, and what their values are made of
    for names, values in _values_of_names(module):
        inner = [n for value in values for n in module.walk(value)]
        if any(_tells_version(module, n, modes) for n in inner):
            dependent_names.update(names)
        else:
            open_ones.append((names, {n.id for n in inner if isinstance(n, ast.Name)}))
    while dependent_names:
        before = len(dependent_names)
        for names, parts in open_ones:
            if not dependent_names.isdisjoint(parts):
                dependent_names.update(names)
        if len(dependent_names) == before:
            break
    return frozenset(dependent_names)


@asked_once
def _imported_names_that_know(module: Module, modes: bool) -> frozenset[str]:
    """Returns the same of other files of the program, by the names that they have here."""
    sources = ((binding, module.own_source(binding)) for binding in imports(module))
    return frozenset(
        binding.alias.asname or binding.alias.name
        for binding, source in sources
        if source is not None and source[1] in _names_that_know(source[0], modes)
    )


def _values_of_names(module: Module) -> Iterator[tuple[list[str], Sequence[ast.AST]]]:
    """Yields assigned names and functions, with the expressions that determine their values."""
    for assignment in module.all(ast.Assign):
        if names := [n.id for target in assignment.targets for n in _names_in(target)]:
            yield names, [assignment.value]
    for function in module.all(ast.FunctionDef):
        yield [function.name], _returned(module, function)


def _names_in(target: ast.expr) -> Iterator[ast.Name]:
    elements = target.elts if isinstance(target, (ast.Tuple, ast.List)) else [target]
    return (element for element in elements if isinstance(element, ast.Name))


def _returned(module: Module, function: ast.FunctionDef) -> list[ast.AST]:
    """Returns what the result of a function depends on; for one that returns a bool, its tests."""
    nodes = list(module.walk(function))
    values = [n.value for n in nodes if isinstance(n, ast.Return) and n.value is not None]
    if all(isinstance(v, ast.Constant) and isinstance(v.value, bool) for v in values):
        return [n.test for n in nodes if isinstance(n, ast.If)]
    return list(values)


def _tells_version(module: Module, node: ast.AST, modes: bool) -> bool:
    """Returns whether a node is TensorFlow's version, or asks whether TensorFlow has a name."""
    if isinstance(node, (ast.Name, ast.Attribute)):
        return module.resolve(node) in (*_VERSIONS, *([_MODE] * modes))
    if isinstance(node, ast.Compare):
        searched = package_searched(node)
        of = module.resolve(searched) if searched is not None else None
        return ((of or "") + ".").startswith("tensorflow.")
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or not node.args:
        return False
    of = module.resolve(node.args[0])
    asks = node.func.id == "hasattr" or (node.func.id == "getattr" and len(node.args) == 3)
    return asks and ((of or "") + ".").startswith("tensorflow.")


def _catches_missing_name(statement: ast.Try, child: ast.AST) -> bool:
    """Returns whether a ``try`` is there for a name that may be missing, and holds a place."""
    in_body = child in statement.body
    if not (in_body or child in statement.handlers or child in statement.orelse):
        return False
    caught = {name for handler in statement.handlers for name in caught_by(handler)}
    if caught & set(_MISSING_NAME):
        return True
    return all(map(_only_names, statement.body)) and bool(caught & set(ANYTHING))


def _only_names(statement: ast.stmt) -> bool:
    """Returns whether a statement can fail for a missing name only: it imports or assigns one."""
    if isinstance(statement, ast.Assign):
        return isinstance(statement.value, ast.Attribute)
    return isinstance(statement, (ast.Import, ast.ImportFrom))


def may_be_missing(module: Module, statement: ast.stmt) -> bool:
    """Returns whether a program goes on where an import at its top level fails."""
    around = module.parent(statement)
    return (
        isinstance(around, ast.Try)
        and statement in around.body
        and _catches_missing_name(around, statement)
        and not _raises(around)
    )


def _raises(statement: ast.Try) -> bool:
    """Returns whether every handler of a ``try`` only re-raises, so nothing replaces the name."""
    return all(isinstance(handler.body[-1], ast.Raise) for handler in statement.handlers)


def _asks_tensorflow(module: Module, statement: ast.Try) -> bool:
    """Returns whether the body of a ``try`` needs anything of TensorFlow or Keras."""
    for node in (node for part in statement.body for node in ast.walk(part)):
        names: list[str | None] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            names = [node.module]
        elif isinstance(node, (ast.Name, ast.Attribute)):
            names = [module.resolve(node)]
        if any((name or "").partition(".")[0] in _COMPANIONS for name in names):
            return True
    return False


def _fails(module: Module, statement: ast.Try) -> bool:
    """Returns whether the body of a ``try`` needs a name that TensorFlow 2.21 may not have."""
    for part in statement.body:
        if isinstance(part, ast.Import):
            chains = [Chain(alias.name) for alias in part.names]
        elif isinstance(part, ast.ImportFrom) and part.module and not part.level:
            chains = [Chain(part.module, alias.name) for alias in part.names if alias.name != "*"]
        else:
            chains = []
        if any(missing_part(chain, keras) for chain in chains for keras in (KERAS_2, KERAS_3)):
            return True
        if any(_is_gone(module.resolve(n)) for n in ast.walk(part) if isinstance(n, ast.Attribute)):
            return True
    return False


def _is_gone(name: str | None) -> bool:
    """Returns whether TensorFlow 1.15 had a public name and neither generation of 2.21 has it.

    Which Keras a program runs with is not known here: a name that one of both lacks may be gone.
    """
    if name is None or not name.startswith("tensorflow."):
        return False
    below = name.partition(".")[2]
    if below.startswith("keras."):
        return missing_part(Chain("tensorflow", "", below), KERAS_3) is not None
    newest = any(symbol_table.is_found(below, f"{v}-{symbol_table.NEWEST}") for v in ("v1", "v2"))
    return not newest and symbol_table.is_found(below, symbol_table.OLD)


def caught_by(handler: ast.ExceptHandler) -> Iterator[str]:
    """Yields the names of the exceptions that a handler catches."""
    if handler.type is None:
        yield "Exception"
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    yield from (kind.id for kind in kinds if isinstance(kind, ast.Name))
