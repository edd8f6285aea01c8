"""Whether an expression holds an array of NumPy, or bytes, as far as its file shows."""

import ast
from collections.abc import Iterator

from tfmigrate.resolve.calls import argument, called
from tfmigrate.resolve.identities import Identity, identity
from tfmigrate.resolve.module import Module, asked_once
from tfmigrate.resolve.origins import definition_of, is_self, origins
from tfmigrate.resolve.scopes import OtherBinding

# Packages whose functions return arrays, or images that changed in the same way.
_PACKAGES = ("numpy.", "cv2.", "scipy.", "skimage.", "PIL.", "array.", "imageio.", "matplotlib.")
# Methods and attributes that arrays have, and no other object of a program's own.
_OF_ARRAYS = frozenset(
    (
        *("astype", "dtype", "flatten", "ndim", "ravel", "reshape", "shape", "squeeze"),
        *("swapaxes", "tofile", "tolist", "transpose"),
    )
)
_TO_ARRAYS = ("astype", "copy", "flatten", "ravel", "reshape", "squeeze", "swapaxes", "transpose")
_BYTES_METHODS = ("SerializeToString", "encode", "recv", "tobytes", "tostring")
_TO_BYTES = ("base64.b", "gzip.decompress", "pickle.dumps", "struct.pack", "zlib.")
_RECORDS = ("tensorflow.python_io.tf_record_iterator", "tensorflow.io.tf_record_iterator")
_BINARY_FILES = ("gzip.open", "io.BytesIO", "urllib.request.urlopen", "bz2.open", "bz2.BZ2File")
_FILES = ("io.open", "tensorflow.gfile.GFile", "tensorflow.gfile.Open", "tensorflow.io.gfile.GFile")


@asked_once
def is_array(module: Module, node: ast.expr) -> bool | None:
    """Returns whether an expression's value is an array of NumPy; None where it is unknown."""
    return _Arrays(module).is_array(node)


@asked_once
def is_bytes(module: Module, node: ast.expr) -> bool | None:
    """Returns whether an expression's value is bytes; None where it is unknown."""
    if isinstance(node, ast.Name) and any(
        _reads_records(module, loop) for loop in _loops_over(module, node)
    ):
        return True
    answers = {_is_bytes(module, origin) for origin in origins(module, node) or (node,)}
    return answers.pop() if len(answers) == 1 else None


class _Arrays:
    """What is an array in a file.

    An origin may be asked of itself, as in ``x = x / 255``: it adds nothing to what else x is.
    """

    def __init__(self, module: Module) -> None:
        self.module = module
        self.answers: dict[ast.expr, bool | None] = {}
        self.asked: set[ast.expr] = set()

    def is_array(self, node: ast.expr) -> bool | None:
        """Returns whether an expression's value is an array; None where it is unknown."""
        if is_self(self.module, node) or isinstance(node, (ast.Constant, ast.JoinedStr)):
            return False
        while isinstance(node, ast.Subscript):
            node = node.value
        unasked = [o for o in origins(self.module, node) or () if o not in self.asked]
        answers = {self._is_origin(origin) for origin in unasked}
        if len(answers) == 1 and None not in answers:
            return answers.pop()
        return True if identity(self.module, node) in _used_as_arrays(self.module) else None

    def _is_origin(self, node: ast.expr) -> bool | None:
        if node not in self.answers:
            self.asked.add(node)
            self.answers[node] = self._from(node)
            self.asked.remove(node)
        return self.answers[node]

    def _from(self, node: ast.expr) -> bool | None:
        if isinstance(node, ast.Subscript):
            return self.is_array(node.value)
        if isinstance(node, ast.BinOp):
            return True if self.is_array(node.left) or self.is_array(node.right) else None
        if not isinstance(node, ast.Call):
            return None
        if isinstance(definition_of(self.module, node.func), ast.ClassDef):
            return False
        if (name := self.module.resolve(node.func)) is not None:
            return True if name.startswith(_PACKAGES) else None
        if not isinstance(node.func, ast.Attribute):
            return None
        if node.func.attr in ("run", "astype"):  # run of a session
            return True
        return self.is_array(node.func.value) if node.func.attr in _TO_ARRAYS else None


@asked_once
def _used_as_arrays(module: Module) -> set[Identity]:
    """Returns the names with an attribute in the file that arrays have."""
    owners = [n.value for n in module.all(ast.Attribute) if n.attr in _OF_ARRAYS]
    return {known for owner in owners if (known := identity(module, owner)) is not None}


def _is_bytes(module: Module, node: ast.expr) -> bool | None:
    if isinstance(node, ast.Constant):
        return isinstance(node.value, bytes)
    if isinstance(node, ast.JoinedStr):
        return False
    if isinstance(node, ast.Subscript):  # of a tf.train.Feature: feature.bytes_list.value[0]
        values = node.value
        holder = values.value if isinstance(values, ast.Attribute) else None
        return True if isinstance(holder, ast.Attribute) and holder.attr == "bytes_list" else None
    if not isinstance(node, ast.Call):
        return None
    if (name := module.resolve(node.func)) is not None:
        return True if name.startswith(_TO_BYTES) else None
    if not isinstance(node.func, ast.Attribute):
        is_next = isinstance(node.func, ast.Name) and node.func.id == "next" and bool(node.args)
        return True if is_next and _reads_records(module, node.args[0]) else None
    if node.func.attr in ("read", "readline"):
        return _is_binary(module, node.func.value)
    return True if node.func.attr in _BYTES_METHODS else None


def _loops_over(module: Module, name: ast.Name) -> Iterator[ast.expr]:
    """Yields what the loops that bind a name loop over."""
    for binding in module.bindings(name):
        loop = module.parent(binding.node) if isinstance(binding, OtherBinding) else None
        if isinstance(loop, (ast.For, ast.comprehension)):
            yield loop.iter


def _reads_records(module: Module, node: ast.expr) -> bool:
    values = origins(module, node) or ()
    return bool(values) and all(called(module, value) in _RECORDS for value in values)


def _is_binary(module: Module, node: ast.expr) -> bool | None:
    """Returns whether a file was opened to read bytes; None where it is unknown."""
    answers: set[bool | None] = set()
    for opened in origins(module, node) or (node,):
        name = module.resolve(opened.func) if isinstance(opened, ast.Call) else None
        if not isinstance(opened, ast.Call):
            answers.add(None)
        elif name in _BINARY_FILES:
            answers.add(True)
        elif name in _FILES or (isinstance(opened.func, ast.Name) and opened.func.id == "open"):
            mode = argument(opened, 1, "mode")
            text = mode.value if isinstance(mode, ast.Constant) else None
            answers.add("b" in text if isinstance(text, str) else (False if mode is None else None))
        else:
            answers.add(None)
    return answers.pop() if len(answers) == 1 else None
