"""The choice of devices for a program: CPUs, GPUs, or parts of GPUs.

GPUs are there from TensorFlow 2.16 on. ``tfmigrate-run`` chooses devices by this file too.

=========== ==================================================================================
``cpu:N``   N CPU devices in place of the GPUs that the program uses; GPUs are hidden
``gpu``     all GPUs that TensorFlow finds
``gpu:N``   the first N GPUs; where there are fewer, each is split in parts of equal memory:
            GPU:0, GPU:1, ... count the parts of the first GPU, then those of the second
=========== ==================================================================================

Private names of TensorFlow that are touched besides those of ``program/cpus_as_gpus.py``:

======================================================== =====================================
name (module tensorflow.python...)                       what for
======================================================== =====================================
eager.context.Context.config                             which GPUs sessions see, and their parts
distribute.cross_device_ops.                             NCCL takes no two ranks on one GPU
AllReduceCrossDeviceOps.__init__
framework.ops.Graph._create_op_helper                    which variables are kept on the CPU
framework.device_spec.DeviceSpecV2                       ... of which task
======================================================== =====================================
"""

import os
import subprocess
import sys
from typing import Any, Callable, Dict, List, Optional

from ... import shared
from . import cpus_as_gpus, wrapping

Devices = cpus_as_gpus.Devices
DevicesError = shared.DevicesError

MEMORY_VARIABLE = "TFMIGRATE_GPU_PART_MIB"  # the memory of each part of a split GPU
_SHARE_OF_FREE_MEMORY = 0.9  # the rest is for the CUDA context, cuDNN and cuBLAS


def chosen(choice: str) -> cpus_as_gpus.Devices:
    """Returns the devices for ``cpu:N``, ``gpu`` or ``gpu:N``.

    TensorFlow must not have been imported: for CPUs, all GPUs are hidden from it.

    Raises:
        DevicesError: it is none of these.
    """
    kind, count = shared.read_choice(choice)
    return Gpus(count) if kind == "gpu" else Devices(count or 1, "--devices cpu:%d")


class Gpus(cpus_as_gpus.Devices):
    """As many GPUs as requested: real ones, or parts of those that exist."""

    def __init__(self, wanted: Optional[int]) -> None:
        """Takes how many are wanted; None for all that TensorFlow finds."""
        self._prepare(wanted or 0, "--devices gpu:%d")
        self._wanted = wanted
        self._gpu_options: Any = None
        self._places_softly = False  # leave it to the program
        self.is_split = False

    @property
    def names(self) -> List[str]:
        """The devices that replicas run on."""
        return ["/device:GPU:%d" % index for index in range(self.replicas)]

    def install(self, tf: Any) -> None:
        """Chooses GPUs, splits them if there are too few, and configures every session with them.

        Args:
            tf: TensorFlow 2.16 or newer, under today's names, before it made any device.

        Raises:
            DevicesError: there is no GPU, or they cannot be split, or TensorFlow is 1.x.
        """
        if not tf.__version__.startswith("2."):
            raise DevicesError(
                "TensorFlow %s runs on CPUs only here: pass --devices cpu:N" % tf.__version__
            )
        from tensorflow.python.eager import context

        gpus = tf.config.list_physical_devices("GPU")
        parts = parts_of(len(gpus), self._wanted)
        self.replicas = sum(parts)
        self.is_split = any(count > 1 for count in parts)
        tf.config.set_visible_devices(gpus[: len(parts)], "GPU")
        if self.is_split:
            free = free_memory(len(parts))
            for gpu, count in enumerate(parts):
                limit = part_memory(free[gpu], count)
                logical = [tf.config.LogicalDeviceConfiguration(memory_limit=limit)] * count
                tf.config.set_logical_device_configuration(gpus[gpu], logical)
        self._gpu_options = context.context().config.gpu_options
        self._patch_tensorflow(tf)
        if self.is_split:
            _replace_nccl()

    def record_on(self, tf: Any) -> None:
        """Makes GPUs deterministic, and lets ops without a GPU kernel run on the CPU."""
        self._places_softly = True
        tf.config.experimental.enable_tensor_float_32_execution(False)
        tf.config.experimental.enable_op_determinism()
        keep_on_cpu(scattered)

    def _device_for(self, match: Any) -> str:
        self._check(str(match.group(1)))
        return str(match.group(0))

    def _configure(self, proto: Any) -> None:
        """Puts the GPUs into a ConfigProto, and their parts.

        Raises:
            ValueError: the program chooses among the GPUs itself, by visible_device_list or, of
                parts of GPUs, by device_count.
        """
        proto.allow_soft_placement |= self._places_softly
        options = proto.gpu_options
        everything = ",".join(str(index) for index in range(self.replicas))
        if options.visible_device_list not in ("", everything, self._visible):
            raise ValueError(
                "the program sets gpu_options.visible_device_list=%r, which --devices does not "
                "allow: set CUDA_VISIBLE_DEVICES instead, and omit --devices"
                % options.visible_device_list
            )
        limit = proto.device_count.get("GPU", self.replicas) if self.is_split else self.replicas
        if 0 < limit < self.replicas:
            raise ValueError(
                "the program sets device_count to %d of %d parts of GPUs: pass %s"
                % (limit, self.replicas, self._more % limit)
            )
        if limit == 0:
            return  # a session without GPUs: TensorFlow refuses parts of none
        options.visible_device_list = self._visible
        del options.experimental.virtual_devices[:]
        options.experimental.virtual_devices.extend(self._gpu_options.experimental.virtual_devices)

    @property
    def _visible(self) -> str:
        return str(self._gpu_options.visible_device_list)

    def _listed_with_gpus(self, original: Any, this: Any) -> Any:
        return original(this)  # they are there

    def _list_local_devices(self, original: Any, session_config: Any = None) -> Any:
        # TensorFlow refuses devices that a different configuration has made.
        return original(self.configured(session_config))


