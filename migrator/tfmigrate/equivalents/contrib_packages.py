"""Packages of tf.contrib of which nothing is left, and why."""

from __future__ import annotations

from collections.abc import Mapping

from tfmigrate.equivalents import Equivalent, Missing

MODULE = "tensorflow.contrib"
NAMES: Mapping[str, Equivalent] = {}
_TPU = Missing(
    "it needs Cloud TPUs, which are reached by tf.distribute.TPUStrategy now",
    "train under tf.distribute.TPUStrategy, or on GPUs with tf.estimator's arguments",
)
_TREES = Missing(
    "its kernels left TensorFlow", "use TensorFlow Decision Forests (tensorflow_decision_forests)"
)
_PROBABILITY = Missing(
    "it became TensorFlow Probability", "use tensorflow_probability (tfp.distributions, tfp.mcmc)"
)
_KERNELS = Missing(
    "its kernels left TensorFlow, and no maintained package has them",
    "write it with operations of the core, or as an operation of your own",
)
_IO = Missing("it became TensorFlow I/O", "use tensorflow_io")
_GRAPHS = Missing(
    "graphs are no longer changed in place by it",
    "build the graph anew, or import its GraphDef with an input_map",
)
_INTERNAL = Missing("it was internal to TensorFlow", "copy what you use from TensorFlow 1.15")
_RESEARCH = Missing(
    "it was research code, and nobody maintains it", "copy what you use from TensorFlow 1.15"
)
_SERVING = Missing("TensorFlow Serving has it now", "export a SavedModel and serve that")
MISSING: Mapping[str, Missing] = {
    "all_reduce": Missing(
        "tf.distribute reduces gradients by itself", "use tf.distribute.MirroredStrategy"
    ),
    "batching": _SERVING,
    "bayesflow": _PROBABILITY,
    "bigtable": _IO,
    "boosted_trees": _TREES,
    "cloud": _IO,
    "coder": Missing("it became TensorFlow Compression", "use tensorflow_compression"),
    "compiler": Missing(
        "functions are compiled one by one now", "use tf.function(jit_compile=True)"
    ),
    "constrained_optimization": Missing(
        "it became a package of its own", "use tensorflow_constrained_optimization"
    ),
    "copy_graph": _GRAPHS,
    "cudnn_rnn": Missing(
        "its variables are opaque to other kernels",
        "use tf.keras.layers.LSTM or GRU, which run on cuDNN; weights have to be converted",
    ),
    "decision_trees": _TREES,
    "distributions": _PROBABILITY,
    "factorization": _KERNELS,
    "ffmpeg": Missing("it became TensorFlow I/O", "use tensorflow_io.audio"),
    "fused_conv": _KERNELS,
    "gan": Missing("it became a package of its own", "use tensorflow_gan"),
    "graph_editor": _GRAPHS,
    "grid_rnn": _RESEARCH,
    "hadoop": _IO,
    "ignite": _IO,
    "input_pipeline": Missing("tf.data reads what it read", "use tf.data"),
    "integrate": Missing(
        "it became TensorFlow Probability", "use tensorflow_probability (tfp.math.ode)"
    ),
    "kafka": _IO,
    "kernel_methods": _RESEARCH,
    "kfac": Missing("it became a package of its own", "use kfac"),
    "kinesis": _IO,
    "labeled_tensor": _RESEARCH,
    "libsvm": _IO,
    "linear_optimizer": Missing(
        "its hash tables of weights left TensorFlow", "use tf.train.FtrlOptimizer"
    ),
    "lite": Missing("it is in the core", "use tf.lite"),
    "meta_graph_transform": _GRAPHS,
    "model_pruning": Missing(
        "it became the Model Optimization Toolkit", "use tensorflow_model_optimization"
    ),
    "nccl": Missing(
        "tf.distribute reduces by NCCL itself", "use tf.distribute.NcclAllReduce in a strategy"
    ),
    "nearest_neighbor": _KERNELS,
    "optimizer_v2": Missing(
        "the optimizers of tf.train took its place",
        "use the optimizer of the same name in tf.train",
    ),
    "periodic_resample": _KERNELS,
    "pi_examples": _RESEARCH,
    "proto": Missing("it is in the core", "use tf.io.decode_proto and tf.io.encode_proto"),
    "quantization": Missing("it is in the core", "use tf.quantization"),
    "quantize": Missing(
        "it became the Model Optimization Toolkit", "use tensorflow_model_optimization"
    ),
    "receptive_field": Missing("it became a package of its own", "use receptive_field of Google"),
    "recurrent": _RESEARCH,
    "reduce_slice_ops": _KERNELS,
    "remote_fused_graph": _INTERNAL,
    "resampler": Missing("its kernel left TensorFlow", "use tensorflow_addons.image.resampler"),
    "rpc": _KERNELS,
    "session_bundle": Missing("SavedModel took its place", "use tf.saved_model"),
    "solvers": _RESEARCH,
    "sparsemax": Missing(
        "TensorFlow Addons had it, which is no longer maintained",
        "write it with tf.nn.top_k and tf.cumsum, or copy it from TensorFlow Addons",
    ),
    "specs": _RESEARCH,
    "staging": Missing("it is no public name any more", "use Dataset.prefetch"),
    "stat_summarizer": _INTERNAL,
    "tensor_forest": _TREES,
    "tensorboard": Missing("the package tensorboard has it", "use tensorboard.plugins.projector"),
    "tensorrt": Missing(
        "it is in the core, for SavedModels", "use tf.experimental.tensorrt.Converter"
    ),
    "testing": Missing(
        "it was for the tests of TensorFlow", "read events with tf.train.summary_iterator"
    ),
    "text": Missing("it became TensorFlow Text", "use tensorflow_text"),
    "timeseries": Missing(
        "it became TensorFlow Probability", "use tensorflow_probability (tfp.sts)"
    ),
    "tpu": _TPU,
}
