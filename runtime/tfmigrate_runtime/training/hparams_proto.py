"""The message ``tensorflow.HParamDef``, which TensorFlow 2 does not have, and its parts."""

from collections.abc import Mapping
from typing import Any

from google.protobuf import (  # type: ignore[import-untyped,unused-ignore]
    descriptor_pb2,
    descriptor_pool,
    message_factory,
)

_Field = descriptor_pb2.FieldDescriptorProto
_KINDS = {
    "int64": _Field.TYPE_INT64,
    "float": _Field.TYPE_FLOAT,
    "bytes": _Field.TYPE_BYTES,
    "bool": _Field.TYPE_BOOL,
}
# The order decides: bool is a subclass of int.
_KINDS_OF_TYPES: list[tuple[Any, str]] = [
    (bool, "bool"),
    (int, "int64"),
    ((str, bytes), "bytes"),
    (float, "float"),
]
# As in tensorflow/contrib/training/python/training/hparam.proto.
_NUMBERS_OF_VALUES = {"int64": 1, "float": 2, "bytes": 3, "bool": 7}
_NUMBERS_OF_LISTS = {"int64": 4, "float": 5, "bytes": 6, "bool": 8}
_NAME = "tensorflow.HParamDef"


def _field(
    name: str, number: int, kind: int, repeated: bool = False, message: str | None = None
) -> Any:
    label = _Field.LABEL_REPEATED if repeated else _Field.LABEL_OPTIONAL
    type_name = f".{_NAME}.{message}" if message else None
    return _Field(name=name, number=number, type=kind, label=label, type_name=type_name)


def _message_class() -> Any:
    """Returns the class HParamDef; a pool of its own leaves other definitions of it alone."""
    file = descriptor_pb2.FileDescriptorProto(
        name="tensorflow/contrib/training/python/training/hparam.proto",
        package="tensorflow",
        syntax="proto3",
    )
    whole = file.message_type.add(name="HParamDef")
    kind_of = whole.nested_type.add(name="HParamType")
    kind_of.oneof_decl.add(name="kind")
    for name, kind in _KINDS.items():
        list_name = f"{name.capitalize()}List"
        listed = whole.nested_type.add(name=list_name)
        listed.field.append(_field("value", 1, kind, repeated=True))
        one = _field(f"{name}_value", _NUMBERS_OF_VALUES[name], kind)
        many = _field(
            f"{name}_list", _NUMBERS_OF_LISTS[name], _Field.TYPE_MESSAGE, message=list_name
        )
        for field in (one, many):
            field.oneof_index = 0
            kind_of.field.append(field)
    entry = whole.nested_type.add(name="HparamEntry")
    entry.options.map_entry = True
    entry.field.append(_field("key", 1, _Field.TYPE_STRING))
    entry.field.append(_field("value", 2, _Field.TYPE_MESSAGE, message="HParamType"))
    whole.field.append(
        _field("hparam", 1, _Field.TYPE_MESSAGE, repeated=True, message="HparamEntry")
    )
    pool = descriptor_pool.DescriptorPool()
    pool.AddSerializedFile(file.SerializeToString())
    descriptor = pool.FindMessageTypeByName(_NAME)
    if hasattr(message_factory, "GetMessageClass"):
        return message_factory.GetMessageClass(descriptor)
    return message_factory.MessageFactory(pool).GetPrototype(descriptor)  # protobuf 3


HParamDef = _message_class()


def message(values: Mapping[str, Any], types: Mapping[str, tuple[type, bool]]) -> Any:
    """Returns hyperparameters as an HParamDef.

    Args:
        values: the values by name.
        types: by name the type of the value, or of a list's elements, and whether it is a list.

    Raises:
        ValueError: a type has no place in the message.
    """
    proto = HParamDef()
    for name, value in values.items():
        kind, is_list = types[name]
        field = _kind_name(kind)
        entry = proto.hparam[name]
        elements = [
            each.encode() if isinstance(each, str) else each
            for each in (value if is_list else [value])
        ]
        if is_list:
            getattr(entry, f"{field}_list").value.extend(elements)
        else:
            setattr(entry, f"{field}_value", elements[0])
    return proto


def values(hparam_def: Any) -> dict[str, Any]:
    """Returns the hyperparameters of an HParamDef by name; bytes are read as UTF-8.

    Raises:
        ValueError: it is not a HParamDef, or a hyperparameter has no value.
    """
    if getattr(getattr(hparam_def, "DESCRIPTOR", None), "full_name", None) != _NAME:
        raise ValueError(f"hparam_def must be an HParamDef, given: {type(hparam_def).__name__}")
    hyperparameters = {}
    for name, entry in hparam_def.hparam.items():
        if (field := entry.WhichOneof("kind")) is None:
            raise ValueError(f"hparam_def has no value for {name}")
        value = getattr(entry, field)
        is_list = field.endswith("_list")
        elements = [
            each.decode() if isinstance(each, bytes) else each
            for each in (value.value if is_list else [value])
        ]
        hyperparameters[name] = elements if is_list else elements[0]
    return hyperparameters


def _kind_name(kind: type) -> str:
    for types, name in _KINDS_OF_TYPES:
        if issubclass(kind, types):
            return name
    raise ValueError(f"Unsupported parameter type: {kind}")
