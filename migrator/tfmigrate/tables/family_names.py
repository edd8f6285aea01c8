"""The names of the replicate_model_fn family."""

FAMILY = "tensorflow.contrib.estimator"
WRAPPER = f"{FAMILY}.replicate_model_fn"
OPTIMIZER = f"{FAMILY}.TowerOptimizer"
LOCAL_NAMES = ("replicate_model_fn", "TowerOptimizer")
