"""A request to ``verify``: two programs, how to run them, and how close they must be."""

import sys
from dataclasses import dataclass
from pathlib import Path

from tfmigrate_runtime.record.maps import PairingError, read_map
from tfmigrate_runtime.verify import map_file
from tfmigrate_runtime.verify.hosts import Network
from tfmigrate_runtime.verify.rounding.tolerance import SHARE, Loose, Tolerance
from tfmigrate_runtime.verify.running.cluster import Cluster
from tfmigrate_runtime.verify.running.limits import Limits
from tfmigrate_runtime.verify.running.ports import is_port
from tfmigrate_runtime.verify.shared import DevicesError, read_choice

ON_GPUS = 1e-3  # of the size: kernels there add in varying order
LOOPBACK, NAMESPACES = "loopback", "netns"  # where the tasks of a cluster are
ONE = "none"  # the jobs of a program of one process
SECONDS = 600.0  # that each program may take
_LIMITS = Limits(SECONDS)


class UsageError(Exception):
    """The request cannot be carried out."""

    cause = "usage"


@dataclass(frozen=True)
class VerifyRequest:
    """What to verify; ``tfmigrate verify --help`` describes each of these.

    Attributes:
        original: the TensorFlow 1.x script.
        migrated: the migrated script; None to migrate the original with tfmigrate.
        arguments: of both programs; ``{out}`` in them is a fresh folder. None for those of the
            original's stored trace.
        as_module: whether both are started as modules, as by ``python -m``.
        root: the folder of the program's files, where the original is migrated or a module.
        unsafe: whether it is migrated with --unsafe.
        git: the commit that the original is taken from.
        reference_python: an interpreter with TensorFlow 1.x, which runs the original.
        legacy: whether the original is run by the legacy runtime, even where there is a trace.
        trace: a stored trace of the original.
        force_trace: whether it is used even if its sources or arguments differ.
        fresh: whether the original is recorded again even if its recording is kept.
        replicas: towers or replicas, on as many CPU devices.
        devices: what they run on instead: "cpu:N", "gpu" or "gpu:N".
        every: steps between compared variables.
        steps: how many steps each program makes and are compared, None for all.
        fail_fast: whether the migrated program is ended soon after its first step that differs
            beyond doubt, which no further run confirms then.
        runs: how many runs of programs that are not reproducible are compared.
        limits: what each run may take.
        total_seconds: that all runs together may take, None for no limit.
        fresh_folder: whether each is run in a fresh folder with links to this one's files.
        show_output: whether the programs' output is shown.
        cluster: the jobs that they are run as, "ps=1,worker=2"; None for one process.
        migrated_cluster: those of the migrated program, where it needs others; "none" for one
            process, whose replicas are the original's synchronous workers.
        turns: whether asynchronous workers take turns.
        hosts: "netns": each task has a host of its own; "loopback": all are on this one.
        network_delay: milliseconds that a packet takes from one host to another.
        network_loss: percent of the packets that are lost between them.
        logs: a folder for the output of each task of a cluster.
        map: a JSON file that pairs variables of a Keras program with the original's.
        loss_tolerance: the largest absolute difference of a loss; None for verify's own.
        variable_tolerance: of a variable's element.
        metric_tolerance: of a metric or prediction.
        loose: exceptions for variables, "PATTERN=TOLERANCE".
        migrated_python: the interpreter of the migrated program; None for this one. A port needs no
            TensorFlow there.
        batches: whether the batch of every step of the original is recorded, for a port to be fed.
    """

    original: Path
    migrated: Path | None = None
    arguments: tuple[str, ...] | None = None
    as_module: bool = False
    root: Path | None = None
    unsafe: bool = False
    git: str | None = None
    reference_python: str | None = None
    legacy: bool = False
    trace: Path | None = None
    force_trace: bool = False
    fresh: bool = False
    replicas: int | None = None
    devices: str | None = None
    every: int = 1
    steps: int | None = None
    fail_fast: bool = False
    runs: int = 5
    limits: Limits = _LIMITS
    total_seconds: float | None = None
    fresh_folder: bool = False
    show_output: bool = False
    cluster: str | None = None
    migrated_cluster: str | None = None
    turns: bool = False
    hosts: str = LOOPBACK
    network_delay: float = 0.0
    network_loss: float = 0.0
    logs: Path | None = None
    map: Path | None = None
    loss_tolerance: float | None = None
    variable_tolerance: float | None = None
    metric_tolerance: float | None = None
    loose: tuple[str, ...] = ()
    migrated_python: str | None = None
    batches: bool = False

    def __post_init__(self) -> None:
        """Refuses options that exclude each other or cannot be read.

        Raises:
            UsageError: such an option.
            ClusterError: an invalid cluster.
        """
        if self.steps is not None and self.steps < 1:
            raise UsageError(f"--steps {self.steps}: expected 1 or more")
        if self.cluster is not None and (self.steps is not None or self.fail_fast):
            raise UsageError("--steps and --fail-fast exclude --cluster, whose tasks end together")
        if self.legacy and self.trace:
            raise UsageError("--legacy excludes --trace, which replaces running the original")
        if self.migrated_cluster is not None and self.cluster is None:
            raise UsageError("--migrated-cluster needs --cluster, the jobs of the original")
        for jobs in (self.cluster, self.migrated_cluster):
            if jobs is not None and jobs != ONE:
                Cluster.parse(jobs)
        if self.devices is not None and (self.replicas is not None or self.cluster is not None):
            raise UsageError("--devices excludes --replicas and --cluster")
        if self.cluster is not None and self.replicas is not None:
            raise UsageError("--replicas excludes --cluster, whose workers have one replica each")
        if self.on_gpus and self.reference_python and not self.legacy:
            raise UsageError(
                "--devices: TensorFlow 1.x runs on CPUs only here; pass --legacy for GPUs"
            )
        self._check_hosts()
        if self.map is not None and self.runs_cluster:
            raise UsageError("--map excludes --cluster")
        self._check_map()
        self.loose_rules  # noqa: B018 - reads them

    def _check_hosts(self) -> None:
        if self.hosts not in (LOOPBACK, NAMESPACES):
            raise UsageError(f"--hosts {self.hosts}: expected {LOOPBACK} or {NAMESPACES}")
        if self.hosts == NAMESPACES and self.cluster is None:
            raise UsageError("--hosts netns needs --cluster, whose tasks get a host each")
        if self.hosts == LOOPBACK and (self.network_delay or self.network_loss):
            raise UsageError("--network-delay and --network-loss need --hosts netns")
        if self.network_delay < 0 or not 0 <= self.network_loss < 100:
            raise UsageError("--network-delay is 0 or more, --network-loss from 0 to below 100")

    def _check_map(self) -> None:
        try:
            if self.map is None:
                return
            if self.migrated is not None and is_port(self.migrated):
                read_map(self.map)
            else:
                map_file.read(str(self.map))
        except (map_file.RefusedError, PairingError) as error:
            raise UsageError(str(error)) from error

    @property
    def runs_cluster(self) -> bool:
        """Whether the migrated program is run as a cluster."""
        return self.cluster is not None and self.migrated_cluster != ONE

    @property
    def on_gpus(self) -> bool:
        """Whether both programs are run on GPUs."""
        try:
            return self.devices is not None and read_choice(self.devices)[0] == "gpu"
        except DevicesError as error:
            raise UsageError(str(error)) from error

    @property
    def network(self) -> Network | None:
        """Between the hosts of the tasks, None where all are on one."""
        if self.hosts == LOOPBACK:
            return None
        return Network(self.network_delay / 1000, self.network_loss / 100)

    @property
    def loose_rules(self) -> tuple[Loose, ...]:
        """The exceptions for variables of --loose."""
        rules = []
        for text in self.loose:
            pattern, _, value = text.partition("=")
            try:
                rules.append(Loose(pattern, float(value), "set by --loose"))
            except ValueError:
                raise UsageError(f"--loose {text}: expected PATTERN=TOLERANCE") from None
        return tuple(rules)

    @property
    def tolerance(self) -> Tolerance:
        """How close the programs must be."""
        return Tolerance(
            ON_GPUS if self.on_gpus else SHARE,
            self.loss_tolerance,
            self.variable_tolerance,
            self.metric_tolerance,
            self.loose_rules,
        )

    @property
    def runs_on_legacy(self) -> bool:
        """Whether the legacy runtime runs the original, where it is run."""
        return self.legacy or not self.reference_python

    @property
    def original_python(self) -> str:
        """The interpreter that runs an original."""
        return sys.executable if self.runs_on_legacy else str(self.reference_python)