def keep_on_cpu(variables_of: Callable[[Any], List[Any]]) -> None:
    """Keeps variables of TensorFlow 1.x on the CPU, and the ops that are colocated with them.

    Args:
        variables_of: returns the ops to be placed there when an op was made, mostly none.
    """
    from tensorflow.python.framework import device_spec, ops

    def place(_result: Any, _graph: Any, op: Any, *_arguments: Any, **_options: Any) -> None:
        for each in variables_of(op):
            own = device_spec.DeviceSpecV2.from_string(each.device)  # with its job and task
            each._set_device(own.replace(device_type="CPU", device_index=0).to_string())

    wrapping.after(ops.Graph, "_create_op_helper", place)


def scattered(op: Any) -> List[Any]:
    """Returns what is colocated with a variable whose rows an op changes in place.

    On GPUs such an op is refused while ops are deterministic ("Determinism is not yet supported in
    GPU implementation of Scatter ops with ref inputs"): Adam on an embedding, for one.
    """
    if not (op.type.startswith("Scatter") and op.inputs[0].dtype._is_ref_dtype):
        return []
    # All of them: of one group that the program's tf.device places elsewhere in part, TensorFlow
    # forgets both places and takes the GPU.
    groups = set(op.inputs[0].op.colocation_groups())
    return [each for each in op.graph.get_operations() if groups & set(each.colocation_groups())]


def parts_of(there: int, wanted: Optional[int]) -> List[int]:
    """Returns in how many parts each GPU is split that is used, 1 for a whole one.

    Raises:
        DevicesError: there is none.
    """
    if there == 0:
        raise DevicesError(
            "TensorFlow finds no GPU. Check nvidia-smi, and that the CUDA libraries are installed "
            "(pip install 'tfmigrate[gpu]'), or pass --devices cpu:N"
        )
    if wanted is None:
        return [1] * there
    if wanted <= there:
        return [1] * wanted
    each, more = divmod(wanted, there)
    return [each + (index < more) for index in range(there)]


def part_memory(free: Optional[int], parts: int) -> int:
    """Returns the memory of one part of a GPU in MiB.

    Args:
        free: the free memory of the GPU in MiB; None where it is not known.
        parts: in how many parts it is split.

    Raises:
        DevicesError: neither nvidia-smi nor ``TFMIGRATE_GPU_PART_MIB`` has it.
    """
    setting = os.environ.get(MEMORY_VARIABLE)
    if setting is not None:
        if not setting.isdigit() or int(setting) == 0:
            raise DevicesError("%s=%s is not a number of MiB" % (MEMORY_VARIABLE, setting))
        return int(setting)
    if free is None:
        raise DevicesError(
            "cannot split a GPU: nvidia-smi does not report its memory. Set %s to the memory of "
            "each part in MiB" % MEMORY_VARIABLE
        )
    return int(free * _SHARE_OF_FREE_MEMORY / parts)


def free_memory(gpus: int) -> List[Optional[int]]:
    """Returns the free memory of the first GPUs in MiB, None for each that is not known.

    TensorFlow reports it only once its devices are made, which is too late to split them.
    """
    query = ["nvidia-smi", "--query-gpu=index,uuid,memory.free", "--format=csv,noheader,nounits"]
    try:
        listed = subprocess.check_output(query, universal_newlines=True)
    except (OSError, subprocess.CalledProcessError):
        return [None] * gpus
    return memory_in(listed, os.environ.get("CUDA_VISIBLE_DEVICES"), gpus)


def memory_in(listed: str, visible: Optional[str], gpus: int) -> List[Optional[int]]:
    """Returns the free memory of the first visible GPUs in MiB, None for each that is not known.

    Args:
        listed: lines of index, UUID and free memory, as nvidia-smi gives them.
        visible: CUDA_VISIBLE_DEVICES, None where all are visible.
        gpus: how many are requested.
    """
    free_by_name = {}
    order = []
    for line in listed.splitlines():
        index, uuid, free = (field.strip() for field in line.split(","))
        order.append(index)
        free_by_name[index] = free_by_name[uuid] = int(free) if free.isdigit() else None
    names = order if visible is None else [name.strip() for name in visible.split(",")]
    return [free_by_name.get(name) for name in (names + [""] * gpus)[:gpus]]


def _replace_nccl() -> None:
    """Replaces NCCL in all-reduces by copies: it does not allow two ranks on one GPU."""
    from tensorflow.python.distribute import cross_device_ops

    def replace(bound: Dict[str, Any]) -> None:
        if bound.get("all_reduce_alg", "nccl") == "nccl":
            sys.stderr.write("--devices: using hierarchical_copy, NCCL needs whole GPUs\n")
            bound["all_reduce_alg"] = "hierarchical_copy"

    wrapping.change_arguments(cross_device_ops.AllReduceCrossDeviceOps, "__init__", replace)
