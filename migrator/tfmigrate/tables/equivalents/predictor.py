"""tf.contrib.predictor."""

from collections.abc import Mapping

from tfmigrate.tables.equivalents import Equivalent, Missing

MODULE = "tensorflow.contrib.predictor"
NAMES: Mapping[str, Equivalent] = {}
MISSING: Mapping[str, Missing] = {
    "from_contrib_estimator": Missing(
        "it called private methods of tf.contrib.learn's Estimator",
        "export the model (estimator.export_savedmodel), then call predictor.from_saved_model",
    )
}
