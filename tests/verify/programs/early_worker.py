"""A worker that reads a variable before its chief has initialized it; prints what it read."""

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.verify.recorder import all_sessions

tf.disable_v2_behavior()
server = tf.train.Server.create_local_server()
variable = tf.Variable(3.0)
chief = tf.Session(server.target)


class Worker:
    """Stands in for cluster_worker.Worker."""

    is_chief = takes_turns = False

    def install(self, *_: object) -> None:
        pass

    def await_all(self, steps: int) -> None:
        pass

    def wait_for_chief(self) -> None:
        self.is_chief = True  # what its session raises now is raised
        chief.run(variable.initializer)
        self.is_chief = False


class Trace:
    """Stands in for recording.Trace."""

    out, followed, parts, older_steps = "trace.npz", (), [], None


all_sessions.SessionRecorder(Worker()).install(Trace(), Trace(), None, print)
print("READ", tf.Session(server.target).run(variable))
