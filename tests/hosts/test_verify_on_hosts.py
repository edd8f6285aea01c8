"""`tfmigrate verify --hosts netns`: each task of a cluster on a host of its own."""

from __future__ import annotations

import io
import json
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest

from tfmigrate_runtime.verify.hosts import Hosts
from tfmigrate_runtime.verify.request import UsageError, VerifyRequest
from tfmigrate_runtime.verify.running.cluster import Cluster, addresses_on

FIXTURE = Path(__file__).parents[2] / "fixtures/replica_device_setter/async_done_queue"
ARGUMENTS = ("{job_name}", "{task_index}", "{ps_hosts}", "{worker_hosts}")


def test_each_task_has_an_address_of_its_own() -> None:
    cluster = Cluster.parse("worker=2,ps=1")
    with Hosts(3) as hosts:
        addresses = addresses_on(hosts, cluster)
    assert addresses == {
        "worker": ["10.231.0.2:2222", "10.231.0.3:2222"],
        "ps": ["10.231.0.1:2222"],
    }


@pytest.mark.parametrize(
    "options, reason",
    [
        ({"hosts": "netns"}, "--hosts netns needs --cluster"),
        ({"hosts": "docker", "cluster": "worker=2"}, "expected loopback or netns"),
        ({"network_delay": 5, "cluster": "worker=2"}, "need --hosts netns"),
        ({"network_loss": 1, "cluster": "worker=2"}, "need --hosts netns"),
        ({"hosts": "netns", "cluster": "worker=2", "network_loss": 100}, "below 100"),
        ({"hosts": "netns", "cluster": "worker=2", "network_delay": -1}, "0 or more"),
    ],
)
def test_options_that_make_no_network_are_refused(options: dict[str, object], reason: str) -> None:
    with pytest.raises(UsageError, match=reason):
        VerifyRequest(Path("original.py"), **options)  # type: ignore[arg-type]


@pytest.mark.usefixtures("process_of_its_own")
def test_a_cluster_on_three_hosts_trains_like_its_original(tmp_path: Path) -> None:
    from tfmigrate_runtime.verify.cli import main

    command = [str(FIXTURE / "original.py"), str(FIXTURE / "migrated.py"), "--turns"]
    command += ["--cluster", "ps=1,worker=2", "--trace", str(FIXTURE / "trace.npz")]
    command += ["--hosts", "netns", "--network-delay", "2", "--logs", str(tmp_path)]
    command += ["--format", "json", "--", *ARGUMENTS]
    with redirect_stdout(io.StringIO()) as output, redirect_stderr(io.StringIO()) as errors:
        code = main(command)
    assert code == 0, output.getvalue() + errors.getvalue()
    assert json.loads(output.getvalue())["same"]
    assert "a host each, 2 ms apart]" in errors.getvalue()
