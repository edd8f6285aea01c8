"""A loss that is not a class of Keras, as a function of the labels and the output of a batch.

Keras computes a loss from the labels and one output. So the code of the loss is read back to those
two: what needs the labels moves into the function, what does not stays outside and is read by it,
and must have the same value there.
"""

import ast
from dataclasses import dataclass

from tfmigrate.model.edits import Code
from tfmigrate.resolve.calls import called
from tfmigrate.resolve.control_flow import block_of
from tfmigrate.resolve.module import Module
from tfmigrate_keras.arguments import Arguments
from tfmigrate_keras.conversion import Conversion, is_nothing, refuse, stores
from tfmigrate_keras.feature_tensors import FeatureTensors
from tfmigrate_keras.model_function import ModelFunction
from tfmigrate_keras.tables.batch_losses import (
    LOSSES_OF_BATCHES,
    VARIABLES_OF_MODEL,
    WORDS_OF_VARIABLES,
)

Step = ast.Assign | ast.AugAssign


@dataclass(frozen=True)
class BatchLoss:
    """The function that computes a loss.

    Attributes:
        value: what it returns.
        steps: the assignments above it that become its own.
        output: the output of the model that it is computed from.
        place: the assignment whose place it takes; None for none.
    """

    value: ast.expr
    steps: tuple[Step, ...]
    output: ast.Name
    place: Step | None

    @property
    def parts(self) -> tuple[ast.expr, ...]:
        """The expressions that become part of the function."""
        return (*(step.value for step in self.steps), self.value)

    def code(self, name: str, labels: str, step: str) -> Code:
        """Returns the definition of the function."""
        lines = [f"def {name}({labels}, {self.output.id}):"]
        for index, statement in enumerate(self.steps):
            lines.append(f"{step}{_target(statement).id} {_sign(statement)} {{{index}}}")
        lines.append(f"{step}return {{{len(self.steps)}}}")
        return Code("\n".join(lines), self.parts)


def batch_loss(plan: Conversion, model: ModelFunction, value: ast.expr) -> BatchLoss:
    """Returns the function that computes a loss.

    Raises:
        Refusal: the loss is computed from more than the labels and one output.
    """
    reading = _Reading(plan, model)
    reading.read(value)
    if not reading.outputs:
        refuse(value, f"no output of the model is known in the loss `{ast.unparse(value)[:60]}`")
    names = sorted({name.id for name in reading.outputs})
    if len(names) > 1:
        text = " and ".join(f"`{name}`" for name in (", ".join(names[:-1]), names[-1]))
        refuse(value, f"the loss is computed from {text}, and a Keras loss has one output")
    reading.check_once()
    steps = sorted(reading.steps, key=model.module.position)
    place: ast.stmt = model.module.statement(value)
    if isinstance(value, ast.Name) and steps and _target(steps[-1]).id == value.id:
        place = steps[-1]
        if isinstance(place, ast.Assign):
            value = steps.pop().value
    if isinstance(place, ast.AugAssign):
        return BatchLoss(value, tuple(steps), reading.outputs[0], place)
    if not isinstance(place, ast.Assign):
        return BatchLoss(value, tuple(steps), reading.outputs[0], None)
    if len(place.targets) > 1 or not isinstance(place.targets[0], ast.Name):
        refuse(place, "the loss is assigned together with other names")
    return BatchLoss(value, tuple(steps), reading.outputs[0], place)


def _target(step: Step) -> ast.Name:
    target = step.target if isinstance(step, ast.AugAssign) else step.targets[0]
    assert isinstance(target, ast.Name)
    return target


def _sign(step: Step) -> str:
    """Returns the operator of an assignment."""
    return "=" if isinstance(step, ast.Assign) else f"{_OPERATORS[type(step.op)]}="


_OPERATORS: dict[type[ast.operator], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
}


