"""An Experiment of tf.contrib.learn, as a small class in the program.

A class and not calls of ``fit`` in the program's lines: a schedule is chosen by its name, and
evaluates at certain checkpoints (semantics.md, section 2), which ``fit`` does not know. It has
those methods only that the program uses.
"""

import ast
from collections.abc import Iterator
from importlib import resources

from tfmigrate.model.edits import (
    ArrangeArguments,
    Code,
    InsertBefore,
    RemoveParameters,
    RemoveWithItem,
    ReplaceExpression,
)
from tfmigrate.resolve.calls import argument, called, has_star_arguments, named_arguments
from tfmigrate.resolve.module import Module, free_name
from tfmigrate.resolve.scopes import is_none
from tfmigrate_keras import known_values, members
from tfmigrate_keras.arguments import as_text
from tfmigrate_keras.conversion import Conversion, literal, refuse, resolved
from tfmigrate_keras.datasets import Params, check_repeatable, dataset_of, has_seeded_shuffles
from tfmigrate_keras.estimators import Estimator, is_model, read_estimator
from tfmigrate_keras.experiment_configs import Passed, passed_config
from tfmigrate_keras.experiment_runs import OF_CLOCK, Runner, Runs, runs_of
from tfmigrate_keras.exports import Strategy, read_strategies
from tfmigrate_keras.hooks import remove_hooks, remove_value
from tfmigrate_keras.metric_specs import MetricSpec, read_metric_specs
from tfmigrate_keras.monitors import convert_monitor, monitors_in
from tfmigrate_keras.own_hooks import TEST, TRAIN, calls_each_step, own_hooks
from tfmigrate_keras.quotes import quoted
from tfmigrate_keras.run_config import RunConfig, read_config
from tfmigrate_keras.tensors import source
from tfmigrate_keras.written_calls import read_alike, written_again

_EXPERIMENT = "tensorflow.contrib.learn.Experiment"
_PARAMETERS = (
    *("estimator", "train_input_fn", "eval_input_fn", "eval_metrics", "train_steps", "eval_steps"),
    *("train_monitors", "eval_hooks", "local_eval_frequency", "eval_delay_secs"),
    *("continuous_eval_throttle_secs", "min_eval_frequency", "delay_workers_by_global_step"),
    *("export_strategies", "train_steps_per_iteration", "checkpoint_and_export"),
    *("saving_listeners", "check_interval_secs"),
)
_MONITORS = "train_monitors"
_RENAMED = {
    "estimator": "model",
    "train_input_fn": "train_dataset",
    "eval_input_fn": "eval_dataset",
    _MONITORS: members.CALLBACKS,
    "eval_hooks": members.EVAL_CALLBACKS,
}
_DATA = ("model", "train_dataset", "eval_dataset")
_KEPT = (
    *("train_steps", "eval_steps", "min_eval_frequency", "local_eval_frequency"),
    "train_steps_per_iteration",
)
# About clusters and the clock: training and its evaluations do not wait.
_OF_CLOCK = (
    *("eval_delay_secs", "continuous_eval_throttle_secs", "delay_workers_by_global_step"),
    "check_interval_secs",
)
_HOOKS = (_MONITORS, "eval_hooks")
_NONE = ast.Constant(None)
_EXPORTS = 5  # kept by a strategy that does not say how many
_PIECES = ("Experiment", "train_model", "evaluate_model", "inputs_of")


def experiments(plan: Conversion) -> list[tuple[Module, ast.Call]]:
    """Returns the Experiments of a program."""
    modules = plan.program.modules
    return [(module, call) for module in modules for call in module.calls_of(_EXPERIMENT)]


def convert_experiments(plan: Conversion) -> set[ast.Call]:
    """Plans the edits of Experiments; returns the Estimators that they have.

    Raises:
        Refusal: something of an Experiment has no successor in Keras.
    """
    return {_Making(plan, module, call).convert() for module, call in experiments(plan)}


