"""Runs a program and records how it trains, without editing it.

    python record.py --out TRACE.npz [--replicas N] script.py [arguments of the script]

This file is run by the user's own interpreter: it needs Python 3.6 and TensorFlow 1.12 or newer,
NumPy, and nothing else; in particular nothing else of this package.

What it does to TensorFlow, from outside and for this process only:

=====================================================  ============================================
name                                                   what for
=====================================================  ============================================
``framework.random_seed.get_seed``                     ops without a seed draw the same numbers in
                                                       every version (docs/semantics.md, section 5)
``training.monitored_session._MonitoredSession``       a hook that reads loss and variables is added
                                                       to sessions that train
``client.session.BaseSession``                         TensorFlow 1.x: as many CPU devices as there
                                                       are replicas
``contrib...replicate_model_fn._get_local_devices``    TensorFlow 1.x: towers where there is no GPU
``distribute.mirrored_strategy.MirroredStrategy``,     TensorFlow 2: GPU:i becomes CPU:i where there
``MirroredStrategyV1``                                 is no GPU
``Estimator.evaluate``, ``Estimator.predict``          their results are kept
=====================================================  ============================================

The trace is a NumPy .npz file; ``tfmigrate_runtime.verify.trace`` documents it.
"""

import argparse
import hashlib
import importlib
import importlib.util
import json
import os
import platform
import random
import re
import runpy
import sys
import traceback
from typing import Any, Dict, List, Optional, Tuple

import numpy as np

FORMAT = 1
SEED = 87654321
PREDICTIONS_KEPT = 64
FAILED = 2
_REPLICA_SCOPE = re.compile(r"(?:^|/)(?:tower|replica)_(\d+)(?:/|$)")
_GPU = re.compile(r"(?:device:)?gpu:(\d+)", re.IGNORECASE)


class Recording(object):
    """What has been seen of the program so far."""

    def __init__(self, every: int, initial_values: Optional[Dict[str, Any]]) -> None:
        self.every = every
        self.given = initial_values
        self.steps: List[int] = []
        self.losses: List[float] = []
        self.variable_steps: List[int] = []
        self.initial: Dict[str, Any] = {}
        self.variables: Dict[str, List[Any]] = {}
        self.trainable: List[str] = []
        self.evaluations: List[Dict[str, Any]] = []
        self.predictions: List[Dict[str, Any]] = []
        self.pinned: List[str] = []
        self.transferred: List[str] = []
        self.free: List[str] = []
        self.seeds_drawn = 0
        self.devices = ""

    def arrays(self) -> Dict[str, Any]:
        """Returns what is stored, by the keys of the trace."""
        stored: Dict[str, Any] = {
            "step": np.array(self.steps, np.int64),
            "loss": np.array(self.losses, np.float64),
            "variable_step": np.array(self.variable_steps, np.int64),
        }
        for name, value in self.initial.items():
            stored["initial/" + name] = value
        for name, values in self.variables.items():
            stored["variable/" + name] = np.stack(values)
        for kind, results in (("evaluation", self.evaluations), ("prediction", self.predictions)):
            for index, result in enumerate(results):
                for name, value in result.items():
                    stored["%s/%d/%s" % (kind, index, name)] = np.asarray(value)
        return stored


def pin_randomness(recording: Recording) -> None:
    """Makes ops without a seed draw from streams that depend on their order alone.

    The order is counted for each graph and each tower or replica, so that both draw the same.
    """
    random_seed = importlib.import_module("tensorflow.python.framework.random_seed")
    ops = importlib.import_module("tensorflow.python.framework.ops")
    random.seed(SEED)
    np.random.seed(SEED % 2**32)

    def get_seed(op_seed: Optional[int]) -> Tuple[int, int]:
        if op_seed is not None:
            return SEED, op_seed
        recording.seeds_drawn += 1
        graph = ops.get_default_graph()
        counters = getattr(graph, "_tfmigrate_seed_counters", None)
        if counters is None:
            counters = {}
            graph._tfmigrate_seed_counters = counters
        found = _REPLICA_SCOPE.findall(graph.get_name_scope() or "")
        replica = int(found[-1]) if found else 0
        counters[replica] = counters.get(replica, 0) + 1
        return SEED, replica * 1000003 + counters[replica]

    setattr(random_seed, "get_seed", get_seed)  # noqa: B010 - not an attribute mypy knows


