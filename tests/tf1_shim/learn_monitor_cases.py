"""What monitors see and do. Python 3.7."""

import functools

import numpy as np
import tensorflow as tf
from learn_program_support import (
    Tick,
    case,
    contrib,
    core,
    eval_rows,
    experiment,
    in_cluster,
    rows,
    told,
    tuple_model_fn,
)

learn = tf.contrib.learn


def watched(folder, monitors, steps=7):
    """Trains with monitors; returns the steps made."""
    est = learn.Estimator(tuple_model_fn, folder, learn.RunConfig(save_checkpoints_steps=3))
    est.fit(input_fn=rows, steps=steps, monitors=monitors)
    return est


class Lister(learn.monitors.EveryN):
    """Lists what it is asked."""

    def __init__(self, seen, **options):
        super().__init__(**options)
        self._seen = seen

    def every_n_step_begin(self, step):
        self._seen.append(["begin", step])
        return ["w"]

    def every_n_step_end(self, step, outputs):
        self._seen.append(["end", step, [float(x) for x in outputs["w"].ravel()]])
        return False

    def every_n_post_step(self, step, session):
        self._seen.append(["post", step])


@case
def every_n(folder):
    seen = []
    watched(folder, [Lister(seen, every_n_steps=3, first_n_steps=2)])
    watched(folder, [Lister(seen, every_n_steps=2)], steps=2)
    return seen


@case
def plain_monitors(folder):
    captured = learn.monitors.CaptureVariable("w", every_n=2)
    writer_folder = folder + "/summaries"
    given = [
        captured,
        learn.monitors.StopAtStep(num_steps=4),
        learn.monitors.PrintTensor(["w"], every_n=1),
        learn.monitors.LoggingTrainable(every_n=1),
        learn.monitors.StepCounter(every_n_steps=1, output_dir=writer_folder),
        learn.monitors.NanLoss("mean_squared_error/value:0", every_n_steps=1),
        Tick(),
    ]
    est = watched(folder, given, steps=None)
    values = {str(step): value.ravel().tolist() for step, value in sorted(captured.values.items())}
    again = watched(folder, [learn.monitors.StopAtStep(last_step=6)], steps=None)
    return [
        int(est.get_variable_value("global_step")),
        values,
        int(again.get_variable_value("global_step")),
    ]


def constant_rows(value):
    return {"x": tf.constant([[value, 1.0]])}, tf.constant([[1.0]])


@case
def nan_loss(folder):
    nan = functools.partial(constant_rows, float("nan"))
    found = []
    for fails in (True, False):
        monitor = learn.monitors.NanLoss("mean_squared_error/value:0", 1, fail_on_nan_loss=fails)
        est = learn.Estimator(tuple_model_fn, f"{folder}/{fails}")
        call = functools.partial(est.fit, input_fn=nan, steps=3, monitors=[monitor])
        found.append(told(folder, call)["result"])
    return found


@case
def validation_monitor(folder):
    """Stops after rounds without anything better; begins to count at the first evaluation."""
    found = []
    for rounds, minimize in ((3, False), (100, True)):
        est = contrib(f"{folder}/{rounds}", save_checkpoints_steps=2)
        monitor = learn.monitors.ValidationMonitor(
            input_fn=eval_rows,
            eval_steps=2,
            every_n_steps=1,
            early_stopping_rounds=rounds,
            early_stopping_metric_minimize=minimize,
            check_interval_secs=None,
            name="rounds",
        )
        call = functools.partial(est.fit, input_fn=rows, steps=7, monitors=[monitor, Tick()])
        events = told(folder, call)["events"]
        best = [monitor.best_step, float(monitor.best_value), sorted(monitor.best_metrics)]
        found.append([events, monitor.early_stopped, best])
    monitor = learn.monitors.ValidationMonitor(
        input_fn=eval_rows, early_stopping_rounds=1, early_stopping_metric="none"
    )
    found.append(told(folder, lambda: watched(folder, [monitor]))["result"][0])
    found.append(told(folder, learn.monitors.ValidationMonitor)["result"])
    monitor = learn.monitors.ValidationMonitor(x=np.ones([2, 2]), every_n_steps=1)
    exp = experiment(core(folder + "/core"), train_monitors=[monitor])
    found.append(told(folder, exp.train)["result"])
    return found


@case
def monitors_refuse(folder):
    monitors = learn.monitors

    def twice():
        monitor = monitors.BaseMonitor()
        monitor.begin()
        monitor.begin()

    calls = {
        "estimator": lambda: monitors.BaseMonitor().set_estimator(None),
        "begin": twice,
        "end": lambda: monitors.BaseMonitor().end(),
        "epoch": lambda: monitors.BaseMonitor().epoch_begin(-1),
        "step": lambda: monitors.BaseMonitor().step_begin(-1),
        "no step": monitors.StopAtStep,
        "both steps": lambda: monitors.StopAtStep(1, 2),
        "saver": lambda: monitors.CheckpointSaver(folder),
        "both savers": lambda: monitors.CheckpointSaver(folder, 1, 1),
    }
    return {name: told(folder, call)["result"] for name, call in calls.items()}


@case
def monitors_of_workers(folder):
    """Those that do not run on all workers are left out where the task is not chief."""
    in_cluster("worker", 1)
    est = learn.Estimator(tuple_model_fn, folder)
    given = [Tick(), learn.monitors.StopAtStep(1), learn.monitors.EveryN()]
    hooks = learn.monitors.replace_monitors_with_hooks(given, est)
    return [type(hook).__name__ for hook in hooks], len(hooks[1]._monitors)
