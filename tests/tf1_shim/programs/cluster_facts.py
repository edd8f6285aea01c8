"""What clusters and strategies are on TensorFlow 1.x, one fact a function; prints them as JSON.

    cluster_facts.py FOLDER

Runs on TensorFlow 1.15 (scripts/record/record_legacy_clusters.py) and under the legacy runtime.
"""

import inspect
import json
import os
import sys
from pathlib import Path

import tensorflow as tf

sys.path.append(str(Path(__file__).resolve().parents[1]))

from legacy_clusters import free_addresses
from tensorflow.contrib import distribute

TWO = {"chief": ["h0:1"], "worker": ["h1:1"], "ps": ["h2:1", "h3:1"]}
OF_MASTER = {"master": ["h0:1"], "worker": ["h1:1"], "ps": ["h2:1"]}
OF_WORKERS = {"worker": ["h0:1", "h1:1"]}
FOLDER = sys.argv[1]
NAMES = [
    "AllReduceCrossDeviceOps",
    "CollectiveAllReduceStrategy",
    "CrossDeviceOps",
    "DistributeConfig",
    "DistributionStrategy",
    "MirroredStrategy",
    "Monitor",
    "MultiWorkerAllReduce",
    "OneDeviceStrategy",
    "ParameterServerStrategy",
    "ReplicaContext",
    "StandardInputStep",
    "StandardSingleLossStep",
    "Step",
    "get_cross_replica_context",
    "get_distribution_strategy",
    "get_loss_reduction",
    "get_replica_context",
    "get_strategy",
    "has_distribution_strategy",
    "has_strategy",
    "in_cross_replica_context",
    "require_replica_context",
    "run_standard_tensorflow_server",
]
CPUS = tf.ConfigProto(device_count={"CPU": 2})


def said(make):
    """Returns what ``make`` returns, or the error that it raises."""
    try:
        return make()
    except (AssertionError, AttributeError, RuntimeError, TypeError, ValueError) as error:
        return f"{type(error).__name__}: {error}"


def in_cluster(make, cluster=None, kind=None, index=0):
    """Calls ``make`` as a task of a cluster."""
    os.environ.pop("TF_CONFIG", None)
    if cluster is not None:
        config = {"cluster": cluster}
        if kind is not None:
            config["task"] = {"type": kind, "index": index}
        os.environ["TF_CONFIG"] = json.dumps(config)
    try:
        return said(make)
    finally:
        os.environ.pop("TF_CONFIG", None)


def of_config(config):
    cluster = config.cluster_spec
    cluster = cluster if isinstance(cluster, dict) else cluster.as_dict()
    return {
        "task": [config.task_type, config.task_id, config.is_chief],
        "counts": [config.num_worker_replicas, config.num_ps_replicas],
        "global id": config.global_id_in_cluster,
        "masters": [config.master, config.evaluation_master],
        "cluster": cluster,
        "strategies": [config.train_distribute is not None, config.eval_distribute is not None],
        "filters": list(config.session_config.device_filters) if config.session_config else [],
    }


def run_configs():
    """RunConfig in every task of a cluster, with and without a strategy."""
    tasks = [(TWO, kind, 0) for kind in ("chief", "worker", "ps", "evaluator")]
    tasks += [(TWO, "ps", 1), (OF_MASTER, "master", 0), (OF_MASTER, "worker", 0)]
    tasks += [(None, None, 0), (TWO, None, 0), (OF_MASTER, "evaluator", 0), (TWO, "worker", 1)]
    found = {}
    for cluster, kind, index in tasks:
        for name, options in {
            "plain": lambda: {},
            "train": lambda: {"train_distribute": distribute.MirroredStrategy(["/cpu:0"])},
            "eval": lambda: {"eval_distribute": distribute.MirroredStrategy(["/cpu:0"])},
        }.items():
            jobs = "".join(sorted(cluster)) if cluster else None
            found[f"{name} {jobs} {kind} {index}"] = in_cluster(
                lambda options=options: of_config(tf.estimator.RunConfig(FOLDER, **options())),
                cluster,
                kind,
                index,
            )
    return found


