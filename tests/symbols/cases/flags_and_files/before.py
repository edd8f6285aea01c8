"""Flags, logging and files of TensorFlow 1.x."""

import tensorflow as tf

flags = tf.app.flags
FLAGS = flags.FLAGS
flags.DEFINE_string("case_name", "two words", "A name.")
flags.DEFINE_integer("case_size", 3, "A size.")
flags.DEFINE_boolean("case_fast", True, "Whether it is fast.")
flags.DEFINE_float("case_rate", 0.5, "A rate.")

tf.logging.set_verbosity(tf.logging.ERROR)
result = {}


def main(arguments):
    tf.logging.info("not shown")
    with tf.gfile.GFile("some.txt", "w") as file:
        file.write(FLAGS.case_name)
    tf.gfile.MakeDirs("a/b")
    result["text"] = tf.gfile.FastGFile("some.txt").read()
    result["exists"] = [tf.gfile.Exists("some.txt"), tf.gfile.IsDirectory("a/b")]
    result["found"] = tf.gfile.Glob("*.txt")
    result["size"] = FLAGS.case_size * FLAGS.case_rate
    result["fast"] = FLAGS.case_fast
    result["arguments"] = len(arguments)


if __name__ == "__main__":
    try:
        tf.app.run(main)
    except SystemExit as done:
        result["status"] = int(done.code or 0)