class _Making:
    """The edits of one Experiment and of what runs it."""

    def __init__(self, plan: Conversion, module: Module, call: ast.Call) -> None:
        self._plan, self._module, self._call = plan, module, call
        self._arguments = _arguments(plan, module, call)
        self._runs: Runs = runs_of(plan, module, call)
        self._strategy: Strategy | None = None
        self._exports_checkpoints = False

    def convert(self) -> ast.Call:
        """Plans the edits; returns the Estimator of the Experiment."""
        if calls_each_step(self._plan) and is_none(self._arguments.get("train_steps", _NONE)):
            refuse(self._call, "a program with hooks that trains to the end of its input")
        estimator_call = source(self._module, self._arguments["estimator"])
        if not isinstance(estimator_call, ast.Call) or not is_model(self._module, estimator_call):
            refuse(
                estimator_call,
                "the Experiment has no tf.estimator.Estimator that is created in the same function",
            )
        # Input functions are called once, and not in each training and evaluation.
        check_repeatable(self._plan, self._module.function(self._call))
        self._check_used_once(estimator_call)
        passed = passed_config(self._plan, self._module, estimator_call, self._runs)
        config_argument = argument(estimator_call, 2, "config")
        config = passed.config if passed else read_config(self._plan, self._module, config_argument)
        if config.strategy is not None:
            refuse(config.strategy, "`train_distribute` in an Experiment")
        if (strategies := self._arguments.pop("export_strategies", None)) is not None:
            self._strategy = read_strategies(self._plan, self._module, strategies)
        each = self._arguments.pop("checkpoint_and_export", None)
        self._exports_checkpoints = literal(each) is True
        exported = True if self._strategy else None
        metrics = self._metrics()
        estimator = read_estimator(
            self._plan, self._module, estimator_call, config, exported, metrics
        )
        if estimator.replication.wrapper is not None:
            refuse(estimator_call, "replicate_model_fn in an Experiment")
        self._make_model(estimator, config)
        self._make_experiment(estimator, config)
        for runner in self._runs.runners:
            self._run(runner, passed)
        for home, call in self._runs.resets:
            self._reset(home, call)
        if passed and self._runs.function is not None:
            renamed = ((passed.parameter, passed.config.model_dir),)
            edit = RemoveParameters(self._runs.function, (), renamed)
            self._plan.edits[self._module].append(edit)
        return estimator_call

    def _check_used_once(self, estimator_call: ast.Call) -> None:
        """Refuses other uses of the Estimator, whose methods a model does not have."""
        module, estimator = self._module, self._arguments["estimator"]
        if not isinstance(estimator, ast.Name):
            return
        known = {estimator, *ast.walk(estimator_call)}
        for node in module.reads(estimator.id, module.scope(estimator)):
            if node not in known:
                refuse(node, f"`{node.id}` is used outside of the Experiment, too")

    def _metrics(self) -> list[MetricSpec]:
        """Returns the metrics that the Experiment adds, which go to the model."""
        if (eval_metrics := self._arguments.pop("eval_metrics", None)) is None:
            return []
        specs = read_metric_specs(self._module, eval_metrics)
        self._plan.leave_out(self._module, eval_metrics)
        remove_value(self._plan, self._module, source(self._module, eval_metrics))
        return specs

    def _make_model(self, estimator: Estimator, config: RunConfig) -> None:
        """Replaces the Estimator by the model, and the function of its input by a Dataset."""
        plan, module, estimator_call = self._plan, self._module, estimator.call
        passed_params = _params_of(estimator)
        place = self._without_device(module.statement(estimator_call))
        value = self._arguments["train_input_fn"]
        code = dataset_of(plan, module, value, passed_params)
        known_values.check_effects(plan, module, code)
        known_values.check_set_once(plan, module, code, self._call)
        if not known_values.is_known_at(plan, module, code, place):
            refuse(value, "the input function is not known where the Estimator is created")
        dataset = free_name(module, "train_dataset", "keras_train_dataset")
        if value in code.parts:  # it moves, and the name takes its place
            code = self._as_text(code, value)
        if self._runs.train_again and has_seeded_shuffles(plan):
            code = read_alike(plan, module, code)
        dataset_code = Code(f"{dataset} = {code.template}", code.parts, code.arguments)
        seed = [f"keras.utils.set_random_seed({config.seed})"] if config.seed else []
        for statement in (dataset_code, *(Code(text) for text in seed)):  # each above the others
            plan.edits[module].append(InsertBefore(place, statement))
        plan.edits[module].append(ReplaceExpression(value, Code(dataset)))
        plan.leave_out(module, value, code.parts)
        model = estimator.replication.model_fn
        params = estimator.arguments["params"]
        arguments = [f"inputs_of({dataset})"]
        parts = [model]
        if "params" in estimator.model.parameters:
            parts += [params] if params is not None else []
            text = "{1}" if params is not None else "dict()"
            arguments.append(f"{estimator.model.parameters['params']}={text}")
        plan.replace(module, estimator_call, Code("{0}", tuple(parts), tuple(arguments)))
        self._eval_dataset(passed_params)

    def _without_device(self, place: ast.stmt) -> ast.stmt:
        """Removes ``with tf.device(...)`` around an Estimator, which never had an effect on it.

        Returns the statement where new ones are inserted.
        """
        around = self._module.parent(place)
        if not isinstance(around, ast.With) or around.body != [place] or len(around.items) > 1:
            return place
        if called(self._module, around.items[0].context_expr) != "tensorflow.device":
            return place
        self._plan.edits[self._module].append(RemoveWithItem(around, around.items[0]))
        self._plan.leave_out(self._module, around.items[0])
        return around

    def _as_text(self, code: Code, value: ast.expr) -> Code:
        for node in ast.walk(value):
            if isinstance(node, (ast.Name, ast.Attribute)) and (
                resolved(self._module, node).startswith("tensorflow.")
            ):
                refuse(node, f"`{ast.unparse(node)}` in an argument of the Experiment")
            if isinstance(node, (ast.Dict, ast.Set, ast.DictComp, ast.SetComp, ast.JoinedStr)):
                refuse(node, "an argument of the Experiment holds braces", "Assign it first.")
        text = self._module.code(value)
        return Code(code.template.replace("{0}", text), (), code.arguments)

    def _eval_dataset(self, params: Params) -> None:
        value = self._arguments["eval_input_fn"]
        code = dataset_of(self._plan, self._module, value, params)
        known_values.check_effects(self._plan, self._module, code)
        known_values.check_set_once(self._plan, self._module, code, self._call)
        self._plan.edits[self._module].append(ReplaceExpression(value, code))
        self._plan.leave_out(self._module, value, code.parts)

    def _make_experiment(self, estimator: Estimator, config: RunConfig) -> None:
        """Replaces the constructor, and adds the class."""
        plan, module = self._plan, self._module
        for piece in _PIECES:
            plan.write_out(module, piece)
        plan.needs(module, "keras", "os", "dataclasses")
        plan.members["Experiment"] |= self._runs.methods
        if self._exports_checkpoints:
            plan.members["Experiment"].add(members.EXPORT_CHECKPOINTS)
            plan.write_out(module, "ExportCheckpoints")
        if self._runs.methods & OF_CLOCK:
            plan.needs(module, "time")
            if not self._has_folder(estimator, config):
                refuse(self._call, "an Experiment without a folder, whose checkpoints are awaited")
        if self._strategy is not None:
            self._check_exports(estimator, config)
            plan.members["Experiment"].add(members.EXPORT)
            plan.write_out(module, "export_model")
            plan.needs(module, "shutil", "time")
        self._convert_monitors(estimator, config)
        folder = resources.files("tfmigrate_keras").joinpath("data/written_out")
        text = folder.joinpath("Experiment.py.txt").read_text("utf-8")
        fields = members.fields_used(text, plan.members["Experiment"])
        if "min_eval_frequency" in fields:
            plan.write_out(module, "ValidationMonitor")
        arguments = []
        positional = True
        for name, value in self._arguments.items():
            if (new := _RENAMED.get(name, name)) not in (*fields, *_DATA):
                plan.leave_out(module, value)
                continue
            positional = positional and name in _RENAMED and value in self._call.args
            arguments.append(("" if positional else new, value))
        added = []
        folder_given = estimator.arguments["model_dir"]
        model_dir = ast.unparse(folder_given) if folder_given is not None else config.model_dir
        if model_dir:
            added.append(f"model_dir={model_dir}")
        if config.save_steps:
            added.append(f"save_steps={config.save_steps}")
        added += self._export_arguments()
        plan.edits[module].append(ArrangeArguments(self._call, tuple(arguments), tuple(added)))
        plan.replace(module, self._call.func, Code("Experiment"))

    def _convert_monitors(self, estimator: Estimator, config: RunConfig) -> None:
        """Replaces monitors that evaluate in training by callbacks."""
        monitors = monitors_in(self._module, self._arguments.get(_MONITORS, ast.Constant(None)))
        passed_params = _params_of(estimator)
        steps = self._arguments.get("train_steps")
        train_steps = ast.unparse(steps) if steps is not None and not is_none(steps) else ""
        for _, call in monitors:
            for text in (config.save_steps, train_steps):
                known_values.check_text_known(self._module, text, call)
            convert_monitor(
                self._plan, self._module, call, passed_params, config.save_steps, train_steps
            )
        if monitors:
            self._plan.members["Experiment"].add(members.CALLBACKS)

    def _check_exports(self, estimator: Estimator, config: RunConfig) -> None:
        """Refuses exports that the class does not make as an Experiment did."""
        for method in sorted(self._runs.methods & OF_CLOCK):
            refuse(self._call, f"an export after `{method}` of an Experiment")
        if not self._has_folder(estimator, config):
            refuse(self._call, "an export of an Experiment without a folder")

    def _has_folder(self, estimator: Estimator, config: RunConfig) -> bool:
        return estimator.arguments["model_dir"] is not None or bool(config.model_dir)

    def _export_arguments(self) -> list[str]:
        """Returns the code of the arguments for exports."""
        if (strategy := self._strategy) is None:
            return []
        inputs = as_text(written_again(self._module, strategy.inputs)).format()
        added = [f"serving_inputs={inputs}"]
        if strategy.exports_to_keep:
            added.append(f"exports_to_keep={strategy.exports_to_keep}")
        return added

    def _reset(self, module: Module, call: ast.Call) -> None:
        """Replaces a call that changes the export strategies."""
        new_strategies = argument(call, 0, "new_export_strategies")
        strategy = (
            read_strategies(self._plan, module, new_strategies)
            if new_strategies is not None
            else None
        )
        if strategy is None or self._strategy is None:
            refuse(call, "an Experiment with and without export strategies")
        assert isinstance(call.func, ast.Attribute)
        experiment = call.func.value
        inputs, exports_to_keep = strategy.inputs, strategy.exports_to_keep or str(_EXPORTS)
        text = inputs.template.replace("{0}", "{1}")
        name = ast.unparse(experiment)
        code = Code(
            f"{{0}}.serving_inputs, {name}.exports_to_keep = {text}, {exports_to_keep}",
            (experiment, *inputs.parts),
        )
        self._plan.replace_statement(module, module.statement(call), code)

    def _run(self, runner: Runner, passed: Passed | None) -> None:
        """Replaces a call of learn_runner.run by that of a method."""
        run_arguments, module = runner.arguments, runner.module
        for asked in runner.steps:
            assert isinstance(asked.func, ast.Attribute)
            self._plan.replace(module, asked, Code("steps_of", (asked.func.value,), ("{0}",)))
        parts = [run_arguments["experiment_fn"]]
        arguments = []
        if "output_dir" in run_arguments:
            parts.append(run_arguments["output_dir"])
            arguments.append("{1}")
        else:
            arguments, more = self._arguments_of_function(runner, passed)
            parts += more
        schedule = run_arguments.get("schedule", ast.Constant(None))
        if isinstance(schedule, ast.Constant):
            method = str(schedule.value or "train_and_evaluate")
            code = Code("{0}", tuple(parts), tuple(arguments), tail=f".{method}()")
        else:
            default = quoted(module, "train_and_evaluate")
            text = f"{{{len(parts)}}}" + f" or {default}" * (
                not _is_text(self._plan, module, schedule)
            )
            parts.append(schedule)
            experiment_text = f"{{0}}({', '.join(arguments)})"
            code = Code("getattr", tuple(parts), (experiment_text, text), tail="()")
        self._plan.replace(module, runner.call, code)

    def _arguments_of_function(
        self, runner: Runner, passed: Passed | None
    ) -> tuple[list[str], list[ast.expr]]:
        """Returns the arguments of a function of (run_config, hparams), in its order."""
        if (function := self._runs.function) is None:
            refuse(runner.call, "cannot find the function that makes the Experiment")
        texts: list[str] = []
        parts: list[ast.expr] = []
        for name in [a.arg for a in function.args.args if a.arg != "self"]:
            if name == "run_config":
                value = passed.folders.get(runner.call) if passed else None
            elif name == "hparams":
                value = runner.arguments.get("hparams")
            else:
                refuse(function, f"`{function.name}` has the parameter `{name}`")
            if value is None:
                texts.append("None")
            else:
                parts.append(value)
                texts.append(f"{{{len(parts)}}}")
        return texts, parts


