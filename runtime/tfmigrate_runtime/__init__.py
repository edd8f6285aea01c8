"""The dynamic side of tfmigrate: what migrated programs import, and what verifies them.

Importing this package does not import tensorflow; importing one of its modules for programs does,
most of all ``estimator``.
"""

# The modules for programs: those that train, then those of packages of tf.contrib, of tf.image, of
# tf.keras and of Horovod.
PUBLIC = (
    "between_graph", "coordinator", "distribute", "estimator", "graphs", "towers", "arrays",
    "crf", "cudnn_rnn", "data", "datasets", "deprecated", "distributions", "eager", "framework",
    "graph_editor", "horovod", "image", "image_ops", "layers", "learn", "legacy_seq2seq", "lookup",
    "losses", "metrics", "mixed_precision", "multi_gpu", "nccl", "opt", "optimizers", "predictor",
    "projector", "rnn", "seq2seq", "slim", "staging", "summary", "tfprof", "training",
)  # fmt: skip
