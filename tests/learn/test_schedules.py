"""semantics.md, section 2: the calls that each schedule of an Experiment makes."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import tensorflow.compat.v1 as tf
from learn_support import (
    Call,
    ListedEstimator,
    eval_input_fn,
    experiment,
    serving_input_fn,
    train_input_fn,
)

from tfmigrate_runtime import estimator
from tfmigrate_runtime.estimator.experiment import experiment as experiment_module
from tfmigrate_runtime.learn import Experiment
from tfmigrate_runtime.learn.monitors import ValidationMonitor


def trained(first: int, last: int) -> Call:
    return ("train", first, last)


def evaluated(*steps: int, name: str | None = None) -> list[Call]:
    return [("evaluate", step, name) for step in steps]


def exported(step: int) -> Call:
    return ("export", step)


@pytest.fixture
def waited(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The seconds that Experiments wait, instead of waiting.

    Only theirs: other tests leave threads that sleep between two looks at a cluster.
    """
    seconds: list[float] = []
    monkeypatch.setattr(experiment_module, "time", SimpleNamespace(sleep=seconds.append))
    return seconds


class TestTrainAndEvaluate:
    @pytest.mark.parametrize(
        "options, steps_of_checkpoints, evaluations",
        [
            # The checkpoint that training starts from, and the last one; 5 s are longer than this.
            ({}, None, [0, 12]),
            ({}, 4, [0, 12]),
            ({"check_interval_secs": 0}, 4, [0, 4, 8, 12, 12]),
            ({"check_interval_secs": None}, 4, [0, 4, 8, 12, 12]),
            ({"min_eval_frequency": 6, "check_interval_secs": 0}, 4, [4, 12, 12]),
            ({"min_eval_frequency": 0, "check_interval_secs": 0}, 4, [12]),
        ],
    )
    def test_evaluations(
        self,
        tmp_path: Path,
        options: dict[str, Any],
        steps_of_checkpoints: int | None,
        evaluations: list[int],
    ) -> None:
        made = experiment(tmp_path, steps_of_checkpoints, **options)
        metrics, results = made.train_and_evaluate()
        assert made.estimator.calls == [trained(0, 12), *evaluated(*evaluations), exported(12)]
        assert metrics["global_step"] == 12
        assert [Path(tf.compat.as_str_any(r)).parent for r in results] == [
            tmp_path / "export" / "Servo"
        ]

    def test_a_finished_directory_is_evaluated_again(self, tmp_path: Path) -> None:
        experiment(tmp_path).train_and_evaluate()
        again = experiment(tmp_path)
        again.train_and_evaluate()
        assert again.estimator.calls == [trained(12, 12), *evaluated(12), exported(12)]

    def test_every_checkpoint_is_exported(self, tmp_path: Path) -> None:
        made = experiment(tmp_path, 4, checkpoint_and_export=True)
        metrics, results = made.train_and_evaluate()
        pairs: list[Call] = []
        for step in (0, 4, 8, 12):
            pairs += [*evaluated(step, name="intermediate_export"), exported(step)]
        assert made.estimator.calls == [trained(0, 12), *pairs]
        assert metrics["global_step"] == 12 and len(results or ()) == 1

    def test_local_run(self, tmp_path: Path) -> None:
        made = experiment(tmp_path / "none", 4, check_interval_secs=0, min_eval_frequency=1)
        made.local_run()
        assert made.estimator.calls == [trained(0, 12), *evaluated(12), exported(12)]
        made = experiment(tmp_path / "four", 4, check_interval_secs=0, local_eval_frequency=4)
        made.local_run()
        assert made.estimator.calls == [
            trained(0, 12), *evaluated(4, 8, 12, 12), exported(12)
        ]  # fmt: skip


