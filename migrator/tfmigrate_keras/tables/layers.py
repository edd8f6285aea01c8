"""Functions of tf.layers and tf.contrib.layers that become layers of Keras."""

from tfmigrate_keras.tables.entry import Entry, entry

_VARIABLES = "trainable name reuse=None,False"
_DENSE = (
    "units! activation use_bias kernel_initializer bias_initializer kernel_regularizer "
    "bias_regularizer activity_regularizer=None kernel_constraint=None bias_constraint=None "
)
_CONVOLUTION = (
    "filters! kernel_size! strides padding data_format dilation_rate activation use_bias "
    "kernel_initializer bias_initializer kernel_regularizer bias_regularizer "
    "activity_regularizer=None kernel_constraint=None bias_constraint=None "
)
_TRANSPOSED = _CONVOLUTION.replace("dilation_rate ", "")
_POOLING = "pool_size! strides padding data_format name"
# Keras stops the moving averages of a layer that is not trainable. TensorFlow 1.x takes another
# variance of images with fused=False than BatchNormalization of data/written_out.
_NORMALIZATION = (
    "axis momentum epsilon center scale beta_initializer gamma_initializer "
    "moving_mean_initializer moving_variance_initializer beta_regularizer gamma_regularizer "
    "beta_constraint=None gamma_constraint=None training trainable=True name "
    "reuse=None,False renorm=False renorm_clipping=None renorm_momentum- fused=None,True"
)
_CLASSES = {
    "dense": ("Dense", _DENSE + _VARIABLES),
    "conv1d": ("Conv1D", _CONVOLUTION + _VARIABLES),
    "conv2d": ("Conv2D", _CONVOLUTION + _VARIABLES),
    "conv3d": ("Conv3D", _CONVOLUTION + _VARIABLES),
    "conv2d_transpose": ("Conv2DTranspose", _TRANSPOSED + _VARIABLES),
    "conv3d_transpose": ("Conv3DTranspose", _TRANSPOSED + _VARIABLES),
    "max_pooling1d": ("MaxPooling1D", _POOLING),
    "max_pooling2d": ("MaxPooling2D", _POOLING),
    "max_pooling3d": ("MaxPooling3D", _POOLING),
    "average_pooling1d": ("AveragePooling1D", _POOLING),
    "average_pooling2d": ("AveragePooling2D", _POOLING),
    "average_pooling3d": ("AveragePooling3D", _POOLING),
    "flatten": ("Flatten", "name data_format"),
    "dropout": ("Dropout", "rate! noise_shape=None seed training name"),
    "batch_normalization": ("BatchNormalization", _NORMALIZATION),
}
_DEFAULTS = {"dropout": {"rate": "0.5"}}
_CONTRIB_FULLY_CONNECTED = (
    "inputs num_outputs:units! activation_fn:activation normalizer_fn=None normalizer_params=None "
    "weights_initializer:kernel_initializer weights_regularizer:kernel_regularizer "
    "biases_initializer:bias_initializer biases_regularizer:bias_regularizer reuse=None,False "
    "variables_collections=None outputs_collections=None trainable scope:name"
)
_CONTRIB_CONVOLUTION = (
    "inputs num_outputs:filters! kernel_size! stride:strides padding data_format=None,'NHWC' "
    "rate:dilation_rate activation_fn:activation normalizer_fn=None normalizer_params=None "
    "weights_initializer:kernel_initializer weights_regularizer:kernel_regularizer "
    "biases_initializer:bias_initializer biases_regularizer:bias_regularizer reuse=None,False "
    "variables_collections=None outputs_collections=None trainable scope:name"
)
_CONTRIB_POOLING = (
    "inputs kernel_size:pool_size! stride:strides padding data_format=None,'NHWC' "
    "outputs_collections=None scope:name"
)
_CONTRIB = {
    "fully_connected": entry("keras.layers.Dense", _CONTRIB_FULLY_CONNECTED, activation="'relu'"),
    "conv2d": entry(
        "keras.layers.Conv2D", _CONTRIB_CONVOLUTION, activation="'relu'", padding="'same'"
    ),
    "max_pool2d": entry("keras.layers.MaxPooling2D", _CONTRIB_POOLING, strides="2"),
    "avg_pool2d": entry("keras.layers.AveragePooling2D", _CONTRIB_POOLING, strides="2"),
    "flatten": entry("keras.layers.Flatten", "inputs outputs_collections=None scope:name"),
    "dropout": entry(
        "keras.layers.Dropout",
        "inputs keep_prob:rate! noise_shape=None is_training:training outputs_collections=None "
        "scope:name seed",
        rate="0.5",
    ),
}
_CONTRIB_NAMES = {
    **{name: name for name in _CONTRIB},
    "linear": "linear",
    "relu": "fully_connected",
    "convolution2d": "conv2d",
}
_LINEAR = entry("keras.layers.Dense", _CONTRIB_FULLY_CONNECTED)

FUNCTIONS: dict[str, Entry] = {
    **{
        f"tensorflow.layers.{name}": entry(
            f"keras.layers.{target}", f"inputs {signature}", **_DEFAULTS.get(name, {})
        )
        for name, (target, signature) in _CLASSES.items()
    },
    **{
        f"tensorflow.contrib.layers.{name}": _CONTRIB.get(kind, _LINEAR)
        for name, kind in _CONTRIB_NAMES.items()
    },
}
"""By the name of a function whose first argument is the layer's input."""

CLASSES: dict[str, Entry] = {
    f"tensorflow.layers.{target}": entry(f"keras.layers.{target}", signature)
    for target, signature in _CLASSES.values()
    if "training" not in signature.split()
}
"""By the name of a class; of the others, the mode is an argument of each call."""

FUNCTION_OF_DROPOUT = "tensorflow.nn.dropout"
NN_DROPOUT = entry("keras.layers.Dropout", "x! keep_prob:rate! noise_shape=None seed name- rate")
"""It drops in all modes: for what is dropped in training alone (dropouts.py)."""

UNNAMED = ("Flatten", "MaxPooling", "AveragePooling", "Dropout")
"""What begins the name of a class without variables: its layers need no name of their own."""
