"""The same on TPUs, years ago."""
import tensorflow as tf

from model import model_fn

estimator = tf.contrib.tpu.TPUEstimator(model_fn, train_batch_size=1024)
