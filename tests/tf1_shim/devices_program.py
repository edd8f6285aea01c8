"""A program of TensorFlow 1.x that looks for devices and uses them; prints what it found."""

import json

import tensorflow as tf
from tensorflow.python.client import device_lib

found = {
    "listed": [(d.name, d.device_type) for d in device_lib.list_local_devices()],
    "is_built_with_cuda": tf.test.is_built_with_cuda(),
    "is_gpu_available": tf.test.is_gpu_available(),
    "gpu_device_name": tf.test.gpu_device_name(),
    "errors": [],
}
places = (
    "/gpu:1",
    "/device:GPU:0",
    tf.DeviceSpec(device_type="GPU", device_index=1),
    lambda operation: "/gpu:0",
    "/cpu:0",
)
constants = []
for place in places:
    with tf.device(place):
        constants.append(tf.constant(1.0))
found["placed"] = [constant.device for constant in constants]
for place in ("/gpu:2", tf.DeviceSpec(device_type="GPU", device_index=5)):
    try:
        with tf.device(place):
            tf.constant(2.0)
    except ValueError as error:
        found["errors"].append(str(error))

config = tf.ConfigProto(log_device_placement=False, inter_op_parallelism_threads=3)
with tf.Session(config=config) as session:
    found["sum"] = float(session.run(tf.add_n(constants)))
    found["session"] = sorted(d.name for d in session.list_devices())
    found["threads"] = session._config.inter_op_parallelism_threads
server = tf.train.Server.create_local_server(start=False)
found["server"] = dict(server.server_def.default_session_config.device_count)


def number_of_replica():
    """Returns 1 on the first replica, 2 on the second."""
    context = tf.distribute.get_replica_context()
    return tf.cast(context.replica_id_in_sync_group, tf.float32) + 1.0


with tf.Graph().as_default():
    strategy = tf.distribute.MirroredStrategy()
    with strategy.scope():
        numbers = strategy.extended.call_for_each_replica(number_of_replica)
        total = strategy.reduce(tf.distribute.ReduceOp.SUM, numbers, axis=None)
    found["replicas"] = list(strategy.extended.worker_devices)
    with tf.Session() as session:
        found["reduced"] = float(session.run(total))
print(json.dumps(found))
