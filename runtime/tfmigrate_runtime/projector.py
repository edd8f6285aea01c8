"""tf.contrib.tensorboard.plugins.projector: which embeddings TensorBoard shows, and how.

``from tfmigrate_runtime import projector`` in its place. The messages are copies, so that the
package tensorboard is not needed.
"""

import os
from typing import Any

import tensorflow.compat.v1 as tf
from google.protobuf import (  # type: ignore[import-untyped,unused-ignore]
    descriptor_pb2,
    descriptor_pool,
    message_factory,
    text_format,
)

from tfmigrate_runtime import compat as compat  # refuses other versions of TensorFlow

__all__ = ["EmbeddingInfo", "ProjectorConfig", "SpriteMetadata", "visualize_embeddings"]

_FILE = "tfmigrate_runtime/projector_config.proto"
_PACKAGE = "tfmigrate_runtime.projector"
# Name, kind and number of each field, as in TensorBoard's projector_config.proto.
_MESSAGES = {
    "SpriteMetadata": ("image_path string 1", "single_image_dim uint32* 2"),
    "EmbeddingInfo": (
        "tensor_name string 1", "metadata_path string 2", "bookmarks_path string 3",
        "tensor_shape uint32* 4", "sprite SpriteMetadata 5", "tensor_path string 6",
    ),
    "ProjectorConfig": (
        "model_checkpoint_path string 1",
        "embeddings EmbeddingInfo* 2",
        "model_checkpoint_dir string 3",
    ),
}  # fmt: skip


def _classes() -> dict[str, Any]:
    """Returns the classes of the messages, of a pool of their own: TensorBoard has them, too."""
    file = descriptor_pb2.FileDescriptorProto(name=_FILE, package=_PACKAGE, syntax="proto3")
    kinds = descriptor_pb2.FieldDescriptorProto
    for message, fields in _MESSAGES.items():
        added = file.message_type.add(name=message)
        for name, kind, number in (field.split() for field in fields):
            field = added.field.add(name=name, number=int(number), label=kinds.LABEL_OPTIONAL)
            if kind.endswith("*"):
                field.label = kinds.LABEL_REPEATED
            if (kind := kind.rstrip("*")) in _MESSAGES:
                field.type, field.type_name = kinds.TYPE_MESSAGE, f".{_PACKAGE}.{kind}"
            else:
                field.type = kinds.Type.Value(f"TYPE_{kind.upper()}")
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return {
        name: message_factory.GetMessageClass(pool.FindMessageTypeByName(f"{_PACKAGE}.{name}"))
        for name in _MESSAGES
    }


_found = _classes()
EmbeddingInfo = _found["EmbeddingInfo"]
ProjectorConfig = _found["ProjectorConfig"]
SpriteMetadata = _found["SpriteMetadata"]


def visualize_embeddings(summary_writer: Any, config: Any) -> None:
    """Writes what TensorBoard's projector is to show into the folder of a summary writer.

    Args:
        summary_writer: a ``tf.summary.FileWriter``.
        config: a ProjectorConfig.

    Raises:
        ValueError: the summary writer has no folder.
    """
    if (folder := summary_writer.get_logdir()) is None:
        raise ValueError("Summary writer must have a logdir")
    path = os.path.join(os.fspath(folder), "projector_config.pbtxt")  # noqa: PTH118
    with tf.io.gfile.GFile(path, "w") as file:
        file.write(text_format.MessageToString(config))
