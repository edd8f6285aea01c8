"""Prints which types of ops the time of a fused step goes to, of a migrated program."""

import collections
import tempfile

import tensorflow.compat.v1 as tf
from model import input_fn, model_fn
from rows import DEVICE, REPLICAS

from tfmigrate_runtime import estimator
from tfmigrate_runtime.train.estimator import fused_steps

STEPS = 50  # of the traced call
WARM_UP = 300

_run = fused_steps.FusedSteps.run


def run(self, session, steps):
    """Traces the first call that makes enough steps, after those that start everything."""
    if session.run(self.variable) < WARM_UP or steps < STEPS:
        return _run(self, session, min(steps, STEPS))
    options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE, output_partition_graphs=True)
    metadata = tf.RunMetadata()
    fetches = [self.loss, self.global_step]
    found = session.run(fetches, {self.count: STEPS}, options, metadata)
    print_shares(metadata)
    return found[0], int(found[1])


def print_shares(metadata):
    """Prints the share of the time, and the number in a step, of the ops of each type."""
    types = {}
    for graph in metadata.partition_graphs:
        types.update({node.name: node.op for node in graph.node})
    times, counts = collections.Counter(), collections.Counter()
    for device in metadata.step_stats.dev_stats:
        for node in device.node_stats:
            kind = types.get(node.node_name.split(":")[0], "other")
            times[kind] += node.op_end_rel_nanos - node.op_start_rel_nanos
            counts[kind] += 1
    print("%.0f ops a step" % (sum(counts.values()) / STEPS))
    for kind, time in times.most_common(8):
        share = 100 * time / sum(times.values())
        print("%3.0f %% %-36s %5.0f a step" % (share, kind, counts[kind] / STEPS))


def main():
    fused_steps.FusedSteps.run = run
    strategy = tf.distribute.MirroredStrategy(
        ["/device:%s:%d" % (DEVICE, index) for index in range(REPLICAS)]
    )
    config = estimator.RunConfig(
        train_distribute=strategy, global_batch=True, log_step_count_steps=None
    )
    classifier = estimator.Estimator(model_fn, tempfile.mkdtemp(), config)
    classifier.train(input_fn, steps=WARM_UP + 4 * STEPS)


if __name__ == "__main__":
    main()
