"""The private names of TensorFlow, its Keras and tensorflow-estimator that the runtime uses.

One file per topic; those of the legacy runtime begin with ``shim_``. The comment above a name says
what it is for. ``attributes`` lists private attributes, ``patches`` the methods that are replaced.
All of them exist in TensorFlow 2.16.2 and 2.21.0, the ends of the range in ``supported``;
``scripts/tables/check_private_names.py`` lists what another version has moved.
"""

import tensorflow

from tfmigrate_runtime import supported

supported.check(str(tensorflow.__version__))
