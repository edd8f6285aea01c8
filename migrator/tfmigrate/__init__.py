"""tfmigrate: rewrites TensorFlow 1.x distributed training code for tf.distribute.

The static side. Nothing in this package imports tensorflow.
"""

__version__ = "0.2.0"
