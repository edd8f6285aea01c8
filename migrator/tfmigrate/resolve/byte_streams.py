"""Streams of texts that hold bytes, which Python 2 did not tell apart."""

import ast
from collections.abc import Iterator

from tfmigrate.resolve.arrays import is_bytes
from tfmigrate.resolve.module import Module, asked_once, imports
from tfmigrate.resolve.origins import origins
from tfmigrate.resolve.scopes import ImportBinding

_STREAMS = (
    *("StringIO.StringIO", "cStringIO.StringIO", "io.StringIO", "six.StringIO"),
    *("six.moves.StringIO", "six.moves.cStringIO"),
)
# They read bytes from their first argument.
_READERS = ("PIL.Image.open", "matplotlib.image.imread", "numpy.load")
# They write bytes to their first argument.
_WRITERS = (
    *("matplotlib.image.imsave", "matplotlib.pyplot.imsave", "matplotlib.pyplot.savefig"),
    *("numpy.save", "numpy.savez", "numpy.savez_compressed"),
)
_PACKAGES = frozenset(name.partition(".")[0] for name in _STREAMS)
_ENCODED = "encoded_image_string"


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
    if not isinstance(function, ast.Name):
        return False
    _, bindings = module.names.scope_of[function].lookup(function.id) or (None, ())
    named = [b.qualified for b in bindings if isinstance(b, ImportBinding)]
    return 0 < len(named) == len(bindings) and all(name in _STREAMS for name in named)


def _for_bytes(module: Module) -> Iterator[ast.expr]:
    """Yields the expressions that have to be streams of bytes."""
    for call in module.calls_of(*_READERS, *_WRITERS):
        yield from call.args[:1]
    for call in module.all(ast.Call):
        method = call.func.attr if isinstance(call.func, ast.Attribute) else ""
        # Methods of figures and images.
        if method in ("imsave", "savefig", "print_png") or (
            method == "save"
            and (len(call.args) > 1 or any(k.arg == "format" for k in call.keywords))
        ):
            yield from call.args[:1]
    for keyword in (k for call in module.all(ast.Call) for k in call.keywords):
        value = keyword.value
        if (
            keyword.arg == _ENCODED
            and isinstance(value, ast.Call)
            and isinstance(value.func, ast.Attribute)
            and value.func.attr == "getvalue"
        ):
            yield value.func.value
