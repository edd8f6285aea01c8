"""RunConfigs of contrib.learn and what can be seen of them, on TensorFlow 1.15 and on 2.x.

Python 3.7, for TensorFlow 1.15.
"""

from __future__ import annotations

import json
import os

PROPERTIES = [
    "cluster_spec",
    "device_fn",
    "environment",
    "eval_distribute",
    "evaluation_master",
    "experimental_max_worker_delay_secs",
    "is_chief",
    "keep_checkpoint_every_n_hours",
    "keep_checkpoint_max",
    "log_step_count_steps",
    "master",
    "model_dir",
    "num_ps_replicas",
    "num_worker_replicas",
    "protocol",
    "save_checkpoints_secs",
    "save_checkpoints_steps",
    "save_summary_steps",
    "session_config",
    "session_creation_timeout_secs",
    "task_id",
    "task_type",
    "tf_config",
    "tf_random_seed",
]

_ALL = {"master": ["m:1"], "worker": ["w:1", "w:2"], "ps": ["p:1"]}
_WORKERS = {"worker": ["w:1", "w:2"], "ps": ["p:1", "p:2"]}
_CHIEF = {"chief": ["c:1"], "worker": ["w:1", "w:2"], "ps": ["p:1"]}


def _environments():
    """Yields names and values of TF_CONFIG."""
    for cluster_name, cluster in (("all", _ALL), ("workers", _WORKERS), ("chief", _CHIEF)):
        for environment in (None, "local", "cloud", "google"):
            for kind, index in (
                ("master", 0),
                ("chief", 0),
                ("worker", 0),
                ("worker", 1),
                ("worker", 2),
                ("ps", 0),
                ("evaluator", 0),
                (None, None),
            ):
                given = {"cluster": cluster}
                if environment:
                    given["environment"] = environment
                if kind:
                    given["task"] = {"type": kind, "index": index}
                name = f"{cluster_name} {environment} {kind} {index}"
                yield name, json.dumps(given)
    one = {"cluster": {"worker": ["w:1"]}, "task": {"type": "worker", "index": 0}}
    index_only = {"cluster": _WORKERS, "task": {"index": 1}}
    yield "none", None
    yield "empty", ""
    yield "empty object", "{}"
    yield "one task", json.dumps(one)
    yield "one task of another type", json.dumps(dict(one, task={"type": "ps", "index": 3}))
    yield "one task, one empty job", json.dumps(dict(one, cluster={"worker": ["w:1"], "ps": []}))
    yield "two jobs of one task", json.dumps(dict(one, cluster={"worker": ["w:1"], "ps": ["p:1"]}))
    yield "task without a cluster", json.dumps({"task": {"type": "master", "index": 0}})
    yield "worker without a cluster", json.dumps({"task": {"type": "worker", "index": 2}})
    yield (
        "cloud master alone",
        json.dumps({"task": {"type": "master", "index": 0}, "environment": "cloud"}),
    )
    yield "index without a type", json.dumps(index_only)
    yield "type without an index", json.dumps({"cluster": _ALL, "task": {"type": "worker"}})
    yield "index as text", json.dumps({"cluster": _ALL, "task": {"type": "worker", "index": "1"}})
    yield "negative index", json.dumps({"cluster": _ALL, "task": {"type": "worker", "index": -1}})
    yield (
        "other jobs",
        json.dumps({"cluster": dict(_ALL, other=["o:1"]), "task": {"type": "other", "index": 0}}),
    )
    yield "model_dir", json.dumps({"model_dir": "from_environment"})
    yield "empty model_dir", json.dumps({"model_dir": ""})
    yield "trial", json.dumps({"task": {"type": "master", "index": 0, "trial": "7"}, "job": {}})


