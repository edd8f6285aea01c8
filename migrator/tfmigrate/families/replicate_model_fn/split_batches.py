"""The function that splits batches over replicas, which is added to programs.

Under tf.estimator each replica takes a whole batch; replicate_model_fn split one. Splitting every
batch into one part per replica, in order, gives each replica the rows of its tower: tf.estimator
deals the parts of a batch to the replicas in turn.

The function is text that is added to a file, since tfmigrate_runtime needs TensorFlow 2.16. It cuts
batches of the Dataset: a program that divides its batch size by N would split the last, smaller
batch of an epoch differently. ``reshape`` to N parts fails on a batch that N does not divide, as
the split of towers did (semantics.md, 1.2).
"""

from tfmigrate.model.edits import Edit
from tfmigrate.resolve.module import Module
from tfmigrate.rulekit.added_definition import added_definition
from tfmigrate.rulekit.standard_imports import standard_import, standard_name
from tfmigrate.rulekit.tensorflow_import import import_of_definition

_NAMES = ("split_batches", "split_batches_over_replicas")
# {tf} is the name of TensorFlow; a level of indentation is a tab here.
_TEXT = '''\
def {name}(input_fn):
	"""Returns an input_fn that splits each batch into one part per replica."""{imports}
	bound = getattr(input_fn, 'keywords', ())  # set by functools.partial
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
    """Returns the name of the function in a module."""
    bound = module.names.all_bound_names()
    return next((name for name in _NAMES if name not in bound), "tfmigrate_split_batches")


def splitter(module: Module) -> tuple[Edit, ...]:
    """Returns the edits that define the function in a module, with its imports."""
    inspect = standard_name(module, "inspect")
    tf, line, edits = import_of_definition(module)
    text = _TEXT.format(name=splitter_name(module), tf=tf, inspect=inspect, imports=line)
    return (added_definition(module, text), *standard_import(module, "inspect"), *edits)
