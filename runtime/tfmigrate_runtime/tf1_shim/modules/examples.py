"""Replaces ``tensorflow.examples`` and ``tensorflow.examples.tutorials``: empty packages."""
