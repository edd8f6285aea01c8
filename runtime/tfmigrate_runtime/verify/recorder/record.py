"""Runs a TensorFlow program unchanged and records what its training computed: ``all_sessions.py``.

Nothing of the project is imported but the files in this folder, ``shared.py`` and ``map_file.py``,
by relative imports: where one of them is started they form their own package. They run inside the
user's interpreter, on Python 3.6 or newer and TensorFlow 1.12 to 2.21. The program is not edited;
TensorFlow is patched around it so that random numbers are the same in every version (semantics.md,
5), so that it finds N CPU devices where it looks for GPUs (or N GPUs, with ``--devices gpu:N``),
and so that every training session is observed. ``{out}`` in the script's arguments becomes a fresh
directory.

Exit code 0: the trace is written. 2: the program failed (its own traceback is on stderr) or never
trained; no trace is written.

The trace is an npz archive that needs no pickle: ``meta`` (JSON), ``step`` int64[T] and ``loss``
float64[T] after every training step, ``initial/<variable>``, ``variable_step`` int64[V] and
``variable/<variable>`` [V, ...] after the update, ``evaluation/<i>/<metric>`` and
``prediction/<i>/<key>``; ``drawn/<variable>`` is what a variable started from before it was given
the value of another trace. Variables carry their checkpoint names. ``sessions/first_batch.py``,
``results/checkpoints.py``, ``results/exports.py``, ``results/fetched_values.py`` and
``results/written_files.py`` have the keys of what they record,
``tfmigrate_runtime.verify.traces.trace`` a list of all.

``meta["calls"]`` lists what was called on Estimators, in the order in which the calls began:

* ``{"kind": "train", "before": int, "after": int, "steps": int or null, "max_steps": int or null}``
  with the global steps between which it trained; ``fit`` of contrib.learn is one too.
* ``{"kind": "evaluate", "step": int, "steps": int or null, "name": str or null}`` with the global
  step of the evaluated checkpoint.
* ``{"kind": "export", "step": int or null, "folder": str or null}`` with the global step of the
  exported checkpoint and the folder below model_dir, without the time.

``native/observer.py`` describes what is recorded of programs that train without sessions, by Keras
3 or a GradientTape; its variables have the names of the trace of ``--initial-values``.

A nested call of the same kind (``export_savedmodel`` calls ``export_saved_model``) is part of the
outer one; a call that raised is left out.

Private names of TensorFlow that are touched, and why no public one does:

======================================================== =====================================
name (module tensorflow.python...)                       what for
======================================================== =====================================
framework.random_seed.get_seed                           the one place where an op gets its seed
distribute.distribution_strategy_context, distribute_lib which replica is being built:
(2.x) .get_replica_context, ._replica_id_in_sync_group   the public property adds an op
training.monitored_session._MonitoredSession.__init__    base of all monitored sessions
training.basic_session_run_hooks.NanTensorHook           `_loss_tensor`: the loss that is trained
training.basic_session_run_hooks.CheckpointSaverHook     `_get_saver`, `_save_path`: step 0 is saved
                                                         again once initial values were loaded
data.experimental.ops.optimization_options.               shuffle().repeat() is not fused in 1.x:
OptimizationOptions._static_optimizations                the fused op draws in a different order
tf_keras.src.backend.RandomGenerator._set_rng_type       initial values of tf.layers on 2.x are
                                                         drawn by the ops of 1.x
framework.func_graph, ops.cond_v2, ops.while_v2          class names of control-flow graphs, whose
                                                         `outer_graph` the ops belong to in 1.x
distributed variables: `values`, `aggregation`           copies of one variable on the replicas
(tensorflow_estimator.python.estimator.estimator,        its calls are recorded: wrapped when the
tensorflow.python.estimator.estimator (1.12),            program imports the module, which is
tensorflow.contrib.learn.python.learn.estimators.        never imported for this
estimator (1.x),
tfmigrate_runtime.estimator,
tfmigrate_runtime.learn,
tfmigrate_runtime.tf1_shim.contrib.learn.estimator,
both of tfmigrate_vendored, which is a copy
).Estimator
======================================================== =====================================
"""

import argparse
import atexit
import os
import platform
import shutil
import sys
import tempfile
from typing import Any, Callable, Dict, Optional, Tuple

import numpy as np

