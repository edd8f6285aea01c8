"""Operations on tensors that become functions of keras.ops."""

from tfmigrate_keras.tables.entry import Entry, entry

_OF_ONE = "x! name-"
_OF_TWO = "x:x1! y:x2! name-"
_REDUCTION = "input_tensor:x! axis keepdims name- reduction_indices:axis keep_dims:keepdims"
_ARGUMENT = "input:x! axis name- dimension:axis output_type=tf.int64,tf.int32"
_POOLING = (
    "value:inputs! ksize:pool_size! strides padding data_format=None,'NHWC' name- input:inputs"
)
_SAME = {
    _OF_ONE: "abs exp floor log log1p sigmoid sqrt square tanh round rsqrt sign negative "
    "logical_not",
    _OF_TWO: "add subtract multiply divide maximum minimum equal not_equal greater greater_equal "
    "less less_equal logical_and logical_or",
}
_OTHERS: dict[str, tuple[str, str]] = {
    "nn.relu": ("relu", "features:x! name-"),
    "nn.relu6": ("relu6", "features:x! name-"),
    "nn.elu": ("elu", "features:x! name-"),
    "nn.selu": ("selu", "features:x! name-"),
    "nn.softplus": ("softplus", "features:x! name-"),
    "nn.softsign": ("softsign", "features:x! name-"),
    "nn.leaky_relu": ("leaky_relu", "features:x! alpha:negative_slope name-"),
    "nn.sigmoid": ("sigmoid", _OF_ONE),
    "nn.tanh": ("tanh", _OF_ONE),
    "nn.softmax": ("softmax", "logits:x! axis name- dim:axis"),
    "nn.log_softmax": ("log_softmax", "logits:x! axis name- dim:axis"),
    "math.abs": ("abs", _OF_ONE),
    "math.exp": ("exp", _OF_ONE),
    "math.log": ("log", _OF_ONE),
    "math.sqrt": ("sqrt", _OF_ONE),
    "math.square": ("square", _OF_ONE),
    "math.tanh": ("tanh", _OF_ONE),
    "math.sigmoid": ("sigmoid", _OF_ONE),
    "pow": ("power", _OF_TWO),
    "reduce_sum": ("sum", _REDUCTION),
    "reduce_mean": ("mean", _REDUCTION),
    "reduce_max": ("max", _REDUCTION),
    "reduce_min": ("min", _REDUCTION),
    "reduce_prod": ("prod", _REDUCTION),
    "reduce_all": ("all", _REDUCTION),
    "reduce_any": ("any", _REDUCTION),
    "cast": ("cast", "x! dtype! name-"),
    "expand_dims": ("expand_dims", "input:x! axis name- dim:axis"),
    "squeeze": ("squeeze", "input:x! axis name- squeeze_dims:axis"),
    "reshape": ("reshape", "tensor:x! shape:newshape! name-"),
    "concat": ("concatenate", "values:xs! axis! name-"),
    "transpose": ("transpose", "a:x! perm:axes! name- conjugate=False"),
    "tile": ("tile", "input:x! multiples:repeats! name-"),
    "matmul": (
        "matmul",
        "a:x1! b:x2! transpose_a=False transpose_b=False adjoint_a=False adjoint_b=False "
        "a_is_sparse- b_is_sparse- name-",
    ),
    "zeros_like": ("zeros_like", "tensor:x! dtype name- optimize-"),
    "ones_like": ("ones_like", "tensor:x! dtype name- optimize-"),
    "one_hot": ("one_hot", "indices:x! depth:num_classes! on_value=None off_value=None axis dtype"),
    "clip_by_value": ("clip", "t:x! clip_value_min:x_min! clip_value_max:x_max! name-"),
    "stop_gradient": ("stop_gradient", "input:variable! name-"),
}

OPERATIONS: dict[str, Entry] = {
    **{
        f"tensorflow.{prefix}{name}": entry(f"keras.ops.{name}", signature)
        for signature, names in _SAME.items()
        for name in names.split()
        for prefix in ("", "math.")
    },
    **{
        f"tensorflow.{name}": entry(f"keras.ops.{target}", signature)
        for name, (target, signature) in _OTHERS.items()
    },
    # TensorFlow 1.x reduces axis 0, Keras all axes.
    "tensorflow.argmax": entry("keras.ops.argmax", _ARGUMENT, axis="0"),
    "tensorflow.argmin": entry("keras.ops.argmin", _ARGUMENT, axis="0"),
    "tensorflow.stack": entry("keras.ops.stack", "values:x! axis name-"),
    "tensorflow.unstack": entry("keras.ops.unstack", "value:x! num axis name-"),
    "tensorflow.gather": entry(
        "keras.ops.take", "params:x! indices! validate_indices- name- axis", axis="0"
    ),
    "tensorflow.to_float": entry("keras.ops.cast", "x! name-", "'float32'"),
    "tensorflow.to_int32": entry("keras.ops.cast", "x! name-", "'int32'"),
    "tensorflow.to_int64": entry("keras.ops.cast", "x! name-", "'int64'"),
    "tensorflow.nn.bias_add": entry(
        "keras.ops.add", "value:x1! bias:x2! data_format=None,'NHWC' name-"
    ),
    "tensorflow.tensordot": entry("keras.ops.tensordot", "a:x1! b:x2! axes name-"),
    "tensorflow.reduce_logsumexp": entry("keras.ops.logsumexp", _REDUCTION),
    "tensorflow.nn.conv2d": entry(
        "keras.ops.conv",
        "input:inputs! filter:kernel! strides padding use_cudnn_on_gpu- data_format=None,'NHWC' "
        "dilations=None name- filters:kernel",
    ),
    "tensorflow.nn.max_pool": entry("keras.ops.max_pool", _POOLING),
    "tensorflow.nn.avg_pool": entry("keras.ops.average_pool", _POOLING),
    "tensorflow.identity": entry("", "input! name-"),
}
"""By the name of an operation; a target "" is the first argument itself."""

COMPOSED: dict[str, tuple[str, Entry]] = {
    "tensorflow.nn.xw_plus_b": (
        "keras.ops.add(keras.ops.matmul({0}, {1}), {2})",
        entry("", "x! weights! biases! name-"),
    ),
    "tensorflow.squared_difference": (
        "keras.ops.square(keras.ops.subtract({0}, {1}))",
        entry("", "x! y! name-"),
    ),
    "tensorflow.nn.l2_loss": ("keras.ops.sum(keras.ops.square({0}) / 2)", entry("", "t! name-")),
}
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
