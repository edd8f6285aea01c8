"""The dynamic side of tfmigrate: what migrated programs import, and what verifies them.

Importing this package does not import tensorflow; importing one of its public names does
(``public_names``), most of all ``estimator``.
"""

from typing import TYPE_CHECKING

from tfmigrate_runtime.public_names import install

if TYPE_CHECKING:  # type checkers find the public names here
    from tfmigrate_runtime.contrib import crf as crf
    from tfmigrate_runtime.contrib import data as data
    from tfmigrate_runtime.contrib import datasets as datasets
    from tfmigrate_runtime.contrib import eager as eager
    from tfmigrate_runtime.contrib import framework as framework
    from tfmigrate_runtime.contrib import image as image
    from tfmigrate_runtime.contrib import image_ops as image_ops
    from tfmigrate_runtime.contrib import layers as layers
    from tfmigrate_runtime.contrib import learn as learn
    from tfmigrate_runtime.contrib import legacy_seq2seq as legacy_seq2seq
    from tfmigrate_runtime.contrib import lookup as lookup
    from tfmigrate_runtime.contrib import losses as losses
    from tfmigrate_runtime.contrib import metrics as metrics
    from tfmigrate_runtime.contrib import mixed_precision as mixed_precision
    from tfmigrate_runtime.contrib import opt as opt
    from tfmigrate_runtime.contrib import optimizers as optimizers
    from tfmigrate_runtime.contrib import predictor as predictor
    from tfmigrate_runtime.contrib import projector as projector
    from tfmigrate_runtime.contrib import rnn as rnn
    from tfmigrate_runtime.contrib import seq2seq as seq2seq
    from tfmigrate_runtime.contrib import slim as slim
    from tfmigrate_runtime.contrib import staging as staging
    from tfmigrate_runtime.contrib import summary as summary
    from tfmigrate_runtime.contrib import tfprof as tfprof
    from tfmigrate_runtime.contrib import training as training
    from tfmigrate_runtime.train import between_graph as between_graph
    from tfmigrate_runtime.train import coordinator as coordinator
    from tfmigrate_runtime.train import distribute as distribute
    from tfmigrate_runtime.train import estimator as estimator
    from tfmigrate_runtime.train import graphs as graphs
    from tfmigrate_runtime.train import towers as towers

install()
