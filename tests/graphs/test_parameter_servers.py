"""A parameter server of an eager cluster lives through the start of its workers."""

from __future__ import annotations

import os
import subprocess
import sys

_WORKERS, _STARTS = 4, 4
# Each process is a fork that has not used TensorFlow: importing it takes longer than the start.
_SCRIPT = f"""
import os, socket, sys, threading, time
import tensorflow.compat.v1 as tf
from tfmigrate_runtime import graphs
from tfmigrate_runtime.compat.eager import context

def forked(function, *arguments):
    process = os.fork()
    if process:
        return process
    try:
        function(*arguments)
    finally:
        os._exit(1)

def train(index, jobs):
    server = graphs.Server(jobs, "worker", index)
    graph = tf.Graph()
    with graph.as_default(), tf.device("/job:ps/task:0"):
        total = tf.reduce_sum(tf.ones([3]))
    server.connect(graph)
    on_server = tf.function(lambda: tf.reduce_sum(tf.ones([3])))
    with context.eager_mode(), tf.device("/job:ps/task:0"):
        for _ in range(10):
            assert on_server().numpy() == 3.0
    os._exit(0)

def code(process, flags=0):
    ended, status = os.waitpid(process, flags)
    return os.waitstatus_to_exitcode(status) if ended else None

for _ in range({_STARTS}):
    sockets = [socket.socket() for _ in range({_WORKERS} + 1)]
    for each in sockets:
        each.bind(("127.0.0.1", 0))
    server, *workers = ["127.0.0.1:%d" % each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    jobs = {{"ps": [server], "worker": workers}}
    training = [forked(train, index, jobs) for index in range({_WORKERS})]
    time.sleep(0.3)  # they wait: it is the server that they all find at once
    serving = forked(lambda: graphs.Server(jobs, "ps", 0).join())
    codes = [code(process) for process in training]
    ended = code(serving, os.WNOHANG)
    if ended is None:
        os.kill(serving, 9)
        code(serving)
    print(codes, ended)
"""


def test_workers_that_connect_at_once_do_not_end_it() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _SCRIPT],
        env={**os.environ, "GRPC_ENABLE_FORK_SUPPORT": "0"},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.stdout.splitlines() == [f"{[0] * _WORKERS} None"] * _STARTS, done.stderr[-2000:]
