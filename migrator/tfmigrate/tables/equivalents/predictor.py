"""tf.contrib.predictor."""

from __future__ import annotations

from collections.abc import Mapping

from tfmigrate.tables.equivalents import Equivalent, Missing

MODULE = "tensorflow.contrib.predictor"
NAMES: Mapping[str, Equivalent] = {}
MISSING: Mapping[str, Missing] = {
    "from_contrib_estimator": Missing(
        "it runs the model function of a tf.contrib.learn Estimator by its private methods",
        "export the model (estimator.export_savedmodel), and call predictor.from_saved_model",
    )
}
