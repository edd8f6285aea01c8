"""What a program returns and writes beside its steps: checkpoints, files, fetched values."""
