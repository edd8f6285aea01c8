"""Replaces ``tensorflow.python.distribute.estimator_training``.

An Estimator in a cluster (TF_CONFIG, or RunConfig's ``remote_cluster``) that trains under a
strategy is run by TensorFlow's distribute coordinator: it starts the servers, makes the strategy
know its task and calls back. Without a strategy the cluster is read by RunConfig itself, and
``train_and_evaluate`` runs the task by its own code.

Private attributes of tensorflow-estimator's RunConfig and Estimator are set here, as TensorFlow's
own module of that name did: there is no public way.
"""

import copy
from collections.abc import Callable, Sequence
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.compat import shim_distribute

_CHIEF, _PS, _EVALUATOR, _MASTER = "chief", "ps", "evaluator", "master"
_STANDALONE = shim_distribute.distribute_coordinator.CoordinatorMode.STANDALONE_CLIENT
_INDEPENDENT = shim_distribute.distribute_coordinator.CoordinatorMode.INDEPENDENT_WORKER


def init_run_config(config: Any, tf_config: dict[str, Any]) -> None:
    """Gives a RunConfig its strategies and its cluster.

    Args:
        config: a RunConfig that trains or evaluates under a strategy.
        tf_config: what TF_CONFIG holds.

    Raises:
        ValueError: a strategy is given twice, or both TF_CONFIG and ``remote_cluster`` name a
            cluster.
    """
    distribute_config = config._experimental_distribute
    for name in ("train_distribute", "eval_distribute"):
        if not (strategy := getattr(distribute_config, name, None)):
            continue
        if getattr(config, f"_{name}"):
            raise ValueError(f"Either `{name}` or`experimental_distribute.{name}` can be set.")
        setattr(config, f"_{name}", strategy)

    cluster = tf.train.ClusterSpec(tf_config.get("cluster", {}))
    # What a task has without a cluster: the coordinator says more when it calls back.
    config._init_distributed_setting_from_environment_var({})
    if config._train_distribute and getattr(distribute_config, "remote_cluster", None):
        if cluster:
            raise ValueError(
                'Cannot set both "cluster_spec" of TF_CONFIG and '
                "`experimental_distribute.remote_cluster`"
            )
        config._distribute_coordinator_mode = _STANDALONE
        config._cluster_spec = distribute_config.remote_cluster
        return
    if cluster and _MASTER not in cluster.jobs and config._train_distribute:
        config._distribute_coordinator_mode = _INDEPENDENT
        config._cluster_spec = cluster
        return
    config._distribute_coordinator_mode = None
    config._init_distributed_setting_from_environment_var(tf_config)
    config._maybe_overwrite_session_config_for_distributed_training()


def should_run_distribute_coordinator(config: Any) -> bool:
    """Returns whether ``train_and_evaluate`` is left to the distribute coordinator."""
    return bool(getattr(config, "_distribute_coordinator_mode", None) and config.cluster_spec)


def train_and_evaluate(
    estimator: Any, train_spec: Any, eval_spec: Any, executor_cls: Callable[..., Any]
) -> None:
    """Trains and evaluates as a task of a cluster, or as its client.

    Args:
        estimator: an Estimator that trains under a strategy.
        train_spec: its TrainSpec.
        eval_spec: its EvalSpec.
        executor_cls: what evaluates until the training ends, in the evaluator.

    Raises:
        ValueError: its RunConfig is not for a cluster.
    """
    config = estimator.config
    if not (mode := config._distribute_coordinator_mode):
        raise ValueError("Distribute coordinator mode is not specified in `RunConfig`.")

    def train(strategy: Any) -> None:
        local, context = _estimator_of_task(estimator, "train", strategy)
        # One client has threads for all workers: hooks are those of the chief's graph.
        has_hooks = mode == _INDEPENDENT or context.is_chief
        local.train(
            input_fn=train_spec.input_fn,
            max_steps=train_spec.max_steps,
            hooks=list(train_spec.hooks) if has_hooks else [],
        )

    def evaluate(strategy: Any) -> None:
        local, _ = _estimator_of_task(estimator, "eval", strategy)
        executor_cls(local, train_spec, eval_spec)._start_continuous_evaluation()

    shim_distribute.distribute_coordinator.run_distribute_coordinator(
        train,
        config.train_distribute,
        evaluate,
        config.eval_distribute,
        mode=mode,
        # That of TF_CONFIG otherwise, which says the task too.
        cluster_spec=config.cluster_spec if mode == _STANDALONE else None,
        session_config=config.session_config,
    )


