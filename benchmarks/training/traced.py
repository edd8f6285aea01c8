"""Prints what the time of a fused step goes to, in a migrated program, as JSON."""

import collections
import json
import os
import re
import tempfile
import time

import tensorflow.compat.v1 as tf
from model import input_fn, model_fn
from rows import DEVICE, REPLICAS

from tfmigrate_runtime import estimator
from tfmigrate_runtime.estimator import fused_steps

STEPS = 50  # of a call
WARM_UP = 300
CALLS = 15  # that are timed; the fastest counts

# Types of ops; the first part that fits counts.
PARTS = {
    "input": r"Iterator|Dataset",
    "loops": r"^(Enter|Exit|Switch|Merge|NextIteration|LoopCond|While|StatelessWhile|TensorList)",
    "variables and copies": r"^(_|Identity|ReadVariable|AssignVariable|Const|NoOp|VarHandle|other)",
    "sums of gradients": r"^(AddN|Unique|UnsortedSegment|IndexedSlices|ConcatV2)",
    "optimizer": r"^(ResourceApply|ResourceScatter|ResourceSparse|TensorScatter|AssignAdd)",
    "model": r"",
}


def measure(self, session, steps):
    """Measures in the first call that makes enough steps, after those that start everything."""
    if session.run(self.variable) < WARM_UP or steps < STEPS:
        return run(self, session, min(steps, STEPS))
    fetches = [self.loss, self.global_step]
    one, many = (
        min(seconds(session, fetches, {self.count: n}) for _ in range(CALLS)) for n in (1, STEPS)
    )
    step = (many - one) / (STEPS - 1)
    options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE, output_partition_graphs=True)
    metadata = tf.RunMetadata()
    session.run(fetches, {self.count: STEPS}, options, metadata)
    print(json.dumps({"call": (one - step) / step, **shares(metadata)}), flush=True)
    os._exit(0)


def seconds(session, fetches, feeds):
    """Returns the time of a call."""
    begin = time.perf_counter()
    session.run(fetches, feeds)
    return time.perf_counter() - begin


def shares(metadata):
    """Returns the shares of the time in ops, by part and by type, and how many ops a step has."""
    types = {}
    for graph in metadata.partition_graphs:
        types.update({node.name: node.op for node in graph.node})
    times = collections.Counter()
    count = 0
    for device in metadata.step_stats.dev_stats:
        for node in device.node_stats:
            kind = types.get(node.node_name.split(":")[0], "other")
            kind = re.sub("^_Mkl(Native)?", "", kind)  # oneDNN's kernels
            if "/written_out/" in node.node_name:
                kind = "ResourceApplyAdam"  # as its operations
            times[kind] += node.op_end_rel_nanos - node.op_start_rel_nanos
            count += 1
    whole = sum(times.values())
    parts = collections.Counter()
    for kind, nanoseconds in times.items():
        part = next(name for name, pattern in PARTS.items() if re.search(pattern, kind))
        parts[part] += nanoseconds / whole
    kinds = {kind: nanoseconds / whole for kind, nanoseconds in times.most_common(8)}
    return {"ops": count / STEPS, "parts": parts, "kinds": kinds}


def main():
    fused_steps.FusedSteps.run = measure
    strategy = tf.distribute.MirroredStrategy(
        ["/device:%s:%d" % (DEVICE, index) for index in range(REPLICAS)]
    )
    config = estimator.RunConfig(
        train_distribute=strategy, global_batch=True, log_step_count_steps=None
    )
    classifier = estimator.Estimator(model_fn, tempfile.mkdtemp(), config)
    classifier.train(input_fn, steps=100000)


run = fused_steps.FusedSteps.run

if __name__ == "__main__":
    main()
