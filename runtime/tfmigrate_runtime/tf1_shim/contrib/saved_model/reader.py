"""contrib/saved_model/python/saved_model/reader.py, which tensorflow.python.tools took over."""

from __future__ import annotations

from tensorflow.python.tools import saved_model_utils

__all__ = ["get_saved_model_tag_sets", "read_saved_model"]

get_saved_model_tag_sets = saved_model_utils.get_saved_model_tag_sets
read_saved_model = saved_model_utils.read_saved_model
