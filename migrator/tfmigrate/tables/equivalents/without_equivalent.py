"""Packages of tf.contrib that nothing stands for."""

from __future__ import annotations

from collections.abc import Mapping

from tfmigrate.tables.equivalents import Equivalent, Missing

MODULE = "tensorflow.contrib"
NAMES: Mapping[str, Equivalent] = {}
_KERNELS = "its operations were compiled into tf.contrib, and left with it"
_OWN_DATA = "read the data in a generator for tf.data.Dataset.from_generator"
_PROBABILITY = "use TensorFlow Probability (pip install tensorflow-probability tf-keras)"
_TENSORFLOW_IO = "use TensorFlow I/O (pip install tensorflow-io), or write tf.train.Example files"
MISSING: Mapping[str, Missing] = {
    "all_reduce": Missing(
        "it summed gradients over devices by hand",
        "use tf.distribute; its strategies sum them (cross_device_ops)",
    ),
    "android": Missing("it was for builds", "remove it"),
    "batching": Missing(
        "only its batch_function is left, under another name",
        "use tf.nondifferentiable_batch_function",
    ),
    "bayesflow": Missing("it became TensorFlow Probability", _PROBABILITY),
    "bigtable": Missing(_KERNELS, _TENSORFLOW_IO),
    "boosted_trees": Missing(
        "its trees were trained by operations that TensorFlow 2 has no Python functions for",
        "use TensorFlow Decision Forests or another library of boosted trees",
    ),
    "cloud": Missing(_KERNELS, _TENSORFLOW_IO),
    "compiler": Missing("XLA has another interface", "use tf.function(jit_compile=True)"),
    "constrained_optimization": Missing(
        "it became a project of its own", "use tensorflow_constrained_optimization"
    ),
    "copy_graph": Missing(
        "nothing copies operations from graph to graph",
        "build the graph twice, or use tf.graph_util and tf.import_graph_def",
    ),
    "cudnn_rnn": Missing(
        "its layers keep all weights in one buffer, which nothing in TensorFlow 2 reads",
        "use tf.keras.layers.LSTM or GRU, or tf.nn.rnn_cell.LSTMCell; old checkpoints do not load",
    ),
    "decision_trees": Missing("it was a format of models", "use TensorFlow Decision Forests"),
    "distributions": Missing(
        "its distributions became TensorFlow Probability; tf.distributions of compat.v1 has the "
        "plain ones (Normal, Bernoulli, Categorical, Beta, Gamma, Uniform, ...)",
        "use tf.distributions, or TensorFlow Probability (tfp.distributions)",
    ),
    "factorization": Missing(
        "its k-means, Gaussian mixtures and WALS needed operations compiled into tf.contrib",
        "use scikit-learn for k-means and mixtures; WALS has no successor",
    ),
    "ffmpeg": Missing(_KERNELS, "use tf.audio.decode_wav, or TensorFlow I/O"),
    "fused_conv": Missing(_KERNELS, "write tf.nn.conv2d, tf.nn.bias_add and the activation"),
    "gan": Missing(
        "it became TF-GAN, whose last release (2.1.0) needs tf.estimator and does not import on "
        "TensorFlow 2.16 and newer",
        "copy the losses and the training functions that the program uses from TF-GAN into it",
    ),
    "gdr": Missing("it was for builds", "remove it; tf.distribute chooses the transport"),
    "graph_editor": Missing(
        "nothing changes a graph once it is built",
        "build the graph as it shall be, or edit its GraphDef and import it",
    ),
    "grid_rnn": Missing(
        "its cells have no successor", "write the cell as a tf.nn.rnn_cell.RNNCell"
    ),
    "hadoop": Missing(_KERNELS, _TENSORFLOW_IO),
    "hvx": Missing("it was for builds", "remove it"),
    "ignite": Missing(_KERNELS, _TENSORFLOW_IO),
    "input_pipeline": Missing(_KERNELS, "use tf.data"),
    "integrate": Missing(
        "its odeint became part of TensorFlow Probability", "use tfp.math.ode, or scipy.integrate"
    ),
    "kafka": Missing(_KERNELS, _TENSORFLOW_IO),
    "kernel_methods": Missing(
        "its estimator stood on tf.contrib.learn; Keras has the random features",
        "use tf.keras.layers.experimental.RandomFourierFeatures and a linear model",
    ),
    "kinesis": Missing(_KERNELS, _TENSORFLOW_IO),
    "labeled_tensor": Missing("it has no successor", "use plain tensors"),
    "libsvm": Missing(_KERNELS, _OWN_DATA),
    "linear_optimizer": Missing(
        "its SDCA optimizer was an operation that compat.v1 has no Python class for",
        "use another optimizer, as tf.train.FtrlOptimizer",
    ),
    "lite": Missing("it is tf.lite now", "use tf.lite of TensorFlow 2"),
    "memory_stats": Missing(
        "its operations were compiled into tf.contrib",
        "use tf.config.experimental.get_memory_info('GPU:0') between steps",
    ),
    "meta_graph_transform": Missing("graph transforms are gone", "remove it, or use tf.graph_util"),
    "model_pruning": Missing(
        "it became the TensorFlow Model Optimization Toolkit",
        "use tfmot.sparsity.keras (pip install tensorflow-model-optimization)",
    ),
    "mpi": Missing("TensorFlow is no longer built with MPI", "use tf.distribute, or Horovod"),
    "mpi_collectives": Missing(
        "TensorFlow is no longer built with MPI", "use tf.distribute, or Horovod"
    ),
    "nearest_neighbor": Missing(_KERNELS, "use a library for nearest neighbours"),
    "optimizer_v2": Missing(
        "it was the trial of tf.keras.optimizers", "use the optimizer of tf.train with its name"
    ),
    "periodic_resample": Missing(_KERNELS, "use tf.depth_to_space, or tf.reshape and tf.transpose"),
    "proto": Missing("its operations are in tf.io", "use tf.io.decode_proto, tf.io.encode_proto"),
    "quantization": Missing(
        "it was a copy of the core's operations", "use tf.quantization, tf.nn and tf.raw_ops"
    ),
    "receptive_field": Missing(
        "it became a project of its own", "use github.com/google-research/receptive_field"
    ),
    "recurrent": Missing("it has no successor", "use tf.while_loop, or tf.nn.dynamic_rnn"),
    "reduce_slice_ops": Missing(_KERNELS, "use tf.math.segment_sum and the like"),
    "remote_fused_graph": Missing("it was for hardware that is gone", "remove it"),
    "resampler": Missing(_KERNELS, "write the bilinear sampling with tf.gather_nd"),
    "rpc": Missing(_KERNELS, "call the service in tf.py_function"),
    "session_bundle": Missing(
        "it was the format before SavedModel",
        "export with tf.saved_model.simple_save or an Estimator",
    ),
    "solvers": Missing("it has no successor", "use tf.linalg, as tf.linalg.lstsq"),
    "sparsemax": Missing(
        "it has no successor", "write it with tf.nn.top_k and tf.cumsum, sorted by logits"
    ),
    "specs": Missing("it has no successor", "write the layers with tf.layers"),
    "stat_summarizer": Missing("it was for builds", "use tf.profiler.experimental"),
    "tensor_forest": Missing(
        _KERNELS, "use TensorFlow Decision Forests (tfdf.keras.RandomForestModel) or scikit-learn"
    ),
    "tensorboard": Missing(
        "it wrote the configuration of TensorBoard's projector",
        "use tensorboard.plugins.projector (pip install tensorboard)",
    ),
    "tensorrt": Missing(
        "it is for SavedModels now",
        "use tf.experimental.tensorrt.Converter, where TensorFlow is built with TensorRT",
    ),
    "testing": Missing(
        "it was for the tests of TensorFlow", "read events with tf.train.summary_iterator"
    ),
    "text": Missing(_KERNELS, "make skip-grams in Python, before the tf.data.Dataset"),
    "timeseries": Missing(
        "its models have no successor", "use tfp.sts of TensorFlow Probability, or a Keras model"
    ),
    "verbs": Missing("it was for builds", "remove it; tf.distribute chooses the transport"),
}