class _Reading:
    """Reads the code of a loss, back to the labels and the output.

    Attributes:
        outputs: the names of tensors that are computed from the features alone.
        steps: assignments that need the labels.
    """

    def __init__(self, plan: Conversion, model: ModelFunction) -> None:
        self._plan, self._model = plan, model
        self._module: Module = model.module
        self._labels = model.parameters.get("labels", "")
        features = model.parameters["features"]
        self._tensors = FeatureTensors(plan, self._module, model.function, features)
        self.outputs: list[ast.Name] = []
        self.steps: list[Step] = []
        self._outer: list[ast.Name] = []

    def read(self, value: ast.expr) -> None:
        """Reads one expression and, first, what it is computed from."""
        self._check_place(value)
        for name in self._module.all(ast.Name, value):
            scope = self._module.scope(name)
            if scope is None or scope.node is not self._model.function:
                continue  # of the file, or of a comprehension
            self._name(name)

    def check_once(self) -> None:
        """Refuses names that get another value where the loss is used."""
        if not self._outer:
            return
        first = min(map(self._module.position, self._outer))
        names = {name.id for name in self._outer}
        for node in self._module.all(ast.Name, self._model.function):
            stored = node.id in names and not isinstance(node.ctx, ast.Load)
            if stored and self._module.position(node) > first:
                refuse(node, f"`{node.id}`, which the loss uses, is assigned again")

    def _name(self, name: ast.Name) -> None:
        if self._needs_labels(name, frozenset()):
            if (statement := self._assigned_above(name)) is not None:
                self._step(name, statement)
            return
        self._outer.append(name)
        if self._tensors.has(self._module, name):
            if name.id == self._model.parameters["features"]:
                refuse(name, "the loss is computed from the features")
            self.outputs.append(name)
            return
        if not self._is_setting(name, frozenset()):
            refuse(name, f"`{name.id}` in the loss is neither the output nor a known setting")

    def _assigned_above(self, name: ast.Name) -> ast.stmt | None:
        """Returns the statement that set a name last, above its place; None for a parameter."""
        module = self._module
        above = [
            node
            for node in self._plan.left(stores(module, self._model.function, name.id))
            if module.position(node) < module.position(name)
            and module.statement(node) is not module.statement(name)
        ]
        last = max(above, key=module.position, default=None)
        return module.statement(last) if last is not None else None

    def _step(self, name: ast.Name, statement: ast.stmt) -> None:
        if isinstance(statement, ast.AugAssign) and type(statement.op) in _OPERATORS:
            target: ast.expr = statement.target
        elif isinstance(statement, ast.Assign) and len(statement.targets) == 1:
            target = statement.targets[0]
        else:
            refuse(name, f"`{name.id}` of the loss is not assigned by itself")
        if not isinstance(target, ast.Name):
            refuse(name, f"`{name.id}` of the loss is assigned together with other names")
        blocks = []
        for node in self._plan.left(stores(self._module, self._model.function, name.id)):
            self._check_place(node)
            if not is_nothing(self._module.statement(node)):
                blocks.append(block_of(self._module, self._module.statement(node)))
            if blocks and blocks[0] is not blocks[-1]:
                refuse(node, f"`{name.id}` of the loss is set anew in some modes only")
            if not isinstance(self._module.parent(node), (ast.Assign, ast.AugAssign)):
                refuse(node, f"`{name.id}` of the loss is changed here")
        if statement not in self.steps:
            self.steps.append(statement)
            self.read(statement.value)
            above = self._assigned_above(target)
            if isinstance(statement, ast.AugAssign) and above is not None:
                self._step(target, above)

    def _check_place(self, node: ast.expr) -> None:
        """Refuses code of a loss that does not always run."""
        conditions = [branch for branch, _ in self._model.branches]
        for place in self._module.ancestors(node):
            if place is self._model.function:
                return
            if isinstance(place, ast.If) and place in conditions:
                continue
            if isinstance(place, (ast.If, ast.For, ast.While, ast.Try, ast.FunctionDef)):
                refuse(node, "a part of the loss that does not always run")

    def _values(self, name: ast.Name) -> list[ast.expr] | None:
        """Returns what a name of the function is assigned; None where that is not all."""
        values = self._module.values(name)
        return values if len(values) == len(self._module.bindings(name)) else None

    def _needs_labels(self, name: ast.Name, seen: frozenset[str]) -> bool:
        if name.id == self._labels:
            return True
        if name.id in seen:
            return False
        seen |= {name.id}
        set_anew = stores(self._module, self._model.function, name.id)
        return any(
            self._needs_labels(inner, seen)
            for statement in map(self._module.statement, set_anew)
            if isinstance(statement, (ast.Assign, ast.AugAssign, ast.AnnAssign))
            if statement.value is not None
            for inner in self._module.all(ast.Name, statement.value)
        )

    def _is_setting(self, name: ast.Name, seen: frozenset[str]) -> bool:
        """Returns whether a name has a value of Python: nothing of TensorFlow is in it."""
        parameters = self._model.parameters
        if name.id in (parameters.get("params"), *self._extra_parameters()):
            return True
        if not (values := self._values(name)) or name.id in seen:
            return False
        return all(self._is_plain(value, seen | {name.id}) for value in values)

    def _extra_parameters(self) -> list[str]:
        arguments = self._model.function.args
        names = [a.arg for a in (*arguments.args, *arguments.kwonlyargs)]
        return [n for n in names if n not in self._model.parameters.values()]

    def _is_plain(self, value: ast.expr, seen: frozenset[str]) -> bool:
        for node in self._module.walk(value):
            if isinstance(node, ast.Call) and (
                self._module.resolve(node.func) or "tensorflow"
            ).startswith("tensorflow"):
                return False
            if isinstance(node, ast.Name):
                scope = self._module.scope(node)
                own = scope is not None and scope.node is self._model.function
                if own and not self._is_setting(node, seen):
                    return False
        return True


