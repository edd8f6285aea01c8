"""The devices that a program sees as GPUs: N CPU devices in place of GPUs.

``program/device_choice.py`` has real GPUs, and the choice.

Private names of TensorFlow that are touched, and why no public one does:

======================================================== =====================================
name (module tensorflow.python...)                       what for
======================================================== =====================================
framework.ops.Graph.device                               `/gpu:i` becomes `/cpu:i`, or is checked
eager.context.Context.device (2.x)                       the same, outside graphs
client.session.BaseSession.__init__                      the devices are there in every session,
training.server_lib._make_server_def                     in every server,
client.device_lib.list_local_devices                     and in every list. N CPUs are shown as
                                                         GPUs to the program and to
                                                         replicate_model_fn, not to TensorFlow
client.session.BaseSession.list_devices,                 the same for multi_gpu_model of Keras
session._DeviceAttributes
distribute.mirrored_strategy.MirroredExtended.__init__,  devices of MirroredStrategy, V1, V2 and
.all_local_devices                                       that of tf.contrib
distribute.collective_all_reduce_strategy.               devices of CollectiveAllReduceStrategy
CollectiveAllReduceExtended._initialize_local            in one process
distribute.one_device_strategy.                          device of OneDeviceStrategy
OneDeviceExtended.__init__
distribute.parameter_server_strategy.                    devices of CentralStorageStrategy
ParameterServerStrategyExtended.__init__
======================================================== =====================================
"""

import contextlib
import copy
import inspect
import os
import re
import sys
import threading
from typing import Any, Dict, Iterator, List, Optional

from ..sessions import session_config
from . import wrapping

GPU = re.compile(r"gpu:(\d+|\*)", re.IGNORECASE)


class _AnyOperation:
    """The attributes that device functions read, of an op that computes and holds no variable."""

    def __init__(self) -> None:
        from tensorflow.core.framework import node_def_pb2

        self.node_def = node_def_pb2.NodeDef(name="tfmigrate_asks", op="MatMul")
        self.name, self.type, self.device = self.node_def.name, self.node_def.op, ""
        self.inputs: List[Any] = []
        self.outputs: List[Any] = []


def device_of_an_operation(device: Any) -> str:
    """Returns the device that a device scope gives to an op that computes; empty for none.

    Args:
        device: a string, a DeviceSpec, or a function of an op, which is called once.
    """
    if callable(device) and type(device).__name__ != "MergeDevice":
        try:
            device = device(_AnyOperation())
        except Exception:  # a user's function may need further attributes
            return ""
    if hasattr(device, "to_string"):
        device = device.to_string()
    return device if isinstance(device, str) else ""


class Towers:
    """Knows which tower a program builds, of those that have nothing but a device of their own.

    Attributes:
        numbered: finds the number of a tower in a device.
    """

    numbered = re.compile(r"[gc]pu:(\d+|\*)", re.IGNORECASE)

    def __init__(self) -> None:
        """Knows none yet."""
        self._local = threading.local()

    def install(self, tf: Any) -> None:
        """Watches device scopes, and refuses strategies of GPUs that are not there."""
        from tensorflow.python.framework import ops

        self._patch_device(ops.Graph)
        if tf.__version__.startswith("2."):
            _refuse_missing_gpus()

    def map(self, device: Any) -> Any:
        """Returns ``device`` as it is."""
        return device

    def _patch_device(self, owner: Any) -> None:
        def device(original: Any, this: Any, name_or_function: Any) -> Any:
            manager = original(this, self.map(name_or_function))
            tower = self.numbered.search(device_of_an_operation(name_or_function))
            if tower is None or tower.group(1) == "*":
                return manager
            return self._in_tower(int(tower.group(1)), manager)

        wrapping.wrap(owner, "device", device)

    @contextlib.contextmanager
    def _in_tower(self, index: int, manager: Any) -> Iterator[Any]:
        """Enters a device scope of a tower that the program builds in a loop."""
        with wrapping.setting(self._local, "tower", index), manager as entered:
            yield entered

    def tower(self) -> Optional[int]:
        """Returns the number of the GPU that the program now builds a tower for, if any."""
        tower: Optional[int] = getattr(self._local, "tower", None)
        return tower


