"""tf.contrib.saved_model: what reads saved models; those of Keras have another format now."""

from __future__ import annotations

__all__: list[str] = []
