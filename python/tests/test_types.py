"""The annotations hold, also in programs that use the package."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("mypy")

FOLDER = Path(__file__).resolve().parents[1]

PROGRAM = """
import numpy as np
import rao
from rao import LDA, MDM, Procrustes, SQFA, TangentRidge, Xdawn

X, y = rao.load_digits()
m = SQFA(filters=4, noise=0.1, classifier="knn:neighbors=3").fit(X, y)
p: np.ndarray = m.predict_proba(X)
model: rao.Model = m.model_
names: list[str] | None = model.columns
again: rao.Model = rao.load("m.rao")
low: float = rao.evaluate(m, X, y).measures["accuracy"].low
best: str = rao.compare([LDA(), "qda-raw"], X, y, cv=3).best
found: rao.Search = rao.tune(LDA(), X, y, {"shrinkage": [0.1, 0.2]}, cv=3)
means: np.ndarray = rao.stats(X, y).means
C: np.ndarray = rao.covariances(np.zeros((2, 3, 9)), "oas")
r: rao.Study = rao.study([MDM()], {"a": (C, [0, 1])}, "within-session", cv=2)
rao.plot_filters(m)
m.export_onnx("m.onnx", outputs=["features"], precision="single")
with rao.Decoder(MDM().fit(C, y), recipe=rao.simulate().covariances(["left"]).recipe, channel_unit="V", step=0.5) as decoder:
    at: list[float] = [d.time for d in decoder.push(X)]
    ready: bool = rao.EventDecoder(m).mark(3, "flash")
rao.Privacy(1, 1e-6, range=(0, 16), classes=range(10))
data: rao.datasets.Dataset = rao.datasets.make("toy1")
print(Procrustes(target="a"), Xdawn(filters_per_class=2), TangentRidge(ridge=0.1).fit(C, [1.0, 2.0]))
rao.compare([LDA()], X, y, folds=3)  # wrong
LDA(shrinkge=1)  # wrong
SQFA(filters="many")  # wrong
rao.Decoder(m, on_error="ignore")  # wrong
"""


def mypy(*args, cwd, **env):
    done = subprocess.run([sys.executable, "-m", "mypy", *args], cwd=cwd, capture_output=True, text=True, env={**os.environ, **env})
    return done.returncode, done.stdout


def test_mypy():
    status, said = mypy("--cache-dir=/dev/null", cwd=FOLDER)
    assert status == 0, said


def test_programs_of_users(tmp_path):
    """Under --strict, every public name is exported, and exactly the wrong calls are errors."""
    (tmp_path / "user.py").write_text(PROGRAM)
    _, said = mypy("--strict", "--follow-imports=silent", "--python-version=3.12", "--cache-dir=.cache", "user.py", cwd=tmp_path, MYPYPATH=str(FOLDER))
    wrong = [i for i, line in enumerate(PROGRAM.split("\n"), 1) if line.endswith("# wrong")]
    assert [int(line.split(":")[1]) for line in said.splitlines() if ": error:" in line] == wrong, said