def estimator_train(
    estimator: Any, train_distributed_fn: Callable[..., Any], hooks: Sequence[Any]
) -> Any:
    """Trains as the client of a cluster (``Estimator.train``).

    Raises:
        ValueError: the task is one of TF_CONFIG, the cluster has an evaluator, or each worker
            builds its own graph under the strategy.
    """
    return _run_as_client(estimator, "train", train_distributed_fn, hooks)


def estimator_evaluate(
    estimator: Any, evaluate_distributed_fn: Callable[..., Any], hooks: Sequence[Any]
) -> Any:
    """Evaluates as the client of a cluster (``Estimator.evaluate``).

    Raises:
        ValueError: as in ``estimator_train``.
    """
    return _run_as_client(estimator, "eval", evaluate_distributed_fn, hooks)


def _run_as_client(estimator: Any, kind: str, run: Callable[..., Any], hooks: Sequence[Any]) -> Any:
    config = estimator._config
    cluster = shim_distribute.multi_worker_util.normalize_cluster_spec(config.cluster_spec)
    strategy = config.train_distribute if kind == "train" else config.eval_distribute
    method = "train" if kind == "train" else "evaluate"
    called = "estimator.train" if kind == "train" else "Estimator.evaluate"  # as 1.15 wrote them
    if _EVALUATOR in cluster.jobs:
        raise ValueError("'evaluator' job is not supported if you don't use `train_and_evaluate`")
    if config._distribute_coordinator_mode != _STANDALONE:
        raise ValueError(f"Only `STANDALONE_CLIENT` mode is supported when you call `{called}`")
    if strategy.extended.experimental_between_graph:
        raise ValueError(
            f"`Estimator.{method}` API is not supported for {type(strategy).__name__} with "
            "`STANDALONE_CLIENT` mode."
        )

    def run_task(strategy: Any) -> Any:
        local, context = _estimator_of_task(estimator, kind, strategy)
        result = run(local, strategy, hooks if context.is_chief else [])
        return local if kind == "train" else result

    return shim_distribute.distribute_coordinator.run_distribute_coordinator(
        run_task,
        strategy,
        mode=_STANDALONE,
        cluster_spec=cluster,
        session_config=config.session_config,
    )


def _estimator_of_task(estimator: Any, kind: str, strategy: Any) -> tuple[Any, Any]:
    """Returns a copy of an Estimator for the task that the coordinator runs, and its context."""
    local = copy.deepcopy(estimator)
    context = shim_distribute.distribute_coordinator_context.get_current_worker_context()
    config = local._config
    setattr(config, f"_{kind}_distribute", strategy)
    setattr(local, f"_{kind}_distribution", strategy)
    _set_task(config, context)
    config._distribute_coordinator_mode = None  # else it would be called again
    return local, context


def _set_task(config: Any, context: Any) -> None:
    """Gives a RunConfig the task that the coordinator runs."""
    config._service = None
    config._cluster_spec = context.cluster_spec
    config._task_type = context.task_type
    config._task_id = context.task_id
    config._master = config._evaluation_master = context.master_target
    config._is_chief = context.is_chief
    if not (cluster := context.cluster_spec):
        config._num_ps_replicas, config._num_worker_replicas = 0, 1
        config._global_id_in_cluster = 0
    elif context.task_type == _EVALUATOR:
        config._cluster_spec = tf.train.ClusterSpec({})  # it evaluates by itself
        config._num_ps_replicas = config._num_worker_replicas = 0
        config._global_id_in_cluster = None
    else:
        tasks = {job: len(names) for job, names in cluster.as_dict().items()}
        config._num_ps_replicas = tasks.get(_PS, 0)
        config._num_worker_replicas = tasks.get("worker", 0) + tasks.get(_CHIEF, 0)
        config._global_id_in_cluster = _global_id(cluster, context.task_type, context.task_id)


def _global_id(cluster: Any, task_type: str | None, task_id: int | None) -> int:
    """Returns the number of a task among all: the chief, other jobs by name, ps."""
    if not task_type or task_id is None:
        return 0
    others = sorted(job for job in cluster.jobs if job not in (_CHIEF, _PS))
    order = [job for job in (_CHIEF, *others, _PS) if job in cluster.jobs]
    before = order[: order.index(task_type)]
    return sum(int(cluster.num_tasks(job)) for job in before) + task_id
