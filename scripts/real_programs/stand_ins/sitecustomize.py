"""Makes both runs of a public program draw the same numbers, and gives back what is no more.

Python imports this by itself where the folder is on PYTHONPATH, in the original's run and in the
migrated one's. Old programs seed nothing; and the images of scipy.misc, NumPy's arrays of lists of
several lengths and its order of equal keys are no matter of TensorFlow's migration, but would end
the run before it has shown anything.
"""

import random
import sys
import types

import numpy

_SEED = 1


def _seed_always():
    """Seeds the generators that draw for programs, also where they ask for a seed by chance."""
    seed = numpy.random.seed
    numpy.random.seed = lambda given=None: seed(_SEED if given is None else given)
    random.seed(_SEED)
    numpy.random.seed()


def _order_equal_keys_alike():
    """Makes np.argsort stable: what it does with equal keys depends on NumPy and the processor."""
    argsort = numpy.argsort

    def sorted_alike(array, axis=-1, kind=None, order=None):
        return argsort(array, axis, kind or "stable", order)

    numpy.argsort = sorted_alike


def _allow_ragged_arrays():
    """Makes arrays of objects of lists of several lengths, as NumPy did before 1.24."""
    for name in ("array", "asarray", "asanyarray"):
        setattr(numpy, name, _ragged(getattr(numpy, name)))
    append = numpy.append
    numpy.append = lambda array, values, axis=None: append(array, numpy.array(values), axis)


def _ragged(array):
    def made(value, *arguments, **options):
        try:
            return array(value, *arguments, **options)
        except ValueError as error:
            if "inhomogeneous" not in str(error) or arguments or options:
                raise
            return array(value, dtype=object)

    return made


def _image(array):
    from PIL import Image

    array = numpy.asarray(array)
    if array.dtype != numpy.uint8:
        low, high = array.min(), array.max()
        array = (array - low) * (255.0 / ((high - low) or 1)) + 0.5
    return Image.fromarray(array.clip(0, 255).astype(numpy.uint8))


def _imread(name, flatten=False, mode=None):
    from PIL import Image

    image = Image.open(name)
    if mode is not None:
        image = image.convert(mode)
    return numpy.array(image.convert("F") if flatten else image)


def _imresize(array, size, interp="bilinear", mode=None):
    image = _image(array)
    if isinstance(size, (int, float)):
        factor = size if isinstance(size, float) else size / 100
        size = [int(side * factor) for side in numpy.shape(array)[:2]]
    return numpy.array(image.resize((size[1], size[0]), 2))


def _imsave(name, array, format=None):
    _image(numpy.squeeze(array)).save(name, format=format)


def _give_back_images():
    """Gives the functions for images that scipy.misc had, by Pillow."""
    try:
        import scipy.misc as module
    except ImportError:
        scipy = sys.modules.setdefault("scipy", types.ModuleType("scipy"))
        scipy.__path__ = getattr(scipy, "__path__", [])
        scipy.misc = module = sys.modules["scipy.misc"] = types.ModuleType("scipy.misc")
    module.imread, module.imresize, module.imsave = _imread, _imresize, _imsave


_seed_always()
_order_equal_keys_alike()
_allow_ragged_arrays()
_give_back_images()
