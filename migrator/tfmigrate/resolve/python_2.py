"""What a file that Python 3 can parse has of Python 2."""

import ast
import builtins
from collections.abc import Collection, Iterator
from itertools import pairwise

from tfmigrate.resolve.calls import called_builtin, method_calls
from tfmigrate.resolve.guards import ANYTHING, caught_by, is_guarded
from tfmigrate.resolve.module import Module, asked_once, imports, unknown_stars
from tfmigrate.resolve.origins import origins
from tfmigrate.resolve.python_2_files import (
    binary_files_of_csv,
    binary_temporaries,
    text_pipes,
    texts_read_as_bytes,
    unbuffered_texts,
)
from tfmigrate.resolve.python_2_lists import lists_of_python_2
from tfmigrate.resolve.python_2_texts import decoded_texts
from tfmigrate.resolve.scopes import is_none
from tfmigrate.tables import python_2

# Their star imports bind none of these names.
_KNOWN = ("numpy", "tensorflow", "tfmigrate_runtime", "math", "keras")
# What names, methods and calls of Python 2 raise on Python 3.
_LACKING = {
    "AttributeError", "ImportError", "ModuleNotFoundError", "NameError", "TypeError",
}  # fmt: skip
DECODED = ".decode() of texts"
Place = tuple[ast.AST, str]


def signs_of_python_2(module: Module) -> list[str]:
    """Returns the built-in names, methods, modules and functions that make a file one of Python 2.

    They are sorted, so that those of a text and of its conversion can be compared.
    """
    # No conversion changes what is decoded: it is no reason for one.
    signs = [name for _, name in python_2_names(module) if name != DECODED]
    for binding in imports(module):
        plain = isinstance(binding.statement, ast.Import)
        name = binding.alias.name if plain else binding.qualified
        is_old = name.partition(".")[0] in python_2.MODULES or name in python_2.FUNCTIONS
        signs += [name] if is_old and not is_provided_for(module, binding.alias) else []
    for package in python_2.FUNCTION_PACKAGES:
        uses = (u for u in module.uses_in(package) if u.qualified in python_2.FUNCTIONS)
        signs += [u.qualified for u in uses if not is_provided_for(module, u.node)]
    return sorted(signs)


@asked_once
def needs_python_3(module: Module) -> bool:
    """Returns whether a file has what Python 2 cannot run: syntax, or imports of the runtime.

    A notebook may also name Python 3 as its language. Built-in names of Python 2 are oversights
    in such a file, and its prints are calls.
    """
    newer = (ast.AnnAssign, ast.AsyncFunctionDef, ast.JoinedStr, ast.Nonlocal, ast.YieldFrom)
    return (
        module.source.states_python_3
        or any(module.all(kind) for kind in newer)
        or any(f.returns or f.args.kwonlyargs for f in module.all(ast.FunctionDef))
        or any(argument.annotation for argument in module.all(ast.arg))
        or any(c.keywords for c in module.all(ast.ClassDef))
        or any(r.cause for r in module.all(ast.Raise))
        or any(b.qualified.partition(".")[0] == "tfmigrate_runtime" for b in imports(module))
        or any(_is_call_of_python_3(module, call) for call in module.all(ast.Call))
    )


def _is_call_of_python_3(module: Module, call: ast.Call) -> bool:
    """Returns whether a call is an error in Python 2: ``super()``, or ``print(x, end="")``."""
    if _is_builtin(module, call, ("super",)):
        return not call.args
    if not call.keywords or not _is_builtin(module, call, ("print",)):
        return False
    return "print_function" not in futures(module)


def futures(module: Module) -> list[str]:
    """Returns the names that a file imports from ``__future__``."""
    statements = [s for s in module.all(ast.ImportFrom) if s.module == "__future__"]
    return [alias.name for statement in statements for alias in statement.names]


