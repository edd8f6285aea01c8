"""The function that splits batches over replicas, as it is written into programs.

tf.estimator has each replica take a batch of its own; replicate_model_fn split one. Cutting every
batch into as many parts as there are replicas, in order, gives each replica the rows that its tower
had: parts of one batch go to the replicas one after the other.
"""

from __future__ import annotations

from tfmigrate.model.edits import Edit
from tfmigrate.resolve.module import Module
from tfmigrate.rulekit.added_definition import added_definition
from tfmigrate.rulekit.standard_imports import standard_import, standard_name
from tfmigrate.rulekit.tensorflow_import import tensorflow_import, tensorflow_name

_NAMES = ("split_batches", "split_batches_over_replicas")
# {tf} is the name of TensorFlow; a level of indentation is a tab here.
_TEXT = '''\
def {name}(input_fn):
	"""Returns an input_fn whose batches the replicas share, a part for each."""
	bound = getattr(input_fn, 'keywords', ())  # of functools.partial
	taken = set({inspect}.signature(input_fn).parameters) - set(bound)

	def split_input_fn(mode, params, config):
		given = dict(mode=mode, params=params, config=config)
		dataset = input_fn(**dict((name, given[name]) for name in given if name in taken))
		train = mode == {tf}.estimator.ModeKeys.TRAIN
		strategy = config.train_distribute if train else config.eval_distribute
		if strategy is None:
			return dataset

		def part(rows):
			sparse = isinstance(rows, {tf}.SparseTensor)
			shape = {tf}.shape(rows, out_type={tf}.int64)
			shape = {tf}.concat([[strategy.num_replicas_in_sync, -1], shape[1:]], axis=0)
			return {tf}.sparse.reshape(rows, shape) if sparse else {tf}.reshape(rows, shape)

		def parts(*batch):
			batch = {tf}.nest.map_structure(part, batch)
			batch = batch if isinstance(dataset.element_spec, tuple) else batch[0]
			return {tf}.data.Dataset.from_tensor_slices(batch)

		return dataset.flat_map(parts)

	return split_input_fn
'''


def splitter_name(module: Module) -> str:
    """Returns the name that the function gets in a module."""
    bound = module.names.all_bound_names()
    return next((name for name in _NAMES if name not in bound), "tfmigrate_split_batches")


def splitter(module: Module) -> tuple[Edit, ...]:
    """Returns the edits that define the function in a module, with what it needs."""
    inspect = standard_name(module, "inspect")
    tf = tensorflow_name(module)
    text = _TEXT.format(name=splitter_name(module), tf=tf, inspect=inspect)
    needed = (*standard_import(module, "inspect"), *tensorflow_import(module))
    return (added_definition(module, text), *needed)
