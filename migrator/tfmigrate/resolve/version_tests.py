"""Statements that stop a file under TensorFlow 1.x: evidence that it is of TensorFlow 2."""

import ast

from tfmigrate.model.tensorflow_versions import NEWEST_RELEASE
from tfmigrate.resolve.module import Module, asked_once
from tfmigrate.resolve.versions import truth

_OLD = ("1.0.0", "1.4.0", "1.9.0", "1.12.0", "1.15.5")
# The same Python for all: code that depends only on its version shows nothing about TensorFlow.
_NEW, _PYTHON = NEWEST_RELEASE


@asked_once
def demands_v2(module: Module) -> list[ast.stmt]:
    """Returns the statements that stop a file under every TensorFlow 1.x, and not under 2.

    ``assert tf.__version__.startswith('2')``; ``if tf.__version__ < '2': raise ...``.
    """
    if not module.mentions("__version__", "VERSION"):
        return []
    demands: list[ast.stmt] = [
        s for s in module.all(ast.Assert) if _only_under_v2(module, s.test, wanted=True)
    ]
    demands += [
        s
        for s in module.all(ast.If)
        if isinstance(s.body[-1], ast.Raise) and _only_under_v2(module, s.test, wanted=False)
    ]
    return sorted(demands, key=module.position)


def _only_under_v2(module: Module, test: ast.expr, *, wanted: bool) -> bool:
    old = {truth(module, test, [(version, _PYTHON)]) for version in _OLD}
    return old == {not wanted} and truth(module, test, [(_NEW, _PYTHON)]) is wanted
