"""A pole on a cart and a pendulum, with the interface of gym 0.9: what public agents learn on."""

import numpy as np

from gym import spaces
from gym import wrappers as wrappers


class _Monitor:
    def start(self, *arguments, **options):
        """Records nothing."""

    def close(self):
        """Ends nothing."""


class Env:
    """An environment whose first states are drawn by a seed."""

    def __init__(self):
        """Begins with seed 0."""
        self.monitor = _Monitor()
        self.unwrapped = self
        self.seed(0)

    def seed(self, seed=None):
        """Sets the seed of the states."""
        self._random = np.random.RandomState(seed)
        return [seed]

    def render(self, *arguments, **options):
        """Shows nothing."""

    def close(self):
        """Ends nothing."""


class CartPole(Env):
    """The pole on a cart; an episode ends where it falls, or after 30 steps."""

    observation_space = spaces.Box(-4.8, 4.8, (4,))
    action_space = spaces.Discrete(2)

    def reset(self):
        """Returns the first state."""
        self._steps = 0
        self._state = self._random.uniform(-0.05, 0.05, 4)
        return self._state.copy()

    def step(self, action):
        """Returns the next state, the reward, whether the episode is over, and a dict."""
        _, speed, angle, turn = self._state
        force = 10.0 if int(action) == 1 else -10.0
        inner = (force + 0.05 * turn**2 * np.sin(angle)) / 1.1
        top = 9.8 * np.sin(angle) - np.cos(angle) * inner
        turning = top / (0.5 * (4 / 3 - 0.1 * np.cos(angle) ** 2 / 1.1))
        change = [speed, inner - 0.05 * turning * np.cos(angle) / 1.1, turn, turning]
        self._state = self._state + 0.02 * np.array(change)
        self._steps += 1
        over = abs(self._state[0]) > 2.4 or abs(self._state[2]) > 0.21 or self._steps >= 30
        return self._state.copy(), 1.0, bool(over), {}


class Pong(Env):
    """Frames of noise in which a bright row moves with the actions; an episode has 12 steps."""

    observation_space = spaces.Box(0, 255, (210, 160, 3))
    action_space = spaces.Discrete(6)

    def reset(self):
        """Returns the first frame."""
        self._row, self._steps = 100, 0
        return self._frame()

    def _frame(self):
        frame = self._random.randint(0, 60, (210, 160, 3))
        frame[self._row : self._row + 4] = 255
        return frame.astype(np.uint8)

    def step(self, action):
        """Returns the next frame, the reward, whether the episode is over, and a dict."""
        self._row = min(max(self._row + (8 if int(action) % 2 else -8), 40), 180)
        self._steps += 1
        reward = (1.0 if self._row > 100 else -1.0) if self._steps % 4 == 0 else 0.0
        return self._frame(), reward, self._steps >= 12, {}


def make(name):
    """Returns an environment by its name in gym."""
    return Pong() if name.startswith("Pong") else CartPole()