from .. import shared
from . import recording
from .draws import pinned_randomness, queues
from .eager import shuffles
from .keras import backend
from .native import functions, observer, older_optimizers
from .pairing import cell_names
from .program import chance_sources, cpus_as_gpus, device_choice, ends, limit, scripts
from .results import (
    checkpoints,
    estimators,
    exports,
    fetched_values,
    printed_numbers,
    written_files,
)
from .sessions import graph_training, hooks, lock_step

FAILED = shared.FAILED

PinnedRandomness = pinned_randomness.PinnedRandomness
Trace = recording.Trace
observe_sessions = hooks.observe_sessions
observe_estimator = estimators.observe_estimator


def import_tensorflow() -> Tuple[Any, Callable[[], Any]]:
    """Returns TensorFlow and a function that returns the context of the replica being built."""
    import tensorflow as tf

    try:
        if tf.__version__.startswith("2."):
            from tensorflow.python.distribute import distribute_lib as where
        else:
            from tensorflow.python.distribute import distribution_strategy_context as where
        return tf, where.get_replica_context
    except ImportError:  # 1.12 and before
        return tf, lambda: None


def record_program(options: argparse.Namespace, sessions: Any) -> int:
    """Records one program; returns the exit code.

    Args:
        options: the command line.
        sessions: what observes other sessions than those with a NanTensorHook: its
            ``install(trace, randomness, initial_values, write)`` is called before the program, its
            ``finish()`` after it. ``in_cluster`` is whether the program is one of several workers:
            then it observes all sessions, and a trace may have no steps.
    """
    try:
        devices = _devices_of(options)
        tf, get_replica_context = _imported(options)
        functions.keep_from_autograph()
        randomness = PinnedRandomness(get_replica_context)
        randomness.install()
        towers = cpus_as_gpus.Towers() if devices is None else devices
        if devices is None:
            towers.install(tf)
        else:
            _install_devices(devices, options, tf)
        randomness.tower = towers.tower
    except shared.DevicesError as error:
        sys.stderr.write("record.py: %s\n" % error)
        return FAILED
    except ImportError as error:
        sys.stderr.write("record.py: %s: %s\n" % (sys.executable, error))
        return FAILED
    in_cluster = sessions.in_cluster
    trace, initial_values = _begun(options, sessions.is_chief, in_cluster)
    scratch = _scratch_of(options)
    native = None
    if tf.__version__.startswith("2.") and not options.legacy:
        native = observer.Native(
            trace, options.initial_values, options.map, options.script, randomness
        )
        if options.initial_values and not trace.is_original_eager:
            trace.older_steps = older_optimizers.OlderSteps(native)
    _observe(trace, native, scratch, options.initial_values)

    def write(path: str = options.out) -> None:
        trace.write(path, about_run(tf, options, devices, randomness))

    def stop() -> None:
        write()
        sys.stdout.flush()
        os._exit(0)  # the program must not go on

    def finish_parts() -> None:
        sessions.finish()
        if native is not None:
            native.finish()

    def finish() -> None:
        finish_parts()
        if trace.steps:
            write()

    if options.steps is not None or options.fail_fast:
        trace.limit = limit.Limit(options.steps, options.fail_fast, lambda: os._exit(0))
    if options.stop_after_restore and trace.checkpoints is not None:
        trace.checkpoints.stop = stop
    ends.install(None if in_cluster else finish)
    sessions.install(trace, randomness, initial_values, write)
    arguments = [argument.replace("{out}", scratch or "") for argument in options.arguments]
    backend.install()
    if options.legacy:
        from tfmigrate_runtime import tf1_shim

        tf1_shim.serve()  # from here on the program runs
    if not scripts.run_program(options.script, arguments, options.module):
        backend.check_failed(native, options.script)
        return FAILED
    finish_parts()
    if not trace.steps and not in_cluster:
        sys.stderr.write(
            "record.py: %s ended without a training step: %s\n"
            % (options.script, _why_no_step(trace))
        )
        return FAILED
    write()
    if options.restore_later and trace.checkpoints is not None:
        sys.stdout.flush()
        trace.checkpoints.restore_when_asked(options.restore_later, trace.initial, write)
    return 0


def _devices_of(options: argparse.Namespace) -> Any:
    """Returns the devices that the program finds, None for those of the machine."""
    if options.replicas:
        return device_choice.Devices(options.replicas, "--replicas %d")
    return device_choice.chosen(options.devices) if options.devices else None


