"""Programs of Estimators as Keras 3 models: ``--target keras``."""
