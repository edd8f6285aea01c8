"""Runs a program of TensorFlow 2 on chosen devices: run_on_devices.py gpu:2 SCRIPT ARGUMENTS..."""

import runpy
import sys
from pathlib import Path

from tfmigrate_runtime.verify.recorder.program import device_choice

if __name__ == "__main__":
    devices = device_choice.chosen(sys.argv[1])
    import tensorflow as tf

    devices.install(tf)
    # As for the original: TensorFlow 1.x had no TF32.
    tf.config.experimental.enable_tensor_float_32_execution(False)
    del sys.argv[:2]
    sys.path[0] = str(Path(sys.argv[0]).resolve().parent)
    runpy.run_path(sys.argv[0], run_name="__main__")
