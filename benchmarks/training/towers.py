"""Trains the model by replicate_model_fn; a hook starts the clock when the session is warm."""

import tempfile

import tensorflow as tf
from model import input_fn, model_fn
from rows import DEVICE, REPLICAS, STEPS, WARM_UP, Clock


class AfterWarmUp(tf.train.SessionRunHook):
    """Starts the clock when the session is warm; the time to build the graph does not count."""

    def __init__(self, clock):
        self.clock = clock
        self.steps = 0

    def after_run(self, run_context, run_values):
        self.steps += 1
        if self.steps == WARM_UP:
            self.clock.start()

    def steps_without_me(self, global_step):  # asked only by the runtime of tfmigrate
        return 0 if self.steps < WARM_UP else STEPS

    def end(self, session):
        self.clock.print_rate()


def main():
    devices = ["/device:%s:%d" % (DEVICE, index) for index in range(REPLICAS)]
    config = tf.estimator.RunConfig(
        session_config=tf.ConfigProto(device_count={"CPU": REPLICAS}, allow_soft_placement=True)
    )
    classifier = tf.estimator.Estimator(
        tf.contrib.estimator.replicate_model_fn(model_fn, devices=devices),
        tempfile.mkdtemp(),
        config,
    )
    classifier.train(input_fn, hooks=[AfterWarmUp(Clock())], steps=WARM_UP + STEPS)


if __name__ == "__main__":
    main()