def strategies_given_twice():
    """RunConfig with a strategy in two places, or a cluster in two."""
    mirrored = distribute.MirroredStrategy(["/cpu:0"])
    config, both = tf.estimator.RunConfig, distribute.DistributeConfig(mirrored, mirrored)
    remote = distribute.DistributeConfig(mirrored, None, OF_WORKERS)
    return [
        in_cluster(lambda: config(train_distribute=mirrored, experimental_distribute=both)),
        in_cluster(lambda: config(eval_distribute=mirrored, experimental_distribute=both)),
        in_cluster(lambda: config(experimental_distribute=remote), TWO, "worker"),
        in_cluster(lambda: of_config(config(experimental_distribute=remote))),
        in_cluster(lambda: of_config(config(experimental_distribute=both))),
    ]


def trained_by_client():
    """Estimator.train and evaluate where the distribute coordinator runs the cluster."""

    def input_fn():
        return tf.data.Dataset.from_tensors({"x": [0.0]})

    def tried(distribution, cluster=None, kind=None, method="train"):
        def make():
            config = tf.estimator.RunConfig(FOLDER, experimental_distribute=distribution())
            estimator = tf.estimator.Estimator(lambda features: None, config=config)
            return getattr(estimator, method)(input_fn, steps=1)

        return in_cluster(make, cluster, kind)

    def mirrored(cluster=None):
        strategy = distribute.MirroredStrategy(["/cpu:0"])
        return distribute.DistributeConfig(strategy, strategy, cluster)

    def between(cluster):
        strategy = distribute.CollectiveAllReduceStrategy()
        return distribute.DistributeConfig(strategy, strategy, cluster)

    with_evaluator = dict(OF_WORKERS, evaluator=["h2:1"])
    return [
        tried(mirrored, OF_WORKERS, "worker"),
        tried(mirrored, OF_WORKERS, "worker", "evaluate"),
        tried(lambda: mirrored(with_evaluator)),
        tried(lambda: mirrored(with_evaluator), method="evaluate"),
        tried(lambda: between(OF_WORKERS)),
        tried(lambda: between(OF_WORKERS), method="evaluate"),
    ]


def client():
    """One client trains on two workers, in one graph, and evaluates."""
    addresses = free_addresses(2)
    servers = [
        tf.train.Server({"worker": addresses}, job_name="worker", task_index=task)
        for task in (0, 1)
    ]

    def model_fn(features, labels, mode):
        w = tf.get_variable("w", [2], initializer=tf.zeros_initializer())
        loss = tf.reduce_mean(tf.reduce_sum(tf.square(w - features["x"]), axis=1))
        step = tf.train.get_or_create_global_step()
        train_op = tf.train.GradientDescentOptimizer(0.25).minimize(loss, step)
        return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)

    def input_fn():
        rows = {"x": [[[1.0, 2.0]], [[3.0, 4.0]]]}
        return tf.data.Dataset.from_tensor_slices(rows).repeat(50)

    workers = [f"/job:worker/task:{task}" for task in (0, 1)]
    strategy = distribute.MirroredStrategy(
        ["/cpu:0"], cross_device_ops=distribute.MultiWorkerAllReduce(workers, 1)
    )
    remote = distribute.DistributeConfig(strategy, strategy, {"worker": addresses})
    config = tf.estimator.RunConfig(f"{FOLDER}/client", experimental_distribute=remote)
    estimator = tf.estimator.Estimator(model_fn, config=config)
    found = {"servers": len(servers)}
    for steps in (5, 2):
        estimator.train(input_fn, steps=steps)
        found[f"after {steps}"] = estimator.get_variable_value("w").tolist()
        metrics = estimator.evaluate(input_fn, steps=3)
        found[f"metrics after {steps}"] = {key: float(metrics[key]) for key in sorted(metrics)}
    return found


def of_strategy(strategy):
    extended = strategy.extended
    return {
        "replicas": strategy.num_replicas_in_sync,
        "compute": list(extended.worker_devices),
        # Later versions say the task of a device on this machine too.
        "variables": [d.replace("/replica:0/task:0/", "/") for d in extended.parameter_devices],
        "between graph": extended.experimental_between_graph,
        "init": extended.experimental_should_init,
        "checkpoint": extended.should_checkpoint,
        "summary": extended.should_save_summary,
        "global batch": extended._global_batch_size,
    }


