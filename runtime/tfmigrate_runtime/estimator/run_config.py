"""How and where an Estimator runs."""

from __future__ import annotations

import copy
import numbers
import os
from typing import Any

import tensorflow as tf2
import tensorflow.compat.v1 as tf

from tfmigrate_runtime.estimator import threads
from tfmigrate_runtime.estimator.task import CHIEFS, EVALUATOR, PS, WORKER, Task, read_task
from tfmigrate_runtime.train.passed_on import argument_names

_UNSET: Any = object()
_REPLACEABLE = (
    "model_dir", "tf_random_seed", "save_summary_steps", "save_checkpoints_steps",
    "save_checkpoints_secs", "session_config", "keep_checkpoint_max",
    "keep_checkpoint_every_n_hours", "log_step_count_steps", "train_distribute", "device_fn",
    "protocol", "eval_distribute", "experimental_distribute", "experimental_max_worker_delay_secs",
    "session_creation_timeout_secs", "checkpoint_save_graph_def", "global_batch", "loss_reduction",
    "fused_steps", "experimental_peer_timeout_secs",
)  # fmt: skip
_INTERVALS = ("save_checkpoints_steps", "save_checkpoints_secs")
_NOT_NEGATIVE = (*_INTERVALS, "save_summary_steps", "keep_checkpoint_max")
_WHOLE_NUMBERS = {
    "tf_random_seed": "integer",
    "experimental_max_worker_delay_secs": "an integer if set",
}
_POSITIVE = (
    "keep_checkpoint_every_n_hours",
    "log_step_count_steps",
    "session_creation_timeout_secs",
    "experimental_peer_timeout_secs",
)


