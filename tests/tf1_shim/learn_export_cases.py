"""What an Experiment refuses and exports. Python 3.7."""

import functools

import tensorflow as tf
from learn_program_support import (
    case,
    contrib,
    core,
    experiment,
    rows,
    run,
    serving_input_fn,
    step_of,
    told,
)
from tensorflow.contrib.learn.python.learn.utils import saved_model_export_utils

learn = tf.contrib.learn


@case
def experiment_refuses(folder):
    calls = {
        "metrics": {"eval_metrics": {}},
        "no strategy": {"export_strategies": [3]},
        "steps": {"train_steps_per_iteration": 2.5},
    }
    found = {
        name: told(folder, functools.partial(experiment, core(folder), **options))["result"]
        for name, options in calls.items()
    }
    found["no estimator"] = told(folder, lambda: experiment(3))["result"]
    listeners = functools.partial(experiment, contrib(folder), saving_listeners=[])
    found["listeners"] = told(folder, listeners)["result"]
    return found


@case
def export_strategies(folder):
    """What they are given, which exports are kept, how they are replaced."""
    seen = []

    def whole(estimator, export_path, checkpoint_path, eval_result, strip_default_attrs):
        given = [tf.compat.as_str_any(export_path)[len(folder) :], step_of(checkpoint_path)]
        seen.append([*given, sorted(eval_result), strip_default_attrs])
        return "exported"

    def short(estimator, export_path):
        seen.append(["short", type(export_path).__name__])

    def wrong(estimator, export_path, eval_result):
        return None

    strategies = [
        learn.ExportStrategy("whole", whole, True),
        learn.ExportStrategy("short", short),
    ]
    run(folder, "test", export_strategies=strategies)
    config = {"save_checkpoints_steps": 6}
    run(
        folder,
        "train_and_evaluate",
        config=config,
        export_strategies=strategies[:1],
        checkpoint_and_export=True,
    )
    refused = run(folder, "test", export_strategies=learn.ExportStrategy("wrong", wrong))
    keeps = saved_model_export_utils.make_export_strategy(serving_input_fn, exports_to_keep=2)
    exp = experiment(core(folder, **config), export_strategies=keeps)
    old = exp.reset_export_strategies(strategies)
    exp.reset_export_strategies(old)
    for _ in range(3):
        exp.test()
    left = len(tf.gfile.ListDirectory(folder + "/export/Servo"))
    headless = saved_model_export_utils.make_export_strategy(serving_input_fn, "head")
    head = run(folder, "test", export_strategies=headless)
    return [seen, refused["result"], len(old), left, head["result"]]


@case
def best_model(folder):
    """Exports only what evaluated better."""
    strategy = saved_model_export_utils.make_best_model_export_strategy(serving_input_fn)
    est = core(folder)
    est.train(input_fn=rows, steps=1)
    results = [{"loss": loss} for loss in (2.0, 3.0, 1.0)]
    base = folder + "/best"
    found = [strategy.export(est, base, None, result) for result in results]
    return [tf.compat.as_str_any(path)[len(folder) :].rsplit("/", 1)[0] for path in found]
