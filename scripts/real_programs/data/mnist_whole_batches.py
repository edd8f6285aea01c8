"""Makes MNIST's files as mnist_with_validation does, with 512 images to test on: whole batches.

    python mnist_whole_batches.py FOLDER

The loss of an Estimator's evaluation is the mean over batches, and that of Keras over rows. They
are the same where all batches have the same size.
"""

import sys
from pathlib import Path

import mnist_with_validation

if __name__ == "__main__":
    mnist_with_validation.IMAGES["t10k"] = 512
    mnist_with_validation.main(Path(sys.argv[1]))
