"""contrib/saved_model/python/saved_model/reader.py, which tensorflow.python.tools took over."""

from tfmigrate_runtime.compat.shim_ops import get_saved_model_tag_sets, read_saved_model

__all__ = ["get_saved_model_tag_sets", "read_saved_model"]
