"""Python 2 files converted to Python 3 with fissix, the maintained fork of lib2to3."""

import ast
import difflib
import importlib
import importlib.util
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import accumulate
from typing import Any

from tfmigrate.files.logical_lines import Inside, LineScanner, split_lines
from tfmigrate.files.quiet_parse import compiled, quiet_parse
from tfmigrate.py2.divisions import Kind, divisions, with_floor_divisions
from tfmigrate.py2.file_modes import with_file_modes
from tfmigrate.py2.plain_imports import with_plain_imports
from tfmigrate.py2.print_ends import with_print_ends
from tfmigrate.py2.raises import raised
from tfmigrate.py2.reserved_names import without_reserved_names
from tfmigrate.resolve.names import Names

# Fixers that only tidy up, and `from . import x` for `import x`, which breaks scripts.
_LEFT_OUT = frozenset(
    {"asserts", "buffer", "future", "idioms", "import", "set_literal", "ws_comma"}
)
_TAB = 8  # the width of a tab in Python 2
_NEXT = b".next()"


class NotPython2(Exception):  # noqa: N818 - it describes the text, and is caught as such
    """A text could not be converted to Python 3; the message is one line."""


@dataclass(frozen=True)
class Open:
    """A place whose meaning cannot be determined from the text.

    Attributes:
        line: its line in the Python 3 text.
        column: its column there, in characters, 1-based.
        original_line: its line in the Python 2 text.
        code: the code.
    """

    line: int
    column: int
    original_line: int
    code: str


@dataclass(frozen=True)
class Converted:
    """A Python 2 text in Python 3.

    Attributes:
        text: the new text.
        open_divisions: the divisions that may now keep a remainder that was dropped.
        pickles: the calls that may read pickles of Python 2, whose texts Python 3 takes for ASCII.
    """

    text: str
    open_divisions: tuple[Open, ...]
    pickles: tuple[Open, ...]


def is_available() -> bool:
    """Returns whether fissix is installed."""
    return importlib.util.find_spec("fissix") is not None


def converted(text: str, in_notebook: bool = False) -> Converted:
    """Returns a Python 2 text in Python 3.

    Divisions between integers become ``//``, which is what ``/`` means for them in Python 2.

    Args:
        in_notebook: whether it is that of a notebook's cells.

    Raises:
        NotPython2: it cannot be read as Python 2, or the result is not valid Python 3.
    """
    try:
        new, tree = _python_3(text, in_notebook)
    except TabError:
        new, tree = _python_3(_without_tabs(text), in_notebook)
    all_divisions = divisions(tree)
    new = with_floor_divisions(new, [d for d in all_divisions if d.kind is Kind.INTEGER])
    unknown = [d.node for d in all_divisions if d.kind is Kind.UNKNOWN]
    return Converted(new, _places(text, new, unknown), _places(text, new, _pickles(tree)))


def _pickles(tree: ast.Module) -> list[ast.Call]:
    """Returns the calls that load pickles, in a file that writes none."""
    names = _names_of_pickle(tree)
    calls = [
        (call, call.func.attr)
        for call in (ast.walk(tree) if names else ())
        if isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and isinstance(call.func.value, ast.Name)
        and call.func.value.id in names
    ]
    if any(name in ("dump", "dumps", "Pickler") for _, name in calls):
        return []
    return [call for call, name in calls if name in ("load", "loads") and not call.keywords]


def _names_of_pickle(tree: ast.Module) -> set[str]:
    return {
        alias.asname or alias.name
        for statement in ast.walk(tree)
        if isinstance(statement, (ast.Import, ast.ImportFrom))
        for alias in statement.names
        if alias.name in ("pickle", "cPickle")
    }


def _places(
    text: str, new: str, nodes: Sequence[ast.BinOp | ast.AugAssign | ast.Call]
) -> tuple[Open, ...]:
    if not nodes:
        return ()
    old_lines, new_lines = split_lines(text), split_lines(new)
    original = list(range(1, len(new_lines) + 1))
    matcher = difflib.SequenceMatcher(None, old_lines, new_lines, autojunk=False)
    for _, first, last, begin, end in matcher.get_opcodes():
        for index in range(begin, end):
            original[index] = min(first + index - begin, max(last - 1, first)) + 1
    return tuple(
        Open(
            node.lineno,
            len(new_lines[node.lineno - 1].encode()[: node.col_offset].decode()) + 1,
            original[node.lineno - 1],
            " ".join(ast.unparse(node).split()),
        )
        for node in nodes
    )


