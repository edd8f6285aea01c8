"""tf.contrib.autograph, which is tf.autograph since TensorFlow 1.13."""

from collections.abc import Mapping

from tfmigrate.tables.equivalents import Equivalent, Missing

MODULE = "tensorflow.contrib.autograph"
NAMES: Mapping[str, Equivalent] = {
    "Feature": Equivalent("autograph.experimental.Feature"),
    "do_not_convert": Equivalent("autograph.experimental.do_not_convert"),
    "set_loop_options": Equivalent("autograph.experimental.set_loop_options"),
    "to_code": Equivalent("autograph.to_code"),
    "to_graph": Equivalent("autograph.to_graph"),
}
_INTERNAL = Missing("it was internal to AutoGraph", "use tf.autograph.to_graph")
MISSING: Mapping[str, Missing] = {
    "": _INTERNAL,
    "convert": Missing(
        "tf.function converts the functions that it calls",
        "use tf.function, or tf.autograph.to_graph",
    ),
    "set_element_type": Missing(
        "AutoGraph lists no longer have an element type", "use tf.TensorArray"
    ),
    "stack": Missing("AutoGraph lists are no longer tensors", "use tf.TensorArray and its stack()"),
}
