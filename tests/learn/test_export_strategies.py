"""Export strategies: where they write, what they keep, and which models they take."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
import tensorflow.compat.v1 as tf
from learn_support import ListedEstimator, eval_input_fn, serving_input_fn, train_input_fn

from tfmigrate_runtime import learn
from tfmigrate_runtime.learn import ExportStrategy
from tfmigrate_runtime.learn.utils import saved_model_export_utils as utils


@pytest.fixture
def trained(tmp_path: Path) -> ListedEstimator:
    made = ListedEstimator(tmp_path / "model")
    made.train(train_input_fn, steps=1)
    return made


def versions(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


class TestExportStrategy:
    def test_export_fn_gets_what_it_takes(self) -> None:
        def plain(estimator: Any, export_path: str) -> tuple[Any, ...]:
            return estimator, export_path

        def whole(
            estimator: Any,
            export_path: str,
            checkpoint_path: Any = None,
            eval_result: Any = None,
            strip_default_attrs: Any = None,
        ) -> tuple[Any, ...]:
            return checkpoint_path, eval_result, strip_default_attrs

        assert ExportStrategy("a", plain).export(1, "b", "c", {"d": 2}) == (1, "b")
        assert ExportStrategy("a", whole, True).export(1, "b", "c", {"d": 2}) == (
            "c",
            {"d": 2},
            True,
        )

    def test_a_result_needs_its_checkpoint(self) -> None:
        strategy = ExportStrategy("a", lambda estimator, export_path, eval_result: None)
        with pytest.raises(ValueError, match="must also accept checkpoint_path"):
            strategy.export(1, "b")


class TestMakeExportStrategy:
    @pytest.mark.parametrize("to_keep, kept", [(1, 1), (2, 2), (None, 4)])
    def test_old_exports_are_deleted(
        self, trained: ListedEstimator, tmp_path: Path, to_keep: int | None, kept: int
    ) -> None:
        old = ("1500000000", "1500000001", "1500000002")
        for name in (*old, "mine"):
            (tmp_path / "export" / name).mkdir(parents=True)
        strategy = learn.make_export_strategy(serving_input_fn, exports_to_keep=to_keep)
        assert strategy.name == "Servo"
        folder = Path(tf.compat.as_str_any(strategy.export(trained, str(tmp_path / "export"))))
        left = versions(tmp_path / "export")
        assert left.pop() == "mine"
        assert len(left) == kept
        assert left[-1] == folder.name

    def test_text_and_more_files(self, trained: ListedEstimator, tmp_path: Path) -> None:
        (tmp_path / "words").write_text("a b")
        strategy = learn.make_export_strategy(
            serving_input_fn, as_text=True, assets_extra={"deep/words": str(tmp_path / "words")}
        )
        folder = Path(strategy.export(trained, str(tmp_path / "export")).decode())
        assert (folder / "saved_model.pbtxt").exists()
        assert (folder / "assets.extra" / "deep" / "words").read_text() == "a b"

    def test_a_default_head_is_for_contribs_estimator(
        self, trained: ListedEstimator, tmp_path: Path
    ) -> None:
        strategy = learn.make_export_strategy(serving_input_fn, "head")
        with pytest.raises(ValueError, match=r"is not supported in core Estimator\. Given: head"):
            strategy.export(trained, str(tmp_path / "export"))

    def test_parsing(self, trained: ListedEstimator, tmp_path: Path) -> None:
        columns = [tf.feature_column.numeric_column("x", shape=(2,))]
        strategy = utils.make_parsing_export_strategy(columns, target_core=True)
        folder = strategy.export(trained, str(tmp_path / "export")).decode()
        with tf.Graph().as_default(), tf.Session() as session:
            meta = tf.saved_model.load(session, ["serve"], folder)
        (name,) = meta.signature_def["serving_default"].inputs
        assert name == "examples"


class TestBestModel:
    def test_only_better_models_are_exported(
        self, trained: ListedEstimator, tmp_path: Path
    ) -> None:
        strategy = utils.make_best_model_export_strategy(serving_input_fn)
        assert strategy.name == "best_model"
        path = trained.latest_checkpoint()
        exported = [
            bool(strategy.export(trained, str(tmp_path / "export"), path, {"loss": loss}))
            for loss in (3.0, 4.0, 2.0, 2.0)
        ]
        assert exported == [True, False, True, False]
        # In the folder of the checkpoint, of which one export is kept.
        assert versions(tmp_path / "export") == ["model.ckpt-1"]
        assert len(versions(tmp_path / "export" / "model.ckpt-1")) == 1

    def test_what_was_best_before_is_read_from_events(
        self, trained: ListedEstimator, tmp_path: Path
    ) -> None:
        loss = trained.evaluate(eval_input_fn)["loss"]
        strategy = utils.make_best_model_export_strategy(
            serving_input_fn, model_dir=trained.model_dir, event_file_pattern="eval/*.tfevents.*"
        )
        worse, better = {"loss": loss + 1}, {"loss": loss - 1}
        assert strategy.export(trained, str(tmp_path / "export"), None, worse) == ""
        assert strategy.export(trained, str(tmp_path / "export"), None, better)

    def test_own_comparison_and_missing_values(self) -> None:
        selector = utils.BestModelSelector(compare_fn=lambda best, other: other["a"] > best["a"])
        assert selector.update("x", {"a": 1}) == ("x", {"a": 1})
        assert selector.update("y", {"a": 0}) == ("", None)
        with pytest.raises(ValueError, match="Checkpoint path is empty"):
            selector.update("", {"a": 1})
        with pytest.raises(ValueError, match="x has empty evaluation results"):
            selector.update("x", None)
        plain = utils.BestModelSelector()
        plain.update("x", {"a": 1})
        with pytest.raises(ValueError, match="cannot be empty or no loss is found"):
            plain.update("x", {"a": 1})


class TestExtendExportStrategy:
    def test_the_export_is_changed(self, trained: ListedEstimator, tmp_path: Path) -> None:
        def add_a_file(exported: Any, folder: str) -> str:
            target = Path(folder) / Path(tf.compat.as_str_any(exported)).name
            shutil.copytree(tf.compat.as_str_any(exported), target)
            (target / "more").write_text("more")
            return str(target)

        strategy = utils.extend_export_strategy(
            learn.make_export_strategy(serving_input_fn), add_a_file, "changed"
        )
        assert strategy.name == "changed"
        folder = Path(strategy.export(trained, str(tmp_path / "export")))
        assert (folder / "more").read_text() == "more"
        assert (folder / "saved_model.pb").exists()
        assert versions(tmp_path / "export") == [folder.name], "no temporary folders are left"

    def test_another_place_is_refused(self, trained: ListedEstimator, tmp_path: Path) -> None:
        strategy = utils.extend_export_strategy(
            learn.make_export_strategy(serving_input_fn), lambda exported, folder: "/elsewhere"
        )
        assert strategy.name == "Servo"
        with pytest.raises(ValueError, match="must return a sub-directory of"):
            strategy.export(trained, str(tmp_path / "export"))
