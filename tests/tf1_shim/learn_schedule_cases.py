"""What the schedules of an Experiment do. Python 3.7."""

import functools

import tensorflow as tf
from learn_program_support import (
    case,
    contrib,
    core,
    experiment,
    run,
    step_of,
    told,
)

learn = tf.contrib.learn


@case
def train(folder):
    """Goes to a global step; a finished folder is left as it is."""
    return [run(folder, "train", train_steps=steps) for steps in (12, 12, 20)]


@case
def train_of_contrib_estimator(folder):
    return [run(folder, "train", contrib, train_steps=steps) for steps in (12, 12, 20)]


@case
def evaluate(folder):
    fresh = run(folder, "evaluate", eval_delay_secs=120)
    run(folder, "train")
    delayed = run(folder, "evaluate", eval_delay_secs=2, eval_hooks=[tf.train.SessionRunHook()])
    exp = experiment(core(folder), eval_steps=2)
    return [fresh, delayed, told(folder, lambda: exp.evaluate(delay_secs=0, name="other"))]


@case
def evaluate_without_a_checkpoint_of_contrib_estimator(folder):
    return run(folder, "evaluate", contrib)


@case
def train_and_evaluate(folder):
    """The second time nothing is trained, but it is evaluated."""
    return [run(folder, "train_and_evaluate") for _ in range(2)]


def of_frequency(folder, **options):
    return run(folder, "train_and_evaluate", config={"save_checkpoints_steps": 4}, **options)


@case
def train_and_evaluate_every_checkpoint(folder):
    return of_frequency(folder, check_interval_secs=0)


@case
def train_and_evaluate_by_default_interval(folder):
    """A checkpoint is looked for every five seconds at most: a second is a step here."""
    return of_frequency(folder)


@case
def train_and_evaluate_at_the_end(folder):
    return of_frequency(folder, check_interval_secs=0, min_eval_frequency=0)


@case
def train_and_evaluate_every_six_steps(folder):
    return of_frequency(folder, check_interval_secs=0, min_eval_frequency=6)


@case
def train_and_evaluate_of_contrib_estimator(folder):
    spec = {"error": learn.MetricSpec(tf.metrics.mean_absolute_error)}
    options = {"check_interval_secs": 0, "eval_metrics": spec, "export_strategies": None}
    config = {"save_checkpoints_steps": 4}
    return run(folder, "train_and_evaluate", contrib, config=config, **options)


@case
def checkpoint_and_export(folder):
    return of_frequency(folder, checkpoint_and_export=True, min_eval_frequency=1)


@case
def checkpoint_and_export_without_checkpoints(folder):
    config = {"save_checkpoints_steps": None, "save_checkpoints_secs": None}
    options = {"checkpoint_and_export": True, "check_interval_secs": 0}
    return run(folder, "train_and_evaluate", config=config, **options)


@case
def local_run(folder):
    return [
        run(
            f"{folder}/{frequency}",
            "local_run",
            config={"save_checkpoints_steps": 4},
            check_interval_secs=0,
            local_eval_frequency=frequency,
        )
        for frequency in (None, 4)
    ]


@case
def continuous_train_and_eval(folder):
    """Overshoots; makes a round more in a finished folder."""
    given = {"train_steps": 12, "export_strategies": None}
    call = functools.partial(run, folder, "continuous_train_and_eval", **given)
    return [call(train_steps_per_iteration=7), call(train_steps_per_iteration=2)]


@case
def continuous_train_and_eval_of_a_tenth(folder):
    """A round has a tenth of the steps by default."""
    exp = experiment(core(folder), train_steps=29, export_strategies=None)

    def goes_on(results):
        return results is None

    return told(folder, lambda: exp.continuous_train_and_eval(goes_on))


@case
def continuous_train_and_eval_of_few_steps(folder):
    return run(folder, "continuous_train_and_eval", train_steps=9)


@case
def continuous_train_and_eval_of_a_predicate(folder):
    seen = []

    def goes_on(eval_results, checkpoint_path):
        seen.append([eval_results and int(eval_results["global_step"]), step_of(checkpoint_path)])
        return len(seen) < 3

    exp = experiment(core(folder), train_steps=None, train_steps_per_iteration=5)
    found = told(folder, lambda: exp.continuous_train_and_eval(goes_on))
    other = told(folder, lambda: exp.continuous_train_and_eval(3))
    return [found, seen, other]


@case
def continuous_eval(folder):
    """Evaluates a checkpoint once, and sleeps in between."""
    run(folder, "train", train_steps=8)
    seen = []

    def goes_on(results):
        seen.append(results if not results else int(results["global_step"]))
        return len(seen) < 4

    exp = experiment(core(folder), eval_delay_secs=120, continuous_eval_throttle_secs=60)
    call = functools.partial(exp.continuous_eval, continuous_eval_predicate_fn=goes_on)
    once = told(folder, call)
    del seen[:]
    again = told(
        folder,
        functools.partial(
            call, delay_secs=0, throttle_delay_secs=3, evaluate_checkpoint_only_once=False
        ),
    )
    return [once, list(seen), again]


@case
def continuous_eval_ends_with_the_training(folder):
    run(folder, "train")
    on_train_data = experiment(core(folder)).continuous_eval_on_train_data
    return [
        run(folder, "continuous_eval", eval_delay_secs=120),
        told(folder, functools.partial(on_train_data, throttle_delay_secs=0)),
    ]


@case
def continuous_eval_without_a_checkpoint(folder):
    seen = []

    def goes_on(results):
        seen.append(results)
        return len(seen) < 3

    exp = experiment(core(folder))
    return [told(folder, lambda: exp.continuous_eval(continuous_eval_predicate_fn=goes_on)), seen]


@case
def test(folder):
    """A step more every time."""
    return [run(folder, "test", eval_hooks=[tf.train.SessionRunHook()]) for _ in range(2)]
