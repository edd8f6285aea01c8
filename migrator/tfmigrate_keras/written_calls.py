"""The code of calls that take the places of an Estimator's methods.

Their arguments are code of the Estimator's place as well as of the call's. Text that is moved from
one to the other must mean the same there.
"""

import ast
from dataclasses import dataclass

from tfmigrate.model.edits import Code
from tfmigrate.resolve.module import Module
from tfmigrate_keras.arguments import as_text
from tfmigrate_keras.conversion import Conversion, refuse, stores
from tfmigrate_keras.estimator_uses import Use


@dataclass
class Driver:
    """One Estimator, and where it is used.

    Attributes:
        module: its file.
        call: the call that makes it.
        statement: the statement that assigns or returns it.
        uses: the calls that do something with it, in the order of the text.
    """

    module: Module
    call: ast.Call
    statement: ast.Assign | ast.Return
    uses: list[Use]

    @property
    def head(self) -> str:
        """The code before the value of the statement."""
        if isinstance(self.statement, ast.Return):
            return "return "
        return f"{ast.unparse(self.statement.targets[0])} = "


@dataclass
class CallWriter:
    """Writes a call of a function that is written out, with the functions that it needs.

    Attributes:
        plan: the conversion.
        use: the call that is replaced.
        parts: the nodes of the new code.
    """

    plan: Conversion
    use: Use
    parts: list[ast.expr]

    def named(self, arguments: dict[str, ast.expr], name: str) -> list[str]:
        """Returns the code of an argument that is passed by name; nothing if it is not given."""
        if (value := arguments.get(name)) is None:
            return []
        if not hasattr(value, "lineno"):  # a default, which the file does not hold
            return [f"{name}={ast.unparse(value)}"]
        self.parts.append(value)
        return [f"{name}={{{len(self.parts) - 1}}}"]

    def shifted(self, code: Code) -> str:
        """Returns the text of other code, whose parts are added to those of this call."""
        places = [f"{{{len(self.parts) + i}}}" for i in range(len(code.parts))]
        self.parts += code.parts
        return as_text(code).format(*places)

    def write(self, name: str, texts: list[str]) -> None:
        """Replaces the call."""
        module = self.use.module
        self.plan.write_out(module, name)
        self.plan.needs(module, "os", "keras")
        self.plan.replace(module, self.use.call, Code(name, tuple(self.parts), tuple(texts)))


def read_alike(plan: Conversion, module: Module, dataset: Code) -> Code:
    """Returns the code of a Dataset that shuffles alike whenever it is read."""
    plan.write_out(module, "same_each_time")
    text = as_text(dataset)
    callee = text.removesuffix("()")
    is_called = callee != text and (callee == "{0}" or callee.isidentifier())
    function = callee if is_called else f"lambda: {text}"
    return Code("same_each_time", dataset.parts, (function,))


def written_again(module: Module, code: Code) -> Code:
    """Returns code as text, for a place in another function than that of its parts.

    Raises:
        Refusal: the parts hold names of TensorFlow, which have edits of their own.
    """
    texts = []
    for part in code.parts:
        inner = set(ast.walk(part))
        if any(use.node in inner for use in module.uses):
            refuse(part, "the input function is not known where the Estimator is created")
        texts.append(ast.unparse(part))
    text = as_text(code).format(*texts)
    # Braces in the program's code are not places of a template.
    return Code(text.replace("{", "{{").replace("}", "}}"))


def carried(driver: Driver, use: Use, text: str) -> str:
    """Returns code of the Estimator's place that means the same where the Estimator is used.

    Raises:
        Refusal: it may mean something else there.
    """
    module = driver.module
    if not text:
        return text
    if use.module is module and module.function(use.call) is module.function(driver.call):
        _check_same(driver, use, text)
        return text
    node = ast.parse(text, mode="eval").body
    argument = use.argument_of(node.id) if isinstance(node, ast.Name) else None
    origin = use.returned_by
    same = origin and use.module.function(use.call) is use.module.function(origin)
    # The parameter is known outside only by what was passed for it.
    if argument is not None and same:
        return ast.unparse(argument)
    for name in {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}:
        scopes = [
            (place.names.scope_of[at].lookup(name) or (None,))[0]
            for place, at in ((module, driver.statement), (use.module, use.call))
        ]
        if scopes[0] is None or scopes[0] is not scopes[1] or scopes[0].parent is not None:
            refuse(use.call, f"`{name}` of the Estimator is not known here")
    return text


def _check_same(driver: Driver, use: Use, text: str) -> None:
    """Refuses names that get another value between an Estimator and its use."""
    module = driver.module
    start, end = module.position(driver.call), module.position(use.call)
    names = {n.id for n in ast.walk(ast.parse(text, mode="eval")) if isinstance(n, ast.Name)}
    for node in stores(module, module.function(driver.call), *names):
        if start < module.position(node) < end:
            refuse(node, f"`{node.id}` of the Estimator is set anew before it is used")
