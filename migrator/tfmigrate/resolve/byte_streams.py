"""Streams of text that hold bytes, which were one type in Python 2."""

import ast
from collections.abc import Iterator

from tfmigrate.resolve.arrays import is_bytes
from tfmigrate.resolve.calls import argument, called_on, method_calls
from tfmigrate.resolve.module import Module, asked_once, imports
from tfmigrate.resolve.origins import origins
from tfmigrate.resolve.python_2_files import OF_BYTES, file_of_bytes
from tfmigrate.resolve.scopes import ImportBinding

_STREAMS = (
    *("StringIO.StringIO", "cStringIO.StringIO", "io.StringIO", "six.StringIO"),
    *("six.moves.StringIO", "six.moves.cStringIO"),
)
_PACKAGES = frozenset(name.partition(".")[0] for name in _STREAMS)
_ENCODED = "encoded_image_string"
_OF_COMPRESSED = ("bz2.decompress", "gzip.decompress", "zlib.decompress")
_CALLBACKS = ("retrbinary",)  # of FTP: they give bytes to a function


@asked_once
def byte_streams(module: Module) -> list[ast.Call]:
    """Returns the calls that make a stream of texts for bytes, which Python 3 refuses."""
    if not any(b.qualified.partition(".")[0] in _PACKAGES for b in imports(module)):
        return []
    streams = {call for call in module.all(ast.Call) if _is_stream(module, call.func)}
    used = [origin for node in _for_bytes(module) for origin in origins(module, node) or ()]
    of_bytes = {call for call in streams if call in used}
    of_bytes |= {call for call in streams if call.args and is_bytes(module, call.args[0])}
    return sorted(of_bytes, key=module.position)


def _is_stream(module: Module, function: ast.expr) -> bool:
    """Returns whether a name is that of StringIO, in each branch of a ``try`` that imports it."""
    if module.resolve(function) in _STREAMS:
        return True
    bindings = module.bindings(function)
    named = [b.qualified for b in bindings if isinstance(b, ImportBinding)]
    return 0 < len(named) == len(bindings) and all(name in _STREAMS for name in named)


def _for_bytes(module: Module) -> Iterator[ast.expr]:
    """Yields the expressions that have to be streams of bytes."""
    for call in module.calls_of(*OF_BYTES):
        if (file := file_of_bytes(module, call)) is not None:
            yield file
    for call in module.all(ast.Call):
        method = call.func.attr if isinstance(call.func, ast.Attribute) else ""
        # Methods of figures and images.
        if method in ("imsave", "savefig", "print_png") or (
            method == "save"
            and (len(call.args) > 1 or any(k.arg == "format" for k in call.keywords))
        ):
            yield from call.args[:1]
    for call in module.calls_of(*_OF_COMPRESSED):
        stream = called_on(argument(call, 0), "getvalue", "read")
        if stream is not None:
            yield stream
    for call, _ in method_calls(module, *_CALLBACKS):
        yield from (
            a.value for a in call.args if isinstance(a, ast.Attribute) and a.attr == "write"
        )
    for keyword in (k for call in module.all(ast.Call) for k in call.keywords):
        stream = called_on(keyword.value, "getvalue")
        if keyword.arg == _ENCODED and stream is not None:
            yield stream
