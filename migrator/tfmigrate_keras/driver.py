"""An Estimator and the calls of its methods become a Keras model that is trained.

An Estimator called its input function when it was trained; a functional Keras model needs to know
its inputs when it is made. So it is made where the first input function is known, which may be
below the statement of the Estimator, and only if nothing between the two can notice.
"""

import ast

from tfmigrate.model.edits import Code, InsertBefore
from tfmigrate.resolve.calls import argument
from tfmigrate.resolve.control_flow import block_of
from tfmigrate.resolve.module import Module, free_name
from tfmigrate.resolve.scopes import is_none
from tfmigrate.rulekit.added_definition import indentation_of
from tfmigrate_keras import datasets
from tfmigrate_keras.arguments import as_text
from tfmigrate_keras.conversion import LOOPS, Conversion, refuse
from tfmigrate_keras.estimator_uses import Use, uses_of
from tfmigrate_keras.estimators import Estimator, is_model, read_estimator
from tfmigrate_keras.experiments import convert_experiments
from tfmigrate_keras.exporters import has_exporters
from tfmigrate_keras.exports import EXPORTS, Export
from tfmigrate_keras.known_values import (
    check_effects,
    check_unchanged,
    is_known_at,
    is_quiet,
    is_undisturbed,
)
from tfmigrate_keras.method_calls import PREDICT, MethodCall, read_call, remove_specs
from tfmigrate_keras.own_hooks import calls_each_step
from tfmigrate_keras.run_config import RunConfig, read_config
from tfmigrate_keras.written_calls import (
    CallWriter,
    Driver,
    carried,
    read_alike,
    written_again,
)

_WIDTH = 80  # of the block that makes a model


def estimators(plan: Conversion) -> list[tuple[Module, ast.Call]]:
    """Returns the Estimators of a program."""
    return [
        (module, call)
        for module in plan.program.modules
        for call in module.all(ast.Call)
        if is_model(module, call)
    ]


def convert_estimators(plan: Conversion) -> None:
    """Plans the edits of Experiments and Estimators, their model and input functions.

    Raises:
        Refusal: something of them has no successor in Keras.
    """
    of_experiments = convert_experiments(plan)
    for module, call in estimators(plan):
        if call not in of_experiments:  # which are made by the Experiment's own conversion
            _convert(plan, module, call)


def _convert(plan: Conversion, module: Module, call: ast.Call) -> None:
    driver = _read(plan, module, call)
    config = read_config(plan, module, argument(call, 2, "config"))
    methods = {use.method for use in driver.uses}
    exported = not methods.isdisjoint(EXPORTS) or has_exporters(plan)
    predictions = exported if exported or PREDICT in methods else None
    estimator = read_estimator(plan, module, call, config, predictions)
    if estimator.replication.per_replica and (
        "BatchNormalization" in plan.written_out[estimator.model.module]
    ):
        refuse(call, "batch normalization under `train_distribute`")
    if estimator.replication.per_replica and estimator.loss.penalized:
        refuse(call, "a loss of the model's variables under `train_distribute`")
    _Making(plan, driver, estimator, config).convert()


def _read(plan: Conversion, module: Module, call: ast.Call) -> Driver:
    statement = module.parent(call)
    if not isinstance(statement, (ast.Assign, ast.Return)):
        refuse(call, "the Estimator is not assigned to a variable")
    return Driver(module, call, statement, uses_of(plan, module, call))


def _is_plain(node: ast.expr) -> bool:
    """Returns whether code only names a value, so that naming it again gives the same."""
    plain = (ast.Name, ast.Attribute, ast.Constant, ast.Subscript, ast.expr_context)
    return all(isinstance(inner, plain) for inner in ast.walk(node))


