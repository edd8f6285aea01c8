"""Makes prices of a stock, day by day.

python stock_prices.py FOLDER
"""

import sys
from pathlib import Path

import numpy as np


def main(folder):
    """Writes TINY.csv."""
    folder.mkdir(parents=True, exist_ok=True)
    random = np.random.RandomState(0)
    prices = 50 * np.exp(np.cumsum(random.normal(0, 0.01, 160)))
    rows = [f"{day},{price:.2f},{price * 1.01:.2f}" for day, price in enumerate(prices)]
    (folder / "TINY.csv").write_text("\n".join(["Date,Open,Close", *rows]) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
