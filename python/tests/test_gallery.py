"""The examples of the gallery run, and print what they say at their end."""

import contextlib
import io
from pathlib import Path

import pytest

pytest.importorskip("sklearn")
gallery = Path(__file__).resolve().parents[2] / "docs" / "gallery"
examples = sorted((gallery / "python").glob("*.py"))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("path", examples, ids=lambda p: p.stem)
def test_example(path, tmp_path, monkeypatch):
    plt = pytest.importorskip("matplotlib.pyplot")
    plt.switch_backend("agg")
    monkeypatch.chdir(tmp_path)
    code, _, wanted = path.read_text(encoding="utf-8").partition("# Output:\n")
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, str(path), "exec"), {"__name__": "__main__"})
    plt.close("all")
    assert printed.getvalue().splitlines() == [line.removeprefix("# ") for line in wanted.splitlines()]


def test_the_pages_name_every_example():
    text = "".join(p.read_text(encoding="utf-8") for p in gallery.glob("*.md")) if gallery.exists() else ""
    assert all(f"(python/{p.name})" in text for p in examples)
