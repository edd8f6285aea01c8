"""Manifests and scripts of docs/examples/clusters: what their APIs know, and what programs need.

The fields are those of the API references: Kubernetes (batch/v1, v1), the Kubeflow training
operator (kubeflow.org/v1) and Vertex AI (CustomJobSpec). tests/cluster runs what runs here.
"""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "docs" / "examples" / "clusters"
PAGES = sorted((ROOT / "docs" / "how_to").glob("clusters*.md"))

STRING, TEXTS = {"type": "string"}, {"type": "array", "items": {"type": "string"}, "minItems": 1}
COUNT = {"type": "integer", "minimum": 1}


def of(required: str, optional: dict[str, Any] | None = None, **known: Any) -> dict[str, Any]:
    """Returns the schema of a mapping: no other field is known."""
    properties = {**known, **(optional or {})}
    return {
        "type": "object",
        "properties": properties,
        "required": required.split(),
        "additionalProperties": False,
    }


def listed(schema: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": schema, "minItems": 1}


RESTART = {"enum": ["OnFailure", "Never"]}
CONTAINER = of(
    "name image command",
    name=STRING,
    image=STRING,
    command=TEXTS,
    ports=listed(of("containerPort", containerPort=COUNT)),
    volumeMounts=listed(of("name mountPath", name=STRING, mountPath=STRING)),
)
POD = of(
    "containers",
    containers=listed(CONTAINER),
    restartPolicy=RESTART,
    subdomain=STRING,
    volumes=listed(
        of(
            "name persistentVolumeClaim",
            name=STRING,
            persistentVolumeClaim=of("claimName", claimName=STRING),
        )
    ),
)
TEMPLATE = of("spec", spec=POD)
METADATA = of("name", name=STRING)
REPLICA = of(
    "replicas template",
    replicas=COUNT,
    template=TEMPLATE,
    restartPolicy={"enum": ["Always", "OnFailure", "Never", "ExitCode"]},
)
TFJOB = of(
    "apiVersion kind metadata spec",
    apiVersion={"const": "kubeflow.org/v1"},
    kind={"const": "TFJob"},
    metadata=METADATA,
    spec=of(
        "tfReplicaSpecs",
        tfReplicaSpecs=of("Worker", Chief=REPLICA, Worker=REPLICA, PS=REPLICA, Evaluator=REPLICA),
        runPolicy=of("cleanPodPolicy", cleanPodPolicy={"enum": ["Running", "All", "None"]}),
        successPolicy={"enum": ["", "AllWorkers"]},
    ),
)
SERVICE = of(
    "apiVersion kind metadata spec",
    apiVersion={"const": "v1"},
    kind={"const": "Service"},
    metadata=METADATA,
    spec=of(
        "clusterIP selector",
        clusterIP={"const": "None"},
        publishNotReadyAddresses={"type": "boolean"},
        selector={"type": "object"},
    ),
)
JOB = of(
    "apiVersion kind metadata spec",
    apiVersion={"const": "batch/v1"},
    kind={"const": "Job"},
    metadata=METADATA,
    spec=of(
        "completionMode completions parallelism template",
        completionMode={"const": "Indexed"},
        completions=COUNT,
        parallelism=COUNT,
        backoffLimit=COUNT,
        template=TEMPLATE,
    ),
)
POOL = of(
    "replicaCount machineSpec containerSpec",
    replicaCount=COUNT,
    machineSpec=of("machineType", machineType=STRING),
    containerSpec=of("imageUri", imageUri=STRING, command=TEXTS, args=TEXTS),
)
VERTEX = of("workerPoolSpecs", workerPoolSpecs=listed(POOL))
WANTED = {
    "tfjob.yaml": [TFJOB],
    "tfjob_synchronous.yaml": [TFJOB],
    "indexed_job.yaml": [SERVICE, JOB],
    "vertex.yaml": [VERTEX],
}


def documents(name: str) -> list[Any]:
    return list(yaml.safe_load_all((EXAMPLES / name).read_text(encoding="utf-8")))


def test_every_example_is_checked_and_shown() -> None:
    text = "".join(page.read_text(encoding="utf-8") for page in PAGES)
    files = {path.name for path in EXAMPLES.iterdir() if path.is_file()}
    assert files == {*WANTED, "run_task.py", "slurm.sbatch", "tf_config.sh"}
    for name in files:
        assert f"(../examples/clusters/{name})" in text


@pytest.mark.parametrize("name", WANTED)
def test_manifests_have_known_fields(name: str) -> None:
    found = documents(name)
    for document, schema in zip(found, WANTED[name], strict=True):
        jsonschema.Draft202012Validator.check_schema(schema)
        jsonschema.validate(document, schema)


def test_unknown_fields_are_found() -> None:
    (job,) = documents("tfjob.yaml")
    job["spec"]["tfReplicaSpecs"]["Server"] = job["spec"]["tfReplicaSpecs"].pop("PS")
    with pytest.raises(jsonschema.ValidationError, match="Server"):
        jsonschema.validate(job, TFJOB)


def test_the_operator_finds_its_containers() -> None:
    """It sets TF_CONFIG in containers of this name only."""
    for name in ("tfjob.yaml", "tfjob_synchronous.yaml"):
        (job,) = documents(name)
        replicas = job["spec"]["tfReplicaSpecs"]
        for replica in replicas.values():
            (container,) = replica["template"]["spec"]["containers"]
            assert container["name"] == "tensorflow"
        assert ("PS" in replicas) == (name == "tfjob.yaml")
        assert all(
            replicas[one]["replicas"] == 1 for one in ("Chief", "Evaluator") if one in replicas
        )


def test_pods_of_the_indexed_job_find_each_other() -> None:
    service, job = documents("indexed_job.yaml")
    spec, name = job["spec"], job["metadata"]["name"]
    (container,) = spec["template"]["spec"]["containers"]
    command = container["command"]
    jobs = dict(part.split("=") for part in command[command.index("--jobs") + 1].split(","))
    assert sum(map(int, jobs.values())) == spec["completions"] == spec["parallelism"]
    assert service["spec"]["selector"] == {"job-name": name}
    subdomain = spec["template"]["spec"]["subdomain"]
    assert subdomain == service["metadata"]["name"]
    port = container["ports"][0]["containerPort"]
    assert command[command.index("--host") + 1] == f"{name}-INDEX.{subdomain}:{port}"


def test_the_chief_of_vertex_is_one() -> None:
    (job,) = documents("vertex.yaml")
    assert job["workerPoolSpecs"][0]["replicaCount"] == 1
    assert len(job["workerPoolSpecs"]) <= 4


@pytest.mark.parametrize("name", ["slurm.sbatch", "tf_config.sh"])
def test_scripts_are_shell(name: str) -> None:
    path = EXAMPLES / name
    shell = path.read_text(encoding="utf-8").partition("\n")[0].removeprefix("#!")
    subprocess.run([shell, "-n", str(path)], check=True)


def test_slurm_starts_as_many_tasks_as_the_program_has() -> None:
    text = (EXAMPLES / "slurm.sbatch").read_text(encoding="utf-8")
    options = dict(
        line.removeprefix("#SBATCH --").split("=")
        for line in text.splitlines()
        if line.startswith("#SBATCH --")
    )
    jobs = text.partition("--jobs ")[2].split()[0]
    tasks = sum(int(job.partition("=")[2]) for job in jobs.split(","))
    assert int(options["nodes"]) * int(options["ntasks-per-node"]) == tasks