class _Making:
    """The edits of one Estimator and of the calls of its methods."""

    def __init__(
        self, plan: Conversion, driver: Driver, estimator: Estimator, config: RunConfig
    ) -> None:
        self._plan, self._driver = plan, driver
        self._module = driver.module
        self._estimator = estimator
        self._replication = estimator.replication
        self._model = estimator.model
        self._config = config
        self._arguments = estimator.arguments
        params = self._arguments["params"]
        self._params = ast.unparse(params) if isinstance(params, ast.Name) else ""
        folder = self._arguments["model_dir"]
        self._model_dir = ast.unparse(folder) if folder is not None else config.model_dir
        self._dataset = ""  # the variable of the Dataset that the model is trained on

    def convert(self) -> None:
        """Plans the edits."""
        calls = [read_call(self._plan, use) for use in self._driver.uses]
        trained = [call for call in calls if call.train is not None]
        if not (fitted := [call for call in calls if call.train or call.evaluate]):
            refuse(self._driver.call, "this Estimator is never trained")
        first, module = (trained or fitted)[0], self._module
        code = self._input(first, first.first_input)
        place = self._place(code, first.use)
        # An input function that is called twice may give, or draw, something else the second time.
        once = len(trained) == 1 and not self._in_loop(first.use, place)
        once = once and is_undisturbed(module, place, first.use.call, self._driver.uses)
        inserted = list(self._replication.statements(self._plan, self._module, place))
        folder = self._arguments["model_dir"]
        if folder is not None and not _is_plain(folder):  # evaluated once, as before
            self._model_dir = self._free_name("model_dir")
            inserted.append(Code(f"{self._model_dir} = {{0}}", (folder,)))
        if self._config.seed:
            datasets.check_no_draws(self._plan)
            self._plan.needs(self._module, "keras")
            inserted.append(Code(f"keras.utils.set_random_seed({self._config.seed})"))
        if once:
            self._dataset = self._free_name("train_dataset")
            code = self._of_replicas(code, first.use)
            inserted.append(Code(f"{self._dataset} = {code.template}", code.parts, code.arguments))
            code = Code(self._dataset)
        else:
            datasets.check_repeatable(self._plan, self._module.function(self._driver.statement))
            check_effects(self._plan, first.use.module, code)
            if self._module.function(first.use.call) is not self._module.function(place):
                code = written_again(self._module, code)
        model_code = self._made(code)
        if place is self._driver.statement:
            self._plan.replace_statement(self._module, place, *inserted, model_code)
        else:
            self._plan.remove(self._module, self._driver.statement)
            for statement in (
                model_code,
                *reversed(inserted),
            ):  # each is put above the one before it
                self._plan.edits[self._module].append(InsertBefore(place, statement))
        for call in calls:
            if call.export is not None:
                self._export(call, call.export)
            else:
                self._use(call)

    def _input(self, call: MethodCall, node: ast.expr) -> Code:
        """Returns the code of the Dataset of an input function."""
        use = call.use
        return datasets.dataset_of(
            self._plan, use.module, node, lambda: carried(self._driver, use, self._params)
        )

    def _of_replicas(self, dataset: Code, use: Use) -> Code:
        """Returns the code of a Dataset whose batches are those of all replicas."""
        if self._replication.strategy and datasets.has_seeded_shuffles(self._plan):
            dataset = read_alike(self._plan, use.module, dataset)
        if not self._replication.per_replica:
            return dataset
        self._plan.write_out(use.module, "batches_of_replicas")
        strategy = carried(self._driver, use, self._replication.strategy)
        return Code("batches_of_replicas", dataset.parts, (as_text(dataset), strategy))

    def _made(self, dataset: Code) -> Code:
        """Returns the statement that makes the model."""
        module, model = self._module, self._model
        self._plan.write_out(module, "inputs_of")
        self._plan.needs(module, "keras")
        parts = [*dataset.parts, self._replication.model_fn]
        arguments = [f"inputs_of({as_text(dataset)})"]
        params = self._arguments["params"]
        if "params" in model.parameters:
            if params is None or is_none(params):
                arguments.append(f"{model.parameters['params']}=dict()")
            else:
                arguments.append(f"{model.parameters['params']}={{{len(parts)}}}")
                parts.append(params)
        head = f"{self._driver.head}{{{len(dataset.parts)}}}"
        if not (scope := self._replication.strategy):
            return Code(head, tuple(parts), tuple(arguments))
        step = indentation_of(module)
        block = f"with {scope}.scope():\n{step}{head}"
        flat = f"{step}{step}{head}({', '.join(arguments)})"
        length = len(flat) + sum(len(ast.unparse(part)) - len("{0}") for part in parts)
        if length <= _WIDTH:
            return Code(f"{block}({', '.join(arguments)})", tuple(parts))
        lines = f",\n{step}    ".join(arguments)
        return Code(f"{block}(\n{step}    {lines})", tuple(parts))

    def _place(self, dataset: Code, first: Use) -> ast.stmt:
        """Returns the statement where the model is made: the inputs must be known there."""
        plan, module, at = self._plan, self._module, self._driver.statement
        same = first.module is module and module.function(first.call) is module.function(at)
        until = first.call if same else None
        block = block_of(module, at)
        below = block[block.index(at) + 1 :]
        used = (i for i, s in enumerate(below) if self._is_used_in(s))
        count = next(used, len(below)) if same else 0
        quiet = all(is_quiet(module, statement) for statement in below[:count])
        if quiet and first.module is module and is_known_at(plan, module, dataset, at, until):
            return at
        if count < len(below) and is_known_at(plan, module, dataset, below[count], until):
            check_unchanged(module, self._driver.call, below[:count])
            return below[count]
        refuse(first.call, "the input function is not known where the Estimator is created")

    def _is_used_in(self, statement: ast.stmt) -> bool:
        inner = set(self._module.walk(statement))
        return any(use.call in inner for use in self._driver.uses)

    def _use(self, call: MethodCall) -> None:
        """Replaces a call of a method."""
        use = call.use
        arguments = next(g for g in (call.train, call.evaluate, call.predict) if g is not None)
        if (trains := call.train is not None) and self._dataset:
            dataset = Code(self._dataset)
            self._plan.leave_out(use.module, arguments["input_fn"])
        else:
            dataset = self._input(call, arguments["input_fn"])
            dataset = self._of_replicas(dataset, use) if trains else dataset
        if trains and calls_each_step(self._plan) and not {"steps", "max_steps"} & set(arguments):
            refuse(use.call, "a program with hooks that trains to the end of its input")
        writer = CallWriter(self._plan, use, [*dataset.parts, use.estimator])
        texts = [f"{{{len(dataset.parts)}}}", as_text(dataset)]
        model_dir = carried(self._driver, use, self._model_dir)
        texts += [model_dir] if model_dir else []
        texts += writer.named(arguments, "max_steps") if trains else []
        texts += self._steps(writer, arguments, trains)
        texts += writer.named(call.evaluate, "name") if call.evaluate and not trains else []
        save_steps = carried(self._driver, use, self._config.save_steps)
        if trains and save_steps and model_dir:
            texts.append(f"save_steps={save_steps}")
        if (hooks := arguments.get("hooks")) is not None:
            writer.parts.append(hooks)
        place = f"{{{len(writer.parts) - 1}}}" if hooks is not None else ""
        if call.specs:
            inner = CallWriter(self._plan, use, [])
            evaluation = self._evaluation(call, inner, save_steps)
            held_by_call = [*writer.parts, *inner.parts]
            length = len(as_text(evaluation)) + sum(
                len(ast.unparse(part)) for part in evaluation.parts
            )
            if self._dataset and length > _WIDTH:
                name = self._free_name("evaluation")
                code = Code(
                    f"{name} = {evaluation.template}", evaluation.parts, evaluation.arguments
                )
                above = InsertBefore(use.module.statement(use.call), code)
                self._plan.edits[use.module].append(above)
                text = name
            else:
                text = writer.shifted(evaluation)
            texts.append(f"callbacks=[{f'*{place}, ' if place else ''}{text}]")
            remove_specs(self._plan, call, held_by_call)
        elif place:
            texts.append(f"callbacks={place}")
        name = "evaluate_model" if call.predict is None else "predict_rows"
        writer.write("train_model" if trains else name, texts)

    def _export(self, call: MethodCall, export: Export) -> None:
        """Replaces a call that exports the model."""
        writer = CallWriter(self._plan, call.use, [call.use.estimator, export.folder])
        texts = ["{0}", "{1}", writer.shifted(export.inputs)]
        model_dir = carried(self._driver, call.use, self._model_dir)
        texts += [model_dir] if model_dir else []
        self._plan.needs(call.use.module, "time")
        writer.write("export_model", texts)

    def _steps(self, writer: CallWriter, arguments: dict[str, ast.expr], trains: bool) -> list[str]:
        """Returns the code of ``steps``: under the strategy of a RunConfig, those of a replica."""
        texts = writer.named(arguments, "steps")
        if trains or not texts or not self._config.evaluates or not self._replication.per_replica:
            return texts
        return [f"{texts[0]} * {self._replication.strategy}.num_replicas_in_sync"]

    def _evaluation(self, call: MethodCall, writer: CallWriter, save_steps: str) -> Code:
        """Returns the code of the callback that evaluates checkpoints."""
        arguments = call.evaluate
        assert arguments is not None
        inner = writer.shifted(self._input(call, arguments["input_fn"]))
        texts = [
            inner,
            *self._exporters(call, writer),
            *self._steps(writer, arguments, trains=False),
        ]
        texts += [f"save_steps={save_steps}"] if save_steps else []
        texts += writer.named(arguments, "throttle_secs")
        kind = "EvaluateAndExport" if call.exporters else "EvaluateCheckpoints"
        for needed in (kind, "evaluate_model"):
            self._plan.write_out(call.use.module, needed)
        return Code(kind, tuple(writer.parts), tuple(texts))

    def _exporters(self, call: MethodCall, writer: CallWriter) -> list[str]:
        """Returns the code of the arguments for exports after evaluations."""
        if call.exporters is None:
            return []
        assert call.train is not None
        if not (folder := carried(self._driver, call.use, self._model_dir)):
            refuse(call.use.call, "an export of an Estimator without a folder")
        texts = [writer.shifted(call.exporters), folder]
        if (last := call.train.get("max_steps")) is not None and not _is_plain(last):
            refuse(last, "`max_steps` of a program with exporters is not a plain value")
        return texts + writer.named(call.train, "max_steps")

    def _in_loop(self, use: Use, place: ast.stmt) -> bool:
        around = set(self._module.ancestors(place))
        if use.module is not self._module:
            return True
        return self._module.function(use.call) is not self._module.function(place) or any(
            isinstance(a, LOOPS) and a not in around for a in self._module.ancestors(use.call)
        )

    def _free_name(self, name: str) -> str:
        return self._plan.new_name(self._module, free_name(self._module, name, f"keras_{name}"))