def _python_3(text: str, in_notebook: bool) -> tuple[str, ast.Module]:
    """Returns the text that fissix converts to, and its tree.

    Raises:
        TabError: the indentation mixes tabs and spaces.
        NotPython2: fissix cannot read it, or the result is not valid Python 3.
    """
    new = without_reserved_names(_refactored(text))
    try:
        new = _with_open(new, quiet_parse(new))
        new = _with_next(new, quiet_parse(new))
        new = with_file_modes(with_print_ends(new, quiet_parse(new)))
        new = with_plain_imports(new, quiet_parse(new))
        return new, compiled(quiet_parse(new), in_notebook)
    except TabError:
        raise
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line = f"line {error.lineno}: {error.msg}" if isinstance(error, SyntaxError) else error
        raise NotPython2(f"the converted text is not valid Python 3 ({line})") from error


def _with_open(text: str, tree: ast.Module) -> str:
    """Returns a text whose calls of Python 2's ``file`` are calls of ``open``; fissix has none."""
    calls = [node.func for node in ast.walk(tree) if isinstance(node, ast.Call)]
    named = [func for func in calls if isinstance(func, ast.Name) and func.id == "file"]
    if not named:
        return text
    names = Names(tree)
    lines = split_lines(text)
    for name in sorted(named, key=lambda n: (n.lineno, n.col_offset), reverse=True):
        if names.scope_of[name].lookup("file") is None:
            line = lines[name.lineno - 1].encode()
            start = name.col_offset
            lines[name.lineno - 1] = (line[:start] + b"open" + line[start + 4 :]).decode()
    return "".join(lines)


def _with_next(text: str, tree: ast.Module) -> str:
    """Returns a text whose `x.next().y` is `next(x).y`, which fissix converts without `.y` only."""
    calls = [
        (call, call.func.value)
        for call in ast.walk(tree)
        if isinstance(call, ast.Call) and not call.args and not call.keywords
        if isinstance(call.func, ast.Attribute) and call.func.attr == "next"
    ]
    if not calls:
        return text
    data = text.encode()
    starts = [0, *accumulate(len(line.encode()) for line in split_lines(text))]
    names = Names(tree)
    edits: list[tuple[int, int, bytes]] = []
    for call, owner in calls:
        begin = starts[owner.lineno - 1] + owner.col_offset
        end = starts[(owner.end_lineno or 0) - 1] + (owner.end_col_offset or 0)
        last = starts[(call.end_lineno or 0) - 1] + (call.end_col_offset or 0)
        behind = b"".join(data[end:last].replace(b"\\", b"").split())
        closing = behind.removesuffix(_NEXT)
        opening = begin - len(closing)
        # `(a or b).next()` has parentheses that are not the owner's; what has a comment stays.
        is_plain = (
            behind.endswith(_NEXT)
            and closing == b")" * len(closing)
            and data[end : end + len(closing)] == closing
            and data[max(opening, 0) : begin] == b"(" * len(closing)
            and not (closing and data[:opening][-1:].isalnum())  # `if(x).next():`
        )
        if is_plain and names.scope_of[call].lookup("next") is None:
            before, after = (b"next", b"") if closing else (b"next(", b")")
            edits += [(opening, opening, before), (end + len(closing), last, after)]
    for start, stop, new in sorted(edits, reverse=True):
        data = data[:start] + new + data[stop:]
    return data.decode()


def _refactored(text: str) -> str:
    """Returns the text that fissix converts to.

    Raises:
        NotPython2: fissix cannot read it.
    """
    ended = text.endswith(("\n", "\r"))
    if windows := text.count("\r\n") == text.count("\n") > 0:
        text = text.replace("\r\n", "\n")  # what fixers insert ends in line feeds
    new = text if ended else text + "\n"
    try:
        for tool in _tools():
            new = str(tool.refactor_string(new, "<text>"))
    except Exception as error:  # fixers fail in many ways on unexpected code
        raise NotPython2(" ".join(f"{type(error).__name__}: {error}".split())) from error
    new = new.replace("\n", "\r\n" if windows else "\n")
    return new if ended else new.removesuffix("\r\n" if windows else "\n")