def record_sessions(recording: Recording, tf: Any) -> None:
    """Adds a hook to every monitored session that trains: one that watches a loss for NaN."""
    monitored_session = importlib.import_module("tensorflow.python.training.monitored_session")
    session_class = monitored_session._MonitoredSession
    original = session_class.__init__

    def with_recorder(
        self: Any, session_creator: Any, hooks: Any, *args: Any, **kwargs: Any
    ) -> None:
        hooks = list(hooks or [])
        losses = [h._loss_tensor for h in hooks if isinstance(h, tf.train.NanTensorHook)]
        if losses:
            hooks.insert(0, make_hook(recording, tf, losses[0]))
        original(self, session_creator, hooks, *args, **kwargs)

    session_class.__init__ = with_recorder


def make_hook(recording: Recording, tf: Any, loss: Any) -> Any:
    """Returns the hook that reads loss and variables of one training session."""

    class Recorder(tf.train.SessionRunHook):  # type: ignore[misc]
        def begin(self) -> None:
            self.global_step = tf.train.get_global_step()
            self.variables = variables_to_read(tf, self.global_step)
            self.reads = {
                name: [c.read_value() for c in parts] for name, parts, _ in self.variables
            }
            self.step = tf.identity(self.global_step)
            names = set(self.reads)
            trainable = [base_name(v) for v in tf.trainable_variables()]
            recording.trainable = [n for n in trainable if n in names]

        def after_create_session(self, session: Any, coord: Any) -> None:
            if recording.steps:
                return  # a second training of the same model goes on where the first ended
            values = self.read(session)
            if recording.given is not None and int(session.run(self.step)) == 0:
                values = self.transfer(session, values)
            recording.initial = values

        def before_run(self, run_context: Any) -> Any:
            return tf.train.SessionRunArgs(loss)

        def after_run(self, run_context: Any, run_values: Any) -> None:
            session = run_context.session
            step = int(session.run(self.step))
            recording.steps.append(step)
            recording.losses.append(float(np.sum(run_values.results)))
            if len(recording.steps) % recording.every == 0:
                recording.variable_steps.append(step)
                for name, value in self.read(session).items():
                    recording.variables.setdefault(name, []).append(value)

        def read(self, session: Any) -> Dict[str, Any]:
            fetched = session.run(self.reads)
            return {name: combined(fetched[name], how) for name, _, how in self.variables}

        def transfer(self, session: Any, values: Dict[str, Any]) -> Dict[str, Any]:
            given = recording.given or {}
            for name, parts, _ in self.variables:
                wanted = given.get(name)
                if wanted is None or wanted.shape != values[name].shape:
                    recording.free.append(name)
                elif wanted.tobytes() == values[name].tobytes():
                    recording.pinned.append(name)
                else:
                    recording.transferred.append(name)
                    for part in parts:
                        session.run(part.initializer, {part.initializer.inputs[1]: wanted})
            return self.read(session)

    return Recorder()


def variables_to_read(tf: Any, global_step: Any) -> List[Tuple[str, List[Any], str]]:
    """Returns (TF1 name, parts, how parts combine) of every global variable but the global step.

    A variable of several replicas has a part on each. They are the same, but for variables that
    replicas change on their own and that are combined when they are read, as a saver does it.
    """
    found: Dict[str, Tuple[str, List[Any], str]] = {}
    for variable in tf.global_variables():
        if variable is global_step or base_name(variable) == base_name(global_step):
            continue
        parts = list(getattr(variable, "values", [variable]))
        synchronization = str(getattr(variable, "synchronization", ""))
        how = "first"
        if len(parts) > 1 and "ON_READ" in synchronization:
            how = "mean" if "MEAN" in str(variable.aggregation) else "sum"
        if not re.search(r"/replica_\d+$", base_name(variable)):
            found.setdefault(base_name(variable), (base_name(variable), parts, how))
    return list(found.values())


def combined(values: List[Any], how: str) -> Any:
    """Returns the value of a variable from those of its parts."""
    if how == "mean":
        return np.mean(values, axis=0).astype(values[0].dtype)
    return np.sum(values, axis=0).astype(values[0].dtype) if how == "sum" else values[0]


