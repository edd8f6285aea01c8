"""tf.contrib.image: names that the runtime does not have."""

from collections.abc import Mapping

from tfmigrate.tables.equivalents import Equivalent, Missing

MODULE = "tensorflow.contrib.image"
NAMES: Mapping[str, Equivalent] = {}
_KERNELS = "its operation was compiled into tf.contrib"
_ADDONS = Missing(
    "it became TensorFlow Addons, which is no longer maintained",
    "implement it with tf.gather_nd, or copy it from TensorFlow Addons",
)
MISSING: Mapping[str, Missing] = {
    "bipartite_match": Missing(_KERNELS, "match with scipy.optimize in tf.py_func"),
    "connected_components": Missing(_KERNELS, "use scipy.ndimage.label in tf.py_func"),
    "interpolate_spline": _ADDONS,
    "single_image_random_dot_stereograms": Missing(_KERNELS, "remove it"),
    "sparse_image_warp": _ADDONS,
}
