"""The programs of docs/formats/model.md and statistics.md read what rao writes, and write what rao reads."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from conftest import blobs

import rao

pytest.importorskip("sklearn")
pages = Path(__file__).resolve().parents[2] / "docs" / "formats"
pytestmark = pytest.mark.skipif(not pages.exists(), reason="no checkout around the tests")


def block(page, number):
    return re.findall(r"```python\n(.*?)```", (pages / page).read_text(), re.S)[number]


def program(page, number, names):
    exec(block(page, number), names)
    return names


def matrices():
    rng = np.random.default_rng(1)
    y = np.repeat([0, 1, 2], 12)
    a = rng.normal(size=(36, 5, 20)) * np.linspace(1, 2, 5)[:, None] ** (1 + y[:, None, None])
    return a @ a.swapaxes(1, 2) / 20, y


estimators = [rao.SQFA(filters=2, noise=0.1), rao.LDAFilters(filters=2, classifier="lda"), rao.MDM(), rao.TSLDA(),
              rao.PLRSQ(), rao.MDM(metric="logeuclid"), rao.TSLDA(metric="logeuclid")]


@pytest.mark.parametrize("e", estimators, ids=lambda e: str(e)[:40])
def test_probabilities(e, tmp_path):
    X, y = blobs() if isinstance(e, (rao.SQFA, rao.LDAFilters)) else matrices()
    e.fit(X, y)
    e.save(tmp_path / "model.rao")
    classes, p = program("model.md", 0, {})["probabilities"](tmp_path / "model.rao", X)
    assert classes == [str(c) for c in e.classes_]
    assert np.abs(p - e.predict_proba(X)).max() < 1e-12


more = [rao.SVM(), rao.MatrixSVM(), rao.TSSVM(), rao.FgMDM(), rao.MatrixSVM(whiten="local"), rao.MDM(whiten="local")]


@pytest.mark.parametrize("e", more, ids=lambda e: str(e)[:40])
def test_more_probabilities(e, tmp_path):
    X, y = blobs() if isinstance(e, rao.SVM) else matrices()
    e.fit(X, y)
    e.save(tmp_path / "model.rao")
    names = program("model.md", 2, program("model.md", 0, {}))
    classes, p = names["probabilities"](tmp_path / "model.rao", X)
    assert classes == [str(c) for c in e.classes_]
    assert np.abs(p - e.predict_proba(X)).max() < 1e-9


def test_own_model(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    program("model.md", 1, {})
    x = np.random.default_rng(0).normal(size=(5, 3))
    _, p = program("model.md", 0, {})["probabilities"]("own.rao", x)
    assert np.abs(rao.load("own.rao").predict_proba(x) - p).max() < 1e-12


def test_own_statistics(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    X, y = blobs()
    program("statistics.md", 0, {"X": X, "y": y})
    s = rao.Statistics.load("S.npz")
    assert s.means.shape == (len(np.unique(y)), X.shape[1])


@pytest.mark.parametrize("X", [np.arange(1200) % 251, np.arange(1200) / 2 - 300, np.sqrt(np.arange(1200))])
def test_hashes(X, tmp_path):
    pytest.importorskip("xxhash")
    X, y = X.reshape(400, 3).astype(float), np.arange(400) % 2
    rao.Statistics().partial_fit(X, y).save(tmp_path / "s.npz")
    part = json.loads(np.load(tmp_path / "s.npz")["rao.json"])["meta"]["parts"][0]
    assert program("statistics.md", 1, {})["identity"](X) == (part["digest"], part["sketch"])
