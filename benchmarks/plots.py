"""The plots of the training benchmarks. matplotlib is only needed to draw them."""

from __future__ import annotations

import statistics
from collections.abc import Mapping
from pathlib import Path


def draw_ratios(bars: Mapping[str, Mapping[str, list[float]]], file: Path) -> None:
    """Writes a bar for each contender and model, with the range of its rounds.

    Args:
        bars: The rounds' ratios, by contender and model.
        file: The picture, in the format of its suffix.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 4.2), layout="constrained")
    axes = figure.subplots()
    width = 0.8 / len(bars)
    groups = list(dict.fromkeys(model for models in bars.values() for model in models))
    axes.set_xticks(range(len(groups)), groups)
    for index, (name, models) in enumerate(bars.items()):
        places = [groups.index(m) + index * width - 0.4 + width / 2 for m in models]
        medians = [statistics.median(ratios) for ratios in models.values()]
        low = [median - min(r) for median, r in zip(medians, models.values(), strict=True)]
        high = [max(r) - median for median, r in zip(medians, models.values(), strict=True)]
        axes.bar(places, medians, width, label=name, yerr=[low, high], capsize=1.5)
    axes.axhline(1, color="black", linewidth=0.8)
    axes.set_ylabel("speed / speed of the migrated program")
    axes.legend(fontsize="small", ncols=2)
    figure.savefig(file, metadata={"Date": None} if file.suffix == ".svg" else None)


def draw_growth(lines: Mapping[str, Mapping[int, list[float]]], of: str, file: Path) -> None:
    """Writes a line for each contender over the sizes, with the range of its rounds.

    Args:
        lines: The rounds' ratios to the loop by hand, by contender and size.
        of: What grows.
        file: The picture, in the format of its suffix.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6, 3.6), layout="constrained")
    axes = figure.subplots()
    for name, sizes in lines.items():
        medians = [statistics.median(ratios) for ratios in sizes.values()]
        axes.plot(list(sizes), medians, marker="o", label=name)
        lowest, highest = ([f(ratios) for ratios in sizes.values()] for f in (min, max))
        axes.fill_between(list(sizes), lowest, highest, alpha=0.2)
    axes.axhline(1, color="black", linewidth=0.8, label="tf.function loop")
    axes.set_xscale("log", base=2)
    axes.set_xticks(list(next(iter(lines.values()))), [str(n) for n in next(iter(lines.values()))])
    axes.set_ylim(bottom=0)
    axes.set_xlabel(of)
    axes.set_ylabel("speed / speed of the loop")
    axes.legend(fontsize="small")
    figure.savefig(file, metadata={"Date": None} if file.suffix == ".svg" else None)


def draw_shares(shares: Mapping[str, Mapping[str, float]], file: Path) -> None:
    """Writes a bar for each model, of the shares of the parts of its step.

    Args:
        shares: The share of each part, by model.
        file: The picture, in the format of its suffix.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 3), layout="constrained")
    axes = figure.subplots()
    parts = list(dict.fromkeys(part for each in shares.values() for part in each))
    models = list(reversed(shares))
    begins = [0.0] * len(models)
    for part in parts:
        widths = [100 * shares[model].get(part, 0) for model in models]
        axes.barh(models, widths, left=begins, label=part)
        begins = [begin + width for begin, width in zip(begins, widths, strict=True)]
    axes.set_xlim(0, 100)
    axes.set_xlabel("percent of the time in ops")
    figure.legend(loc="outside upper center", ncols=3, fontsize="small")
    figure.savefig(file, metadata={"Date": None} if file.suffix == ".svg" else None)
