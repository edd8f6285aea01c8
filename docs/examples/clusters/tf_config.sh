#!/bin/sh
# Starts every task of an Estimator's cluster on this machine, each with its TF_CONFIG:
#
#   ./tf_config.sh train.py --model_dir /tmp/model
#
# On several machines, run one of these lines on each, with the machines' addresses and one folder
# for the model that all of them see.
set -eu

PYTHON=${PYTHON:-python}
PORT=${PORT:-22220}
CLUSTER='{"chief": ["127.0.0.1:'$PORT'"], "worker": ["127.0.0.1:'$((PORT + 1))'"], "ps": ["127.0.0.1:'$((PORT + 2))'"]}'

TRAIN=$1
shift
for task in ps:0 worker:0 evaluator:0 chief:0; do
    TF_CONFIG='{"cluster": '$CLUSTER', "task": {"type": "'${task%:*}'", "index": '${task#*:}'}}' \
        "$PYTHON" "$TRAIN" "$@" &
    tasks="${tasks:-} $!"
done

# Every task ends by itself, parameter servers and the evaluator too.
status=0
for task in $tasks; do
    wait "$task" || status=1
done
exit $status
