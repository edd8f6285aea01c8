"""Which names of TensorFlow 1.x build a graph, run it, or do neither.

What is not known to be neutral counts as building. A neutral call in a block in which a graph is
built does the same as outside; a building call outside of one is an error of TensorFlow.
"""

SESSIONS = {
    "tensorflow.Session": "Runner",
    "tensorflow.InteractiveSession": "InteractiveRunner",
    "tensorflow.train.MonitoredSession": "MonitoredSessionRunner",
    "tensorflow.train.MonitoredTrainingSession": "MonitoredRunner",
    "tensorflow.train.SessionManager": "SessionManager",
    "tensorflow.train.SingularMonitoredSession": "SingularMonitoredRunner",
    "tensorflow.train.Supervisor": "Supervisor",
}
"""The classes of sessions, and what of ``tfmigrate_runtime.graphs`` takes their places."""

SERVERS = {"tensorflow.train.Server": "Server"}
"""The servers of clusters, and what replaces them."""

MAKING_METHODS = frozenset(
    (
        "managed_session", "prepare_or_wait_for_session", "prepare_session", "recover_session",
        "wait_for_session",
    )
)  # fmt: skip
"""Methods of supervisors and session managers that return sessions."""

RUNNING_METHODS = frozenset(("run", "eval", "run_step_fn")) | MAKING_METHODS
"""Methods of sessions, and those of tensors and operations that use the default session."""

BUILDING_METHODS = frozenset(
    (
        "apply_gradients", "assign", "assign_add", "assign_sub", "compute_gradients", "dequeue",
        "dequeue_many", "enqueue", "enqueue_many", "get_next", "get_shape", "initialized_value",
        "make_initializable_iterator", "make_one_shot_iterator", "minimize", "read_value",
        "scatter_add", "scatter_sub", "scatter_update",
    )
)  # fmt: skip
"""Methods of variables, optimizers, queues and iterators that make operations.

``get_shape`` makes none, but a dimension is a ``tf.Dimension`` only where a graph is built.
"""

NEUTRAL_METHODS = frozenset(
    (
        "add_graph", "add_meta_graph", "add_run_metadata", "add_summary", "append", "as_default",
        "as_list", "clear", "close", "copy", "count", "endswith", "extend", "finalize", "flush",
        "format", "get_collection", "get_operations", "get_tensor_by_name", "index", "insert",
        "items", "join", "keys", "pop", "remove", "reopen", "replace", "restore", "save",
        "setdefault", "should_stop", "sort", "split", "startswith", "strip", "update", "values",
    )
)  # fmt: skip
"""Methods of savers, writers, graphs, containers and strings, which make no operation."""

BARRIERS = frozenset(("tensorflow.reset_default_graph",))
"""What cannot be called while a graph is being built."""

MODES = frozenset(
    (
        "tensorflow.disable_eager_execution",
        "tensorflow.disable_resource_variables",
        "tensorflow.disable_v2_behavior",
        "tensorflow.enable_resource_variables",
    )
)
"""Modes of the process that an eager program does not set."""