@asked_once
def python_2_names(module: Module) -> list[Place]:
    """Returns the built-in names and methods that only Python 2 has, in the order of the text."""
    places: list[Place] = []
    idle = utf_8_defaults(module)
    if not unknown_stars(module, _KNOWN):
        places += [
            (node, node.id)
            for node in module.all(ast.Name)
            if node.id in python_2.BUILTINS
            and isinstance(node.ctx, ast.Load)
            and not module.bindings(node)
            and module.statement(node) not in idle
        ]
    own = {function.name for function in module.all(ast.FunctionDef)}
    places += [
        (method, f".{method.attr}()")
        for _, method in method_calls(module, *(python_2.METHODS - own))
        if module.resolve(method) is None
    ]
    places += [*lists_of_python_2(module), *_divisions(module)]
    places += _joined_maps(module)
    places += [*_methods(module), *_operators(module)]
    places += [(node, "open() of unbuffered texts") for node in unbuffered_texts(module)]
    places += [(node, "csv of binary files") for node in binary_files_of_csv(module)]
    places += [(node, "open() of bytes as text") for node in texts_read_as_bytes(module)]
    places += [(node, "text in pipes of bytes") for node in text_pipes(module)]
    places += [(node, DECODED) for node in decoded_texts(module)]
    places += [(node, "text in binary temporary files") for node in binary_temporaries(module)]
    unguarded = [(node, name) for node, name in places if not is_provided_for(module, node)]
    unguarded += [(node, "print >>file") for node in prints_to_files(module)]
    unguarded += _messages(module)
    return sorted(unguarded, key=lambda place: module.position(place[0]))


def prints_to_files(module: Module) -> list[ast.BinOp]:
    """Returns the statements ``print >>file, x``, which are valid expressions of Python 3."""
    return [
        node
        for node in module.all(ast.BinOp)
        if isinstance(node.op, ast.RShift)
        and isinstance(node.left, ast.Name)
        and node.left.id == "print"
    ]


@asked_once
def utf_8_defaults(module: Module) -> list[ast.stmt]:
    """Returns the statements that make UTF-8 the default encoding, which it is in Python 3.

    That is ``sys.setdefaultencoding("utf-8")``, and ``reload(sys)`` in the same block, which gives
    Python 2 this function back.
    """
    statements = [
        module.statement(call)
        for call in module.calls_of("sys.setdefaultencoding")
        if isinstance(module.parent(call), ast.Expr) and _is_utf_8(call)
    ]
    blocks = {id(module.parent(statement)) for statement in statements}
    for call in module.all(ast.Call) if statements else ():
        names = [module.resolve(argument) for argument in call.args]
        is_reload = module.resolve(call.func) in ("imp.reload", "importlib.reload")
        is_reload = is_reload or bool(_is_builtin(module, call, ("reload",)))
        statement = module.parent(call)
        if is_reload and names == ["sys"] and isinstance(statement, ast.Expr):
            statements += [statement] if id(module.parent(statement)) in blocks else []
    return [statement for statement in statements if not is_provided_for(module, statement)]


def _is_utf_8(call: ast.Call) -> bool:
    values = [argument.value for argument in call.args if isinstance(argument, ast.Constant)]
    return [str(value).lower() for value in values] in (["utf-8"], ["utf8"], ["utf_8"])


def _is_builtin(module: Module, node: ast.AST, names: Collection[str]) -> str:
    """Returns the name of the built-in function that a call is of, if it is one of some."""
    name = called_builtin(module, node)
    return name if name in names else ""


def _joined_maps(module: Module) -> Iterator[Place]:
    """Yields the calls ``map(None, a, b)``, which made tuples of several sequences."""
    for call in module.all(ast.Call):
        first = call.args[0] if len(call.args) > 2 else None
        if is_none(first) and _is_builtin(module, call, ("map",)):
            yield call, "map(None, ...)"


def _messages(module: Module) -> Iterator[Place]:
    """Yields the uses of ``message`` of built-in exceptions where they are handled."""
    for handler in module.all(ast.ExceptHandler):
        types = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
        if not all(isinstance(t, ast.Name) and _is_exception(module, t) for t in types):
            continue
        for node in module.all(ast.Attribute, handler):
            holder = node.value.id if isinstance(node.value, ast.Name) else ""
            if node.attr == "message" and holder == handler.name:
                yield node, ".message of exceptions"


def _is_exception(module: Module, name: ast.Name) -> bool:
    value = getattr(builtins, name.id, None)
    is_built_in = isinstance(value, type) and issubclass(value, BaseException)
    return is_built_in and module.scope(name) is None


