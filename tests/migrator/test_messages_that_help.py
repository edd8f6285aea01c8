"""Findings name what fails and what to do, and code that becomes idle is not left behind."""

from __future__ import annotations

import warnings

from support import check, findings, found, migrated, run

HEAD = "import tensorflow as tf\np = tf.placeholder(tf.float32)\n"


def test_an_import_of_contrib_that_nothing_reads_is_removed() -> None:
    check(
        """
        import tensorflow as tf
        import tensorflow.contrib

        def load(path):
          return tf.contrib.predictor.from_saved_model(path)
        """,
        """
        from tfmigrate_runtime import predictor

        def load(path):
          return predictor.from_saved_model(path)
        """,
    )


def test_a_package_is_imported_once() -> None:
    after = migrated(
        f"{HEAD}from tensorflow.contrib import slim\nimport tensorflow.contrib.slim as slim\n"
        "slim.fully_connected(p, 3)\n"
    )
    assert after.count("from tfmigrate_runtime import slim") == 1


def test_a_package_that_is_gone_is_reported_where_it_is_imported() -> None:
    text = f"{HEAD}from tensorflow.contrib.session_bundle import exporter\n"
    text += "exporter.Exporter(1)\nexporter.generic_signature(1)\n"

    assert [place for place in findings(text) if place[0] == "TFM702"] == [("TFM702", 3)]


def test_a_name_of_a_later_tensorflow_is_not_called_misspelled() -> None:
    (finding,) = found(f"{HEAD}tf.compat.v1.no_such(1)\n", "TFM720")
    assert finding.action.endswith("look for its replacement in the release notes")


def test_warnings_about_the_users_code_are_not_shown() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert run(f"{HEAD}pattern = '\\d'\nif p is 3:\n  assert (p, 'text')\n").texts
