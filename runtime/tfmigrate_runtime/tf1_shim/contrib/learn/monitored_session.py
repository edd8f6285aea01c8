"""A module of tf.contrib.learn.python.learn that showed sessions of tf.train under its own name."""

from tensorflow.compat.v1 import train

ChiefSessionCreator = train.ChiefSessionCreator
MonitoredSession = train.MonitoredSession
Scaffold = train.Scaffold
SessionCreator = train.SessionCreator
WorkerSessionCreator = train.WorkerSessionCreator
