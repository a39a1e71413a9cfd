"""The code of the Python guides and of the guide to tables runs."""

import importlib.util
import os
import re
import subprocess
from pathlib import Path

import numpy as np
import pytest

import rao

pytest.importorskip("sklearn")
root = Path(__file__).resolve().parents[2]
guide = root / "docs" / "guide-python.md"


@pytest.mark.skipif(not guide.exists(), reason="no checkout around the tests")
@pytest.mark.parametrize("page, least, made", [
    ("guide-python.md", 16, ["digits.rao", "all.npz", "hands.rao"]), ("guide-python-files.md", 7, ["model.onnx", "all.npz"])])
def test_guide(page, least, made, tmp_path, monkeypatch):
    """Every block of Python and of the shell runs, one after the other, but those that install the package."""
    plt = pytest.importorskip("matplotlib.pyplot")
    plt.switch_backend("agg")
    pytest.importorskip("pandas")
    monkeypatch.chdir(tmp_path)
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "rao").symlink_to(rao.executable())
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
    blocks = re.findall(r"```(\w*)\n(.*?)```", (guide.parent / page).read_text(), re.S)
    blocks = [(kind, code) for kind, code in blocks if "pip install" not in code]
    torch = importlib.util.find_spec("torch") is not None  # which is no extra of the package
    assert sum("import torch" in code for _, code in blocks) == (page == "guide-python.md")
    blocks = [(kind, code) for kind, code in blocks if kind and (torch or "import torch" not in code)]  # no outputs
    assert len(blocks) > least and {kind for kind, _ in blocks} <= {"python", "sh"}
    names = {}
    for kind, code in blocks:
        if kind == "python":
            exec(compile(code, code, "exec"), names)
            plt.close("all")
            if "# 0.9125" in code:  # the labels depend on the data
                m, t = names["m"], names["t"]
                assert m.score(t, names["left"]) == 0.9125 and set(m.predict(t)) == {True, False}
        else:
            ran = subprocess.run(["bash", "-e", "-c", code], capture_output=True, text=True)
            assert ran.returncode == 0, code + ran.stderr
    assert all((tmp_path / name).exists() for name in made)


@pytest.mark.skipif(not guide.exists(), reason="no checkout around the tests")
def test_tables(tmp_path, monkeypatch):
    pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    monkeypatch.chdir(tmp_path)
    text = (root / "docs" / "guide-tables.md").read_text()
    first, second = re.findall(r"```python\n(.*?)```", text, re.S)
    exec(first, {})
    assert (tmp_path / "train.parquet").exists() and (tmp_path / "test.parquet").exists()
    pytest.importorskip("onnxruntime")
    for line in [*re.search(r"```sh\n(rao stats.*?)```", text, re.S)[1].splitlines(), "rao export onnx --model fraud.rao --out fraud.onnx",
                 "rao predict --model fraud.rao --data test.parquet --out decisions.csv"]:
        subprocess.run([rao.executable(), *line.split()[1:]], check=True, capture_output=True)
    names = {}
    exec(second, names)
    import pandas as pd

    assert np.array_equal(names["label"], pd.read_csv("decisions.csv")["label"])


@pytest.mark.skipif(not guide.exists(), reason="no checkout around the tests")
def test_statistics_of_other_programs(tmp_path, monkeypatch):
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    pytest.importorskip("duckdb")
    monkeypatch.chdir(tmp_path)
    text = (root / "docs" / "guide-statistics.md").read_text().split("## From your own program")[1]
    blocks = re.findall(r"```python\n(.*?)```", text.split("\n## ")[0], re.S)
    block = next(b for b in blocks if "duckdb" in b)
    rng = np.random.default_rng(1)
    y = np.array(["no", "yes"])[rng.integers(0, 2, 500)]
    X = rng.normal(size=(500, 3)) @ rng.normal(size=(3, 3)) + (y == "yes")[:, None]
    pq.write_table(pa.table({"u": X[:, 0], "v": X[:, 1], "w": X[:, 2], "label": y}), "train.parquet")
    exec(block, {})
    got, want = rao.Statistics.load("S.npz"), rao.stats(X, y)
    assert got.classes == want.classes and (got.counts == want.counts).all()
    np.testing.assert_allclose(got.means, want.means, rtol=1e-12)
    np.testing.assert_allclose(got.covariances, want.covariances, rtol=1e-10)
    assert got.columns == ["u", "v", "w"]
    from rao import LDA
    assert (LDA().fit_statistics(got).predict(X) == LDA().fit_statistics(want).predict(X)).mean() > 0.99
