"""Files, pipes and temporary files whose bytes a file takes for text, or the other way round.

Bytes and text are one type in Python 2.
"""

import ast
from collections.abc import Iterator

from tfmigrate.resolve.calls import argument, called_builtin, has_star_arguments, method_calls
from tfmigrate.resolve.guards import is_guarded
from tfmigrate.resolve.module import Module
from tfmigrate.resolve.origins import origins

_CSV = ("csv.DictReader", "csv.DictWriter", "csv.reader", "csv.writer")
_GFILES = frozenset(
    f"tensorflow.{package}.{name}"
    for package in ("gfile", "io.gfile", "python.platform.gfile")
    for name in ("FastGFile", "GFile", "Open")
)
# What reads or writes bytes, by the position of its file.
OF_BYTES = {
    **dict.fromkeys(
        (
            *("PIL.Image.open", "imageio.imread", "imageio.imwrite", "librosa.load", "wave.open"),
            *("matplotlib.image.imread", "matplotlib.image.imsave", "matplotlib.pyplot.imread"),
            *("matplotlib.pyplot.imsave", "matplotlib.pyplot.savefig", "skimage.io.imread"),
            *("numpy.load", "numpy.save", "numpy.savez", "numpy.savez_compressed"),
            *("scipy.io.loadmat", "scipy.io.savemat", "scipy.misc.imread", "scipy.misc.imsave"),
            *("scipy.io.wavfile.read", "scipy.io.wavfile.write", "soundfile.read"),
            *("soundfile.write", "zipfile.ZipFile"),
        ),
        0,
    ),
    "gzip.GzipFile": 3,
    "tarfile.open": 2,
    **{
        f"{package}.{name}": position
        for package in ("pickle", "cPickle", "six.moves.cPickle")
        for name, position in (("dump", 1), ("load", 0), ("Pickler", 0), ("Unpickler", 0))
    },
}
_PIPES = ("subprocess.Popen", "subprocess.check_output")
_TEXT_PIPES = frozenset(("encoding", "errors", "text", "universal_newlines"))
_TEMPORARY = ("tempfile.NamedTemporaryFile", "tempfile.TemporaryFile")
STRIPS = frozenset(("lstrip", "rstrip", "strip"))
OF_TEXT = STRIPS | {
    *("count", "endswith", "find", "index", "partition", "replace", "rfind", "rpartition"),
    *("rsplit", "split", "startswith"),
}


def unbuffered_texts(module: Module) -> list[ast.Constant]:
    """Returns the buffers of 0 that ``open`` gets without a binary mode, which is a ValueError."""
    buffers = []
    for call in module.all(ast.Call):
        if is_open(module, call):
            buffer = argument(call, 2, "buffering")
            if is_text_mode(call) and isinstance(buffer, ast.Constant) and buffer.value == 0:
                buffers.append(buffer)
    return buffers


def binary_files_of_csv(module: Module) -> list[ast.Call]:
    """Returns the calls that open files as bytes for the module csv, as it wanted in Python 2."""
    openings: dict[ast.Call, None] = {}
    for call in module.calls_of(*_CSV):
        file = argument(call, 0, "f")  # DictReader and DictWriter have names for it
        for opened in (origins(module, file) or ()) if file is not None else ():
            if isinstance(opened, ast.Call) and _is_binary(module, opened):
                openings.setdefault(opened)
    return list(openings)


def _is_binary(module: Module, opened: ast.Call) -> bool:
    mode = argument(opened, 1, "mode")
    letters = mode.value if isinstance(mode, ast.Constant) else ""
    if is_zipped(module, opened):
        return mode is None or (isinstance(letters, str) and "t" not in letters and bool(letters))
    is_file = is_open(module, opened) or module.resolve(opened.func) in _GFILES
    return is_file and "b" in str(letters)


def is_zipped(module: Module, opened: ast.Call) -> bool:
    """Returns whether a file is opened that has bytes unless its mode asks for text."""
    return module.resolve(opened.func) == "gzip.open"


def takes_newlines(module: Module, opened: ast.Call) -> bool:
    """Returns whether ``newline=""`` can be given to a call that opens a file."""
    return module.resolve(opened.func) not in _GFILES


def texts_read_as_bytes(module: Module) -> list[ast.Call]:
    """Returns the calls of ``open`` whose file is text, and is given to what takes bytes only."""
    openings: dict[ast.Call, None] = {}
    for call in module.calls_of(*OF_BYTES):
        file = file_of_bytes(module, call)
        for opened in _opened(module, file):
            mode = argument(opened, 1, "mode")
            value = getattr(mode, "value", None) if mode is not None else "r"
            is_text = isinstance(value, str) and set(value) <= set("rwa+")
            if is_text and not opened.keywords and _is_only_given(module, file):
                openings.setdefault(opened)
    return list(openings)


def file_of_bytes(module: Module, call: ast.Call) -> ast.expr | None:
    """Returns the file that a call of what is in OF_BYTES reads or writes."""
    return argument(call, OF_BYTES[module.resolve(call.func) or ""], "file", "fp", "fileobj")


def text_pipes(module: Module) -> list[ast.Call]:
    """Returns the calls that start processes whose bytes are used as text, a TypeError."""
    texts = (node for node in _texts(module) if not is_guarded(module, node))
    processes = dict.fromkeys(p for node in texts if (p := _process_of(module, node)))
    for call, method in method_calls(module, "communicate", "write"):
        # Where text comes from is asked last: it leads through every call of a function.
        written = argument(call, 0, "input")
        if written is None or not _is_text(module, written) or is_guarded(module, call):
            continue
        if method.attr == "communicate":
            processes |= dict.fromkeys(_started(module, method.value))
        elif isinstance(method.value, ast.Attribute) and method.value.attr == "stdin":
            processes |= dict.fromkeys(_started(module, method.value.value))
    return list(processes)


