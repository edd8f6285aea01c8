"""The class of predictors, where programs imported it from."""

from tfmigrate_runtime.contrib.saved_model_predictor import Predictor

__all__ = ["Predictor"]