def strategies():
    """The strategies' devices and what they do in their task, and what they refuse."""
    mirrored, collective = distribute.MirroredStrategy, distribute.CollectiveAllReduceStrategy
    servers, one = distribute.ParameterServerStrategy, distribute.OneDeviceStrategy
    makers = {
        "mirrored": mirrored,
        "mirrored 2": lambda: mirrored(num_gpus=2),
        "mirrored 0": lambda: mirrored(num_gpus=0),
        "mirrored per worker": lambda: mirrored(num_gpus_per_worker=3),
        "mirrored devices": lambda: mirrored(["/cpu:0", "/gpu:1"]),
        "mirrored twice": lambda: mirrored(num_gpus=2, num_gpus_per_worker=2),
        "mirrored devices and number": lambda: mirrored(["/cpu:0"], num_gpus=1),
        "mirrored no devices": lambda: mirrored([]),
        "mirrored same device": lambda: mirrored(["/cpu:0", "/cpu:0"]),
        "one": lambda: one("/gpu:0"),
        "one cpu": lambda: one("/cpu:0"),
        "collective": collective,
        "collective 2": lambda: collective(2),
        "servers": servers,
        "servers 2": lambda: servers(num_gpus_per_worker=2),
        "servers 1": lambda: servers(num_gpus_per_worker=1),
    }
    found = {}
    for name, make in makers.items():
        found[name] = in_cluster(lambda make=make: of_strategy(make()))
    for name in ("mirrored", "one", "collective", "collective 2", "servers", "servers 2"):
        for cluster, kind in ((TWO, "chief"), (TWO, "worker"), (OF_WORKERS, "worker"), (TWO, None)):
            key = f"{name} as {kind} of {''.join(sorted(cluster))}"
            make = makers[name]
            found[key] = in_cluster(lambda make=make: of_strategy(make()), cluster, kind)
    return found


def core_strategies():
    """The strategies of tf.distribute: what each replica gets of a batch of four, and returns."""
    core, experimental = tf.distribute, tf.distribute.experimental
    makers = {
        "mirrored": lambda: core.MirroredStrategy(["/cpu:0", "/cpu:1"]),
        "one": lambda: core.OneDeviceStrategy("/cpu:0"),
        "central": lambda: experimental.CentralStorageStrategy(["/cpu:0", "/cpu:1"], "/cpu:0"),
        "collective": experimental.MultiWorkerMirroredStrategy,
        "servers": experimental.ParameterServerStrategy,
        "contrib mirrored": lambda: distribute.MirroredStrategy(["/cpu:0", "/cpu:1"]),
        "contrib servers": distribute.ParameterServerStrategy,
    }

    def run(make):
        with tf.Graph().as_default(), tf.Session(config=CPUS) as session:
            strategy = make()
            with strategy.scope():
                dataset = tf.data.Dataset.range(8).batch(4, drop_remainder=True)
                iterator = strategy.make_dataset_iterator(dataset)
                once = strategy.experimental_run_v2(lambda x: tf.constant(x), args=(3.0,))
                each = strategy.experimental_run(lambda batch: batch, iterator)
                values = [strategy.experimental_local_results(value) for value in (once, each)]
            session.run(iterator.initialize())
            found = session.run(values)
            return {**of_strategy(strategy), "values": [[v.tolist() for v in vs] for vs in found]}

    return {name: said(lambda make=make: run(make)) for name, make in makers.items()}


def names():
    """The names of tf.contrib.distribute."""
    return [name for name in sorted(NAMES) if hasattr(distribute, name)]


def reductions():
    """What a value on two devices is reduced to, by each op, in and out of a replica."""
    ops = {
        "default": None,
        "one device": tf.distribute.ReductionToOneDevice(),
        "hierarchical": distribute.AllReduceCrossDeviceOps("hierarchical_copy", 2, 1024, 5),
    }
    found = {}
    for name, cross_device_ops in ops.items():
        with tf.Graph().as_default(), tf.Session(config=CPUS) as session:
            strategy = distribute.MirroredStrategy(
                ["/cpu:0", "/cpu:1"] if name != "hierarchical" else ["/cpu:0"],
                cross_device_ops=cross_device_ops,
            )
            with strategy.scope():
                outside = distribute.in_cross_replica_context()
                value = strategy.experimental_run_v2(
                    lambda: tf.cast(
                        distribute.get_replica_context().replica_id_in_sync_group + 1, tf.float32
                    )
                )
                total = strategy.reduce(tf.distribute.ReduceOp.SUM, value)
                mean = strategy.reduce(tf.distribute.ReduceOp.MEAN, value)
            names = [distribute.has_strategy(), outside]
            found[name] = [*names, *map(float, session.run([total, mean]))]
    found["refused"] = said(lambda: distribute.MultiWorkerAllReduce([], 1, ["a"]))
    return found