# Names, and those below them, that make no operation.
_NEUTRAL = (
    "AttrValue", "ConfigProto", "DType", "DeviceSpec", "Dimension", "Event", "FixedLenFeature",
    "FixedLenSequenceFeature", "GPUOptions", "Graph", "GraphDef", "GraphKeys", "GraphOptions",
    "HistogramProto", "MetaGraphDef", "NodeDef", "OptimizerOptions", "RunMetadata", "RunOptions",
    "SparseTensorValue", "Summary", "SummaryMetadata", "TensorShape", "VarLenFeature", "app",
    "as_dtype", "compat.as_bytes", "compat.as_str", "compat.as_str_any", "compat.as_text",
    "contrib.framework.nest", "contrib.learn.datasets", "contrib.training.HParams",
    "contrib.util.make_tensor_proto", "errors", "examples", "flags", "get_default_graph",
    "get_default_session", "gfile", "initializers", "keras.initializers", "keras.preprocessing",
    "keras.utils", "logging", "make_ndarray", "make_tensor_proto", "nest", "profiler", "python_io",
    "reset_default_graph", "resource_loader", "summary.Summary", "sysconfig",
    "test.is_built_with_cuda", "test.is_gpu_available", "train.BytesList",
    "train.ChiefSessionCreator", "train.ClusterSpec", "train.Coordinator", "train.Example",
    "train.Feature", "train.FeatureList", "train.FeatureLists", "train.Features", "train.FloatList",
    "train.Int64List", "train.LoggingTensorHook", "train.NanTensorHook",
    "train.NewCheckpointReader", "train.SequenceExample", "train.SessionRunArgs",
    "train.SessionRunHook", "train.StopAtStepHook", "train.WorkerSessionCreator",
    "train.checkpoint_exists", "train.get_checkpoint_mtimes", "train.get_checkpoint_state",
    "train.latest_checkpoint", "train.list_variables", "train.load_checkpoint",
    "train.load_variable", "train.remove_checkpoint", "train.summary_iterator",
    "train.update_checkpoint_state", "train.write_graph",
)  # fmt: skip
_OF_VARIABLES = (
    "global_variables_initializer", "local_variables_initializer", "tables_initializer",
    "variables_initializer", "initialize_all_tables",
)  # fmt: skip
_OBJECTS = ("_initializer", "_regularizer")  # functions and classes of objects that build later


def builds(qualified: str) -> bool:
    """Returns whether calling a name of TensorFlow needs the graph that is being built.

    Args:
        qualified: its full name in TensorFlow 1.x, ``tensorflow.nn.relu``.
    """
    name = qualified.removeprefix("tensorflow.")
    if name == qualified or qualified in (*SESSIONS, *SERVERS, *MODES):
        return False
    last = name.rpartition(".")[2]
    if last.endswith(_OBJECTS) and last not in _OF_VARIABLES:
        return False
    return not any(name == known or name.startswith(f"{known}.") for known in _NEUTRAL)


_CONSTANTS = frozenset(
    (
        *("bfloat16", "bool", "complex64", "complex128", "double", "float16", "float32", "float64"),
        *("half", "int8", "int16", "int32", "int64", "newaxis", "qint8", "qint16", "qint32"),
        *("quint8", "quint16", "resource", "string", "uint8", "uint16", "uint32", "uint64"),
        "variant",
    )
)


def is_function(qualified: str) -> bool:
    """Returns whether a name of TensorFlow is a function or a class; others are constants."""
    last = qualified.rpartition(".")[2]
    return not (last.isupper() or last.startswith("_") or last in _CONSTANTS)


# Constructs that other forms are for, or that need a session; each with what to do instead.
OBSTACLES = {
    "tensorflow.contrib.eager.enable_eager_execution": ("the program is eager already", ""),
    "tensorflow.enable_eager_execution": ("the program is eager already", ""),
    "tensorflow.enable_v2_behavior": ("the program is eager already", ""),
    "tensorflow.contrib.learn.Estimator": ("an Estimator runs its own sessions", ""),
    "tensorflow.contrib.learn.Experiment": ("an Experiment runs its own sessions", ""),
    "tensorflow.estimator.Estimator": (
        "an Estimator runs its own sessions",
        "use `--target keras`",
    ),
    "tensorflow.contrib.slim.learning.train": ("slim.learning.train runs its own session", ""),
    "tensorflow.contrib.training.train": ("tf.contrib.training.train runs its own session", ""),
    "tensorflow.contrib.slim.evaluation.evaluate_once": ("it runs its own session", ""),
    "tensorflow.contrib.slim.evaluation.evaluation_loop": ("it runs its own session", ""),
    "tensorflow.keras.backend.get_session": ("Keras 2 trains in its own session", ""),
    "tensorflow.keras.backend.set_session": ("Keras 2 trains in its own session", ""),
    "tensorflow.contrib.keras.backend.set_session": ("Keras 2 trains in a session", ""),
}
"""What keeps a program from becoming eager: the reason, and what to do."""
