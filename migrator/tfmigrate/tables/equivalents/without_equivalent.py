"""Packages of tf.contrib without an equivalent."""

from collections.abc import Mapping

from tfmigrate.tables.equivalents import Equivalent, Missing

MODULE = "tensorflow.contrib"
NAMES: Mapping[str, Equivalent] = {}
_KERNELS = "its operations were compiled into tf.contrib and removed with it"
_OWN_DATA = "read the data in a generator for tf.data.Dataset.from_generator"
_PROBABILITY = "use TensorFlow Probability (pip install tensorflow-probability tf-keras)"
_TENSORFLOW_IO = "use TensorFlow I/O (pip install tensorflow-io), or write tf.train.Example files"
MISSING: Mapping[str, Missing] = {
    "all_reduce": Missing(
        "it summed gradients over devices explicitly",
        "use tf.distribute, whose strategies sum them (cross_device_ops)",
    ),
    "android": Missing("it was part of the build", "remove it"),
    "batching": Missing(
        "only its batch_function remains, under a different name",
        "use tf.nondifferentiable_batch_function",
    ),
    "bayesflow": Missing("it became TensorFlow Probability", _PROBABILITY),
    "bigtable": Missing(_KERNELS, _TENSORFLOW_IO),
    "boosted_trees": Missing(
        "TensorFlow 2 has no Python functions for the operations that trained its trees",
        "use TensorFlow Decision Forests or another boosted-tree library",
    ),
    "cloud": Missing(_KERNELS, _TENSORFLOW_IO),
    "compiler": Missing(
        "XLA has a different interface in TensorFlow 2", "use tf.function(jit_compile=True)"
    ),
    "constrained_optimization": Missing(
        "it became a separate project", "use tensorflow_constrained_optimization"
    ),
    "copy_graph": Missing(
        "TensorFlow 2 cannot copy operations from graph to graph",
        "build the graph twice, or use tf.graph_util and tf.import_graph_def",
    ),
    "decision_trees": Missing("it was a model format", "use TensorFlow Decision Forests"),
    "factorization": Missing(
        "the operations of its k-means, Gaussian mixtures and WALS were compiled into tf.contrib",
        "use scikit-learn for k-means and mixtures; WALS has no replacement",
    ),
    "ffmpeg": Missing(_KERNELS, "use tf.audio.decode_wav, or TensorFlow I/O"),
    "fused_conv": Missing(_KERNELS, "write tf.nn.conv2d, tf.nn.bias_add and the activation"),
    "gan": Missing(
        "it became TF-GAN, whose last release (2.1.0) needs tf.estimator and cannot be imported on "
        "TensorFlow 2.16 and later",
        "copy the losses and training functions that the program uses from TF-GAN",
    ),
    "gdr": Missing("it was part of the build", "remove it; tf.distribute chooses the transport"),
    "graph_editor": Missing(
        "TensorFlow 2 cannot edit a graph that is already built",
        "build the final graph directly, or edit its GraphDef and import it",
    ),
    "grid_rnn": Missing(
        "its cells have no replacement", "write the cell as a tf.nn.rnn_cell.RNNCell"
    ),
    "hadoop": Missing(_KERNELS, _TENSORFLOW_IO),
    "hvx": Missing("it was part of the build", "remove it"),
    "ignite": Missing(_KERNELS, _TENSORFLOW_IO),
    "input_pipeline": Missing(_KERNELS, "use tf.data"),
    "integrate": Missing(
        "its odeint became part of TensorFlow Probability", "use tfp.math.ode, or scipy.integrate"
    ),
    "kafka": Missing(_KERNELS, _TENSORFLOW_IO),
    "kernel_methods": Missing(
        "its estimator was based on tf.contrib.learn; Keras has the random features",
        "use tf.keras.layers.experimental.RandomFourierFeatures and a linear model",
    ),
    "kinesis": Missing(_KERNELS, _TENSORFLOW_IO),
    "labeled_tensor": Missing("it has no replacement", "use plain tensors"),
    "libsvm": Missing(_KERNELS, _OWN_DATA),
    "linear_optimizer": Missing(
        "compat.v1 has no Python class for the operation of its SDCA optimizer",
        "use a different optimizer, such as tf.train.FtrlOptimizer",
    ),
    "lite": Missing("it became tf.lite", "use tf.lite of TensorFlow 2"),
    "memory_stats": Missing(
        "its operations were compiled into tf.contrib",
        "use tf.config.experimental.get_memory_info('GPU:0') between steps",
    ),
    "meta_graph_transform": Missing(
        "TensorFlow 2 has no graph transforms", "remove it, or use tf.graph_util"
    ),
    "model_pruning": Missing(
        "it became the TensorFlow Model Optimization Toolkit",
        "use tfmot.sparsity.keras (pip install tensorflow-model-optimization)",
    ),
    "mpi": Missing("TensorFlow is no longer built with MPI", "use tf.distribute, or Horovod"),
    "mpi_collectives": Missing(
        "TensorFlow is no longer built with MPI", "use tf.distribute, or Horovod"
    ),
    "nccl": Missing(
        "its functions are internal ones of TensorFlow 2",
        "import them from tensorflow.python.ops.nccl_ops, or use tf.distribute, which uses NCCL",
    ),
    "nearest_neighbor": Missing(_KERNELS, "use a nearest-neighbor library"),
    "optimizer_v2": Missing(
        "it was a prototype of tf.keras.optimizers", "use the tf.train optimizer of the same name"
    ),
    "periodic_resample": Missing(_KERNELS, "use tf.depth_to_space, or tf.reshape and tf.transpose"),
    "proto": Missing("its operations are in tf.io", "use tf.io.decode_proto, tf.io.encode_proto"),
    "quantization": Missing(
        "it duplicated operations of core TensorFlow", "use tf.quantization, tf.nn and tf.raw_ops"
    ),
    "receptive_field": Missing(
        "it became a separate project", "use github.com/google-research/receptive_field"
    ),
    "recurrent": Missing("it has no replacement", "use tf.while_loop, or tf.nn.dynamic_rnn"),
    "reduce_slice_ops": Missing(_KERNELS, "use tf.math.segment_sum and similar functions"),
    "remote_fused_graph": Missing(
        "it was for hardware that TensorFlow does not support anymore", "remove it"
    ),
    "resampler": Missing(_KERNELS, "implement bilinear sampling with tf.gather_nd"),
    "rpc": Missing(_KERNELS, "call the service in tf.py_function"),
    "session_bundle": Missing(
        "it was the export format before SavedModel",
        "export with tf.saved_model.simple_save or an Estimator",
    ),
    "solvers": Missing("it has no replacement", "use tf.linalg, for example tf.linalg.lstsq"),
    "sparsemax": Missing(
        "it has no replacement", "implement it with tf.nn.top_k and tf.cumsum on the sorted logits"
    ),
    "specs": Missing("it has no replacement", "write the layers with tf.layers"),
    "stat_summarizer": Missing("it was part of the build", "use tf.profiler.experimental"),
    "tensor_forest": Missing(
        _KERNELS, "use TensorFlow Decision Forests (tfdf.keras.RandomForestModel) or scikit-learn"
    ),
    "tensorboard": Missing(
        "it wrote the configuration of TensorBoard's projector",
        "use tensorboard.plugins.projector (pip install tensorboard)",
    ),
    "tensorrt": Missing(
        "TensorFlow 2 converts only SavedModels to TensorRT",
        "use tf.experimental.tensorrt.Converter, with a TensorFlow that is built with TensorRT",
    ),
    "testing": Missing(
        "it served TensorFlow's own tests", "read events with tf.train.summary_iterator"
    ),
    "text": Missing(_KERNELS, "create skip-grams in Python, before the tf.data.Dataset"),
    "timeseries": Missing(
        "its models have no replacement", "use tfp.sts of TensorFlow Probability, or a Keras model"
    ),
    "verbs": Missing("it was part of the build", "remove it; tf.distribute chooses the transport"),
}
