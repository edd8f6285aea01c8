"""In the place of ``tensorflow.examples`` and ``tensorflow.examples.tutorials``: empty packages."""
