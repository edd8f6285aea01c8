"""tf.contrib.tensorboard.plugins.projector: lists the embeddings for TensorBoard."""

from __future__ import annotations

from typing import Any

import tensorflow.compat.v1 as tf
from google.protobuf import (  # type: ignore[import-untyped,unused-ignore]
    descriptor_pb2,
    descriptor_pool,
    message_factory,
    text_format,
)

__all__ = ["EmbeddingInfo", "ProjectorConfig", "SpriteMetadata", "visualize_embeddings"]

_FILE = "projector_config.pbtxt"  # the name that TensorBoard looks for
_Field = descriptor_pb2.FieldDescriptorProto
_MANY = _Field.LABEL_REPEATED
# As in contrib/tensorboard/plugins/projector/projector_config.proto: name, number, kind, label.
_FIELDS: dict[str, tuple[tuple[str, int, Any, int], ...]] = {
    "SpriteMetadata": (
        ("image_path", 1, _Field.TYPE_STRING, _Field.LABEL_OPTIONAL),
        ("single_image_dim", 2, _Field.TYPE_UINT32, _MANY),
    ),
    "EmbeddingInfo": (
        ("tensor_name", 1, _Field.TYPE_STRING, _Field.LABEL_OPTIONAL),
        ("metadata_path", 2, _Field.TYPE_STRING, _Field.LABEL_OPTIONAL),
        ("bookmarks_path", 3, _Field.TYPE_STRING, _Field.LABEL_OPTIONAL),
        ("tensor_shape", 4, _Field.TYPE_UINT32, _MANY),
        ("sprite", 5, "SpriteMetadata", _Field.LABEL_OPTIONAL),
        ("tensor_path", 6, _Field.TYPE_STRING, _Field.LABEL_OPTIONAL),
    ),
    "ProjectorConfig": (
        ("model_checkpoint_path", 1, _Field.TYPE_STRING, _Field.LABEL_OPTIONAL),
        ("embeddings", 2, "EmbeddingInfo", _MANY),
        ("model_checkpoint_dir", 3, _Field.TYPE_STRING, _Field.LABEL_OPTIONAL),
    ),
}


def _message_classes() -> dict[str, Any]:
    """Returns the classes of the messages; a pool of their own leaves TensorBoard's alone."""
    file = descriptor_pb2.FileDescriptorProto(
        name="projector_config.proto", package="tensorflow", syntax="proto3"
    )
    for message, fields in _FIELDS.items():
        described = file.message_type.add(name=message)
        for name, number, kind, label in fields:
            if isinstance(kind, str):
                described.field.add(
                    name=name,
                    number=number,
                    type=_Field.TYPE_MESSAGE,
                    label=label,
                    type_name=f".tensorflow.{kind}",
                )
            else:
                described.field.add(name=name, number=number, type=kind, label=label)
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return {
        name: message_factory.GetMessageClass(pool.FindMessageTypeByName(f"tensorflow.{name}"))
        for name in _FIELDS
    }


_classes = _message_classes()
EmbeddingInfo = _classes["EmbeddingInfo"]
ProjectorConfig = _classes["ProjectorConfig"]
SpriteMetadata = _classes["SpriteMetadata"]


def visualize_embeddings(summary_writer: Any, config: Any) -> None:
    """Writes a configuration where TensorBoard finds it.

    Args:
        summary_writer: its folder is where.
        config: a ProjectorConfig.

    Raises:
        ValueError: the writer has no folder.
    """
    folder = summary_writer.get_logdir()
    if folder is None:
        raise ValueError("Summary writer must have a logdir")
    # Not a Path: it may be a URL.
    with tf.gfile.GFile(f"{folder.rstrip('/')}/{_FILE}", "w") as file:
        file.write(text_format.MessageToString(config))
