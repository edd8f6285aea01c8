"""tf.estimator's canned models, as its version 1 classes were: names, defaults and numbers.

Names, because checkpoints and SavedModels of TensorFlow 1.15 are read and served by them; numbers,
because migrated programs are compared. tests/runtime/test_canned.py and test_heads.py compare both
with what TensorFlow 1.15 recorded.
"""