class RunConfig:
    """Configuration of an Estimator: all of ``tf.estimator.RunConfig``, and two fields more.

    ``global_batch`` and ``loss_reduction`` say what tf.estimator could not: that programs written
    for ``replicate_model_fn`` split one batch over their replicas.
    """

    def __init__(
        self,
        model_dir: str | os.PathLike[str] | None = None,
        tf_random_seed: int | None = None,
        save_summary_steps: int | None = 100,
        save_checkpoints_steps: int | None = _UNSET,
        save_checkpoints_secs: int | None = _UNSET,
        session_config: Any = None,
        keep_checkpoint_max: int | None = 5,
        keep_checkpoint_every_n_hours: float = 10000,
        log_step_count_steps: int | None = 100,
        train_distribute: Any = None,
        device_fn: Any = None,
        protocol: str | None = None,
        eval_distribute: Any = None,
        experimental_distribute: Any = None,
        experimental_max_worker_delay_secs: int | None = None,
        session_creation_timeout_secs: int = 7200,
        checkpoint_save_graph_def: bool = True,
        *,
        global_batch: bool = False,
        loss_reduction: str | None = None,
        fused_steps: bool = True,
        experimental_peer_timeout_secs: float = 60,
    ) -> None:
        """Reads the arguments and TF_CONFIG.

        Args:
            model_dir: where checkpoints and events are written; None lets the Estimator choose.
            tf_random_seed: the graph's random seed, None for another one in each run.
            save_summary_steps: steps between summaries, None for never.
            save_checkpoints_steps: steps between checkpoints. Not together with seconds.
            save_checkpoints_secs: seconds between checkpoints. 600 if neither is given; both None
                for no checkpoints.
            session_config: a ``tf.ConfigProto``.
            keep_checkpoint_max: how many checkpoints are kept; None or 0 for all.
            keep_checkpoint_every_n_hours: keep one for good every so many hours.
            log_step_count_steps: steps between log lines with the loss, None for never.
            train_distribute: a ``tf.distribute`` strategy to train under; None for one device, and
                for ParameterServerStrategy where TF_CONFIG has parameter servers.
            device_fn: a device function for the graph that is trained.
            protocol: kept for compatibility; clusters choose it themselves.
            eval_distribute: a strategy to evaluate under.
            experimental_distribute: an object with ``train_distribute`` and ``eval_distribute``.
            experimental_max_worker_delay_secs: kept for compatibility.
            session_creation_timeout_secs: how long a worker waits for its session.
            checkpoint_save_graph_def: whether checkpoints carry the graph.
            global_batch: False: the input function's batch is for one replica, and consecutive
                batches go to consecutive replicas, as ``train_distribute`` meant in tf.estimator.
                True: it is the batch of a step, and is split over the replicas on axis 0, as
                ``replicate_model_fn`` did (semantics.md, 1.1).
            loss_reduction: one of ``tf.losses.Reduction``, or None. With ``global_batch``: the loss
                of each replica is scaled by 1/N, unless this is SUM (semantics.md, 1.3).
                Without: None leaves it to the reduction of the model's last ``tf.losses`` call, as
                tf.estimator did.
            fused_steps: whether steps that no hook, summary or checkpoint has to see are made
                several in one ``session.run``. They are the same steps, in less time.
            experimental_peer_timeout_secs: how long another task of the cluster may be away, and no
                step be made, before training ends with an error.

        Raises:
            ValueError: both kinds of checkpoint intervals are given, TF_CONFIG is not valid, or
                ``loss_reduction`` is NONE.
        """
        if save_checkpoints_steps is _UNSET and save_checkpoints_secs is _UNSET:
            save_checkpoints_steps, save_checkpoints_secs = None, 600
        elif save_checkpoints_secs is _UNSET:
            save_checkpoints_secs = None
        elif save_checkpoints_steps is _UNSET:
            save_checkpoints_steps = None
        if experimental_distribute is not None:
            if train_distribute is not None or eval_distribute is not None:
                raise ValueError(
                    "pass strategies either in experimental_distribute or in "
                    "train_distribute and eval_distribute, not in both"
                )
            if getattr(experimental_distribute, "remote_cluster", None):
                raise ValueError(
                    "remote_cluster: a standalone client is not supported; start each task of the "
                    "cluster with its own TF_CONFIG"
                )
            train_distribute = getattr(experimental_distribute, "train_distribute", None)
            eval_distribute = getattr(experimental_distribute, "eval_distribute", None)
        arguments = locals()
        self._fields: dict[str, Any] = {name: arguments[name] for name in _REPLACEABLE}
        self._strategy_of_cluster: Any = None
        self._read_environment()
        self._validate()

    def replace(self, **changes: Any) -> RunConfig:
        """Returns a copy with other values of some fields.

        Raises:
            ValueError: a field does not exist, or the result is not valid.
        """
        if unknown := sorted(set(changes) - set(_REPLACEABLE)):
            raise ValueError(f"Replacing {', '.join(unknown)} is not supported")
        new = copy.copy(self)
        new._fields = {**self._fields, **changes}
        # Giving one interval takes the default of the other away, as in the constructor.
        for interval, other in (_INTERVALS, _INTERVALS[::-1]):
            if changes.get(interval) is not None and other not in changes:
                new._fields[other] = None
        new._validate()
        return new

    def __getattr__(self, name: str) -> Any:
        if name in _REPLACEABLE and "_fields" in self.__dict__:
            value = self._fields[name]
            return os.fspath(value) if name == "model_dir" and value is not None else value
        raise AttributeError(f"RunConfig has no attribute {name!r}")

    def __repr__(self) -> str:
        return str({f"_{name}": value for name, value in self._fields.items()})

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *_REPLACEABLE})

    @property
    def train_distribute(self) -> Any:
        """The strategy to train under: what was given, else that of the cluster.

        Estimators put variables on parameter servers by themselves, and every worker trained on
        its own (``tf.train.replica_device_setter``): a ParameterServerStrategy of one replica. To
        make it, TensorFlow is put into graph mode, in which these programs were written.
        """
        strategy = self._fields["train_distribute"]
        task = self.task
        if strategy is not None or not task.cluster.get(PS):
            return strategy
        if self._strategy_of_cluster is None:
            tf.disable_eager_execution()
            devices = tf.config.list_physical_devices("GPU")[:1]
            resolver = tf.distribute.cluster_resolver.SimpleClusterResolver(
                tf.train.ClusterSpec({k: list(v) for k, v in task.cluster.items()}),
                task_type=task.type,
                task_id=task.index,
                num_accelerators={"GPU": len(devices)},
                rpc_layer="grpc",
            )
            self._strategy_of_cluster = tf.distribute.experimental.ParameterServerStrategy(resolver)
        return self._strategy_of_cluster

    @property
    def task(self) -> Task:
        """This process's place in the cluster of TF_CONFIG, in which a master is called chief."""
        return self._task.with_chief

    @property
    def task_type(self) -> str:
        """The kind of this task: "worker" where there is no cluster."""
        return self._task.type

    @property
    def task_id(self) -> int:
        """The index of this task among those of its kind."""
        return self._task.index

    @property
    def cluster_spec(self) -> Any:
        """The ``tf.train.ClusterSpec`` of TF_CONFIG: empty without one and for the evaluator."""
        return tf.train.ClusterSpec(self._task.named_cluster)

    @property
    def evaluates(self) -> bool:
        """Whether this task evaluates between its own training steps."""
        return self._task.evaluates

    @property
    def is_chief(self) -> bool:
        """Whether this task writes checkpoints and summaries: one process always does."""
        return self._task.is_chief

    @property
    def master(self) -> str:
        """The session's target: what TF_CONFIG names, else this task; "" for this process."""
        named = self._task.environment.get("session_master")
        if named is not None and self._task.type != EVALUATOR:
            return str(named)
        return f"grpc://{self._task.address}" if self._task.address else ""

    @property
    def evaluation_master(self) -> str:
        """The evaluation session's target: "" for this process.

        What TF_CONFIG names is that of the evaluator, or of a process without a cluster.
        """
        environment = self._task.environment
        if self._task.type != EVALUATOR and environment.get("cluster"):
            return ""
        return str(environment.get("eval_session_master", ""))

    @property
    def num_ps_replicas(self) -> int:
        """The number of parameter servers."""
        return len(self._task.cluster.get("ps", ()))

    @property
    def num_worker_replicas(self) -> int:
        """The number of workers, the chief included; 0 for the evaluator."""
        return 0 if self._task.type == EVALUATOR else len(self._task.training_tasks) or 1

    @property
    def global_id_in_cluster(self) -> int | None:
        """The index of this task among all training tasks, None for the evaluator."""
        return self._task.number

    @property
    def service(self) -> Any:
        """What TF_CONFIG says under "service", None where it does not."""
        return self._task.environment.get("service")

    def _read_environment(self) -> None:
        self._task = read_task()
        named, passed_dir = self._task.environment.get("model_dir"), self._fields["model_dir"]
        if named == "":
            raise ValueError("model_dir in TF_CONFIG should be non-empty")
        if named and passed_dir and named != os.fspath(passed_dir):
            raise ValueError(
                "`model_dir` provided in RunConfig construct, if set, must have the same value as "
                f"the model_dir in TF_CONFIG. It is {os.fspath(passed_dir)!r} in RunConfig and "
                f"{named!r} in TF_CONFIG: remove one of them"
            )
        self._fields["model_dir"] = named if passed_dir is None else passed_dir
        strategies = (self._fields["train_distribute"], self._fields["eval_distribute"])
        if self._fields["session_config"] is None and strategies == (None, None):
            self._fields["session_config"] = _session_config(self._task)

    def _validate(self) -> None:
        fields = self._fields
        if fields["save_checkpoints_steps"] is not None and (
            fields["save_checkpoints_secs"] is not None
        ):
            raise ValueError(
                "`save_checkpoints_steps` and `save_checkpoints_secs` cannot be both set."
            )
        if (reduction := fields["loss_reduction"]) is not None:
            if reduction not in tf.losses.Reduction.all():
                raise ValueError(
                    f"loss_reduction must be one of tf.losses.Reduction, not {reduction!r}"
                )
            if reduction == tf.losses.Reduction.NONE:
                raise ValueError(
                    "Tower losses need to be reduced in some way, yet loss_reduction is NONE"
                )
        for name, kind in _WHOLE_NUMBERS.items():
            if fields[name] is not None and not isinstance(fields[name], numbers.Integral):
                raise ValueError(f"{name} must be {kind}, it is {fields[name]!r}")
        for name in ("train_distribute", "eval_distribute"):
            if isinstance(fields[name], tf2.distribute.experimental.ParameterServerStrategy):
                raise ValueError(
                    f"{name} is TensorFlow 2's ParameterServerStrategy, which Estimators cannot "
                    "use. Please use `tf.compat.v1.distribute.experimental.ParameterServerStrategy`"
                )
        if (device_fn := fields["device_fn"]) is not None and not _takes_an_op(device_fn):
            raise ValueError('device_fn must be callable with exactly one argument "op".')
        if fields["protocol"] not in (None, "grpc", "grpc+verbs"):
            raise ValueError(f"protocol should be grpc or grpc+verbs, it is {fields['protocol']!r}")
        for name in _NOT_NEGATIVE:
            if fields[name] is not None and fields[name] < 0:
                raise ValueError(f"{name} should be >= 0, it is {fields[name]}")
        for name in _POSITIVE:
            if fields[name] is not None and fields[name] <= 0:
                raise ValueError(f"{name} should be > 0, it is {fields[name]}")
        session_config = fields["session_config"]
        if session_config is not None and not isinstance(session_config, tf.ConfigProto):
            raise ValueError(
                f"session_config must be instance of ConfigProto, it is {session_config!r}"
            )
        if fields["model_dir"] is not None and not os.fspath(fields["model_dir"]):
            raise ValueError("model_dir should be non-empty")
        threads.set_intra_op_threads(session_config)


def _takes_an_op(device_fn: Any) -> bool:
    return callable(device_fn) and argument_names(device_fn) == {"op"}


def _session_config(task: Task) -> Any:
    """Returns the ``tf.ConfigProto`` that a task of a cluster has by default, else None.

    Its filters keep tasks that train from waiting for others of their kind.
    """
    peers = {
        PS: [WORKER, *CHIEFS],
        WORKER: [f"{WORKER}/task:{task.index}"],
        **{chief: [chief] for chief in CHIEFS},
    }.get(task.type)
    if peers is None or not task.named_cluster:
        return None
    filters = [f"/job:{name}" for name in (PS, *peers)]
    proto = tf.ConfigProto(allow_soft_placement=True, device_filters=filters)
    proto.graph_options.rewrite_options.meta_optimizer_iterations = 1  # RewriterConfig.ONE
    return proto


def is_of_cluster(strategy: Any, config: RunConfig) -> bool:
    """Returns whether a strategy is that of a RunConfig's cluster, and none that was given."""
    return strategy is not None and strategy is config._strategy_of_cluster
