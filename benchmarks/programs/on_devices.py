"""Runs a program on N CPU devices in the places of GPUs, as the recorder does, recording nothing.

python on_devices.py N record_gpus.py script.py arguments. Runs on Python 3.6 or newer.
"""

import importlib.util
import os
import runpy
import sys

import tensorflow as tf

replicas, devices_file, script = sys.argv[1:4]
spec = importlib.util.spec_from_file_location("record_gpus", devices_file)
record_gpus = importlib.util.module_from_spec(spec)
spec.loader.exec_module(record_gpus)
record_gpus.Devices(int(replicas), "%d devices").install(tf)
sys.argv = sys.argv[3:]
sys.path[0] = os.path.dirname(os.path.abspath(script))
runpy.run_path(script, run_name="__main__")