def binary_temporaries(module: Module) -> list[ast.Call]:
    """Returns the calls that open temporary files without a mode, where only text is written."""
    writes: dict[ast.Call, bool] = {}
    for call, method in method_calls(module, "write"):
        if len(call.args) == 1:
            is_text = _is_text(module, call.args[0]) and not is_guarded(module, call)
            for temporary in origins(module, method.value) or ():
                if isinstance(temporary, ast.Call) and module.resolve(temporary.func) in _TEMPORARY:
                    writes[temporary] = writes.get(temporary, True) and is_text
    return [
        temporary
        for temporary, is_text in writes.items()
        if is_text and argument(temporary, 0, "mode") is None and not has_star_arguments(temporary)
    ]


def is_open(module: Module, node: ast.AST) -> bool:
    """Returns whether a node is a call of the built-in ``open``, or Python 2's ``file``."""
    return called_builtin(module, node) in ("file", "open")


def is_text_mode(opened: ast.Call) -> bool:
    """Returns whether a call opens its file as text for certain."""
    mode = argument(opened, 1, "mode") or ast.Constant("r")
    return isinstance(mode, ast.Constant) and "b" not in str(mode.value)


def _opened(module: Module, file: ast.expr | None) -> list[ast.Call]:
    """Returns the calls of ``open`` that a file comes from."""
    sources = (origins(module, file) or ()) if file is not None else ()
    return [s for s in sources if isinstance(s, ast.Call) and is_open(module, s)]


def _is_only_given(module: Module, file: ast.expr | None) -> bool:
    """Returns whether a file is used for nothing but what takes bytes, and closed."""
    if not isinstance(file, ast.Name):
        return isinstance(file, ast.Call)
    for name in module.reads(file.id, module.scope(file)):
        around = module.parent(name)
        closed = isinstance(around, ast.Attribute) and around.attr == "close"
        is_argument = isinstance(around, ast.Call) and module.resolve(around.func) in OF_BYTES
        if not closed and not is_argument:
            return False
    return True


def _texts(module: Module) -> Iterator[ast.expr]:
    """Yields the expressions that only text can be: ``x`` in ``x.split(":")``."""
    for call, method in method_calls(module, *OF_TEXT):
        if is_string(call.args[0] if call.args else None):
            yield method.value
    for test in module.all(ast.Compare):
        if isinstance(test.ops[0], (ast.In, ast.NotIn)) and _is_text(module, test.left):
            yield test.comparators[0]
    for sum_ in module.all(ast.BinOp):
        if isinstance(sum_.op, ast.Add):
            yield from [sum_.left] * is_string(sum_.right) + [sum_.right] * is_string(sum_.left)


def is_string(node: ast.expr | None) -> bool:
    """Returns whether an expression is a text that is written out."""
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _process_of(module: Module, node: ast.expr) -> ast.Call | None:
    """Returns the call that starts the process whose output an expression is."""
    sources = origins(module, node) or ()
    source = sources[0] if len(sources) == 1 else None
    if source is None or (source is not node and node in ast.walk(source)):  # x = x.strip()
        return None
    while isinstance(source, ast.Subscript):  # communicate()[0]
        source = source.value
    if not isinstance(source, ast.Call):
        return None
    if source in _started(module, source):
        return source
    method = source.func
    if not isinstance(method, ast.Attribute):
        return None
    if method.attr in STRIPS and not source.args:
        return _process_of(module, method.value)
    if method.attr in ("read", "readline") and isinstance(method.value, ast.Attribute):
        method = method.value if method.value.attr in ("stderr", "stdout") else method
    elif method.attr != "communicate":
        return None
    started = _started(module, method.value)
    return started[0] if started else None


def _started(module: Module, node: ast.expr) -> list[ast.Call]:
    """Returns the calls that start a process, without those whose pipes are text."""
    return [
        call
        for call in origins(module, node) or ()
        if isinstance(call, ast.Call)
        and module.resolve(call.func) in _PIPES
        and not has_star_arguments(call)
        and not any(keyword.arg in _TEXT_PIPES for keyword in call.keywords)
    ]


def _is_text(module: Module, node: ast.expr, within: tuple[ast.expr, ...] = ()) -> bool:
    """Returns whether an expression is text for certain.

    Args:
        node: the expression.
        within: the expressions that ask: `x = x.strip()` is what the other values of x are.
    """
    sources = origins(module, node) if isinstance(node, ast.Name) else (node,)
    return bool(sources) and all(
        source in within or _makes_text(module, source, (*within, source))
        for source in sources or ()
    )


def _makes_text(module: Module, node: ast.expr, within: tuple[ast.expr, ...]) -> bool:
    if isinstance(node, ast.JoinedStr) or is_string(node):
        return True
    if isinstance(node, ast.BinOp):
        left = isinstance(node.op, (ast.Add, ast.Mod)) and _makes_text(module, node.left, within)
        return left or (isinstance(node.op, ast.Add) and _makes_text(module, node.right, within))
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    if node.func.attr in ("format", "join"):
        return _makes_text(module, node.func.value, within)
    return node.func.attr in STRIPS and _is_text(module, node.func.value, within)
