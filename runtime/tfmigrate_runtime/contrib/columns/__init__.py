"""The columns of tf.contrib.layers, which tfmigrate_runtime.layers gives to programs.

tf_slim, which has the layers of tf.contrib.layers, has neither its columns nor its embeddings.
"""
