"""Compares a few operations of TensorFlow on a device with numpy: device_check.py GPU|CPU.

Libraries of another version of CUDA, linked under the names of version 12, may load and compute
something else.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

# Sums of 256 and 288 products of float32; TF32 would be off by 1e-3.
TOLERANCE = 1e-4


def main() -> int:
    """Runs the checks; returns how many differ."""
    import tensorflow as tf

    kind = sys.argv[1]
    devices = tf.config.list_physical_devices(kind)
    print(f"TensorFlow {tf.__version__}, numpy {np.__version__}, {len(devices)} x {kind}")
    if not devices:
        return 1
    tf.config.experimental.enable_tensor_float_32_execution(False)
    random = np.random.default_rng(7)
    failed = 0
    for name, difference in _differences(tf, f"/device:{kind}:0", random):
        print(f"{name}: {difference:.1e}" + ("" if difference <= TOLERANCE else ", differs"))
        failed += not difference <= TOLERANCE
    failed += not _compiles(tf, f"/device:{kind}:0")
    return failed


def _differences(tf: Any, device: str, random: np.random.Generator) -> list[tuple[str, float]]:
    left, right = random.normal(size=(2, 256, 256)) / 16
    images, kernel = random.normal(size=(4, 12, 12, 32)), random.normal(size=(3, 3, 32, 8)) / 17
    windows = np.lib.stride_tricks.sliding_window_view(images, (3, 3), (1, 2))
    expected = np.einsum("nyxcij,ijco->nyxo", windows, kernel)
    with tf.device(device):
        product = tf.matmul(tf.constant(left, tf.float32), tf.constant(right, tf.float32))
        weights = tf.constant(kernel, tf.float32)
        with tf.GradientTape() as tape:
            tape.watch(weights)
            filtered = tf.nn.conv2d(tf.constant(images, tf.float32), weights, 1, "VALID")
            loss = tf.reduce_mean(filtered)
        gradient = tape.gradient(loss, weights)
    of_kernel = np.einsum("nyxcij->ijc", windows)[..., None] / filtered.numpy().size
    return [
        ("matrix product", float(np.abs(product.numpy() - left @ right).max())),
        ("convolution", float(np.abs(filtered.numpy() - expected).max())),
        ("gradient of the convolution", float(np.abs(gradient.numpy() - of_kernel).max())),
    ]


def _compiles(tf: Any, device: str) -> bool:
    # Keras compiles its training step by XLA, which needs ptxas and libdevice on a GPU.
    @tf.function(jit_compile=True)
    def squares(values: Any) -> Any:
        return tf.reduce_sum(tf.exp(values) ** 2)

    try:
        with tf.device(device):
            total = float(squares(tf.ones([100])))
    except tf.errors.OpError as error:
        print(f"XLA: {str(error)[:500]}")
        return False
    print(f"XLA: {abs(total / (100 * np.e**2) - 1):.1e}")
    return bool(abs(total / (100 * np.e**2) - 1) <= TOLERANCE)


if __name__ == "__main__":
    sys.exit(main())
