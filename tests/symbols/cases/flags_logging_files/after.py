"""Flags, logging and files: of absl and of TensorFlow, in all the ways they used to be reached."""

import sys

import numpy as np
import tensorflow.compat.v1 as tf
from tensorflow.python.platform import gfile

flags = tf.app.flags
flags.DEFINE_string("own_train_dir", "train", "Where to write.")
flags.DEFINE_integer("own_steps", 100, "How many steps.")
flags.DEFINE_boolean("own_sync", False, "Whether workers wait.")
tf.flags.DEFINE_float("own_speed", 0.5, "How fast.")
tf.app.flags.DEFINE_list("own_hosts", ["a:1", "b:2"], "Where the workers are.")
tf.app.flags.DEFINE_enum("own_mode", "train", ["train", "eval"], "What to do.")
flags.DEFINE_string("log_dir", "/tmp/logs", "Where to write event files.", allow_override=True)

FLAGS = tf.app.flags.FLAGS
rest = FLAGS(["program", "--own_steps=7", "--noown_sync", "--own_hosts=c:3", "left"])

tf.logging.set_verbosity(tf.logging.ERROR)
tf.logging.info("not shown: %d", FLAGS.own_steps)
verbosity = tf.logging.get_verbosity()

tf.gfile.MakeDirs("folder/below")
with tf.gfile.GFile("folder/below/a.txt", "w") as written:
    written.write("one\ntwo\n")
with tf.gfile.FastGFile("folder/b.bin", "wb") as written:
    written.write(b"\x00\x01")
with gfile.Open("folder/below/a.txt") as read:
    lines = read.readlines()
tf.gfile.Copy("folder/b.bin", "folder/c.bin", overwrite=True)
walked = sorted(name for _, _, names in tf.gfile.Walk("folder") for name in names)
found = sorted(tf.gfile.Glob("folder/*.bin"))
tf.gfile.DeleteRecursively("folder/below")


def main(argv):
    """Returns nothing: what tf.app.run is given the result of."""
    global seen
    seen = list(argv)


seen = []
try:
    tf.app.run(main, argv=["program", "--own_speed=0.25", "more"])
except SystemExit as error:
    code = error.code

result = {
    "values": np.array([FLAGS.own_steps, FLAGS.own_sync, FLAGS.own_speed], np.float64),
    "texts": [FLAGS.own_train_dir, FLAGS.own_mode, FLAGS.log_dir, *FLAGS.own_hosts],
    "rest": rest,
    "kept": [FLAGS.__flags["own_mode"].value, str("own_speed" in FLAGS)],
    "default": FLAGS["own_steps"].default,
    "dictionary": sorted(k for k in FLAGS.flag_values_dict() if k.startswith("own_")),
    "verbosity": verbosity,
    "lines": lines,
    "walked": walked,
    "found": found,
    "left": [str(tf.gfile.Exists("folder/below")), str(tf.gfile.IsDirectory("folder"))],
    "size": tf.gfile.Stat("folder/c.bin").length,
    "seen": seen,
    "code": 0 if code is None else code,
    "major": len(sys.argv),
}