def base_name(variable: Any) -> str:
    """Returns the name of a variable without ":0"."""
    name: str = variable.name
    return name.split(":")[0]


def record_results(recording: Recording, estimator_class: Any) -> None:
    """Keeps what Estimator.evaluate and Estimator.predict return."""
    evaluate, predict = estimator_class.evaluate, estimator_class.predict

    def recorded_evaluate(self: Any, *args: Any, **kwargs: Any) -> Any:
        result = evaluate(self, *args, **kwargs)
        recording.evaluations.append({k: v for k, v in result.items() if is_number(v)})
        return result

    def recorded_predict(self: Any, *args: Any, **kwargs: Any) -> Any:
        kept: List[Any] = []
        try:
            for prediction in predict(self, *args, **kwargs):
                if len(kept) < PREDICTIONS_KEPT:
                    kept.append(prediction)
                yield prediction
        finally:
            recording.predictions.append(by_key(kept))

    defining = next(c for c in estimator_class.__mro__ if "evaluate" in c.__dict__)
    defining.evaluate, defining.predict = recorded_evaluate, recorded_predict


def by_key(predictions: List[Any]) -> Dict[str, Any]:
    """Returns arrays of predictions by name; those that are no numbers are left out."""
    if not predictions:
        return {}
    rows = [p if isinstance(p, dict) else {"output": p} for p in predictions]
    stacked = {key: [row[key] for row in rows] for key in rows[0]}
    return {k: np.stack(v) for k, v in stacked.items() if all(is_number(x) for x in v)}


def is_number(value: Any) -> bool:
    """Says whether a value is a number or an array of numbers."""
    return np.asarray(value).dtype.kind in "biuf"


def use_cpus_as_replicas_tf1(recording: Recording, count: int) -> None:
    """TensorFlow 1.x: gives replicate_model_fn towers, and sessions CPU devices for them."""
    session = importlib.import_module("tensorflow.python.client.session")
    original = session.BaseSession.__init__

    def with_devices(self: Any, target: Any = "", graph: Any = None, config: Any = None) -> None:
        changed = importlib.import_module("tensorflow").ConfigProto()
        if config is not None:
            changed.CopyFrom(config)
        changed.device_count["CPU"] = max(count, changed.device_count["CPU"])
        changed.allow_soft_placement = True
        original(self, target, graph, changed)

    session.BaseSession.__init__ = with_devices
    for path in ("tensorflow_estimator.contrib", "tensorflow.contrib"):
        name = path + ".estimator.python.estimator.replicate_model_fn"
        try:
            module = importlib.import_module(name)
        except ImportError:
            continue
        local_devices = module._get_local_devices

        def devices(kind: str, local_devices: Any = local_devices) -> Any:
            if kind == "GPU":
                return ["/device:GPU:%d" % index for index in range(count)]
            return local_devices(kind)

        setattr(module, "_get_local_devices", devices)  # noqa: B010
    recording.devices = "towers of GPU:0..%d on the CPU" % (count - 1)


def use_cpus_as_replicas_tf2(recording: Recording, count: int, tf: Any) -> None:
    """TensorFlow 2: as many logical CPU devices as replicas, in the place of GPUs."""
    cpu = tf.config.list_physical_devices("CPU")[0]
    logical = [tf.config.LogicalDeviceConfiguration()] * count
    tf.config.set_logical_device_configuration(cpu, logical)
    module = importlib.import_module("tensorflow.python.distribute.mirrored_strategy")
    for name in ("MirroredStrategy", "MirroredStrategyV1"):
        strategy = getattr(module, name)
        original = strategy.__init__

        def with_cpus(
            self: Any, devices: Any = None, cross_device_ops: Any = None, original: Any = original
        ) -> None:
            if devices is None:
                devices = ["/device:CPU:%d" % index for index in range(count)]
            devices = [_GPU.sub(r"device:CPU:\1", str(device)) for device in devices]
            original(self, devices, cross_device_ops)

        strategy.__init__ = with_cpus
    recording.devices = "replicas on CPU:0..%d" % (count - 1)


