"""What tests of the mode of an Estimator say in each mode.

Tests are evaluated for each mode, and not compared with known texts: programs test the mode by
``==``, ``in``, ``not``, and by flags that they compute from it and pass on.
"""

import ast
from dataclasses import dataclass, field

from tfmigrate.resolve.module import Module
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

    def depends(self, node: ast.AST) -> bool:
        """Returns whether code names the mode, or what depends on it."""
        return any(
            isinstance(n, ast.Name) and (n.id in self.names or self._flag(n) is not None)
            for n in ast.walk(node)
        )

    def true_in(self, test: ast.expr, active: frozenset[str] = ALL) -> frozenset[str] | None:
        """Returns the modes in which a test is true; None where something else decides."""
        answers = {mode: self._answer(test, mode) for mode in active}
        if any(answer is None for answer in answers.values()):
            return None
        return frozenset(mode for mode, answer in answers.items() if answer)

    def _answer(self, test: ast.expr, mode: str) -> bool | None:
        if isinstance(test, ast.Constant):
            return test.value if isinstance(test.value, bool) else None
        if isinstance(test, ast.Name):
            modes = self._flag(test)
            return None if modes is None else mode in modes
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            answer = self._answer(test.operand, mode)
            return None if answer is None else not answer
        if isinstance(test, ast.BoolOp):
            return self._joined(test, mode)
        if isinstance(test, ast.IfExp):
            first = self._answer(test.test, mode)
            chosen = test.body if first else test.orelse
            return None if first is None else self._answer(chosen, mode)
        if isinstance(test, ast.Compare) and len(test.ops) == 1:
            return self._compared(test.left, test.ops[0], test.comparators[0], mode)
        return None

    def _joined(self, test: ast.BoolOp, mode: str) -> bool | None:
        answers = [self._answer(value, mode) for value in test.values]
        if (decisive := isinstance(test.op, ast.Or)) in answers:
            return decisive
        return None if None in answers else not decisive

    def _compared(self, left: ast.expr, op: ast.cmpop, right: ast.expr, mode: str) -> bool | None:
        if self._is_mode(right) and not self._is_mode(left):
            left, right = right, left
        if not self._is_mode(left) or (known := self._keys(right)) is None:
            return None
        if isinstance(op, (ast.Eq, ast.Is, ast.In)):
            return mode in known
        if isinstance(op, (ast.NotEq, ast.IsNot, ast.NotIn)):
            return mode not in known
        return None

    def _is_mode(self, node: ast.expr) -> bool:
        return isinstance(node, ast.Name) and node.id in self.names

    def _keys(self, node: ast.expr) -> frozenset[str] | None:
        if isinstance(node, (ast.Tuple, ast.List, ast.Set)):
            element_keys = [self._keys(element) for element in node.elts]
            known = [keys for keys in element_keys if keys is not None]
            return frozenset().union(*known) if len(known) == len(element_keys) else None
        if isinstance(node, ast.Constant) and node.value in ALL:
            return frozenset((str(node.value),))
        key = _KEYS.get(self.module.resolve(node) or "")
        return frozenset((key,)) if key else None

    def _flag(self, name: ast.Name) -> frozenset[str] | None:
        """Returns the modes in which a name is true; None where it does not depend on the mode."""
        if name.id in self.flags:
            return self.flags[name.id]
        values = local_values(self.module, name)
        if not values or len(values) != 1 or name.id in self.names:
            return None
        (value,) = values
        if not isinstance(value, (ast.Compare, ast.BoolOp, ast.UnaryOp, ast.IfExp, ast.Name)):
            return None
        if not self.depends(value):
            return None
        return self.true_in(value)
