"""python train.py --model_dir /tmp/digits --steps 1000"""
import argparse

import numpy as np
import tensorflow as tf

from model import model_fn


def input_fn():
    rng = np.random.RandomState(0)
    images = rng.rand(512, 8).astype(np.float32)
    labels = images[:, :4].argmax(axis=1).astype(np.int32)
    dataset = tf.data.Dataset.from_tensor_slices((images, labels))
    return dataset.repeat().batch(32)  # over all GPUs together


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--model_dir', required=True)
    parser.add_argument('--steps', type=int, default=1000)
    args = parser.parse_args()
    estimator = tf.estimator.Estimator(
        tf.contrib.estimator.replicate_model_fn(model_fn),
        model_dir=args.model_dir,
        params={'learning_rate': 0.01})
    estimator.train(input_fn, steps=args.steps)


if __name__ == '__main__':
    main()
