"""Observes programs of Keras 3 on JAX or PyTorch: no line in them is needed.

The function that a Trainer makes for its steps is wrapped. On JAX it takes and returns the whole
state, so that the original's goes in where the step's came out; on PyTorch variables are read and
assigned. The loss is what the gradients are of, regularizers included. Masks of dropout are the
original's.
"""

import importlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from tfmigrate_runtime.record.draws import UNIFORM
from tfmigrate_runtime.record.follower import refuse
from tfmigrate_runtime.record.layouts import Layout
from tfmigrate_runtime.record.maps import PairingError
from tfmigrate_runtime.record.pairing import PortVariable
from tfmigrate_runtime.record.run import Run
from tfmigrate_runtime.verify.recorder.program import wrapping

_ROLES = {
    "Adam": {"_momentums": "m", "_velocities": "v"},
    "SGD": {"momentums": "momentum"},
    "RMSprop": {"_velocities": "rms", "_momentums": "momentum"},
    "Adagrad": {"_accumulators": "sum"},
    "Adadelta": {"_accumulated_grads": "rms", "_accumulated_delta_vars": "delta"},
}
# Of the gates i, j, f, o of TensorFlow 1.x those of Keras, which are i, f, j, o.
_GATES = (0, 2, 1, 3)
_SEVERAL = "two models are trained; a port is compared while one is"


