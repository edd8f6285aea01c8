"""With --target estimator, the program splits its batches over the replicas itself.

What it does:
    With `--target estimator`, adds a function `split_batches` to every file that passes input
    functions to Estimators, and wraps those passed to `train`, `evaluate`, `TrainSpec` and
    `EvalSpec`. It splits each batch of the Dataset into one part per replica, in order. `predict`
    runs on one device and keeps its batches.

Why:
    tf.estimator's batch is per replica: with N replicas, `train_distribute` alone would train on N
    times as many examples a step. `replicate_model_fn` split the batch (semantics.md, 1.1).
    With the same split, replica i gets the rows of tower i. `batch_size / N` is not equivalent: it
    splits the last batch of an epoch differently.

Example:
    Before (with --target estimator)::

        import tensorflow as tf
        from model import model_fn, input_fn

        optimizer = tf.contrib.estimator.TowerOptimizer(tf.train.AdamOptimizer())
        replicated_fn = tf.contrib.estimator.replicate_model_fn(model_fn)
        classifier = tf.estimator.Estimator(model_fn=replicated_fn)
        classifier.train(input_fn, steps=100)

    After (with --target estimator)::

        import inspect

        import tensorflow.compat.v1 as tf
        from model import model_fn, input_fn


        def split_batches(input_fn):
            \"\"\"Returns an input_fn that splits each batch into one part per replica.\"\"\"
            bound = getattr(input_fn, 'keywords', ())  # set by functools.partial
            taken = set(inspect.signature(input_fn).parameters) - set(bound)

            def split_input_fn(mode, params, config):
                given = dict(mode=mode, params=params, config=config)
                dataset = input_fn(**dict((name, given[name]) for name in given if name in taken))
                train = mode == tf.estimator.ModeKeys.TRAIN
                strategy = config.train_distribute if train else config.eval_distribute
                if strategy is None:
                    return dataset

                def part(rows):
                    sparse = isinstance(rows, tf.SparseTensor)
                    shape = tf.shape(rows, out_type=tf.int64)
                    shape = tf.concat([[strategy.num_replicas_in_sync, -1], shape[1:]], axis=0)
                    return tf.sparse.reshape(rows, shape) if sparse else tf.reshape(rows, shape)

                def parts(*batch):
                    batch = tf.nest.map_structure(part, batch)
                    batch = batch if isinstance(dataset.element_spec, tuple) else batch[0]
                    return tf.data.Dataset.from_tensor_slices(batch)

                return dataset.flat_map(parts)

            return split_input_fn


        optimizer = tf.train.AdamOptimizer()
        strategy = tf.distribute.MirroredStrategy(
            cross_device_ops=tf.distribute.ReductionToOneDevice())
        classifier = tf.estimator.Estimator(
            model_fn=model_fn,
            config=tf.estimator.RunConfig(
                train_distribute=strategy, eval_distribute=strategy))
        classifier.train(split_batches(input_fn), steps=100)

What is left to you:
    Nothing. TFM213 reports batches that cannot be split.

Safety:
    Safe: losses and variables equal those of TensorFlow 1.15 (target_estimator.md).
"""

from tfmigrate.families.input_fn.batch_sites import batch_sites
from tfmigrate.families.replicate_model_fn.split_batches import splitter, splitter_name
from tfmigrate.model.edits import Code, Edit, ReplaceExpression
from tfmigrate.model.findings import in_places
from tfmigrate.model.targets import ESTIMATOR
from tfmigrate.rulekit.basics import Drafts, Program, Severity, drafted

SEVERITY = Severity.FIXED
TARGET = ESTIMATOR


def check(program: Program) -> Drafts:
    """Yields a draft for every file of a replicated program with input for Estimators."""
    for module, group in program.related.items():
        sites = [site for site in batch_sites(program, module) if not site.problem]
        edits: list[Edit] = [
            ReplaceExpression(site.value, Code(f"{splitter_name(module)}({{0}})", (site.value,)))
            for site in sites
            if site.value is not None
        ]
        if edits:
            name = splitter_name(module)
            yield drafted(
                module,
                sites[0].call,
                f"input_fn -> {name}(input_fn), one part of a batch per replica"
                + in_places(len(sites)),
                edits=(*edits, *splitter(module)),
                group=group,
            )
