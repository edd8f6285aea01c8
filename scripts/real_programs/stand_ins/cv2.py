"""No video is made."""

import numpy as np


class cv:  # noqa: N801
    """The part of OpenCV 2 with codes of video formats."""

    @staticmethod
    def CV_FOURCC(*letters):  # noqa: N802
        """Returns no code."""
        return 0


class VideoWriter:
    """Writes nothing."""

    def open(self, *arguments):
        """Opens nothing."""
        return True

    def write(self, image):
        """Writes nothing."""

    def release(self):
        """Ends nothing."""


def resize(image, size):
    """Returns an image of the size, of the nearest points."""
    rows = np.arange(size[1]) * image.shape[0] // size[1]
    columns = np.arange(size[0]) * image.shape[1] // size[0]
    return image[rows][:, columns]
