"""The annotations hold."""

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("mypy")


def test_mypy():
    folder = Path(__file__).resolve().parents[1]
    done = subprocess.run([sys.executable, "-m", "mypy", "--cache-dir=/dev/null"], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
