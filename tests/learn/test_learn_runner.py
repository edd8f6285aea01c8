"""learn_runner: which method it calls, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from learn_support import ListedEstimator, eval_input_fn, model_fn, train_input_fn

from tfmigrate_runtime import estimator, learn, training
from tfmigrate_runtime.learn import learn_runner

CLUSTER = {"master": ["a:1"], "worker": ["b:1", "c:1"], "ps": ["d:1"]}


class Told(learn.Experiment):
    """Returns the names of the methods that a runner calls."""

    def __init__(self, config: estimator.RunConfig | None, folder: Path) -> None:
        made = ListedEstimator(folder)
        if config is not None:
            made = estimator.Estimator(model_fn, config=config)
        super().__init__(made, train_input_fn, eval_input_fn)
        self.number = 3

    def train(self, delay_secs: float | None = None) -> str:
        return "train"

    def train_and_evaluate(self) -> Any:
        return "train_and_evaluate"

    def run_std_server(self) -> Any:
        return "run_std_server"


def of_config(run_config: Any, hparams: Any) -> Told:
    return Told(run_config, Path("unused"))


@pytest.mark.parametrize(
    "task, cluster, method",
    [
        (None, None, "train_and_evaluate"),
        (("master", 0), {"master": ["a:1"]}, "train_and_evaluate"),
        (("master", 0), CLUSTER, "train_and_evaluate"),
        (("worker", 1), CLUSTER, "train"),
        (("ps", 0), CLUSTER, "run_std_server"),
    ],
)
def test_default_schedules(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    task: tuple[str, int] | None,
    cluster: Any,
    method: str,
) -> None:
    if task is not None:
        of_task = {"type": task[0], "index": task[1]}
        text = json.dumps({"cluster": cluster, "task": of_task, "environment": "cloud"})
        monkeypatch.setenv("TF_CONFIG", text)
    config = learn.RunConfig(model_dir=str(tmp_path))
    assert learn_runner.run(of_config, run_config=config) == method


def test_a_schedule_that_is_given(tmp_path: Path) -> None:
    config = learn.RunConfig(model_dir=str(tmp_path))
    assert learn_runner.run(of_config, run_config=config, schedule="train") == "train"
    with pytest.raises(ValueError, match="references non-existent task fly"):
        learn_runner.run(of_config, run_config=config, schedule="fly")
    with pytest.raises(TypeError, match="references non-callable member number"):
        learn_runner.run(of_config, run_config=config, schedule="number")


def test_output_dir(tmp_path: Path) -> None:
    def of_folder(output_dir: str) -> Told:
        return Told(None, Path(output_dir))

    assert learn_runner.run(of_folder, str(tmp_path)) == "train_and_evaluate"
    with pytest.raises(ValueError, match="Must specify an output directory"):
        learn_runner.run(of_folder, "")
    with pytest.raises(ValueError, match="Must set `hparams` as None"):
        learn_runner.run(of_folder, str(tmp_path), hparams={})
    with pytest.raises(TypeError, match="did not return an Experiment instance"):
        learn_runner.run(lambda output_dir: None, str(tmp_path))  # type: ignore[arg-type,return-value]


def test_contradictions(tmp_path: Path) -> None:
    config = learn.RunConfig(model_dir=str(tmp_path))
    with pytest.raises(ValueError, match="Cannot provide both"):
        learn_runner.run(of_config, "folder", run_config=config)
    with pytest.raises(ValueError, match="Must set value for"):
        learn_runner.run(of_config)
    with pytest.raises(TypeError, match="is not callable"):
        learn_runner.run(3, "folder")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"must be `tf\.contrib\.learn\.RunConfig` instance"):
        learn_runner.run(of_config, run_config=estimator.RunConfig(model_dir=str(tmp_path)))
    with pytest.raises(ValueError, match="Must specify a model directory"):
        learn_runner.run(of_config, run_config=learn.RunConfig())
    with pytest.raises(ValueError, match="`hparams` must be `HParams` instance"):
        learn_runner.run(of_config, run_config=config, hparams={"rate": 1})


def test_the_estimator_must_have_the_given_config(tmp_path: Path) -> None:
    config = learn.RunConfig(model_dir=str(tmp_path))

    def other(run_config: Any, hparams: Any) -> Told:
        return Told(learn.RunConfig(model_dir=str(tmp_path / "other")), tmp_path)

    def plain(run_config: Any, hparams: Any) -> Told:
        return Told(estimator.RunConfig(model_dir=str(tmp_path)), tmp_path)

    with pytest.raises(RuntimeError, match="is expected to be used by the `Estimator`"):
        learn_runner.run(other, run_config=config)
    with pytest.raises(RuntimeError, match="Pass `run_config` argument"):
        learn_runner.run(plain, run_config=config)


def test_tune(tmp_path: Path) -> None:
    class Tuner:
        def __init__(self) -> None:
            self.left = 2
            self.results: list[Any] = []

        def next_trial(self) -> bool:
            self.left -= 1
            return self.left >= 0

        def run_experiment(self, experiment_fn: Any) -> None:
            config = learn.RunConfig(model_dir=str(tmp_path / str(self.left)))
            self.results.append(experiment_fn(config, training.HParams(rate=1)).train())
            with pytest.raises(ValueError, match="`hparams` cannot be `None`"):
                experiment_fn(config, None)

    tuner = Tuner()
    learn_runner.tune(of_config, tuner)
    assert tuner.results == ["train", "train"]