def _arguments(plan: Conversion, module: Module, call: ast.Call) -> dict[str, ast.expr]:
    if has_star_arguments(call) or len(call.args) > len(_PARAMETERS):
        refuse(call, "the arguments of the Experiment are passed by `*` or `**`")
    arguments = named_arguments(call, _PARAMETERS)
    for name in _PARAMETERS[:3]:
        if name not in arguments:
            refuse(call, f"the Experiment has no `{name}`")
    for name, value in arguments.items():
        if name in (*_PARAMETERS[:4], *_KEPT, *_OF_CLOCK, "export_strategies"):
            continue
        if name in _HOOKS:
            monitors = monitors_in(module, value) if name == _MONITORS else []
            own = own_hooks(plan, module, value, TRAIN if name == _MONITORS else TEST)
            elements = [*own, *(element for element, _ in monitors)]
            remove_hooks(plan, module, value, sorted(elements, key=module.position))
            if own:
                plan.members["Experiment"].add(_RENAMED[name])
        elif name == "checkpoint_and_export" and literal(value) is True:
            continue
        elif literal(value) not in (None, [], False):
            refuse(value, f"`{name}` of the Experiment")
    return arguments


def _is_text(plan: Conversion, module: Module, node: ast.expr) -> bool:
    """Returns whether an expression is known to be a string that is not empty."""
    value = source(module, node)
    if isinstance(value, ast.Attribute):
        defaults = list(_defaults(plan, value.attr))
        return bool(defaults) and all(isinstance(literal(d), str) and literal(d) for d in defaults)
    return isinstance(literal(value), str) and bool(literal(value))


def _defaults(plan: Conversion, flag: str) -> Iterator[ast.expr | None]:
    """Yields the default of each definition of a flag, of absl or argparse."""
    for module in plan.program.modules:
        for call in module.all(ast.Call):
            name = literal(call.args[0]) if call.args else None
            if not isinstance(call.func, ast.Attribute) or not isinstance(name, str):
                continue
            if call.func.attr.startswith("DEFINE_") and name == flag:
                yield argument(call, 1, "default")
            elif call.func.attr == "add_argument" and name.strip("-").replace("-", "_") == flag:
                yield next((k.value for k in call.keywords if k.arg == "default"), None)


def _params_of(estimator: Estimator) -> Params:
    params = estimator.arguments["params"]
    return lambda: ast.unparse(params) if isinstance(params, ast.Name) else ""
