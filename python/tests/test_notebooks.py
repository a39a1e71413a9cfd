"""The notebooks run, and are stored without outputs."""

import html
import json
import re
from pathlib import Path

import pytest

folder = Path(__file__).resolve().parents[1] / "notebooks"
books = sorted(folder.glob("*.ipynb"))


@pytest.mark.parametrize("path", books, ids=lambda p: p.stem)
def test_without_outputs(path):
    for cell in json.loads(path.read_text())["cells"]:
        assert not cell.get("outputs") and cell.get("execution_count") is None


@pytest.mark.parametrize("path", books, ids=lambda p: p.stem)
def test_the_page_is_that_of_the_notebook(path):
    page = folder.parents[1] / "docs" / "notebooks" / f"{path.stem}.html"
    if not page.parent.exists():
        pytest.skip("no checkout around the tests")
    text = html.unescape(re.sub(r"<[^>]+>", "", page.read_text()))
    for cell in json.loads(path.read_text())["cells"]:
        if cell["cell_type"] == "code":
            assert "".join(cell["source"]).strip() in text, "python python/notebooks/render.py writes the pages anew"


@pytest.mark.parametrize("path", books, ids=lambda p: p.stem)
def test_runs(path):
    client = pytest.importorskip("nbclient")
    nbformat = pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")
    pytest.importorskip("sklearn")
    pytest.importorskip("matplotlib")
    client.NotebookClient(nbformat.read(path, as_version=4), timeout=300).execute()
