"""Stops a program at the first use of what a checkpoint is converted to."""

import functools
import inspect
from collections.abc import Callable
from typing import Any

from tfmigrate_runtime.checkpoint.targets import KerasModel, Objects, Target
from tfmigrate_runtime.verify.map_file import RefusedError
from tfmigrate_runtime.verify.recorder.native.created_variables import Created
from tfmigrate_runtime.verify.recorder.native.functions import across_replicas
from tfmigrate_runtime.verify.recorder.program import wrapping

Convert = Callable[[Callable[[], Target]], Any]  # ends the process

_USES = ("fit", "evaluate", "train_on_batch", "predict", "load_weights", "save_weights")
_CHECKPOINT_USES = ("restore", "read", "save", "write")
_MANAGER_USES = ("restore_or_initialize", "save")
_NO_CHECKPOINT = "the program trains before it makes a tf.train.Checkpoint with its optimizer"


def watch_models(convert: Convert) -> None:
    """Converts with the first compiled model that is used."""
    import keras

    originals = {name: getattr(keras.Model, name) for name in _USES}

    def use(original: Any, this: Any, *arguments: Any, **options: Any) -> Any:
        if getattr(this, "optimizer", None) is None:
            return original(this, *arguments, **options)
        for name, method in originals.items():  # the conversion uses them, too
            setattr(keras.Model, name, method)
        return convert(lambda: KerasModel(this))

    for name in _USES:
        wrapping.wrap(keras.Model, name, use)


def watch_checkpoints(convert: Convert) -> None:
    """Converts with the first checkpoint of an optimizer that is used, or whose optimizer steps."""
    _Checkpoints(convert).install()


class _Checkpoints:
    """Follows the checkpoints of a program."""

    def __init__(self, convert: Convert) -> None:
        self._convert = convert
        self._created = Created()
        self._made: list[Any] = []
        self._names: dict[int, str] = {}  # of files, by the id of a checkpoint
        self._originals: dict[str, Any] = {}

    def install(self) -> None:
        """Wraps what makes and uses checkpoints, and the steps of optimizers."""
        import keras
        import tensorflow as tf
        from keras.src.backend.common import variables

        self._created.install()
        self._created.of_keras(variables)
        checkpoint, manager = tf.train.Checkpoint, tf.train.CheckpointManager
        self._originals = {name: getattr(checkpoint, name) for name in _CHECKPOINT_USES}
        for name in _CHECKPOINT_USES:
            wrapping.wrap(checkpoint, name, functools.partial(self._use, lambda this: this))
        for name in _MANAGER_USES:
            wrapping.wrap(manager, name, functools.partial(self._use, lambda this: this.checkpoint))
        wrapping.on_creation(checkpoint, self._made.append)
        wrapping.wrap(manager, "__init__", self._note_name)
        wrapping.before(keras.optimizers.Optimizer, "apply", self._step)

    def _note_name(self, original: Any, this: Any, *arguments: Any, **options: Any) -> None:
        original(this, *arguments, **options)
        bound = inspect.signature(original).bind(this, *arguments, **options)
        bound.apply_defaults()
        self._names[id(this.checkpoint)] = bound.arguments["checkpoint_name"]

    def _use(
        self, of: Callable[[Any], Any], original: Any, this: Any, *arguments: Any, **options: Any
    ) -> Any:
        objects = self._objects(of(this))
        if objects.is_built:
            return self._end(lambda: objects)
        if objects.optimizers and original.__name__ in ("restore", "read"):
            return original(this, None)  # its values are none to start from
        return original(this, *arguments, **options)

    def _objects(self, checkpoint: Any) -> Objects:
        name = self._names.get(id(checkpoint), "ckpt")
        return Objects(checkpoint, name, self._created, self._originals["restore"])

    def _end(self, target: Callable[[], Target]) -> Any:
        import tensorflow as tf

        for name, method in self._originals.items():  # the conversion uses them, too
            setattr(tf.train.Checkpoint, name, method)
        return self._convert(target)

    def _step(self, optimizer: Any, grads: Any, trainable_variables: Any = None) -> None:
        import tensorflow as tf

        def end(strategy: Any) -> None:
            with tf.init_scope():  # the step is usually traced
                if not optimizer.built and trainable_variables is not None:
                    optimizer.build(list(trainable_variables))
                self._end(lambda: self._of(optimizer))

        across_replicas(end)

    def _of(self, optimizer: Any) -> Objects:
        """Returns the first checkpoint of an optimizer.

        Raises:
            RefusedError: there is none yet.
        """
        for objects in map(self._objects, self._made):
            if any(optimizer is other for other in objects.optimizers):
                return objects
        raise RefusedError(_NO_CHECKPOINT)
