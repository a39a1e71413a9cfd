"""The notebooks run, and are stored without outputs."""

import json
from pathlib import Path

import pytest

folder = Path(__file__).resolve().parents[1] / "notebooks"
books = sorted(folder.glob("*.ipynb"))


@pytest.mark.parametrize("path", books, ids=lambda p: p.stem)
def test_without_outputs(path):
    for cell in json.loads(path.read_text())["cells"]:
        assert not cell.get("outputs") and cell.get("execution_count") is None


@pytest.mark.parametrize("path", books, ids=lambda p: p.stem)
def test_runs(path):
    client = pytest.importorskip("nbclient")
    nbformat = pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")
    pytest.importorskip("sklearn")
    pytest.importorskip("matplotlib")
    client.NotebookClient(nbformat.read(path, as_version=4), timeout=300).execute()