def _imported(options: argparse.Namespace) -> Tuple[Any, Callable[[], Any]]:
    """Imports TensorFlow, prepared for an original where it is to run under the shim."""
    if options.legacy:
        from tfmigrate_runtime import tf1_shim

        tf1_shim.prepare()
    with backend.recorded():
        return import_tensorflow()


def _install_devices(devices: Any, options: argparse.Namespace, tf: Any) -> None:
    if options.legacy:
        from tfmigrate_runtime.tf1_shim import devices as legacy_devices

        legacy_devices.install(devices, tf)
    else:
        devices.install(tf)
    devices.record_on(tf)


def _scratch_of(options: argparse.Namespace) -> Optional[str]:
    """Returns the folder for ``{out}``, a new one where none is given."""
    if options.scratch is None and any("{out}" in argument for argument in options.arguments):
        scratch = tempfile.mkdtemp(prefix="tfmigrate-")
        atexit.register(shutil.rmtree, scratch, ignore_errors=True)
        return scratch
    if options.scratch is not None:
        os.makedirs(options.scratch, exist_ok=True)  # all tasks of a cluster have one
    return str(options.scratch) if options.scratch is not None else None


def _begun(options: argparse.Namespace, is_chief: bool, in_cluster: bool) -> Tuple[Any, Any]:
    """Returns the trace, which follows checkpoints and sessions, and the initial values to take."""
    initial_values: Any = None
    trace = Trace(options.every)
    trace.out = options.out
    trace.is_chief = is_chief
    if options.initial_values:
        initial_values, trace.starts_of_others = recording.initial_values_of(options.initial_values)
        cell_names.note_originals([initial_values, *trace.starts_of_others])
        trace.is_original_eager = shuffles.install(options.initial_values)
    trace.orders_updates = not in_cluster  # where others update them meanwhile
    trace.all_batches = options.all_batches
    trace.assigns_first = options.assigns_first
    if options.follow:
        trace.states = lock_step.states_of(options.follow)
        trace.states_in_turns = lock_step.states_in_turns(options.follow)
        trace.follow_in(trace, 0)
    if is_chief:
        trace.checkpoints = checkpoints.Checkpoints(options.checkpoint, options.restore)
        trace.checkpoints.in_cluster = in_cluster
        trace.checkpoints.install()
    if not in_cluster:  # with hooks the chief, which alone may have a NanTensorHook, takes no turns
        observe_sessions(trace, initial_values)
    return trace, initial_values


def _observe(
    trace: Any, native: Any, scratch: Optional[str], initial_values: Optional[str]
) -> None:
    """Lets the trace follow exports, steps without a session, results and files."""
    estimators.install(trace)
    trace.exports = exports.Exports(trace, scratch)
    fetches = fetched_values.Fetches(trace, scratch)
    written = written_files.Written(trace, scratch)
    chance, rows = chance_sources.Chance(), queues.Rows(initial_values)
    printed = printed_numbers.Printed(trace)
    for part in (trace.exports, native, fetches, written, chance, rows, printed):
        if part is not None:
            part.install()
            trace.parts.append(part)


def _why_no_step(trace: Any) -> str:
    resumed = trace.checkpoints.resumed()
    if resumed is not None:
        return "%s; %s" % (resumed, _FRESH)
    if graph_training.trained_in_functions:
        return _IN_FUNCTION % graph_training.trained_in_functions[-1]
    return _NO_SESSION


_FRESH = (
    "use a fresh folder to train from step 0: {out}, for example -- --model_dir {out}, or "
    "--fresh-folder"
)
_IN_FUNCTION = (
    "its %s updates variables in a function, and verify follows functions in eager programs on "
    "TensorFlow 1.15 and newer only: take @tf.function, or defun, off the step to compare it"
)
_NO_SESSION = "no session ran a training step, and no optimizer of Keras updated variables"


def about_run(
    tf: Any, options: argparse.Namespace, devices: Any, randomness: PinnedRandomness
) -> Dict[str, Any]:
    """Returns the part of ``meta`` about the program and where it ran."""
    return {
        "tensorflow": tf.__version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "script": os.path.basename(options.script),
        "sources": scripts.sources_of(options.script),
        "args": options.arguments,
        "replicas": devices.replicas if devices else None,
        "legacy": options.legacy,
        "devices": {
            "replicas": devices.names if devices else [],
            "mapped": devices.mapped if devices else {},
        },
        "pinned_operations": {str(k): v for k, v in sorted(randomness.operations.items())},
    }
