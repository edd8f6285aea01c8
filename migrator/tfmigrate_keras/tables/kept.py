"""Names of TensorFlow 1.x outside of models that TensorFlow 2 has, and their new names."""

PACKAGES = {
    "tensorflow.app.flags": "absl.flags",
    "tensorflow.flags": "absl.flags",
    "tensorflow.logging": "absl.logging",
    "tensorflow.app": "absl.app",
}
"""Packages that are absl's, by their names in TensorFlow 1.x; longer names first."""

FUNCTIONS_OF_ABSL = {"warn": "warning"}
"""Functions of absl that have another name there."""

KEPT_PACKAGES = ("tensorflow.data.", "tensorflow.io.", "tensorflow.config.", "tensorflow.errors.")
"""Packages that mean the same in both, as far as TensorFlow 2 has their names."""

_SAME = """
    abs add argmax as_string bool cast clip_by_value concat cond constant convert_to_tensor divide
    equal expand_dims fill float16 float32 float64 gather greater greater_equal identity int16 int32
    int64 int8 less less_equal linspace logical_and logical_not logical_or maximum minimum multiply
    not_equal one_hot ones ones_like pad range reduce_all reduce_any reduce_max reduce_mean
    reduce_min reduce_prod reduce_sum reshape reverse round shape sign size slice split sqrt square
    squeeze stack string subtract tile transpose uint16 uint8 unstack zeros zeros_like exp tanh
    sigmoid where Tensor TensorShape newaxis
    image.decode_jpeg image.decode_png image.decode_image image.decode_gif
    image.random_flip_left_right image.random_flip_up_down image.random_brightness
    image.random_contrast image.random_hue image.random_saturation image.per_image_standardization
    image.convert_image_dtype image.flip_left_right image.flip_up_down image.rgb_to_grayscale
    image.central_crop image.crop_to_bounding_box image.pad_to_bounding_box
    image.adjust_brightness image.adjust_contrast image.grayscale_to_rgb image.rot90
    train.ClusterSpec train.Coordinator train.Example train.Features train.Feature train.BytesList
    train.FloatList train.Int64List nn.relu nn.softmax nn.sigmoid nn.l2_normalize math.log
    __version__ __file__
"""
KEPT = frozenset(f"tensorflow.{name}" for name in _SAME.split()) | {"tensorflow"}
"""Names that mean the same in both."""

_NEW_NAMES = {
    "tf.io": """
        FixedLenFeature FixedLenSequenceFeature VarLenFeature parse_single_example
        parse_example decode_raw decode_csv read_file python_io.TFRecordWriter=TFRecordWriter
    """,
    "tf.math": "log",
    "tf.random": """
        random_uniform=uniform random_normal=normal truncated_normal random_shuffle=shuffle
        set_random_seed=set_seed
    """,
    "tf.image": "random_crop image.resize_image_with_crop_or_pad=resize_with_crop_or_pad",
    "tf.io.gfile": """
        gfile.Exists=exists gfile.MakeDirs=makedirs gfile.MkDir=mkdir
        gfile.DeleteRecursively=rmtree gfile.Glob=glob gfile.ListDirectory=listdir
        gfile.IsDirectory=isdir gfile.Remove=remove gfile.Copy=copy gfile.Rename=rename
        gfile.Open=GFile gfile.GFile=GFile gfile.FastGFile=GFile
    """,
    "tf.data": "contrib.data.AUTOTUNE=AUTOTUNE",
}
RENAMED = {
    f"tensorflow.{old}": f"{package}.{new or old}"
    for package, names in _NEW_NAMES.items()
    for old, _, new in (name.partition("=") for name in names.split())
}
"""New names of functions with the same arguments."""

KERAS = frozenset(
    f"tensorflow.keras.{name}"
    for name in (
        "utils.get_file",
        *(f"datasets.{name}.load_data" for name in ("mnist", "fashion_mnist")),
        *(f"datasets.{name}.load_data" for name in ("cifar10", "cifar100", "boston_housing")),
    )
)
"""Functions of ``tf.keras`` that Keras 3 has by the same names, without ``tf``."""
