"""Calls of Keras models, and what Keras decides: the backend, metrics, shuffles."""
