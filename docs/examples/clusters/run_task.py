"""Runs a program as one task of a cluster that SLURM or an Indexed Job of Kubernetes has started.

    srun python run_task.py --jobs chief=1,worker=3 train.py --model_dir /shared/model

Every process gets TF_CONFIG. In the program's arguments, {job_name}, {task_index} and {JOB_hosts}
are replaced, for programs that read flags:

    srun python run_task.py --jobs ps=1,worker=3 train.py --job_name={job_name} \
        --task_index={task_index} --ps_hosts={ps_hosts} --worker_hosts={worker_hosts}
"""

import argparse
import json
import os
import sys


def slurm_cluster(jobs, port):
    """Returns the addresses by job, and this task's job and index, as SLURM says."""
    import tensorflow as tf

    # On nodes without GPUs the resolver fails unless each task counts as having one.
    has_gpus = "CUDA_VISIBLE_DEVICES" in os.environ
    gpus = {} if has_gpus else {"gpus_per_node": 128, "gpus_per_task": 1}
    resolver = tf.distribute.cluster_resolver.SlurmClusterResolver(
        jobs, port_base=port, auto_set_gpu=has_gpus, **gpus
    )
    return resolver.cluster_spec().as_dict(), *resolver.get_task_info()


def indexed_cluster(jobs, host):
    """Returns the same for an Indexed Job: its pods are numbered through all jobs."""
    names = [(job, index) for job in sorted(jobs) for index in range(jobs[job])]
    cluster = {job: [] for job in jobs}
    for number, (job, _) in enumerate(names):
        cluster[job].append(host.replace("INDEX", str(number)))
    return cluster, *names[int(os.environ["JOB_COMPLETION_INDEX"])]


def main():
    """Sets TF_CONFIG and becomes the program."""
    parser = argparse.ArgumentParser(description="Runs a program as one task of a cluster.")
    parser.add_argument("--jobs", required=True, help="numbers of tasks: chief=1,worker=3")
    parser.add_argument("--host", help="address of a pod, with INDEX: train-INDEX.train:2222")
    parser.add_argument("--port", type=int, default=8888, help="first port of a node of SLURM")
    parser.add_argument("program", nargs=argparse.REMAINDER)
    given = parser.parse_args()
    jobs = {name: int(count) for name, count in (job.split("=") for job in given.jobs.split(","))}
    if "JOB_COMPLETION_INDEX" in os.environ:
        cluster, job, index = indexed_cluster(jobs, given.host)
    else:
        cluster, job, index = slurm_cluster(jobs, given.port)
    # An evaluator trains with nobody.
    training = {name: hosts for name, hosts in cluster.items() if name != "evaluator"}
    os.environ["TF_CONFIG"] = json.dumps(
        {"cluster": training, "task": {"type": job, "index": index}}
    )
    values = {"job_name": job, "task_index": str(index)}
    values |= {f"{name}_hosts": ",".join(hosts) for name, hosts in cluster.items()}
    arguments = given.program
    for name, value in values.items():
        arguments = [argument.replace("{" + name + "}", value) for argument in arguments]
    os.execv(sys.executable, [sys.executable, *arguments])


if __name__ == "__main__":
    main()
