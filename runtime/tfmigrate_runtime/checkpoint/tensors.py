"""Files of checkpoints: what the variables of TensorFlow 1.x are, and writing them."""

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tfmigrate_runtime.verify.map_file import RefusedError

_COPY_ON_REPLICA = re.compile(r"/replica_\d+$")
_OBJECTS = "_CHECKPOINTABLE_OBJECT_GRAPH"  # is in every tf.train.Checkpoint
_NUMBER = re.compile(r"-\d+$")
Form = dict[str, Any]  # name, shape, dtype and trainable, as in the ``meta`` of a trace


class Checkpoint:
    """A checkpoint of a program of TensorFlow 1.x.

    Attributes:
        path: the common beginning of its files.
        forms: its variables in order of creation; tensors of no variable come last.
        unsaved: variables of its graph that are not in it.
    """

    def __init__(self, path: str) -> None:
        """Opens a checkpoint, or the last one in a folder.

        Raises:
            RefusedError: there is none, or the file that lists its variables is missing.
        """
        import tensorflow as tf

        self.path = prefix(path)
        self._reader = tf.train.load_checkpoint(self.path)
        shapes = self._reader.get_variable_to_shape_map()
        if _OBJECTS in shapes:
            raise RefusedError(f"{self.path} is a tf.train.Checkpoint, not one of TensorFlow 1.x")
        dtypes = self._reader.get_variable_to_dtype_map()
        trainable = dict(_variables_of(f"{self.path}.meta"))
        names = [name for name in trainable if name in shapes]
        self.unsaved = [name for name in trainable if name not in shapes]
        names += sorted(shapes.keys() - trainable.keys())
        self.forms: list[Form] = [
            {
                "name": name,
                "shape": list(shapes[name]),
                "dtype": dtypes[name].base_dtype.name,
                "trainable": trainable.get(name, False),
            }
            for name in names
        ]

    def value(self, name: str) -> Any:
        """Returns a tensor as an array; partitions of a variable are joined."""
        return self._reader.get_tensor(name)


def is_keras_file(path: str) -> bool:
    """Whether a path is that of a file that Keras writes."""
    return path.endswith((".weights.h5", ".keras"))


def is_of_objects(path: str) -> bool:
    """Whether a checkpoint, or the last one in a folder, is a ``tf.train.Checkpoint``.

    Raises:
        RefusedError: there is none.
    """
    import tensorflow as tf

    return _OBJECTS in tf.train.load_checkpoint(prefix(path)).get_variable_to_shape_map()


def in_folder(path: str, name: str, step: int) -> str:
    """Returns where a checkpoint is written: ``name-step`` where the path is a folder."""
    if not path.endswith(os.sep):
        return path
    return f"{path}{_NUMBER.sub('', name)}-{step}"


def write(path: str, values: Mapping[str, Any]) -> None:
    """Writes a checkpoint of TensorFlow 1.x, and makes it the last one of its folder."""
    import tensorflow as tf

    Path(path).parent.mkdir(parents=True, exist_ok=True)
    names = sorted(values)
    tensors = [tf.convert_to_tensor(values[name]) for name in names]
    with tf.device("CPU"):
        tf.raw_ops.SaveV2(
            prefix=path, tensor_names=names, shape_and_slices=[""] * len(names), tensors=tensors
        )
    make_last(path)


def make_last(path: str) -> None:
    """Makes a checkpoint the last one of its folder."""
    import tensorflow as tf

    place = Path(path)  # the folder may be moved: the name is relative to it
    tf.compat.v1.train.update_checkpoint_state(str(place.parent), place.name)


def prefix(path: str) -> str:
    """Returns the common beginning of the files of a checkpoint, or of the last one in a folder.

    Raises:
        RefusedError: there is none.
    """
    import tensorflow as tf

    checkpoint = tf.train.latest_checkpoint(path) if Path(path).is_dir() else path
    if checkpoint is None or not Path(f"{checkpoint}.index").exists():
        raise RefusedError(f"{path}: no checkpoint (PREFIX.index, PREFIX.data-*)")
    return str(checkpoint)


def _variables_of(path: str) -> Iterator[tuple[str, bool]]:
    """Yields the variables of a graph in order of creation, and whether they are trained."""
    import tensorflow as tf

    from tfmigrate_runtime.compat.graphs import VariableDef

    try:
        graph = tf.compat.v1.MetaGraphDef.FromString(Path(path).read_bytes())
    except OSError as error:
        reason = (
            f"{path}: {error.strerror}. It lists the variables, and is saved with the other files"
        )
        raise RefusedError(reason) from error
    names: dict[str, list[str]] = {"variables": [], "trainable_variables": []}
    for kind, kind_names in names.items():
        for stored in graph.collection_def[kind].bytes_list.value:
            variable = VariableDef.FromString(stored)
            whole = variable.save_slice_info_def.full_name  # of partitions
            name = whole or variable.variable_name.split(":")[0]
            if not _COPY_ON_REPLICA.search(name):
                kind_names.append(name)
    trainable = set(names["trainable_variables"])
    yield from ((name, name in trainable) for name in dict.fromkeys(names["variables"]))