class TestOthers:
    def test_train_goes_to_a_global_step(self, tmp_path: Path) -> None:
        made = experiment(tmp_path)
        assert made.train() is made.estimator
        made.train()
        assert made.estimator.calls == [trained(0, 12), trained(12, 12)]
        more = experiment(tmp_path, train_steps=20)
        more.train()
        assert more.estimator.calls == [trained(12, 20)]

    def test_evaluate(self, tmp_path: Path) -> None:
        made = experiment(tmp_path)
        made.evaluate()
        made.evaluate(name="mine")
        assert made.estimator.calls == [
            *evaluated(0, name="one_pass"), *evaluated(0, name="mine")
        ]  # fmt: skip

    def test_delays(self, tmp_path: Path, waited: list[float]) -> None:
        experiment(tmp_path, eval_delay_secs=120).evaluate()
        experiment(tmp_path).evaluate(delay_secs=3)
        assert waited == [120, 3]

    @pytest.mark.parametrize("number, seconds", [(0, 0), (2, 10), (40, 60)])
    def test_workers_start_one_after_the_other(
        self,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
        waited: list[float],
        number: int,
        seconds: int,
    ) -> None:
        made = experiment(tmp_path)
        monkeypatch.setattr(type(made.estimator.config), "task_id", property(lambda self: number))
        made.train()
        assert sum(waited) == seconds

    def test_workers_may_wait_for_a_global_step(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        made = experiment(tmp_path, delay_workers_by_global_step=True)
        hooks: list[Any] = []
        monkeypatch.setattr(type(made.estimator.config), "task_id", property(lambda self: 2))
        monkeypatch.setattr(made.estimator, "train", lambda *a, hooks, **o: kept(hooks))
        kept = hooks.extend
        made.train()
        (hook,) = hooks
        assert isinstance(hook, tf.train.GlobalStepWaiterHook)
        assert hook._wait_until_step == 8788  # int(8000 * log(3))

    def test_continuous_train_and_eval(self, tmp_path: Path) -> None:
        made = experiment(tmp_path, train_steps=20, train_steps_per_iteration=7)
        metrics, _ = made.continuous_train_and_eval()
        turns: list[Call] = []
        for first in (0, 7, 14):
            turns += [
                trained(first, first + 7),
                *evaluated(first + 7, name="one_pass"),
                exported(first + 7),
            ]
        assert made.estimator.calls == turns
        assert metrics["global_step"] == 21
        again = experiment(tmp_path, train_steps=20)
        again.continuous_train_and_eval()
        assert again.estimator.calls[0] == trained(21, 23)  # a tenth of train_steps, once more

    def test_continuous_train_and_eval_of_few_steps(self, tmp_path: Path) -> None:
        with pytest.raises(ValueError, match="Must specify steps > 0, given: 0"):
            experiment(tmp_path, train_steps=9).continuous_train_and_eval()

    def test_predicate_ends_it(self, tmp_path: Path) -> None:
        seen: list[Any] = []

        def goes_on(metrics: Any, checkpoint_path: str | None) -> bool:
            seen.append((metrics and int(metrics["global_step"]), checkpoint_path))
            return len(seen) < 3

        made = experiment(tmp_path, train_steps=None, train_steps_per_iteration=2)
        made.continuous_train_and_eval(goes_on)
        assert [step for step, _ in seen] == [None, 2, 4]
        assert seen[0][1] is None and seen[2][1] == str(tmp_path / "model.ckpt-4")
        made = experiment(tmp_path, train_steps=None)
        made.continuous_train_and_eval(lambda metrics: False)
        assert made.estimator.calls == []
        with pytest.raises(ValueError, match="must be a callable"):
            made.continuous_train_and_eval(3)  # type: ignore[arg-type]

    def test_continuous_eval(self, tmp_path: Path) -> None:
        experiment(tmp_path).train()
        made = experiment(tmp_path, continuous_eval_throttle_secs=0)
        assert made.continuous_eval() is None
        made.continuous_eval_on_train_data()
        assert made.estimator.calls == [
            *evaluated(12, name="continuous"),
            exported(12),
            *evaluated(12, name="continuous_on_train_data"),
        ]

    def test_continuous_eval_evaluates_a_checkpoint_once(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        experiment(tmp_path).train()
        made = experiment(tmp_path, train_steps=100, continuous_eval_throttle_secs=0)
        looks: list[Any] = []

        def goes_on(metrics: Any) -> bool:
            looks.append(metrics)
            return len(looks) < 4

        made.continuous_eval(continuous_eval_predicate_fn=goes_on)
        assert made.estimator.calls == [*evaluated(12, name="continuous"), exported(12)]
        assert looks[0] is None and looks[2:] == [{}, {}]

    def test_test(self, tmp_path: Path) -> None:
        made = experiment(tmp_path)
        metrics = made.test()
        made.test()
        assert metrics["global_step"] == 1
        assert made.estimator.calls == [
            trained(0, 1), *evaluated(1, name="one_pass"), exported(1),
            trained(1, 2), *evaluated(2, name="one_pass"), exported(2),
        ]  # fmt: skip

    def test_a_server_needs_a_cluster(self, tmp_path: Path) -> None:
        with pytest.raises(ValueError, match="Could not start server; be sure to specify"):
            experiment(tmp_path).run_std_server()


class TestArguments:
    def test_hooks(self, tmp_path: Path) -> None:
        class Counter(tf.train.SessionRunHook):  # type: ignore[misc]
            runs = 0

            def after_run(self, run_context: Any, run_values: Any) -> None:
                self.runs += 1

        training, added, evaluation = Counter(), Counter(), Counter()
        made = experiment(
            tmp_path, train_monitors=[training], eval_hooks=[evaluation], min_eval_frequency=0
        )
        made.extend_train_hooks([added])
        made.train_and_evaluate()
        assert (training.runs, added.runs, evaluation.runs) == (12, 12, 3)
        made.test()
        assert evaluation.runs == 3, "test evaluates without hooks"

    def test_steps_of_an_evaluation(self, tmp_path: Path) -> None:
        def endless() -> Any:
            return eval_input_fn().repeat(50)

        def batches(**options: Any) -> int:
            counted: list[int] = []

            class Counter(tf.train.SessionRunHook):  # type: ignore[misc]
                def after_run(self, run_context: Any, run_values: Any) -> None:
                    counted.append(1)

            made = Experiment(
                ListedEstimator(tmp_path),
                train_input_fn,
                endless,
                eval_hooks=[Counter()],
                eval_delay_secs=0,
                **options,
            )
            made.evaluate()
            return len(counted)

        assert (batches(), batches(eval_steps=2), batches(eval_steps=None)) == (100, 2, 150)

    def test_saving_listeners(self, tmp_path: Path) -> None:
        class Steps(tf.train.CheckpointSaverListener):  # type: ignore[misc]
            def __init__(self) -> None:
                self.saved: list[int] = []

            def after_save(self, session: Any, global_step_value: int) -> None:
                self.saved.append(int(global_step_value))

        for both in (False, True):
            listener = Steps()
            made = experiment(
                tmp_path / str(both),
                4,
                saving_listeners=[listener],
                checkpoint_and_export=both,
                min_eval_frequency=0,
            )
            made.train_and_evaluate()
            assert listener.saved == [0, 4, 8, 12]

    def test_export_strategies_are_replaced(self, tmp_path: Path) -> None:
        made = experiment(tmp_path)
        (old,) = made.reset_export_strategies()
        assert old.name == "Servo"
        made.test()
        assert not (tmp_path / "export").exists()
        with pytest.raises(ValueError, match="`export_strategies` must be an ExportStrategy"):
            made.reset_export_strategies([old, "Servo"])

    @pytest.mark.parametrize(
        "options, message",
        [
            ({"estimator": object()}, "`estimator` must implement"),
            ({"eval_metrics": {}}, "`eval_metrics` must be `None`"),
            ({"train_steps_per_iteration": 1.5}, "must be an integer"),
        ],
    )
    def test_contradictions(self, tmp_path: Path, options: dict[str, Any], message: str) -> None:
        given = {"estimator": ListedEstimator(tmp_path), **options}
        with pytest.raises(ValueError, match=message):
            Experiment(train_input_fn=train_input_fn, eval_input_fn=eval_input_fn, **given)

    def test_properties(self, tmp_path: Path) -> None:
        made = experiment(tmp_path, eval_steps=7)
        assert (made.train_steps, made.eval_steps, made.eval_metrics) == (12, 7, None)


class TestValidationMonitor:
    def monitor(self, **options: Any) -> ValidationMonitor:
        given = {
            "input_fn": eval_input_fn,
            "every_n_steps": 2,
            "check_interval_secs": None,
            **options,
        }
        return ValidationMonitor(**given)

    def test_early_stopping(self, tmp_path: Path) -> None:
        # The loss decreases all the time: more would be better.
        monitor = self.monitor(
            early_stopping_rounds=4, early_stopping_metric_minimize=False, name="early"
        )
        made = experiment(tmp_path, 2, train_monitors=[monitor], train_steps=40)
        made.train()
        assert monitor.early_stopped
        assert monitor.best_step == 2
        assert made.estimator.calls[0] == trained(0, 6)
        assert made.estimator.calls[1:] == evaluated(2, 4, 6, name="early")
        assert monitor.best_metrics and monitor.best_metrics["loss"] == monitor.best_value

    def test_training_goes_on_while_it_is_better(self, tmp_path: Path) -> None:
        monitor = self.monitor(early_stopping_rounds=4)
        made = experiment(tmp_path, 2, train_monitors=[monitor])
        made.train()
        assert not monitor.early_stopped
        assert monitor.best_step == 12

    def test_missing_metric(self, tmp_path: Path) -> None:
        monitor = self.monitor(early_stopping_rounds=4, early_stopping_metric="accuracy")
        with pytest.raises(ValueError, match="Metric accuracy missing from outputs"):
            experiment(tmp_path, 2, train_monitors=[monitor]).train()

    def test_a_resumed_training_looks_at_once(self, tmp_path: Path) -> None:
        experiment(tmp_path, train_steps=5).train()
        made = experiment(tmp_path, 4, train_monitors=[self.monitor(every_n_steps=3)])
        made.train()
        # At 6 (the checkpoint of 5) and at 9; at 12 there is no other yet.
        assert made.estimator.calls == [trained(5, 12), *evaluated(5, 9)]

    def test_contradictions(self, tmp_path: Path) -> None:
        with pytest.raises(ValueError, match="Either x or input_fn"):
            ValidationMonitor()
        with pytest.raises(ValueError, match="Missing call to set_estimator"):
            ListedEstimator(tmp_path / "a").train(train_input_fn, [self.monitor()], steps=1)
        with pytest.raises(ValueError, match="does not support following arguments"):
            experiment(tmp_path / "b", 2, train_monitors=[self.monitor(metrics={})]).train()


class TestSpecs:
    def run(self, folder: Path, **schedule: Any) -> ListedEstimator:
        made = ListedEstimator(folder, save_checkpoints_steps=4)
        exporter = estimator.FinalExporter("Servo", serving_input_fn, exports_to_keep=1)
        metrics, results = estimator.train_and_evaluate(
            made,
            estimator.TrainSpec(train_input_fn, max_steps=12),
            estimator.EvalSpec(
                eval_input_fn,
                exporters=exporter,
                schedule=estimator.ExperimentSchedule(**schedule),
            ),
        )
        assert metrics["global_step"] == 12
        (result,) = results
        assert Path(tf.compat.as_str_any(result)).parent == folder / "export" / "Servo"
        return made

    def test_they_are_run_as_an_experiment(self, tmp_path: Path) -> None:
        made = self.run(tmp_path, check_interval_secs=0)
        assert made.calls == [trained(0, 12), *evaluated(0, 4, 8, 12, 12)]
        again = self.run(tmp_path, min_eval_frequency=0)
        assert again.calls == [trained(12, 12), *evaluated(12)]
        assert len(list((tmp_path / "export" / "Servo").iterdir())) == 1

    def test_contradictions(self, tmp_path: Path) -> None:
        schedule = estimator.ExperimentSchedule()
        with pytest.raises(TypeError, match="schedule must be an ExperimentSchedule"):
            estimator.EvalSpec(eval_input_fn, schedule="experiment")  # type: ignore[arg-type]
        with pytest.raises(ValueError, match="cannot have a name"):
            estimator.train_and_evaluate(
                ListedEstimator(tmp_path),
                estimator.TrainSpec(train_input_fn, max_steps=1),
                estimator.EvalSpec(eval_input_fn, name="mine", schedule=schedule),
            )