def setters():
    """Section 3, row 1: where there is no parameter server there is no device function."""
    setter = tf.train.replica_device_setter
    return [
        setter(ps_tasks=0) is None,
        setter() is None,
        setter(cluster={"worker": ["h:1"]}) is None,
        setter(cluster={"worker": ["h:1"], "ps": ["h:2"]}) is None,
    ]


def placements():
    """Section 3, row 2: variables go around the servers, other ops to the worker."""
    found = {}
    for name, options in {
        "three": {"ps_tasks": 3},
        "two": {"ps_tasks": 2, "worker_device": "/job:worker/task:7"},
        "merged": {"ps_tasks": 2, "merge_devices": False},
        "named": {"cluster": {"servers": ["a:1", "b:1"]}, "ps_device": "/job:servers/cpu:0"},
    }.items():
        with tf.Graph().as_default() as graph:
            with tf.device(tf.train.replica_device_setter(**options)):
                tf.train.get_or_create_global_step()
                for variable in ("w1", "b1", "w2", "b2"):
                    tf.get_variable(variable, [2])
                with tf.device("/gpu:1"):
                    tf.constant(1.0, name="computed")
            operations = ("global_step", "w1", "b1", "w2", "b2", "w1/Assign", "computed")
            found[name] = {n: graph.get_operation_by_name(n).device for n in operations}
    return found


def tokens():
    """Section 3, row 6: as many tokens as gradients to average, unless a number is given."""

    def said_of(aggregated, total, number):
        with tf.Graph().as_default(), tf.Session() as session:
            optimizer = tf.train.SyncReplicasOptimizer(
                tf.train.GradientDescentOptimizer(0.5), aggregated, total
            )
            w = tf.get_variable("w", [], initializer=tf.zeros_initializer())
            step = tf.train.get_or_create_global_step()
            optimizer.minimize(tf.square(w - 1.0), global_step=step)
            op = optimizer.get_init_tokens_op(*([] if number is None else [number]))
            for operation in (tf.global_variables_initializer(), optimizer.chief_init_op, op):
                session.run(operation)
            queue = session.graph.get_operation_by_name("sync_token_q")
            return int(session.run(tf.raw_ops.QueueSizeV2(handle=queue.outputs[0])))

    cases = [(2, 2, None), (3, 4, None), (2, 2, 0), (2, 2, 5), (3, 2, 0)]
    return [said(lambda case=case: said_of(*case)) for case in cases]


def waiting():
    """Section 3, row 7: for how long a worker waits before it looks again for the chief's work."""
    parameters = inspect.signature(tf.train.SessionManager.__init__).parameters
    return parameters["recovery_wait_secs"].default


def monitored():
    """Step by step under a strategy, until the input ends."""
    with tf.Graph().as_default(), tf.Session() as session:
        strategy = distribute.OneDeviceStrategy("/cpu:0")
        with strategy.scope():
            w = tf.get_variable("w", [], initializer=tf.zeros_initializer(), use_resource=True)

            def loss(ctx, x):
                return tf.square(tf.identity(w) - x)

            step = distribute.StandardSingleLossStep(
                lambda: tf.data.Dataset.from_tensors(tf.constant(1.0)).repeat(3),
                loss,
                tf.train.GradientDescentOptimizer(0.25),
                strategy,
            )
            distribute.Monitor(step, session).run_steps()
            return float(session.run(w))


FACTS = (
    run_configs,
    strategies_given_twice,
    trained_by_client,
    client,
    strategies,
    core_strategies,
    names,
    reductions,
    setters,
    placements,
    tokens,
    waiting,
    monitored,
)

if __name__ == "__main__":
    tf.logging.set_verbosity(tf.logging.ERROR)
    facts = {fact.__name__: fact() for fact in FACTS}
    print(json.dumps(facts))