def _divisions(module: Module) -> Iterator[Place]:
    """Yields the quotients that have to be integers, which ``/`` no longer makes."""
    if "division" in futures(module):
        return
    bounds = [node for part in module.all(ast.Slice) for node in (part.lower, part.upper)]
    for call in module.all(ast.Call):
        if _is_builtin(module, call, ("range", "xrange")) or _is_range(module, call):
            bounds += call.args
    bounds += [n.slice for n in module.all(ast.Subscript) if _halves_a_length(n.slice)]
    for node in bounds:
        # A name that holds nothing but quotients was an integer here, and is a float now.
        values = (origins(module, node) or ()) if isinstance(node, ast.Name) else (node,)
        if (
            node
            and values
            and all(isinstance(v, ast.BinOp) and isinstance(v.op, ast.Div) for v in values)
        ):
            yield node, "`/` of integers"


def _is_range(module: Module, call: ast.Call) -> bool:
    return module.resolve(call.func) in ("six.moves.range", "six.moves.xrange", "builtins.range")


def _halves_a_length(node: ast.expr) -> bool:
    """Returns whether an expression divides a length by a number."""
    if not isinstance(node, ast.BinOp) or not isinstance(node.right, ast.Constant):
        return False
    call = node.left
    return isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "len"


def _methods(module: Module) -> Iterator[Place]:
    """Yields the calls of methods that Python 3 lacks, or takes other arguments of."""
    for call in module.all(ast.Call):
        function = call.func
        name = function.attr if isinstance(function, ast.Attribute) else ""
        if (is_sorted := bool(_is_builtin(module, call, ("sorted",)))) or name == "sort":
            first = call.args[is_sorted] if len(call.args) > is_sorted else None
            compares = isinstance(first, ast.Lambda) and len(first.args.args) == 2
            if compares or any(keyword.arg == "cmp" for keyword in call.keywords):
                yield call, "cmp of sort"
        elif name in ("decode", "encode") and isinstance(function, ast.Attribute):
            first = call.args[0] if call.args else None
            encoding = first.value if isinstance(first, ast.Constant) else None
            if encoding in python_2.ENCODINGS and module.resolve(function.value) != "codecs":
                yield call, f'.{name}("{encoding!s}")'
        elif name == "next" and isinstance(function, ast.Attribute) and not call.args:
            receiver_origins = origins(module, function.value) or ()
            if any(
                isinstance(m, ast.Call) and _makes_iterator(module, m) for m in receiver_origins
            ):
                yield call, ".next()"


def _makes_iterator(module: Module, call: ast.Call) -> bool:
    return (
        _is_builtin(module, call, python_2.ITERATORS) or module.resolve(call.func)
    ) in python_2.ITERATORS


def _operators(module: Module) -> Iterator[Place]:
    """Yields the methods of classes that only Python 2 calls, without those that Python 3 calls."""
    for own in module.all(ast.ClassDef):
        functions = {s.name: s for s in own.body if isinstance(s, ast.FunctionDef)}
        names = set(functions) | {
            target.id
            for statement in own.body
            if isinstance(statement, ast.Assign)
            for target in statement.targets
            if isinstance(target, ast.Name)
        }
        for old, new in python_2.OPERATORS.items():
            if old in functions and new not in names:
                yield functions[old], old
        bases = {module.resolve(base) for base in own.bases}
        iterates = {"next", "__iter__"} <= functions.keys() and "__next__" not in names
        if iterates and bases <= {None, "object"}:
            yield functions["next"], "next() of iterators"


def is_provided_for(module: Module, node: ast.AST) -> bool:
    """Returns whether a ``try`` has something else for a place, or only Python 2 reaches it."""
    around = [node, *module.ancestors(node)]
    tried = any(
        isinstance(statement, ast.Try) and _has_alternative(statement, child)
        for child, statement in pairwise(around)
    )
    return tried or is_guarded(module, node)


def _has_alternative(statement: ast.Try, child: ast.AST) -> bool:
    """Returns whether a ``try`` is there for what Python 3 lacks, and holds a place.

    One that catches everything around a loop is there for the errors of what the loop does.
    """
    caught = {name for handler in statement.handlers for name in caught_by(handler)}
    held = child in statement.body or child in statement.handlers
    if caught & _LACKING:
        return held
    raises = any(isinstance(part, ast.Raise) for h in statement.handlers for part in h.body)
    is_short = len(statement.body) == 1 and not hasattr(statement.body[0], "body")
    return held and is_short and not raises and bool(caught & set(ANYTHING))