class KerasObserver:
    """Records the training of the program's model."""

    def __init__(self, keras: Any, run: Run) -> None:
        """Takes the module ``keras`` and where to record."""
        self._keras, self._run = keras, run
        self._backend = keras.backend.backend()
        self._trainer: Any = None
        self._loss = float("nan")
        run.framework = f"keras {keras.__version__} on {self._backend}"

    def install(self) -> None:
        """Wraps the Trainer of the backend."""
        if self._backend not in ("jax", "torch"):
            refuse(f"Keras runs this program on {self._backend}: only JAX and PyTorch are followed")
        kind = next(c for c in self._keras.Model.__mro__ if "make_train_function" in vars(c))
        wrapping.wrap(kind, "make_train_function", self._make_train_function)
        wrapping.wrap(kind, "evaluate", self._evaluate)
        module = importlib.import_module(f"keras.src.backend.{self._backend}.random")
        wrapping.wrap(module, "dropout", self._dropout)

    def _make_train_function(self, original: Any, trainer: Any, force: bool = False) -> None:
        if trainer.train_function is None or force:
            self._begin(trainer)
            original(trainer, force)
            step: Any = {"jax": self._on_jax, "torch": self._on_torch}[self._backend]
            wrapping.wrap(trainer, "train_function", step)

    def _begin(self, trainer: Any) -> None:
        """Has a model start from the original's values, and note its loss."""
        if self._trainer is not None and self._trainer is not trainer:
            refuse(_SEVERAL)
        if self._trainer is None:
            self._note_loss(trainer)
        self._trainer = trainer
        if self._run.is_begun:
            return
        variables = self._variables()
        values = {name: np.asarray(variable) for name, variable in variables.items()}
        try:
            start = self._run.begin(list(self._as_ports(variables, values)), values)
        except PairingError as error:
            refuse(str(error))
        for name, value in start.items():
            variables[name].assign(value)

    def _variables(self) -> dict[str, Any]:
        """Returns the variables of the model by their paths, without states of generators."""
        trainer = self._trainer
        variables = [*trainer.trainable_variables, *trainer.non_trainable_variables]
        # Seeds of generators are uint32.
        return {variable.path: variable for variable in variables if variable.dtype != "uint32"}

    def _as_ports(
        self, variables: Mapping[str, Any], values: Mapping[str, Any]
    ) -> Iterator[PortVariable]:
        trained = {variable.path for variable in self._trainer.trainable_variables}
        cells = {
            cell.kernel.path: cell
            for layer in self._trainer._flatten_layers()
            for cell in [getattr(layer, "cell", layer)]
            if type(cell).__name__ == "LSTMCell" and getattr(cell, "kernel", None) is not None
        }
        inner = {cell.recurrent_kernel.path for cell in cells.values()}
        biases = {cell.bias.path for cell in cells.values() if cell.use_bias}
        for name in variables:
            if name in inner:
                continue
            layout, shape = None, values[name].shape
            if name in cells:
                parts = (name, cells[name].recurrent_kernel.path)
                layout = Layout(parts, join=0, blocks=(1, _GATES))
                shape = (shape[0] + values[parts[1]].shape[0], shape[1])
            elif name in biases:
                # TensorFlow 1.x adds the forget bias when it computes.
                layout = Layout((name,), blocks=(0, _GATES), add=(0, 2, 4, -1.0))
            yield PortVariable(name, shape, name in trained, layout)

    def _note_loss(self, trainer: Any) -> None:
        """Notes the loss of each step, where the model computes it."""
        if self._backend == "torch":
            original = trainer._compute_loss

            def compute_loss(*arguments: Any, **options: Any) -> Any:
                loss = original(*arguments, **options)
                if options.get("training", True):
                    self._loss = float(loss.detach().double().cpu())
                return loss

            trainer._compute_loss = compute_loss
            return
        jax = importlib.import_module("jax")
        computed = trainer.compute_loss_and_updates

        def compute_loss_and_updates(*arguments: Any, **options: Any) -> Any:
            loss, auxiliary = computed(*arguments, **options)
            jax.debug.callback(self._note, auxiliary[0])
            return loss, auxiliary

        trainer.compute_loss_and_updates = compute_loss_and_updates

    def _note(self, loss: Any) -> None:
        self._loss = float(np.asarray(loss, np.float64))

    def _on_jax(self, original: Any, state: Any, iterator: Iterator[Any]) -> Any:
        jax = importlib.import_module("jax")

        batch = next(iterator)
        # One batch at a time, which is read before: an iterator cannot be read twice.
        logs, (trained, others, of_optimizer, metrics) = original(state, iter([batch]))
        # The loss is noted by a callback, which may run after the step has returned.
        jax.effects_barrier()
        trainer = self._trainer
        keys = [*trainer.trainable_variables, *trainer.non_trainable_variables]
        held = dict(zip((v.path for v in keys), [*trained, *others], strict=True))
        slots = dict(zip((v.path for v in trainer.optimizer.variables), of_optimizer, strict=True))
        new, new_slots = self._recorded(held, slots, batch)

        def assigned(variables: Sequence[Any], values: Mapping[str, Any], own: Any) -> list[Any]:
            return [
                jax.numpy.asarray(values.get(v.path, value), value.dtype)
                for v, value in zip(variables, own, strict=True)
            ]

        return logs, (
            assigned(trainer.trainable_variables, new, trained),
            assigned(trainer.non_trainable_variables, new, others),
            assigned(trainer.optimizer.variables, new_slots, of_optimizer),
            metrics,
        )

    def _on_torch(self, original: Any, data: Any) -> Any:
        logs = original(data)
        of_optimizer = {v.path: v for v in self._trainer.optimizer.variables}
        variables = self._variables()
        held, slots = (
            {name: variable.numpy() for name, variable in each.items()}
            for each in (variables, of_optimizer)
        )
        new, new_slots = self._recorded(held, slots, data)
        for name, value in new.items():
            variables[name].assign(value)
        for name, value in new_slots.items():
            of_optimizer[name].assign(value)
        return logs

    def _recorded(
        self, held: Mapping[str, Any], slots: Mapping[str, Any], batch: Any
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Records a step; returns the original's variables and slots, by the paths of these."""
        names = self._variables()
        values = {name: np.asarray(held[name]) for name in names}
        roles = self._slots(slots)
        passed = {
            role: {owner: np.asarray(slots[path]) / scale for owner, (path, scale) in each.items()}
            for role, each in roles.items()
        }
        tree = self._keras.tree
        arrays = [np.asarray(leaf) for leaf in tree.flatten(batch) if hasattr(leaf, "shape")]
        read = {str(number): array for number, array in enumerate(arrays)}
        new, new_slots = self._run.step(self._loss, values, passed, read)
        by_path = {
            path: new_slots[role][owner] * scale
            for role, each in roles.items()
            for owner, (path, scale) in each.items()
        }
        return new, by_path

    def _slots(self, held: Mapping[str, Any]) -> dict[str, dict[str, tuple[str, float]]]:
        """Returns the optimizer's slots: by role and variable the path, and their scale.

        Args:
            held: the optimizer's variables after the step, by path.
        """
        optimizer = self._trainer.optimizer
        kinds = [kind.__name__ for kind in type(optimizer).__mro__]
        attributes = next((_ROLES[kind] for kind in kinds if kind in _ROLES), {})
        scale = 1.0
        if "SGD" in kinds:  # its momentum is that of TensorFlow 1.x times the negative rate
            rate: Any = optimizer._learning_rate
            # On JAX variables have no values while a model is fitted: the state has them.
            if (value := held.get(getattr(rate, "path", ""))) is None:
                value = rate(np.asarray(held[optimizer.iterations.path]) - 1)  # a schedule
            scale = -float(np.asarray(value))
        by_role: dict[str, dict[str, tuple[str, float]]] = {}
        owners = [variable.path for variable in optimizer._trainable_variables]
        for attribute, role in attributes.items():
            slots = getattr(optimizer, attribute, None) or []
            if pairs := {o: (v.path, scale) for o, v in zip(owners, slots, strict=False)}:
                by_role[role] = pairs
        return by_role

    def _evaluate(self, original: Any, trainer: Any, *arguments: Any, **options: Any) -> Any:
        as_dictionary = options.pop("return_dict", False)
        results = original(trainer, *arguments, return_dict=True, **options)
        if trainer is self._trainer:
            self._run.evaluation(results)
        values = list(results.values())
        return results if as_dictionary else values[0] if len(values) == 1 else values

    def _dropout(
        self, original: Any, inputs: Any, rate: float, noise_shape: Any = None, seed: Any = None
    ) -> Any:
        drawn = None
        if noise_shape is None and rate < 1 and self._run.is_begun:
            drawn = self._numbers(tuple(inputs.shape))
        if drawn is None:
            return original(inputs, rate, noise_shape, seed)
        ops = self._keras.ops
        mask = ops.cast(ops.greater_equal(drawn, rate), inputs.dtype)
        return inputs * mask / (1.0 - rate)

    def _numbers(self, shape: tuple[int, ...]) -> Any:
        """Returns the numbers of a mask: on JAX what gives them when the step is executed."""
        if self._backend == "torch":
            return self._run.draws.take(UNIFORM, shape)
        if None in shape or not self._run.draws.has(UNIFORM, shape):
            return None
        jax = importlib.import_module("jax")
        callback = importlib.import_module("jax.experimental").io_callback

        def take() -> Any:
            drawn = self._run.draws.take(UNIFORM, shape)
            return np.random.random(shape).astype(np.float32) if drawn is None else drawn

        return callback(take, jax.ShapeDtypeStruct(shape, np.float32), ordered=True)
