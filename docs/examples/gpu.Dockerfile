# Compares both programs on the GPUs of a machine with a driver and the NVIDIA container toolkit:
#
#   docker build -f gpu.Dockerfile -t equivalence .
#   docker run --rm --gpus all equivalence
#
# CUDA and cuDNN come with the wheels; the driver (525 or newer) is the machine's.
FROM python:3.12-slim

# Without a GPU the container shall fail, and not pass by skipping all tests.
ENV NVIDIA_VISIBLE_DEVICES=all NVIDIA_DRIVER_CAPABILITIES=compute,utility

RUN pip install --no-cache-dir 'tfmigrate[gpu]' pytest

WORKDIR /project
COPY . .

ENTRYPOINT ["pytest", "--equivalence-devices", "gpu:2", "--equivalence-require-gpu", "--equivalence-report", "reports"]
CMD ["tests/equivalence"]
