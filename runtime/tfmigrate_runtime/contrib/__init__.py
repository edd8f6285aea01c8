"""What several of the modules for packages of tf.contrib share: columns, embeddings, gradients."""

from tfmigrate_runtime.moved import install

install()
