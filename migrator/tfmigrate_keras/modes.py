"""What tests of the mode of an Estimator say in each mode.

Tests are evaluated for each mode, and not compared with known texts: programs test the mode by
``==``, ``in``, ``not``, and by flags that they compute from it and pass on.
"""

import ast
from dataclasses import dataclass, field
from functools import partial

from tfmigrate.resolve.module import Module
from tfmigrate.resolve.versions import values_of
from tfmigrate_keras.conversion import local_values

TRAIN, EVAL, PREDICT = "train", "eval", "infer"
ALL = frozenset((TRAIN, EVAL, PREDICT))
_KEYS = {
    f"tensorflow.{package}.ModeKeys.{name}": mode
    for package in ("estimator", "contrib.learn")
    for name, mode in (("TRAIN", TRAIN), ("EVAL", EVAL), ("PREDICT", PREDICT), ("INFER", PREDICT))
}


@dataclass
class Modes:
    """The names of one function that hold the mode, or depend on it.

    Attributes:
        module: the file.
        names: the names that hold the mode.
        flags: the parameters that are true in some modes only, with these modes.
    """

    module: Module
    names: frozenset[str]
    flags: dict[str, frozenset[str]] = field(default_factory=dict)
    _asked: set[str] = field(default_factory=set)  # names that are being followed: ``a = b; b = a``

    def depends(self, node: ast.AST) -> bool:
        """Returns whether code names the mode, or what depends on it."""
        return any(
            isinstance(n, ast.Name) and (n.id in self.names or self._flag(n) is not None)
            for n in ast.walk(node)
        )

    def true_in(self, test: ast.expr, active: frozenset[str] = ALL) -> frozenset[str] | None:
        """Returns the modes in which a test is true; None where something else decides."""
        if not isinstance(test, ast.Constant) and not self.depends(test):
            return None
        answers: dict[str, list[object]] = {
            mode: values_of(self.module, test, known=partial(self._value, mode)) or [None]
            for mode in active
        }
        if not all(isinstance(v, bool) for values in answers.values() for v in values):
            return None
        return frozenset(mode for mode, values in answers.items() if all(values))

    def _value(self, mode: str, node: ast.expr) -> str | bool | None:
        """Returns what a name is in a mode; None where it is not known to depend on it."""
        if isinstance(node, ast.Name) and node.id in self.names:
            return mode
        if isinstance(node, ast.Name) and node.id in self.flags:
            return mode in self.flags[node.id]
        return _KEYS.get(self.module.resolve(node) or "")

    def _flag(self, name: ast.Name) -> frozenset[str] | None:
        """Returns the modes in which a name is true; None where it does not depend on the mode."""
        if name.id in self.flags:
            return self.flags[name.id]
        values = local_values(self.module, name)
        if not values or len(values) != 1 or name.id in self.names | self._asked:
            return None
        (value,) = values
        if not isinstance(value, (ast.Compare, ast.BoolOp, ast.UnaryOp, ast.IfExp, ast.Name)):
            return None
        self._asked.add(name.id)
        modes = self.true_in(value) if self.depends(value) else None
        self._asked.discard(name.id)
        return modes
