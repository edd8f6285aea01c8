"""Arguments of a call of TensorFlow 1.x as those of its successor in Keras.

By the entries of ``tables``, parameter by parameter: Keras has other names, orders and defaults, so
that an argument which is passed on as it is may mean something else.
"""

import ast
from dataclasses import dataclass

from tfmigrate.model.edits import Code
from tfmigrate.resolve.module import Module
from tfmigrate.resolve.scopes import is_none
from tfmigrate_keras.conversion import Conversion, check_stars, refuse
from tfmigrate_keras.own_functions import definition
from tfmigrate_keras.quotes import quoted
from tfmigrate_keras.tables.entry import Entry, Parameter
from tfmigrate_keras.tables.initializers import ACTIVATIONS, INITIALIZERS, REGULARIZERS
from tfmigrate_keras.tables.optimizers import in_single_precision

_ACTION = "change this line"


@dataclass(frozen=True)
class Given:
    """One argument of a call.

    Attributes:
        parameter: what it is for.
        value: its value.
        named: whether it is given by name.
    """

    parameter: Parameter
    value: ast.expr
    named: bool


class Arguments:
    """The arguments of one call, by the parameters of its entry.

    Attributes:
        call: the call.
        passed: its arguments, in the order of the text.
    """

    def __init__(self, module: Module, call: ast.Call, entry: Entry) -> None:
        """Reads the arguments.

        Raises:
            Refusal: an argument has no successor.
        """
        self.module, self.call, self.entry = module, call, entry
        name = ast.unparse(call.func)
        check_stars(call, f"`{name}`")
        self.passed: list[Given] = []
        for position, value in enumerate(call.args):
            self._add(entry.parameter(position), value, name, f"argument {position + 1}", False)
        for keyword in call.keywords:
            assert keyword.arg is not None
            self._add(entry.named(keyword.arg), keyword.value, name, f"`{keyword.arg}`", True)

    def _add(
        self, parameter: Parameter | None, value: ast.expr, name: str, what: str, named: bool
    ) -> None:
        if parameter is None:
            refuse(value, f"Keras has no equivalent of {what} of `{name}`", _ACTION)
        if parameter.values is not None and self._code(value) not in parameter.values:
            text = f"Keras has no equivalent of `{parameter.old}={ast.unparse(value)}` of `{name}`"
            refuse(value, text, _ACTION)
        self.passed.append(Given(parameter, value, named))

    def _code(self, value: ast.expr) -> str:
        qualified = self.module.resolve(value)
        return qualified.replace("tensorflow.", "tf.") if qualified else ast.unparse(value)

    def of(self, old: str) -> ast.expr | None:
        """Returns the value of a parameter of TensorFlow 1.x; None where it is not given."""
        return next((g.value for g in self.passed if g.parameter.old == old), None)

    def code(self, conversion: Conversion, *left_out: str, name: str | None = None) -> Code:
        """Returns the call of the successor.

        Args:
            conversion: the plan; values that have successors themselves are replaced in it.
            left_out: parameters of TensorFlow 1.x that are not passed on.
            name: the value, as code, of the parameter ``name``; None for the one that is given.
        """
        texts: list[str] = []
        parts: list[ast.expr] = []
        plain = True
        seen: set[str] = set()
        for passed_argument in self.passed:
            parameter = passed_argument.parameter
            if not parameter.new or parameter.old in left_out:
                continue
            seen.add(parameter.new)
            if parameter.new == "name" and name is not None:
                continue
            text, used = self._value(conversion, parameter, passed_argument.value, len(parts))
            parts += used
            # By name or by position as the program has it, as far as the order of Keras allows.
            wanted = not passed_argument.named or parameter is self.entry.parameters[0]
            in_place = plain and wanted and parameter.plain and self._is_next(parameter, seen)
            plain = plain and in_place
            texts.append(text if in_place else f"{parameter.new}={text}")
        texts += [f"{n}={value}" for n, value in self.entry.defaults.items() if n not in seen]
        texts += self.entry.added
        texts += [f"name={name}"] if name else []
        return (
            Code(self.entry.target, tuple(parts), tuple(texts))
            if texts
            else Code(f"{self.entry.target}()")
        )

    def _is_next(self, parameter: Parameter, seen: set[str]) -> bool:
        """Returns whether all parameters before one are given before it."""
        names = [p.new for p in self.entry.parameters if p.new and p.old != "inputs"]
        return set(names[: names.index(parameter.new)]) <= seen

    def _value(
        self, conversion: Conversion, parameter: Parameter, value: ast.expr, index: int
    ) -> tuple[str, list[ast.expr]]:
        """Returns the code of an argument, and the nodes in its places, from ``index`` on."""
        if (text := converted_value(conversion, self.module, parameter.new, value)) is not None:
            conversion.leave_out(self.module, value)
            return text, []
        place = f"{{{index}}}"
        if parameter.old == "keep_prob":
            return f"1 - {_in_parentheses(value, place)}", [value]
        return place, [value]


