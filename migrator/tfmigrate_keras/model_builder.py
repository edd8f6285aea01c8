"""The end of a model function: the model, compiled, in place of the EstimatorSpec.

An Estimator built a graph for each mode; Keras has one model for all, and passes the mode to its
layers. So what the modes have besides, in loss, output or variables, must be the same in all: a
program in which it differs keeps its default form.
"""

import ast
from collections.abc import Sequence

from tfmigrate.model.edits import Code, InsertBefore, RemoveParameters, UnwrapIf
from tfmigrate.resolve.calls import argument, called
from tfmigrate.rulekit.added_definition import indentation_of
from tfmigrate_keras.arguments import as_text
from tfmigrate_keras.batch_losses import BatchLoss
from tfmigrate_keras.branches import check_branch, check_rebound
from tfmigrate_keras.conversion import UPDATES, Conversion, refuse, resolved, stores
from tfmigrate_keras.embeddings import has_embeddings
from tfmigrate_keras.expressions import Built
from tfmigrate_keras.feature_tensors import FeatureTensors
from tfmigrate_keras.logs import remove_logs
from tfmigrate_keras.losses import find_loss
from tfmigrate_keras.metrics import metric_code
from tfmigrate_keras.model_function import ModelFunction, Spec
from tfmigrate_keras.model_functions import convert_functions
from tfmigrate_keras.modes import EVAL, TRAIN
from tfmigrate_keras.optimizers import FoundOptimizer, find_optimizer
from tfmigrate_keras.own_functions import OwnFunction, calls_of
from tfmigrate_keras.own_hooks import calls_each_step
from tfmigrate_keras.predictions import PREDICTOR, predictions_of, signatures_code
from tfmigrate_keras.strategies import Replication
from tfmigrate_keras.summaries import Summaries
from tfmigrate_keras.tensors import is_same, source
from tfmigrate_keras.unused import remove_unused

STEPS_PER_EXECUTION = 20
_WIDTH = 80  # of the list of the metrics in one line
_DEPENDENCIES = "tensorflow.control_dependencies"
_CHANGES = ("pop", "popitem", "update", "clear", "setdefault")
_GONE = ("labels", "mode", "config")