def check_losses(module: Module, loss: BatchLoss) -> None:
    """Refuses arguments of losses that their code in Keras does not have."""
    for part in loss.parts:
        for call in module.all(ast.Call, part):
            if called(module, call) in LOSSES_OF_BATCHES:
                Arguments(module, call, LOSSES_OF_BATCHES[called(module, call)][1])


def reads_variables(module: Module, value: ast.expr) -> bool:
    """Returns whether code reads the list of the variables that are trained."""
    return any(called(module, call) in VARIABLES_OF_MODEL for call in module.all(ast.Call, value))


def convert_variables(plan: Conversion, module: Module, call: ast.Call, model: str) -> None:
    """Replaces ``tf.trainable_variables()`` in a loss by the variables of the model of a name.

    Raises:
        Refusal: they are told apart by names that Keras does not have.
    """
    if call.args or call.keywords:
        refuse(call, "the variables of a scope")
    if module.function(call) not in {module.function(node) for node in plan.of_values}:
        refuse(call, "the variables of the model in another function than the model's")
    loop = module.parent(call)
    if not isinstance(loop, ast.comprehension) or not isinstance(loop.target, ast.Name):
        refuse(call, "the variables are not read by a comprehension")
    around = module.parent(loop)
    for test in loop.ifs:
        for word in module.all(ast.Constant, test):
            known = [w for w in WORDS_OF_VARIABLES if w == word.value]
            if not known or _is_word_elsewhere(plan, word, known[0]):
                refuse(word, f"variables in Keras may have other names than `{ast.unparse(word)}`")
    for node in module.all(ast.Attribute, around):
        if isinstance(node.value, ast.Name) and node.value.id == loop.target.id:
            if node.attr != "name" or not any(node in set(module.walk(t)) for t in loop.ifs):
                refuse(node, f"`{node.attr}` of a variable")
            plan.replace(module, node, Code("{0}.path", (node.value,)))
    plan.replace(module, call, Code(f"{model}.trainable_variables"))


def _is_word_elsewhere(plan: Conversion, node: ast.Constant, word: str) -> bool:
    """Returns whether a program may give variables of other kinds a name with a word."""
    for module in plan.program.modules:
        if any(use.qualified.startswith("tensorflow.contrib.layers.") for use in module.uses):
            return True
        for other in module.all(ast.Constant):
            if other is node or isinstance(module.parent(other), ast.Expr):
                continue
            if isinstance(other.value, str) and word in other.value:
                return True
    return False
