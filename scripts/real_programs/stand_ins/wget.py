"""Nothing is downloaded: what programs read is made before."""
