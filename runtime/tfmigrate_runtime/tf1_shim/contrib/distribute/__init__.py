"""``tf.contrib.distribute``: the strategies of TensorFlow 1.x on those of compat.v1.

===================== ========================================================================
module                what it holds
===================== ========================================================================
``strategies``        MirroredStrategy and the strategies of clusters, with contrib's arguments
``reductions``        how values of replicas are added up
===================== ========================================================================
"""