class ModelBuilder:
    """Converts one model function and the functions that it calls.

    Attributes:
        loss: its loss.
    """

    def __init__(
        self,
        plan: Conversion,
        model: ModelFunction,
        replication: Replication,
        exported: bool | None = None,
        calls: Sequence[tuple[str, ast.Call]] = (),
    ) -> None:
        """Plans the edits.

        Args:
            model: the model function.
            replication: what replicates it.
            exported: whether the program exports its predictions; None where it does not use them.
            calls: metrics that an Experiment adds, by the code of their names.

        Raises:
            Refusal: something in the model function has no successor in Keras.
        """
        self._plan, self._model = plan, model
        self._module = model.module
        check_rebound(model)
        train = model.specs[TRAIN]
        for name in ("loss", "train_op"):
            if name not in train.values:
                refuse(train.call, f"the EstimatorSpec of training has no `{name}`")
        self.loss = find_loss(plan, model, train.values["loss"], replication)
        dense = has_embeddings(plan)
        optimizer = find_optimizer(plan, model, train.values["train_op"], dense)
        if not is_same(self._module, optimizer.loss, train.values["loss"]):
            refuse(optimizer.loss, "the optimizer minimizes something other than the loss")
        self._check_loss_of_evaluation(train)
        last = self._last_spec()
        self._predictions = predictions_of(plan, model, exported) if exported is not None else None
        self._summaries = Summaries(plan, model, optimizer)
        metrics = self._metrics()
        added = [metric_code(plan, model, self.loss, call, name) for name, call in calls]
        if metrics.template and added:
            refuse(model.function, "metrics of the model function and of the Experiment")
        self._finish(last, optimizer, self._loss_argument(last), metrics, added)
        built = self._built(optimizer, replication)
        self._remove_training(optimizer)
        remove_unused(plan, self._module, model.function)
        names = [model.parameters[k] for k in ("mode", "config") if k in model.parameters]
        remove_logs(plan, self._module, model.function, names)
        convert_functions(
            plan, OwnFunction(self._module, model.function, model.modes, once=True), built
        )
        self._unwrap_branches()
        self._change_parameters()
        self._check_output()
        self._check_once(optimizer)
        self._check_callers()

    def _check_loss_of_evaluation(self, train: Spec) -> None:
        spec = self._model.specs.get(EVAL)
        if spec is None or spec is train or "loss" not in spec.values:
            return
        if not is_same(self._module, spec.values["loss"], train.values["loss"]):
            refuse(spec.values["loss"], "the loss of the evaluation is not that of the training")

    def _unwrap_branches(self) -> None:
        """Puts what is left of tests of the mode in their places."""
        for statement, orelse in reversed(self._model.branches):
            block = statement.orelse if orelse else statement.body
            if all(self._plan.is_removed(inner) for inner in block):
                self._plan.remove(self._module, statement)
            elif not self._plan.is_removed(statement):
                check_branch(self._plan, self._model, statement, orelse)
                self._plan.edits[self._module].append(UnwrapIf(statement, orelse))

    def _last_spec(self) -> Spec:
        specs = [self._model.specs[mode] for mode in (TRAIN, EVAL) if mode in self._model.specs]
        left_out = {
            inner
            for branch, orelse in self._model.branches
            for statement in (branch.body if orelse else branch.orelse)
            for inner in self._module.walk(statement)
        }
        live_specs = [spec for spec in specs if spec.statement not in left_out]
        last = max(live_specs, key=lambda spec: self._module.position(spec.statement))
        for spec in specs:
            if spec is not last:
                self._plan.remove(self._module, spec.statement)
        return last

    def _loss_of_batch(self, batch: BatchLoss, statement: ast.stmt, last: Spec) -> str:
        """Puts the function of the loss where it was computed; returns the code of the loss."""
        plan, module = self._plan, self._module
        labels = self._model.parameters.get("labels") or self._free_name("labels")
        target = module.all(ast.Name, batch.place)[0] if batch.place else None
        name = target.id if target else self._free_name("loss")
        code = batch.code(name, labels, indentation_of(module))
        if batch.place:
            plan.replace_statement(module, batch.place, code)
        else:
            plan.edits[module].append(InsertBefore(last.statement, code))
            plan.leave_out(module, statement, code.parts)
        for step in batch.steps:
            if step is not batch.place:
                plan.drop(module, step, (step.value,))
                plan.moved.add(step)
        plan.needs(module, "keras")
        return f"{self.loss.code.template}({name})"

    def _loss_argument(self, last: Spec) -> str:
        """Puts the loss where it was computed; returns the code of it in ``compile``."""
        statement = self._module.statement(self.loss.node)
        if self.loss.batch is not None:
            return self._loss_of_batch(self.loss.batch, statement, last)
        if isinstance(statement, ast.Assign) and statement.value is self.loss.node:
            target = statement.targets[0]
            if isinstance(target, ast.Name) and len(statement.targets) == 1:
                self._plan.replace(self._module, self.loss.node, self.loss.code)
                self._plan.names_in_use.add((self._model.function, target.id))
                return target.id
        self._plan.remove(self._module, statement)
        return self.loss.code.template

    def _metrics(self) -> Code:
        """Converts the metrics; returns the code of their list in ``compile``; "" for none."""
        spec = self._model.specs.get(EVAL)
        metric_ops = spec.values.get("eval_metric_ops") if spec else None
        if metric_ops is None:
            return Code("")
        metrics = source(self._module, metric_ops)
        if not isinstance(metrics, ast.Dict):
            refuse(metric_ops, "the metrics are not written out as a dictionary")
        codes = []
        for key, value in zip(metrics.keys, metrics.values, strict=True):
            if not isinstance(key, ast.Constant) or not isinstance(key.value, str):
                refuse(value, "the name of a metric is not a string")
            codes.append(self._metric(key, value))
        if isinstance(metric_ops, ast.Name):
            for added in self._added_metrics(metric_ops):
                assert isinstance(added.targets[0], ast.Subscript)
                self._metric(added.targets[0].slice, added.value)
        holder = self._module.statement(metrics)
        if isinstance(holder, ast.Assign) and isinstance(metric_ops, ast.Name):
            self._plan.names_in_use.add((self._model.function, metric_ops.id))
            return Code(f"list({metric_ops.id}.values())")
        metric_names = [v for v in metrics.values if isinstance(v, ast.Name)]
        if len(metric_names) == len(metrics.values):
            self._plan.names_in_use.update((self._model.function, v.id) for v in metric_names)
            return Code(f"[{', '.join(v.id for v in metric_names)}]")
        if metric_names:
            refuse(metric_ops, "some metrics have names and others do not", "name all of them")
        parts: list[ast.expr] = []
        texts = []
        for code in codes:
            places = [f"{{{len(parts) + index}}}" for index in range(len(code.parts))]
            texts.append(as_text(code).format(*places))
            parts += code.parts
        together = f"[{', '.join(texts)}]"
        if len(together) + sum(len(ast.unparse(part)) for part in parts) > _WIDTH:
            items = "".join(f"        {text},\n" for text in texts)
            together = f"[\n{items}    ]"
        return Code(together, tuple(parts))

    def _metric(self, key: ast.expr, value: ast.expr) -> Code:
        """Converts one metric."""
        name = self._module.code(key)
        code = metric_code(self._plan, self._model, self.loss, value, name)
        place = source(self._module, value)
        if not self._plan.is_removed(place):
            self._plan.replace(self._module, place, code)
        return code

    def _added_metrics(self, metrics: ast.Name) -> list[ast.Assign]:
        """Returns the assignments ``metrics['name'] = ...``."""
        return [
            statement
            for statement in self._module.all(ast.Assign, self._model.function)
            if isinstance(statement.targets[0], ast.Subscript)
            and isinstance(statement.targets[0].value, ast.Name)
            and statement.targets[0].value.id == metrics.id
        ]

    def _finish(
        self, last: Spec, optimizer: FoundOptimizer, loss: str, metrics: Code, added: Sequence[Code]
    ) -> None:
        """Replaces the EstimatorSpec by the compiled model."""
        module, features = self._module, self._inputs()
        name = self._free_name("model")
        assigned = []
        if added:
            metrics = Code(self._free_name("metrics"))
            lines = "".join(f"\n    {as_text(code)}," for code in added)
            assigned.append(Code(f"{metrics.template} = [{lines}\n]"))
        model_code = Code(f"{name} = keras.Model({features}, {{0}})", (self.loss.output,))
        outputs = [n.id for n in ast.walk(self.loss.output) if isinstance(n, ast.Name)]
        self._plan.names_in_use.update((self._model.function, output) for output in outputs)
        parts = list(metrics.parts)
        arguments = []
        if optimizer.name:
            arguments.append(f"optimizer={optimizer.name}")
        elif isinstance(optimizer.value, ast.Name) and not optimizer.helper:
            arguments.append(f"optimizer={optimizer.value.id}")
            self._plan.names_in_use.add((self._model.function, optimizer.value.id))
        else:
            arguments.append(f"optimizer={{{len(parts)}}}")
            parts.append(optimizer.place)
        arguments.append(f"loss={loss}")
        arguments += [f"metrics={metrics.template}"] if metrics.template else []
        # Callbacks that were hooks are called after each step, not after each execution.
        if not calls_each_step(self._plan):
            arguments.append(f"steps_per_execution={STEPS_PER_EXECUTION}")
        compiled = Code(f"{name}.compile", tuple(parts), tuple(arguments))
        if "\n" in metrics.template:
            lines = ",\n    ".join(arguments)
            compiled = Code(f"{name}.compile(\n    {lines})", tuple(parts))
        # The slots must be there when train_model restores weights before the first step.
        built = Code(f"{name}.optimizer.build({name}.trainable_variables)  # for checkpoints")
        further = []
        if (predictions := self._predictions) is not None and predictions.value is not None:
            text = f"{name}.{PREDICTOR} = keras.Model({features}, {{0}})"
            further.append(Code(text, (predictions.value,)))
        if predictions is not None and predictions.signatures:
            further.append(signatures_code(module, name, features, predictions))
        if self._summaries.code:
            further.append(Code(f"{name}.summaries = {self._summaries.code}"))
        returned = Code(f"return {name}")
        self._plan.needs(module, "keras")
        self._plan.replace_statement(
            module, last.statement, *assigned, model_code, compiled, built, *further, returned
        )

    def _inputs(self) -> str:
        """Returns the name of the inputs of the model at the end of the model function.

        Raises:
            Refusal: the features are changed in place.
        """
        module, model = self._module, self._model
        features = model.parameters["features"]
        uses = [n for n in module.all(ast.Name, model.function) if n.id == features]
        for node in uses:
            place = module.parent(node)
            changed = isinstance(place, ast.Subscript) and not isinstance(place.ctx, ast.Load)
            if changed or (isinstance(place, ast.Attribute) and place.attr in _CHANGES):
                refuse(node, f"`{features}` is changed in place", "only read the features")
        if all(isinstance(node.ctx, ast.Load) for node in uses):
            return features
        first = model.function.body[0]
        if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
            first = model.function.body[1]
        name = self._free_name("inputs")
        self._plan.edits[module].append(InsertBefore(first, Code(f"{name} = {features}")))
        return name

    def _remove_training(self, optimizer: FoundOptimizer) -> None:
        """Removes the training operation; the optimizer stays where it is made."""
        if optimizer.helper:
            statement = self._module.statement(optimizer.place)
            if isinstance(statement, ast.Assign):
                self._plan.drop(self._module, statement, (optimizer.place,))
        elif not optimizer.name:
            self._plan.remove(self._module, self._module.statement(optimizer.step))
        for place in self._module.all(ast.With, self._model.function):
            self._unwrap_dependencies(place)

    def _built(self, optimizer: FoundOptimizer, replication: Replication) -> Built:
        model, features = self._model, self._model.parameters["features"]
        return Built(
            self._free_name("model"),
            FeatureTensors(self._plan, self._module, model.function, features),
            self._predictions is not None,
            replication.has_towers,
            self._moves_averages(optimizer),
        )

    def _moves_averages(self, optimizer: FoundOptimizer) -> bool:
        """Returns whether a step runs the updates of all layers: UPDATE_OPS is read below them."""
        module, output = self._module, source(self._module, self.loss.output)
        if optimizer.updates:
            # Read above the last layer, the collection lacks the updates of that one.
            return module.position(optimizer.step) > module.position(output)
        for place in module.ancestors(optimizer.place if optimizer.helper else optimizer.value):
            if isinstance(place, ast.With):
                updates = self._updates(place)
                if updates is not None and module.position(updates) > module.position(output):
                    return len(updates.args) + len(updates.keywords) == 1
        return False

    def _updates(self, place: ast.With) -> ast.Call | None:
        """Returns what reads UPDATE_OPS for ``with tf.control_dependencies(...)``."""
        context = place.items[0].context_expr
        if called(self._module, context) != _DEPENDENCIES or not isinstance(context, ast.Call):
            return None
        updates = source(self._module, context.args[0]) if context.args else context
        key = argument(updates, 0, "key") if isinstance(updates, ast.Call) else None
        if called(self._module, updates) != "tensorflow.get_collection":
            return None
        is_updates = resolved(self._module, key) == UPDATES
        return updates if is_updates and isinstance(updates, ast.Call) else None

    def _check_output(self) -> None:
        """Refuses an output that has another value at the end than in the loss."""
        module, loss = self._module, self.loss
        names = {n.id for n in ast.walk(loss.output) if isinstance(n, ast.Name)}
        for node in self._plan.left(stores(module, self._model.function, *names)):
            if module.position(node) > module.position(loss.output):
                refuse(node, f"`{node.id}`, the output of the model, is set anew below the loss")

    def _check_once(self, optimizer: FoundOptimizer) -> None:
        """Refuses other values of the loss, and other uses of the optimizer."""
        module, statement = self._module, self._module.statement(self.loss.node)
        targets = statement.targets if isinstance(statement, ast.Assign) else []
        losses = {t.id for t in targets if isinstance(t, ast.Name)}
        batch = self.loss.batch
        place = module.all(ast.Name, batch.place)[0] if batch and batch.place else None
        named = isinstance(optimizer.value, ast.Name) and not optimizer.helper
        used = optimizer.value.id if named else None  # type: ignore[attr-defined]
        for node in self._plan.left(module.all(ast.Name, self._model.function)):
            if place and node.id == place.id and isinstance(node.ctx, ast.Load):
                if not self._plan.is_of_values(module, node):
                    refuse(node, f"`{node.id}` is read here, and the loss becomes a function")
                continue
            if node.id in losses and node not in targets and isinstance(node.ctx, ast.Store):
                refuse(node, f"the loss `{node.id}` has several values")
            if node.id == used and isinstance(module.parent(node), ast.Attribute):
                refuse(node, f"another use of the optimizer `{node.id}`")

    def _check_callers(self) -> None:
        """Refuses calls of the model function, whose parameters change."""
        for _, call in calls_of(self._plan, self._model.function):
            refuse(call, f"`{self._model.function.name}` is called here")

    def _unwrap_dependencies(self, place: ast.With) -> None:
        """Removes ``with tf.control_dependencies(...)`` around the training operation."""
        names = [called(self._module, item.context_expr) for item in place.items]
        if names != [_DEPENDENCIES]:
            return
        if self._updates(place) is None:
            refuse(place, "a control dependency on something other than UPDATE_OPS")
        if all(self._plan.is_removed(statement) for statement in place.body):
            self._plan.remove(self._module, place)
        else:
            refuse(place, "a control dependency", "remove it: Keras orders updates itself")

    def _change_parameters(self) -> None:
        model, module = self._model, self._module
        gone = [model.parameters[kind] for kind in _GONE if kind in model.parameters]
        for node in self._plan.left(module.all(ast.Name, model.function)):
            inside = self._plan.is_of_values(module, node)
            inside = inside and not self._plan.is_left(module, node)
            if node.id in gone and not inside:
                refuse(node, f"`{node.id}` is used in the code that builds the model")
        self._plan.edits[module].append(RemoveParameters(model.function, tuple(gone)))

    def _free_name(self, name: str) -> str:
        bound = {n.id for n in self._module.all(ast.Name, self._model.function)}
        return name if name not in bound else f"keras_{name}"