def prepare(recording: Recording, replicas: Optional[int]) -> str:
    """Imports and patches TensorFlow; returns its version."""
    import tensorflow as tensorflow_module

    version: str = tensorflow_module.__version__
    modern = int(version.split(".")[0]) >= 2
    tf = tensorflow_module.compat.v1 if modern else tensorflow_module
    if replicas is not None and modern:
        if tensorflow_module.config.list_physical_devices("GPU"):
            recording.devices = "the GPUs that the program asks for"
        else:
            use_cpus_as_replicas_tf2(recording, replicas, tensorflow_module)
    elif replicas is not None:
        if tf.test.is_gpu_available():
            recording.devices = "the GPUs that the program asks for"
        else:
            use_cpus_as_replicas_tf1(recording, replicas)
    pin_randomness(recording)
    record_sessions(recording, tf)
    if modern and importlib.util.find_spec("tfmigrate_runtime") is not None:
        runtime = importlib.import_module("tfmigrate_runtime.estimator")
        record_results(recording, runtime.Estimator)
    estimator = getattr(tf, "estimator", None)
    if estimator is not None and hasattr(estimator, "Estimator"):
        record_results(recording, estimator.Estimator)
    return version


def run(script: str, arguments: List[str]) -> None:
    """Runs a script as ``python script arguments`` would.

    Raises:
        SystemExit: the script ended with a failure.
    """
    sys.argv = [script] + arguments
    sys.path.insert(0, os.path.dirname(os.path.abspath(script)))
    try:
        runpy.run_path(script, run_name="__main__")
    except SystemExit as stop:
        if stop.code not in (None, 0):
            raise


def save(recording: Recording, path: str, meta: Dict[str, Any]) -> None:
    """Writes the trace beside its place and moves it there when it is whole."""
    arrays = recording.arrays()
    arrays["meta"] = np.array(json.dumps(meta, sort_keys=True))
    partial = path + ".partial.npz"
    np.savez_compressed(partial, **arrays)
    os.replace(partial, path)


def describe(recording: Recording, script: str, options: Any, version: str) -> Dict[str, Any]:
    """Returns what the trace says about itself."""
    with open(script, "rb") as stream:
        digest = hashlib.sha256(stream.read()).hexdigest()
    return {
        "format": FORMAT,
        "tensorflow": version,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "machine": platform.machine(),
        "script": os.path.basename(script),
        "sha256": digest,
        "arguments": options.recorded_arguments or options.arguments,
        "replicas": options.replicas,
        "devices": recording.devices,
        "trainable": recording.trainable,
        "seeds_drawn": recording.seeds_drawn,
        "pinned": recording.pinned,
        "transferred": recording.transferred,
        "free": recording.free,
    }


def parse(arguments: List[str]) -> Any:
    """Reads the command line."""
    parser = argparse.ArgumentParser(description="Runs a program and records how it trains.")
    parser.add_argument("--out", required=True, help="the trace to write (.npz)")
    parser.add_argument("--replicas", type=int, help="towers or replicas, on CPUs without GPUs")
    parser.add_argument("--every", type=int, default=1, help="steps between records of variables")
    parser.add_argument("--initial-values", help="a trace whose initial values are taken over")
    parser.add_argument(
        "--recorded-arguments", type=json.loads, help="JSON: the arguments as the trace names them"
    )
    parser.add_argument("script", help="the program")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="its arguments")
    options = parser.parse_args(arguments)
    if options.arguments[:1] == ["--"]:
        options.arguments = options.arguments[1:]
    return options


def main(arguments: List[str]) -> int:
    """Records a program; returns the exit code: 0, or 2 where it failed or never trained."""
    options = parse(arguments)
    given = None
    if options.initial_values:
        with np.load(options.initial_values, allow_pickle=False) as trace:
            keys = [key for key in trace.files if key.startswith("initial/")]
            given = {key[len("initial/") :]: trace[key] for key in keys}
    recording = Recording(options.every, given)
    version = prepare(recording, options.replicas)
    try:
        run(options.script, options.arguments)
    except SystemExit as stop:
        print("record: %s ended with exit code %s" % (options.script, stop.code), file=sys.stderr)
        return FAILED
    except Exception:
        traceback.print_exc()
        return FAILED
    if not recording.steps:
        print(
            "record: %s made no training step in a MonitoredTrainingSession that watches its loss; "
            "did it resume a finished model_dir?" % options.script,
            file=sys.stderr,
        )
        return FAILED
    save(recording, options.out, describe(recording, options.script, options, version))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
