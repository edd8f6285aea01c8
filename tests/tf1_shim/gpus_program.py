"""A program of TensorFlow 1.x for three GPUs; prints what it asks TensorFlow for."""

import json

import tensorflow as tf
from tensorflow.python.client import device_lib

asked = []


def describe(config):
    """Returns the GPUs of a ConfigProto: those that are visible, and the memory of their parts."""
    options = config.gpu_options
    parts = [list(gpu.memory_limit_mb) for gpu in options.experimental.virtual_devices]
    return [options.visible_device_list, parts, options.allow_growth, config.allow_soft_placement]


list_devices = device_lib._pywrap_device_lib.list_devices


def listed(serialized):
    """Keeps the configuration by which devices are listed."""
    asked.append(describe(tf.ConfigProto.FromString(serialized)))
    return []


device_lib._pywrap_device_lib.list_devices = listed
device_lib.list_local_devices()
tf.test.is_gpu_available()
device_lib._pywrap_device_lib.list_devices = list_devices

found = {"listed": asked, "errors": []}
growing = tf.ConfigProto()
growing.gpu_options.allow_growth = True
found["sessions"] = [
    describe(tf.Session()._config),
    describe(tf.Session(config=growing)._config),
    describe(tf.InteractiveSession(config=growing)._config),
]
server = tf.train.Server.create_local_server(start=False)
found["server"] = describe(server.server_def.default_session_config)
for visible in ("0,1", "0,1,2", "1"):
    chosen = tf.ConfigProto()
    chosen.gpu_options.visible_device_list = visible
    try:
        found["sessions"].append(describe(tf.Session(config=chosen)._config))
    except ValueError as error:
        found["errors"].append(str(error))
found["without"] = describe(tf.Session(config=tf.ConfigProto(device_count={"GPU": 0}))._config)
try:
    tf.Session(config=tf.ConfigProto(device_count={"GPU": 2}))
except ValueError as error:
    found["errors"].append(str(error))
with tf.device("/gpu:2"):
    found["placed"] = tf.constant(1.0).device
try:
    with tf.device("/gpu:3"):
        tf.constant(1.0)
except ValueError as error:
    found["errors"].append(str(error))
strategy = tf.distribute.MirroredStrategy()
found["replicas"] = [
    tf.DeviceSpec.from_string(d).device_index for d in strategy.extended.worker_devices
]
found["reduces"] = [
    type(strategy.extended._cross_device_ops).__name__,
    tf.distribute.NcclAllReduce()._all_reduce_alg,
]
print(json.dumps(found))
