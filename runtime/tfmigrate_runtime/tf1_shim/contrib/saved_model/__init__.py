"""tf.contrib.saved_model: what reads saved models; those of Keras have another format now."""

__all__: list[str] = []
