"""What the runtime takes of TensorFlow, its Keras and tensorflow-estimator that is not public.

One file a topic, those of the legacy runtime by names that begin with ``shim_``. The line above a
name says what it is for, and why a public function does not do where there is one. Private
attributes and methods are listed in ``attributes``, those that are replaced in ``patches``. All
were tested on every TensorFlow of ``supported``; ``scripts/tables/check_private_names.py`` lists
what another one has moved.
"""

from __future__ import annotations

import tensorflow

from tfmigrate_runtime import supported

supported.check(str(tensorflow.__version__))
