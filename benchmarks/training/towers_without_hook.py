"""The same program without its hook, for --target keras: two calls of train, the second timed."""

import tempfile

import tensorflow as tf
from model import input_fn, model_fn
from rows import DEVICE, REPLICAS, STEPS, WARM_UP, Clock


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
    classifier.train(input_fn, steps=WARM_UP)
    clock = Clock()
    clock.start()
    classifier.train(input_fn, steps=STEPS)
    clock.print_rate()


if __name__ == "__main__":
    main()
