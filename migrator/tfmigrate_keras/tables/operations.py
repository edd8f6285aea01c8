"""Operations on tensors that become functions of keras.ops."""

from tfmigrate_keras.tables.entry import Entry, entries, templates

OPERATIONS: dict[str, Entry] = entries("operations")
"""By the name of an operation; a target "" is the first argument itself."""

COMPOSED: dict[str, tuple[str, Entry]] = templates("several operations")
"""Operations that are several of Keras: the code, whose places are the first parameters."""

DTYPES = (
    *("bool", "string", "float16", "float32", "float64"),
    *("int8", "int16", "int32", "int64", "uint8", "uint16"),
)
"""Types that both have by the same names."""

WITH_SIZES = {
    "keras.ops.conv": ("strides",),
    "keras.ops.max_pool": ("ksize", "strides"),
    "keras.ops.average_pool": ("ksize", "strides"),
}
"""Parameters of TensorFlow 1.x with a size for each of four axes; Keras has those of two."""
