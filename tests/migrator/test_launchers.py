from __future__ import annotations

from pathlib import Path

import pytest
from test_cli import ORIGINAL, UNRELATED, put

from tfmigrate import cli
from tfmigrate.files.launchers import launchers
from tfmigrate.rulekit.registry import rules

JOB = """\
apiVersion: kubeflow.org/v1
kind: TFJob
metadata:
  name: train
spec:
  tfReplicaSpecs:
    PS:
      replicas: 2
      template: &template
        spec:
          containers:
            - name: tensorflow
              image: example.org/train
              command: [python, /app/train.py]
    Worker:
      replicas: 3
      template: *template
"""
CONTAINER = """\
apiVersion: v1
kind: Pod
spec:
  containers:
    - name: ps
      command:
        - python
        - train.py
        - --job_name
        - ps
"""
LOOP = "for i in 0 1; do\n  ssh host$i python src/train.py --job_name=ps --task_index=$i &\ndone\n"
CLOUD = "gcloud ml-engine jobs submit training job1 \\\n  --module-name trainer.task\n"


def program(code: str) -> str:
    """Returns the example of a rule."""
    return next(rule for rule in rules() if rule.code == code).examples[0].before


SYNCHRONOUS, ASYNCHRONOUS = program("TFM303"), program("TFM301")
COORDINATED = program("TFM309")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def found(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[str]:
    """Returns what a run reports about launchers: the place and the message."""
    cli.main(["--check", "--no-cache", *(arguments or (".",))])
    lines = capsys.readouterr().out.splitlines()
    return [" ".join(li.replace("TFM911  manual", "").split()) for li in lines if "TFM911  m" in li]


@pytest.mark.parametrize(
    ("name", "text", "source"),
    [
        # What an asynchronous program needs, it needed before.
        ("job.yaml", JOB, ASYNCHRONOUS),
        ("run.sh", LOOP, ASYNCHRONOUS),
        ("pod.yaml", CONTAINER, ASYNCHRONOUS),
        # No parameter servers are started.
        ("job.yaml", JOB.replace("replicas: 2", "replicas: 0"), SYNCHRONOUS),
        ("run.sh", LOOP.replace("=ps", "=worker"), SYNCHRONOUS),
        ("run.sh", "# " + LOOP.replace("\n", "\n# "), SYNCHRONOUS),
        ("run.sh", "for job in worker; do python train.py --job_name=$job; done\n", SYNCHRONOUS),
        # Another program is started, or none.
        ("job.yaml", JOB.replace("train.py", "serve.py"), SYNCHRONOUS),
        ("run.sh", LOOP.replace("src/train.py", "other/train.py"), SYNCHRONOUS),
        ("run.sh", "echo --job_name=ps\n", SYNCHRONOUS),
        ("run.sh", CLOUD.replace("trainer.task", "serving.task"), SYNCHRONOUS),
        ("run.sh", "gcloud compute instances list\n", SYNCHRONOUS),
        # No TFJob.
        ("crd.yaml", "kind: X\nspec:\n  names:\n    kind: TFJob\n", SYNCHRONOUS),
        ("a.yaml", JOB.replace("kind: TFJob", "kind: PyTorchJob"), SYNCHRONOUS),
        ("a.yaml", "", SYNCHRONOUS),
        ("a.yaml", "kind: TFJob", SYNCHRONOUS),
        ("a.yaml", "kind: TFJob\nspec:\n", SYNCHRONOUS),
        ("a.yaml", "\t: - {{ kind: TFJob }}\n--- ]\n", SYNCHRONOUS),
        ("notes.txt", CLOUD, SYNCHRONOUS),
        ("README.md", CLOUD, SYNCHRONOUS),
        # No program of TensorFlow 1.x is here.
        ("run.sh", CLOUD, UNRELATED),
        ("job.yaml", JOB.replace("/v1", "/v1beta1"), UNRELATED),
    ],
)  # fmt: skip
def test_others_are_no_matter(
    here: Path, capsys: pytest.CaptureFixture[str], name: str, text: str, source: str
) -> None:
    put(here / "src" / "train.py", source)
    put(here / name, text)
    assert found(capsys) == []


def test_who_does_not_want_them(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(here / "train.py", SYNCHRONOUS)
    put(here / "job.yaml", JOB)
    assert len(found(capsys)) == 1
    for options in (["train.py"], [".", "--ignore", "TFM911"], [".", "--target", "estimator"]):
        assert found(capsys, *options) == []


SERVERS = "the synchronous training of the migrated program has no parameter servers"


@pytest.mark.parametrize(
    ("name", "text", "place"),
    [
        ("job.yaml", JOB, "7:5"),
        ("job.yml", "x: 1\n---\n" + JOB, "9:5"),
        ("job.yaml", JOB.replace("[python, /app/train.py]", "[./start]"), "7:5"),
        ("job.yaml", JOB.replace("/app/train.py", "-m, src.train"), "7:5"),
        ("job.yaml", "steps:\n- manifest: |\n" + "".join(f"    {li}\n" for li in JOB.splitlines()),
         "9:9"),
        ("job.yaml", JOB.replace("    PS:", "    {{- if x }}\n    ps:"), "8:5"),
        ("pod.yaml", CONTAINER, "9:11"),
        ("run.sh", LOOP, "2:34"),
        ("Makefile", "ps:\n\tpython -m src.train \\\n\t  --job_name ps\n", "3:4"),
        ("run.sh", "for job in ps worker; do python $DIR/train.py --job_name=$job; done\n", "1:47"),
        ("run.sbatch", "srun python ./src/train.py --job_name='ps'\n", "1:28"),
    ],
)  # fmt: skip
def test_synchronous_programs_need_no_parameter_servers(
    here: Path, capsys: pytest.CaptureFixture[str], name: str, text: str, place: str
) -> None:
    put(here / "src" / "train.py", SYNCHRONOUS)
    put(here / name, text)
    (finding,) = found(capsys)
    assert finding.startswith(f"{name}:{place} {SERVERS}"), finding


def test_all_programs_that_may_be_meant_have_to_agree(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put(here / "a" / "train.py", SYNCHRONOUS)
    put(here / "b" / "train.py", ASYNCHRONOUS)
    put(here / "job.yaml", JOB)
    put(here / "b.sh", LOOP.replace("src/", "b/"))
    put(here / "a.sh", LOOP.replace("src/", "a/"))
    (finding,) = found(capsys)
    assert finding.startswith("a.sh:2:32 ")


def test_a_coordinator_is_one_more_task(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(here / "train.py", COORDINATED)
    put(here / "job.yaml", JOB)
    put(
        here / "run.sh",
        LOOP.replace("src/", "") + LOOP.replace("src/", "").replace("=ps", "=worker"),
    )
    put(here / "all.sh", LOOP.replace("src/", "") + "python train.py --job_name=chief\n")
    assert found(capsys) == []
    said = "a separate task runs the training loop of the migrated program"
    first, second = found(capsys, ".", "--coordinator")
    assert first.startswith(f"job.yaml:6:3 {said}")
    assert second.startswith(f"run.sh:2:30 {said}")
    put(here / "job.yaml", JOB.replace("    PS:", "    Chief:\n      replicas: 1\n    PS:"))
    assert len(found(capsys, ".", "--coordinator")) == 1


def test_what_is_gone_is_reported_also_once_the_program_is_migrated(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put(here / "trainer" / "__init__.py", "")
    put(here / "trainer" / "task.py", ORIGINAL)
    put(here / "submit.sh", f"MODULE=trainer.task\n{CLOUD.replace('trainer.task', '${MODULE}')}")
    put(
        here / "job.yaml",
        JOB.replace("/v1", "/v1alpha2").replace("/app/train.py", "-m, trainer.task"),
    )
    api = "apiVersion: kubeflow.org/v1alpha1\nkind: TFJob\n"
    put(here / "old.yaml", f"{api}spec:\n  replicaSpecs:\n  - tfReplicaType: MASTER\n")
    wanted = [
        "job.yaml:1:1 kubeflow.org/v1alpha2 is an old API of TFJob",
        "old.yaml:1:1 kubeflow.org/v1alpha1 is an old API of TFJob",
        "old.yaml:4:3 replicaSpecs is an old form of a TFJob",
        "submit.sh:2:1 gcloud ml-engine jobs submit training starts a job of AI Platform, which",
    ]
    for _ in range(2):
        for finding, start in zip(found(capsys), wanted, strict=True):
            assert finding.startswith(start), finding
        cli.main(["--no-cache", "."])
        capsys.readouterr()


def test_data_are_not_read() -> None:
    assert list(launchers("data.yaml", JOB + "a: b\n" * 250_000)) == []


def test_no_text_takes_long() -> None:
    for more in ("\\\n", "x", " ", "\n", "a=", "$", "for i in ", "gcloud ", "-m ", "kind: TFJob\n"):
        text = f"{LOOP}{more * 20_000}\n"
        for name in ("run.sh", "job.yaml"):
            assert len(list(launchers(name, text))) <= 1
