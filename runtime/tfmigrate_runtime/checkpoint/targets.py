"""What a checkpoint of TensorFlow 1.x is converted to: a compiled Keras model, or objects."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

from tfmigrate_runtime.checkpoint import tensors
from tfmigrate_runtime.verify.map_file import RefusedError
from tfmigrate_runtime.verify.recorder.native.created_variables import (
    Created,
    is_variable,
    named,
    tensorflow_variable,
)
from tfmigrate_runtime.verify.recorder.pairing.readings_of_original import Program


class Target(Protocol):
    """What holds the variables of a migrated program, and reads and writes their file."""

    def program(self) -> Program:
        """Returns the variables, under unique names."""

    def holds(self, key: int) -> bool:
        """Whether a file has the variable with a key."""

    def read(self, path: str) -> None:
        """Gives the variables the values of a file."""

    def place(self, path: str, step: int) -> str:
        """Returns the file of a step: the path, or one in the folder that it is."""

    def write(self, path: str, step: int) -> None:
        """Writes a file."""


class KerasModel:
    """A compiled Keras model."""

    def __init__(self, model: Any) -> None:
        """Takes the model."""
        self._model = model

    def program(self) -> Program:
        """Returns the variables of the model.

        Raises:
            RefusedError: it has none yet.
        """
        model, optimizer = self._model, self._model.optimizer
        if not model.built:
            raise RefusedError("the model has no variables yet: build it before it is trained")
        trained = list(model.trainable_variables)
        if not optimizer.built:
            with model.distribute_strategy.scope():
                optimizer.build(trained)
        return _program(optimizer, trained, list(model.non_trainable_weights))

    def holds(self, key: int) -> bool:
        """All variables of a model are in its file."""
        return True

    def read(self, path: str) -> None:
        """Gives the model the values of a file."""
        self._model.load_weights(path)

    def place(self, path: str, step: int) -> str:
        """Files of Keras have names."""
        return path

    def write(self, path: str, step: int) -> None:
        """Saves the model; what fails leaves the file as it was."""
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        if path.endswith(".keras"):
            part = str(Path(path).with_name("part.keras"))
            self._model.save(part)
        else:
            part = str(Path(path).with_name("part.weights.h5"))
            self._model.save_weights(part)
        Path(part).replace(path)


class Objects:
    """The objects of a ``tf.train.Checkpoint``, with one optimizer of Keras among them."""

    def __init__(self, checkpoint: Any, name: str, created: Created, restore: Any) -> None:
        """Takes the objects.

        Args:
            checkpoint: the ``tf.train.Checkpoint``.
            name: that of the files.
            created: the variables of the program.
            restore: ``tf.train.Checkpoint.restore``, which the program calls in vain.
        """
        import keras
        import tensorflow as tf

        self._checkpoint, self._name = checkpoint, name
        self._created, self._restore = created, restore
        tracked = list(tf.train.TrackableView(checkpoint).descendants())
        self.optimizers = [t for t in tracked if isinstance(t, keras.optimizers.Optimizer)]
        self._keys = {id(tensorflow_variable(item)) for item in tracked if is_variable(item)}

    @property
    def is_built(self) -> bool:
        """Whether all variables are there."""
        return bool(self.optimizers) and all(optimizer.built for optimizer in self.optimizers)

    def program(self) -> Program:
        """Returns the variables of the program.

        Raises:
            RefusedError: there are several optimizers.
        """
        if len(self.optimizers) > 1:
            raise RefusedError("the tf.train.Checkpoint of the program has several optimizers")
        (optimizer,) = self.optimizers
        trained = list(getattr(optimizer, "_trainable_variables", None) or ())
        own = list(optimizer.variables)
        others = self._created.of_models([*trained, *own, self._checkpoint.save_counter])
        return _program(optimizer, trained, others)

    def holds(self, key: int) -> bool:
        """Whether a variable is one of the objects."""
        return key in self._keys

    def read(self, path: str) -> None:
        """Gives the objects the values of a checkpoint.

        Raises:
            RefusedError: it is of other objects.
        """
        status = self._restore(self._checkpoint, path)
        try:
            status.assert_existing_objects_matched()
        except AssertionError as error:
            reason = str(error).splitlines()[0][:200]
            raise RefusedError(f"{path} is of other objects than the program: {reason}") from error

    def place(self, path: str, step: int) -> str:
        """Returns what the program itself calls a checkpoint in a folder."""
        return tensors.in_folder(path, self._name, step)

    def write(self, path: str, step: int) -> None:
        """Writes a checkpoint, and makes it the last one of its folder."""
        number = path.rpartition("-")[2]
        # A CheckpointManager numbers its files with this counter where it is given no number.
        self._checkpoint.save_counter.assign(int(number) if number.isdigit() else step)
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        self._checkpoint.write(path)
        tensors.make_last(path)


def _program(optimizer: Any, trained: Sequence[Any], others: Sequence[Any]) -> Program:
    names = named([*trained, *others, *optimizer.variables])
    counts = len(trained), len(trained) + len(others)
    key = id(tensorflow_variable(optimizer.iterations))
    steps = next(variable for variable in names if variable.key == key)
    return Program(
        [optimizer], names[: counts[0]], names[counts[0] : counts[1]], names[counts[1] :], steps, []
    )