def _in_parentheses(value: ast.expr, place: str) -> str:
    plain = isinstance(value, (ast.Name, ast.Attribute, ast.Constant, ast.Subscript, ast.Call))
    return place if plain else f"({place})"


def converted_value(
    conversion: Conversion, module: Module, name: str, value: ast.expr
) -> str | None:
    """Returns the code of an argument whose kind of value Keras writes differently.

    Args:
        name: the parameter of Keras.
        value: the argument of TensorFlow 1.x.

    Returns:
        The code; None where the argument stays as it is.

    Raises:
        Refusal: Keras has no such value.
    """
    qualified = module.resolve(value) or ""
    if is_none(value):
        return None
    if name == "activation":
        return _activation(module, value, qualified)
    if name.endswith("initializer"):
        return _initializer(conversion, module, value)
    if name.endswith("regularizer"):
        return regularizer_code(conversion, module, value)
    if name == "beta_2" and isinstance(value, ast.Constant) and isinstance(value.value, float):
        return in_single_precision(value.value)
    if name == "dtype" and qualified.startswith("tensorflow."):
        return quoted(module, qualified.removeprefix("tensorflow."))
    if name in ("padding", "data_format") and isinstance(value, ast.Constant):
        same = isinstance(value.value, str) and value.value == value.value.lower()
        return None if same else quoted(module, str(value.value).lower())
    if name in ("strides", "pool_size") and (inner := inner_sizes(value)):
        return inner
    if name == "axis" and isinstance(value, ast.List) and len(value.elts) == 1:
        return ast.unparse(value.elts[0])
    return None


def inner_sizes(value: ast.expr) -> str:
    """Returns the code of the sizes of rows and columns of ``[1, 2, 2, 1]``; "" for other code."""
    if not isinstance(value, (ast.List, ast.Tuple)) or len(value.elts) != 4:
        return ""
    first, *inner, last = (ast.unparse(element) for element in value.elts)
    if first != "1" or last != "1":
        return ""
    return inner[0] if inner[0] == inner[1] else f"({', '.join(inner)})"


def _activation(module: Module, value: ast.expr, qualified: str) -> str | None:
    if qualified in ACTIVATIONS:
        return quoted(module, ACTIVATIONS[qualified])
    if qualified.startswith("tensorflow."):
        refuse(value, f"Keras has no activation `{ast.unparse(value)}`")
    return None


def regularizer_code(conversion: Conversion, module: Module, value: ast.expr) -> str | None:
    """Returns the code of a regularizer; None where it is not a call.

    Raises:
        Refusal: Keras has no such regularizer, or would add what the loss does not.
    """
    if not isinstance(value, ast.Call):
        if definition(conversion, module, value) is not None:
            refuse(value, f"the regularizer `{ast.unparse(value)}` is a function of the program")
        return None
    own = definition(conversion, module, value.func)
    # Without this check the model would train with a penalty that the program lacked.
    if not conversion.regularized:
        what = ast.unparse(value)
        reason = f"the loss does not add the penalty of `{what}`, and Keras always adds it"
        refuse(value, reason, "Remove the regularizer, or add the penalty to the loss.")
    if own is not None:
        if conversion.penalty_in_one_replica:
            refuse(value, "a regularizer of the program under `train_distribute`")
        return None
    if (template := REGULARIZERS.get(module.resolve(value.func) or "")) is None:
        refuse(value, f"Keras has no regularizer `{ast.unparse(value.func)}`")
    arguments = [*value.args, *(k.value for k in value.keywords if k.arg in ("l", "scale"))]
    if len(arguments) != 1 or len(value.args) + len(value.keywords) > 1:
        refuse(value, f"the arguments of `{ast.unparse(value.func)}` are not a scale alone")
    conversion.needs(module, "keras")
    text = template.format(ast.unparse(arguments[0]))
    if not conversion.penalty_in_one_replica:
        return text
    conversion.write_out(module, "InOneReplica")
    return f"InOneReplica({text})"


def _initializer(conversion: Conversion, module: Module, value: ast.expr) -> str | None:
    name = value.func if isinstance(value, ast.Call) else value
    qualified = module.resolve(name) or ""
    if (entry := INITIALIZERS.get(qualified)) is None:
        if qualified.startswith("tensorflow."):
            refuse(value, f"Keras has no initializer `{ast.unparse(name)}`")
        return None
    conversion.needs(module, "keras")
    if not isinstance(value, ast.Call):
        texts = [f"{name}={text}" for name, text in entry.defaults.items()]
        return f"{entry.target}({', '.join(texts)})"
    return flat(Arguments(module, value, entry).code(conversion))


def as_text(code: Code) -> str:
    """Returns code with its arguments in one line."""
    return f"{code.template}({', '.join(code.arguments)})" if code.arguments else code.template


def flat(code: Code) -> str:
    """Returns code as text, the nodes in its places as they are in the original."""
    text = as_text(code)
    for index, part in enumerate(code.parts):
        text = text.replace(f"{{{index}}}", ast.unparse(part))
    return text
