"""An Estimator of contrib.learn that takes arrays, as scikit-learn's do."""

from tfmigrate_runtime.contrib.of_learn import sk_compat
from tfmigrate_runtime.tf1_shim.contrib.learn.interfaces import Parameters


class SKCompat(Parameters, sk_compat.SKCompat):
    """Feeds arrays to an Estimator."""
