import warnings
from contextlib import contextmanager

import numpy as np
import pytest


def blobs(n=240, d=5, classes=3, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, classes, n)
    X = rng.normal(size=(n, d))
    X[:, :classes] += 3 * np.eye(classes)[y]
    return X, y


def spd_data(n=90, order=5, classes=3, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, classes, n)
    signals = rng.normal(size=(n, order, 40))
    signals[np.arange(n), y] *= 1.5
    return np.einsum("nit,njt->nij", signals, signals) / 40, y


def diagonals(a, b, squared=False):
    """The distance of pyRiemann's example of a potato field."""
    d = np.linalg.norm(np.diagonal(a, axis1=-2, axis2=-1) - np.diagonal(b, axis1=-2, axis2=-1), axis=-1)
    return d**2 if squared else d


@contextmanager
def filtered(action, message="", category=Warning):
    """Treat warnings that match in another way, in one block."""
    with warnings.catch_warnings():
        warnings.filterwarnings(action, message, category)
        yield


@pytest.fixture
def vectors():
    return blobs()


@pytest.fixture
def matrices():
    return spd_data()
