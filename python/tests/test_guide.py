"""The code of the Python guide and of the guide to tables runs."""

import re
from pathlib import Path

import pytest

pytest.importorskip("sklearn")
root = Path(__file__).resolve().parents[2]
guide = root / "docs" / "guide-python.md"


@pytest.mark.skipif(not guide.exists(), reason="no checkout around the tests")
def test_guide(tmp_path, monkeypatch):
    plt = pytest.importorskip("matplotlib.pyplot")
    plt.switch_backend("agg")
    monkeypatch.chdir(tmp_path)
    text = guide.read_text().split("## Without the package")[0]
    blocks = re.findall(r"```python\n(.*?)```", text, re.S)
    assert len(blocks) > 2
    exec("\n".join(blocks), {})
    assert (tmp_path / "digits.rao").exists() and (tmp_path / "all.npz").exists()


@pytest.mark.skipif(not guide.exists(), reason="no checkout around the tests")
def test_tables(tmp_path, monkeypatch):
    pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", (root / "docs" / "guide-tables.md").read_text(), re.S)
    assert len(blocks) == 1
    exec(blocks[0], {})
    assert (tmp_path / "train.parquet").exists() and (tmp_path / "test.parquet").exists()
