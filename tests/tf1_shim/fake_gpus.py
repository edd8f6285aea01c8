"""Runs tfmigrate-run where TensorFlow believes in two GPUs of 8000 MiB, as long as none is used.

What programs then find in protos is what real GPUs would be asked for; ops run on the CPU.
"""

import sys
from typing import Any

from tfmigrate_runtime.tf1_shim import prepare
from tfmigrate_runtime.tf1_shim.command_line import main
from tfmigrate_runtime.verify.recorder.program import device_choice

GPUS = [b"/physical_device:CPU:0", b"/physical_device:GPU:0", b"/physical_device:GPU:1"]
LISTED = "0, GPU-aa, 8000\n1, GPU-bb, 8000\n"  # as nvidia-smi would


def list_gpus(*_arguments: Any, **_options: Any) -> str:
    return LISTED


if __name__ == "__main__":
    prepare()
    from tensorflow.python import pywrap_tfe

    pywrap_tfe.TF_ListPhysicalDevices = lambda: GPUS
    device_choice.subprocess.check_output = list_gpus
    sys.exit(main())