_MODEL_DIR = json.dumps({"model_dir": "from_environment"})
_WORKER = json.dumps({"cluster": _ALL, "task": {"type": "worker", "index": 1}})
# By name: TF_CONFIG, the arguments of RunConfig.
CASES = {name: (given, {}) for name, given in _environments()}
CASES.update(
    {
        "master": (None, {"master": "grpc://own:1"}),
        "master in a cluster": (_WORKER, {"master": "grpc://own:1"}),
        "no master in a cluster": (_WORKER, {"master": ""}),
        "evaluation_master": (_WORKER, {"evaluation_master": "grpc://own:2"}),
        "no evaluation_master": (None, {"evaluation_master": None}),
        "tf_config": (
            None,
            {"num_cores": 3, "log_device_placement": True, "gpu_memory_fraction": 0.5},
        ),
        "steps": (None, {"save_checkpoints_steps": 5}),
        "seconds": (None, {"save_checkpoints_secs": 5}),
        "no seconds": (None, {"save_checkpoints_secs": None}),
        "seconds of 0": (None, {"save_checkpoints_secs": 0}),
        "steps and no seconds": (
            None,
            {"save_checkpoints_steps": 5, "save_checkpoints_secs": None},
        ),
        "no steps": (None, {"save_checkpoints_steps": None}),
        "everything else": (
            None,
            {
                "tf_random_seed": 3,
                "save_summary_steps": 7,
                "keep_checkpoint_max": None,
                "keep_checkpoint_every_n_hours": 2,
                "log_step_count_steps": 9,
                "protocol": "grpc",
                "model_dir": "m",
                "session_creation_timeout_secs": 11,
            },
        ),
        "same model_dir": (_MODEL_DIR, {"model_dir": "from_environment"}),
        "other model_dir": (_MODEL_DIR, {"model_dir": "other"}),
        "no model_dir": (None, {"model_dir": ""}),
    }
)
# Whether each of these has the uid of RunConfig(model_dir="m"); the first part of a key is for
# replace(), the second for the constructor.
UID_CASES = {
    "the same": ({}, {}),
    "replaced seed": ({"tf_random_seed": 3}, {}),
    "replaced checkpoints": ({"save_checkpoints_steps": 3}, {}),
    "replaced summaries": ({"save_summary_steps": 3}, {}),
    "replaced keep": ({"keep_checkpoint_max": 3}, {}),
    "replaced hours": ({"keep_checkpoint_every_n_hours": 3}, {}),
    "replaced log": ({"log_step_count_steps": 3}, {}),
    "replaced model_dir": ({"model_dir": "other"}, {}),
    "replaced protocol": ({"protocol": "grpc"}, {}),
    "replaced timeout": ({"session_creation_timeout_secs": 5}, {}),
    "other seed": ({}, {"tf_random_seed": 3}),
    "other model_dir": ({}, {"model_dir": "other"}),
    "other master": ({}, {"master": "grpc://own:1"}),
    "other evaluation_master": ({}, {"evaluation_master": "grpc://own:1"}),
    "other cores": ({}, {"num_cores": 2}),
    "other timeout": ({}, {"session_creation_timeout_secs": 5}),
}


def set_environment(text):
    """Sets TF_CONFIG, or takes it away."""
    os.environ.pop("TF_CONFIG", None)
    if text is not None:
        os.environ["TF_CONFIG"] = text


def properties(make, name):
    """Returns the properties of a case's RunConfig by name, or its error: [type, message].

    Args:
        make: the class RunConfig.
        name: the case.
    """
    text, arguments = CASES[name]
    set_environment(text)
    try:
        config = make(**arguments)
    except ValueError as error:
        return {"error": [type(error).__name__, str(error)]}
    found = {prop: getattr(config, prop) for prop in PROPERTIES}
    found["cluster_spec"] = found["cluster_spec"].as_dict()
    found["tf_config"] = found["tf_config"].SerializeToString(deterministic=True).hex()
    found["train_distribute"] = config.train_distribute is not None
    return found


def has_same_uid(make, name):
    """Returns whether a case has the uid of RunConfig(model_dir="m"), and with no whitelist."""
    set_environment(None)
    replaced, arguments = UID_CASES[name]
    first = make(model_dir="m")
    second = make(**dict({"model_dir": "m"}, **arguments)).replace(**replaced)
    same_names = first.uid(whitelist=[]) == second.uid(whitelist=[])
    return [first.uid() == second.uid(), same_names]
