"""An Estimator and the calls of its methods become a Keras model that is trained."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from tfmigrate.families.native.conversion import Conversion, literal, refuse
from tfmigrate.families.native.datasets import Given, check_repeatable, dataset_of
from tfmigrate.families.native.model_builder import ModelBuilder
from tfmigrate.families.native.model_function import ModelFunction, read_model_function
from tfmigrate.families.native.own_functions import definition
from tfmigrate.families.native.run_config import RunConfig, read_config
from tfmigrate.families.native.strategies import Replication, replication_of
from tfmigrate.families.native.tensors import source
from tfmigrate.model.edits import Code, InsertBefore
from tfmigrate.resolve.calls import argument, has_star_arguments
from tfmigrate.resolve.estimator_classes import is_estimator
from tfmigrate.resolve.module import Module
from tfmigrate.resolve.names import AssignBinding, is_none

_WIDTH = 80  # of the block that makes a model
_LOOPS = (ast.For, ast.While)
_METHODS = ("train", "evaluate")
_ARGUMENTS = {
    "train": ("input_fn", "hooks", "steps", "max_steps", "saving_listeners"),
    "evaluate": ("input_fn", "steps", "hooks", "checkpoint_path", "name"),
}


@dataclass
class Driver:
    """One Estimator, and where it is used.

    Attributes:
        module: its file.
        call: the call that makes it.
        statement: the assignment of it.
        name: the variable.
        uses: the calls of its methods, in the order of the text.
    """

    module: Module
    call: ast.Call
    statement: ast.Assign
    name: str
    uses: list[ast.Call] = field(default_factory=list)


def estimators(plan: Conversion) -> list[tuple[Module, ast.Call]]:
    """Returns the Estimators of a program."""
    return [
        (module, call)
        for module in plan.program.modules
        for call in module.all(ast.Call)
        if is_estimator(module, call)
    ]


def convert_estimator(plan: Conversion, module: Module, call: ast.Call) -> None:
    """Plans the edits of an Estimator, its model function and its input functions.

    Raises:
        Refusal: something of it has no successor in Keras.
    """
    driver = _read(module, call)
    if has_star_arguments(call):
        refuse(call, "the arguments of the Estimator are passed by `*` or `**`")
    given = {
        name: argument(call, position, name)
        for position, name in enumerate(("model_fn", "model_dir", "config", "params"))
    }
    if argument(call, 4, "warm_start_from") is not None:
        refuse(call, "`warm_start_from` of the Estimator")
    if given["model_fn"] is None:
        refuse(call, "the Estimator has no `model_fn`")
    replication = replication_of(plan, module, given["model_fn"])
    found = definition(plan, module, source(module, replication.model_fn))
    if found is None:
        refuse(replication.model_fn, "cannot find the model function")
    if found[1] in plan.model_code:
        refuse(call, "several Estimators have the same model function")
    model = read_model_function(plan, *found)
    builder = ModelBuilder(plan, model)
    replication.check(builder.loss.summed, call)
    config = read_config(plan, module, given["config"])
    if config.strategy is not None:
        refuse(config.strategy, "`train_distribute` of the RunConfig")
    _Making(plan, driver, replication, model, config, given).convert()


def _read(module: Module, call: ast.Call) -> Driver:
    statement = module.parent(call)
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        refuse(call, "the Estimator is not assigned to a variable")
    target = statement.targets[0]
    if not isinstance(target, ast.Name):
        refuse(call, "the Estimator is not assigned to a variable")
    scope, bindings = module.names.scope_of[target].lookup(target.id) or (None, [])
    if len(bindings) != 1 or not isinstance(bindings[0], AssignBinding):
        refuse(call, f"`{target.id}` is assigned several times")
    driver = Driver(module, call, statement, target.id)
    for node in module.all(ast.Name):
        if node.id != target.id or not isinstance(node.ctx, ast.Load):
            continue
        if (module.names.scope_of[node].lookup(node.id) or (None,))[0] is not scope:
            continue
        method = module.parent(node)
        use = module.parent(method)
        if not isinstance(method, ast.Attribute) or not (
            isinstance(use, ast.Call) and use.func is method
        ):
            refuse(node, f"`{target.id}` is used in another way than to call its methods")
        if method.attr not in _METHODS:
            refuse(use, f"`{method.attr}` of an Estimator")
        driver.uses.append(use)
    driver.uses.sort(key=module.position)
    return driver


class _Making:
    """The edits of one Estimator and of the calls of its methods."""

    def __init__(
        self,
        plan: Conversion,
        driver: Driver,
        replication: Replication,
        model: ModelFunction,
        config: RunConfig,
        given: dict[str, ast.expr | None],
    ) -> None:
        self._plan = plan
        self._driver = driver
        self._module = driver.module
        self._replication = replication
        self._model = model
        self._config = config
        self._given = given
        params = given["params"]
        self._named = Given(ast.unparse(params) if isinstance(params, ast.Name) else "")
        folder = given["model_dir"]
        self._model_dir = ast.unparse(folder) if folder is not None else config.model_dir
        self._dataset = ""  # the variable of the Dataset that the model is trained on

    def convert(self) -> None:
        """Plans the edits."""
        trained = [use for use in self._driver.uses if self._method(use) == "train"]
        uses = trained or self._driver.uses
        if not uses:
            refuse(self._driver.call, "nothing trains this Estimator")
        first = self._input(uses[0])
        code = dataset_of(self._plan, self._module, first, self._named)
        place = self._place(code, uses[0])
        once = len(trained) == 1 and not self._in_loop(trained[0], place)
        inserted = list(self._replication.statements(self._plan, self._module, place))
        if self._config.seed:
            self._plan.needs(self._module, "keras")
            inserted.append(Code(f"keras.utils.set_random_seed({self._config.seed})"))
        if once:
            self._dataset = self._free_name("train_dataset")
            inserted.append(Code(f"{self._dataset} = {code.template}", code.parts, code.arguments))
            code = Code(self._dataset)
        else:
            check_repeatable(self._plan, self._module.function(self._driver.statement))
        made = self._made(code)
        if place is self._driver.statement:
            self._plan.replace_statement(self._module, place, *inserted, made)
        else:
            self._plan.remove(self._module, self._driver.statement)
            for statement in (*inserted, made):
                self._plan.edits[self._module].append(InsertBefore(place, statement))
        for use in self._driver.uses:
            self._use(use)

    def _made(self, dataset: Code) -> Code:
        """Returns the statement that makes the model."""
        module, model = self._module, self._model
        self._plan.write_out(module, "inputs_of")
        self._plan.needs(module, "keras")
        parts = [*dataset.parts, self._replication.model_fn]
        inner = dataset.template
        if dataset.arguments:
            inner = f"{inner}({', '.join(dataset.arguments)})"
        arguments = [f"inputs_of({inner})"]
        params = self._given["params"]
        if "params" in model.parameters:
            if params is None:
                arguments.append(f"{model.parameters['params']}={{}}".replace("{}", "dict()"))
            else:
                arguments.append(f"{model.parameters['params']}={{{len(parts)}}}")
                parts.append(params)
        head = f"{self._driver.name} = {{{len(dataset.parts)}}}"
        scope = self._replication.strategy
        if not scope:
            return Code(head, tuple(parts), tuple(arguments))
        step = self._indentation()
        block = f"with {scope}.scope():\n{step}{head}"
        flat = f"{step}{step}{head}({', '.join(arguments)})"
        length = len(flat) + sum(len(ast.unparse(part)) - len("{0}") for part in parts)
        if length <= _WIDTH:
            return Code(f"{block}({', '.join(arguments)})", tuple(parts))
        lines = f",\n{step}    ".join(arguments)
        return Code(f"{block}(\n{step}    {lines})", tuple(parts))

    def _place(self, dataset: Code, first: ast.Call) -> ast.stmt:
        """Returns the statement where the model is made: the inputs must be known there."""
        at = self._driver.statement
        if self._known_at(dataset, at):
            return at
        block = self._block(at)
        for statement in block[block.index(at) + 1 :]:
            if any(use is n for n in ast.walk(statement) for use in self._driver.uses):
                if self._known_at(dataset, statement):
                    return statement
                break
        refuse(first, "the input function is not known where the Estimator is made")

    def _known_at(self, dataset: Code, place: ast.stmt) -> bool:
        module = self._module
        for part in dataset.parts:
            for node in ast.walk(part):
                if not isinstance(node, ast.Name) or not isinstance(node.ctx, ast.Load):
                    continue
                scope, bindings = module.names.scope_of[node].lookup(node.id) or (None, [])
                if scope is None or scope is not module.names.scope_of[place]:
                    continue
                for binding in bindings:
                    bound = getattr(binding, "statement", None) or getattr(binding, "node", None)
                    if isinstance(bound, ast.arg) or bound is None:
                        continue
                    if module.position(bound) > module.position(place):
                        return False
        return True

    def _use(self, use: ast.Call) -> None:
        """Replaces a call of a method."""
        method = self._method(use)
        arguments = self._arguments(use, method)
        values = [arguments["input_fn"]]
        if method == "train" and self._dataset:
            dataset = Code(self._dataset)
            self._plan.leave_out(self._module, values[0])
        else:
            dataset = dataset_of(self._plan, self._module, values[0], self._named)
        inner = dataset.template
        if dataset.arguments:
            inner = f"{inner}({', '.join(dataset.arguments)})"
        parts = list(dataset.parts)
        texts = [self._driver.name, inner]
        texts += [self._model_dir] if self._model_dir else []
        for name in ("steps", "max_steps"):
            value = arguments.get(name)
            if value is not None and not is_none(value):
                texts.append(f"{name}={{{len(parts)}}}")
                parts.append(value)
        if method == "train" and self._config.save_steps and self._model_dir:
            texts.append(f"save_steps={self._config.save_steps}")
        piece = f"{method}_model"
        for needed in (piece, "restore_weights", "checkpoint_of", "steps_of"):
            self._plan.write_out(self._module, needed)
        self._plan.needs(self._module, "os")
        self._plan.replace(self._module, use, Code(piece, tuple(parts), tuple(texts)))

    def _arguments(self, use: ast.Call, method: str) -> dict[str, ast.expr]:
        if has_star_arguments(use):
            refuse(use, f"the arguments of `{method}` are passed by `*` or `**`")
        found = dict(zip(_ARGUMENTS[method], use.args, strict=False))
        found |= {k.arg or "": k.value for k in use.keywords}
        for name in ("hooks", "saving_listeners", "checkpoint_path"):
            if name in found and literal(found[name]) not in (None, []):
                refuse(found[name], f"`{name}` of `{method}`")
        if "input_fn" not in found:
            refuse(use, f"`{method}` is called without an input function")
        return found

    def _input(self, use: ast.Call) -> ast.expr:
        return self._arguments(use, self._method(use))["input_fn"]

    def _method(self, use: ast.Call) -> str:
        assert isinstance(use.func, ast.Attribute)
        return use.func.attr

    def _in_loop(self, use: ast.Call, place: ast.stmt) -> bool:
        around = set(self._module.ancestors(place))
        function = self._module.function(place)
        return self._module.function(use) is not function or any(
            isinstance(a, _LOOPS) and a not in around for a in self._module.ancestors(use)
        )

    def _block(self, statement: ast.stmt) -> list[ast.stmt]:
        parent = self._module.parent(statement)
        blocks = [getattr(parent, name, []) for name in ("body", "orelse", "finalbody")]
        return next(block for block in blocks if isinstance(block, list) and statement in block)

    def _free_name(self, name: str) -> str:
        return name if not self._module.names.bindings_of(name) else f"keras_{name}"

    def _indentation(self) -> str:
        for node in self._module.tree.body:
            if isinstance(node, ast.FunctionDef):
                return self._module.indentation(node.body[0]) or "    "
        return "    "