@cache
def _tools() -> tuple[Any, Any]:
    """Returns what converts ``input``, which evaluates, and then what makes ``raw_input`` that."""
    # By name: the extra need not be installed where the types are checked.
    refactor: Any = importlib.import_module("fissix.refactor")

    class Tool(refactor.RefactoringTool):  # type: ignore[misc]
        def log_error(self, msg: str, *args: object, **kwargs: object) -> None:
            raise NotPython2(msg % args)

        def log_message(self, msg: str, *args: object) -> None:
            """Prints nothing: findings report what is left to do."""

    fixers = refactor.get_fixers_from_package("fissix.fixes")
    first = [f for f in fixers if f.endswith(".fix_input")]
    others = [f for f in fixers if f.rpartition("fix_")[2] not in _LEFT_OUT and f not in first]
    tool = Tool(others)
    for fixer in (*tool.pre_order, *tool.post_order):
        if type(fixer).__name__ == "FixSorted":
            fixer.match = partial(_sort_of_list, fixer.match)
        elif type(fixer).__name__ == "FixPrint":
            fixer.match = partial(_print_without_parentheses, fixer.match)
        elif type(fixer).__name__ == "FixRaise":
            fixer.match = partial(raised, fixer.match)
    types: Any = importlib.import_module("fissix.fixes.fix_types")
    types._TYPE_MAPPING["StringType"] = "str"  # literals become that, not bytes
    return Tool(first), tool


def _print_without_parentheses(match: Callable[[Any], Any], node: Any) -> Any:
    """Returns the match of a print statement that is no call of Python 3: not `print (x % y)`."""
    captures = match(node)
    value = node.children[1] if len(node.children) == 2 else None
    inner = value.children if captures and value is not None else []
    if [str(child).strip() for child in inner[::2]] != ["(", ")"]:
        return captures
    pytree: Any = importlib.import_module("fissix.pytree")
    kind = pytree.type_repr(inner[1].type)
    return captures if kind in ("testlist_gexp", "yield_expr") else False


def _sort_of_list(match: Callable[[Any], Any], node: Any) -> Any:
    """Returns the match of a call of ``sort`` that can be of a list.

    fissix takes the first argument of any for ``cmp``: an array's axis, a table's column, and what
    a module's function sorts (``np.sort(x)``), too.
    """
    if not (captures := match(node)) or _is_imported(node.children[0]):
        return False
    arguments = captures.get("func_args") or captures.get("func_arg") or []
    first = arguments[0] if isinstance(arguments, list) and arguments else arguments
    names = [str(n.children[0]).strip() for n in arguments if n.children and len(n.children) == 3]
    is_constant = bool(arguments) and _is_constant(str(first))
    return False if is_constant or set(names) - {"cmp", "key", "reverse"} else captures


def _is_imported(owner: Any) -> bool:
    """Returns whether a name of a fissix tree is bound by an import of its file."""
    root = owner
    while root.parent is not None:
        root = root.parent
    imports = (node for node in root.pre_order() if node.children and _is_import(node))
    names = (leaf.value for node in imports for leaf in node.leaves())
    return str(owner).strip() in names


def _is_import(node: Any) -> bool:
    return getattr(node.children[0], "value", "") in ("import", "from")


def _is_constant(text: str) -> bool:
    """Returns whether an expression is a number or a string."""
    try:
        ast.literal_eval(text.strip())
    except (SyntaxError, ValueError):
        return False
    return True


def _without_tabs(text: str) -> str:
    """Returns a text with the tabs of its indentation as spaces, as Python 2 reads them."""
    scanner = LineScanner()
    lines = []
    for line in split_lines(text):
        if scanner.inside is not Inside.STRING:
            code = line.lstrip(" \t")
            line = line[: len(line) - len(code)].expandtabs(_TAB) + code
        scanner.read(line)
        lines.append(line)
    return "".join(lines)