def _refuse_missing_gpus() -> None:
    """Makes MirroredStrategy raise an error for replicas on GPUs that TensorFlow does not find.

    TensorFlow puts them all on one CPU, where the default reduction waits for itself forever.
    """
    from tensorflow.python.distribute import cross_device_ops, mirrored_strategy

    def refuse(this: Any) -> None:
        import tensorflow as tf

        devices = [tf.DeviceSpec.from_string(name) for name in this.worker_devices]
        last = max([each.device_index or 0 for each in devices if each.device_type == "GPU"] + [-1])
        collective = isinstance(this._cross_device_ops, cross_device_ops.CollectiveAllReduce)
        if last < 0 or len(devices) < 2 or not collective or not tf.executing_eagerly():
            return
        there = len(tf.config.list_logical_devices("GPU"))
        if last >= there:
            raise ValueError(
                "the strategy needs GPU:%d, but TensorFlow finds %d GPU(s)" % (last, there)
            )

    wrapping.on_creation(mirrored_strategy.MirroredExtended, refuse)


class Devices(Towers):
    """N CPU devices in place of the GPUs that the program uses.

    Attributes:
        replicas: how many devices there are.
        mapped: CPU devices by the GPUs that the program named.
        is_split: whether several of them are parts of one GPU.
    """

    is_split = False
    numbered = GPU

    def __init__(self, replicas: int, more: str) -> None:
        """Hides all GPUs from TensorFlow.

        Args:
            replicas: how many devices.
            more: the option that gives more of them, with ``%d`` for their number.
        """
        os.environ["CUDA_VISIBLE_DEVICES"] = "-1"
        self._prepare(replicas, more)

    def _prepare(self, replicas: int, more: str) -> None:
        self.replicas = replicas
        self.mapped: Dict[str, str] = {}
        self._more = more
        self._local = threading.local()

    @property
    def names(self) -> List[str]:
        """The devices that replicas run on."""
        return ["/device:CPU:%d" % index for index in range(self.replicas)]

    def install(self, tf: Any) -> None:
        """Patches device strings, sessions, servers, strategies and the list of local devices.

        Args:
            tf: TensorFlow, under the names of the version that is installed.
        """
        if tf.__version__.startswith("2."):
            cpu = tf.config.list_physical_devices("CPU")[0]
            logical = [tf.config.LogicalDeviceConfiguration()] * self.replicas
            tf.config.set_logical_device_configuration(cpu, logical)
        self._patch_tensorflow(tf)

    def record_on(self, tf: Any) -> None:
        """Does nothing: CPUs compute the same in every run."""

    def _patch_tensorflow(self, tf: Any) -> None:
        from tensorflow.python.client import device_lib, session
        from tensorflow.python.framework import ops

        self._patch_device(ops.Graph)
        if tf.__version__.startswith("2."):
            from tensorflow.python.eager import context

            self._patch_device(context.Context)
        session_config.change_config(session.BaseSession, self._configure)
        wrapping.wrap(session.BaseSession, "list_devices", self._listed_with_gpus)
        self._patch_servers()
        wrapping.wrap(device_lib, "list_local_devices", self._list_local_devices)
        self._patch_strategies()

    def map(self, device: Any) -> Any:
        """Returns ``device`` (a string, a DeviceSpec, a function of an op) with CPUs for GPUs.

        Raises:
            ValueError: The program names a GPU beyond the number of replicas.
        """
        if device is None or type(device).__name__ == "MergeDevice":
            return device
        if callable(device):

            def mapped_function(operation: Any) -> Any:
                return self.map(device(operation))

            return mapped_function
        text = device if isinstance(device, str) else device.to_string()
        return GPU.sub(self._device_for, text) if GPU.search(text) else device

    def _device_for(self, match: Any) -> str:
        index = str(match.group(1))
        self._check(index)
        self.mapped["GPU:" + index] = "CPU:" + index
        return "CPU:" + index

    def _check(self, index: str) -> None:
        if index != "*" and int(index) >= self.replicas:
            raise ValueError(
                "the program uses GPU:%s, but runs on %d devices: pass %s"
                % (index, self.replicas, self._more % (int(index) + 1))
            )

    def configured(self, config: Any) -> Any:
        """Returns a ConfigProto (None for the default) with the devices in it."""
        from tensorflow.core.protobuf import config_pb2

        proto = config_pb2.ConfigProto()
        if config is not None:
            proto.CopyFrom(config)
        self._configure(proto)
        return proto

    def _configure(self, proto: Any) -> None:
        proto.device_count["CPU"] = max(self.replicas, proto.device_count["CPU"])
        proto.allow_soft_placement = True

    def _listed_with_gpus(self, original: Any, this: Any) -> Any:
        """Lists GPUs for the program, and for ``multi_gpu_model``, which looks for its own there.

        Keras chooses the layout of images by the same list.
        """
        devices = original(this)
        caller = str(sys._getframe(2).f_globals.get("__name__"))
        is_library = caller.startswith(
            ("tensorflow", "tf_keras", __name__.rpartition(".program.")[0])
        )
        if is_library and not caller.endswith("multi_gpu_utils"):
            return devices
        gpus = [copy.copy(devices[0]) for _ in range(self.replicas)]
        for index, gpu in enumerate(gpus):
            gpu._device_type = "GPU"
            gpu._name = "/job:localhost/replica:0/task:0/device:GPU:%d" % index
        return devices + gpus

    def _patch_servers(self) -> None:
        from tensorflow.python.training import server_lib

        def configure(definition: Any, *_arguments: Any, **_options: Any) -> None:
            config = self.configured(definition.default_session_config)
            definition.default_session_config.CopyFrom(config)

        wrapping.after(server_lib, "_make_server_def", configure)

    def _list_local_devices(self, original: Any, session_config: Any = None) -> Any:
        from tensorflow.core.framework import device_attributes_pb2

        caller = str(sys._getframe(2).f_globals.get("__name__"))
        if caller.startswith("tensorflow") and not caller.endswith("replicate_model_fn"):
            return original(session_config)
        return [
            device_attributes_pb2.DeviceAttributes(
                name="/device:%s:%d" % (kind, index),
                device_type=kind,
                physical_device_desc="CPU device of tfmigrate",
            )
            for kind in ("CPU", "GPU")
            for index in range(self.replicas)
        ]

    def _patch_strategies(self) -> None:
        try:
            from tensorflow.python.distribute import mirrored_strategy, parameter_server_strategy
        except ImportError:  # before 1.13 there is no tf.distribute
            return

        def map_devices(bound: Dict[str, Any]) -> None:
            bound["devices"] = self._mapped(bound.get("devices"))

        mirrored = mirrored_strategy.MirroredExtended
        wrapping.change_arguments(mirrored, "__init__", map_devices)
        self._patch_local_devices(mirrored_strategy)
        self._patch_one_device()
        self._patch_collective()
        central = getattr(parameter_server_strategy, "ParameterServerStrategyExtended", None)
        if central is None:
            return

        def map_all(bound: Dict[str, Any]) -> None:
            if bound.get("cluster_resolver") is None:
                bound["compute_devices"] = self._mapped(bound.get("compute_devices"))
                parameter_device = bound.get("parameter_device") or self.names[0]
                bound["parameter_device"] = self.map(parameter_device)

        wrapping.change_arguments(central, "__init__", map_all)

    def _mapped(self, names: Any) -> Any:
        """Returns the devices that a strategy is given, all where it is given none."""
        return [self.map(name) for name in names] if names else self.names

    def _patch_local_devices(self, mirrored_strategy: Any) -> None:
        """Makes tf.contrib's MirroredStrategy, which lists all GPUs itself, find the devices."""

        def all_local_devices(original: Any, num_gpus: Any = None) -> Any:
            return self.names if num_gpus is None else original(num_gpus)

        wrapping.wrap(mirrored_strategy, "all_local_devices", all_local_devices)

    def _patch_one_device(self) -> None:
        from tensorflow.python.distribute import one_device_strategy

        def map_device(bound: Dict[str, Any]) -> None:
            bound["device"] = self.map(bound["device"])

        wrapping.change_arguments(one_device_strategy.OneDeviceExtended, "__init__", map_device)

    def _patch_collective(self) -> None:
        from tensorflow.python.distribute import collective_all_reduce_strategy

        owner = collective_all_reduce_strategy.CollectiveAllReduceExtended
        if "devices" not in inspect.signature(owner._initialize_local).parameters:  # before 1.15
            return

        def map_all(bound: Dict[str, Any]) -> None:
            gpus = bound["cluster_resolver"].num_accelerators().get("GPU", 0)
            if bound.get("devices") is None and gpus:
                devices = tuple(self.map("/device:GPU:%d" % index) for index in range(gpus))
                bound["devices"] = devices

        wrapping.change_arguments(owner, "_initialize_local", map_all)
