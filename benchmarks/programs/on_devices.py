"""Runs a program on N CPU devices in the places of GPUs, as the recorder does, recording nothing.

python on_devices.py N FOLDER_OF_VERIFY script.py arguments. Runs on Python 3.6 or newer.
"""

import os
import runpy
import sys
import types

import tensorflow as tf

replicas, folder, script = sys.argv[1:4]
files = sys.modules["tfmigrate_record"] = types.ModuleType("tfmigrate_record")
files.__path__ = [folder]
from tfmigrate_record.recorder.program import device_choice  # noqa: E402

device_choice.Devices(int(replicas), "%d devices").install(tf)
sys.argv = sys.argv[3:]
sys.path[0] = os.path.dirname(os.path.abspath(script))
runpy.run_path(script, run_name="__main__")
