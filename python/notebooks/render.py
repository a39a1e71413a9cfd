"""Run the notebooks and write HTML pages: python render.py [FOLDER]. The default folder is docs/notebooks."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbconvert import HTMLExporter

HERE = Path(__file__).resolve().parent
STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 52rem; margin: 2rem auto; padding: 0 1rem; color: #222; background: #fff; }
pre { overflow-x: auto; padding: .6rem .8rem; margin: .4rem 0; font-size: 14px; line-height: 1.4; }
.input_area, .highlight { background: #f5f5f5; border-radius: 4px; }
.prompt, .anchor-link { display: none; }
img { max-width: 100%; }
table { border-collapse: collapse; } td, th { padding: .15rem .6rem; text-align: left; }
.k, .kn, .ow { color: #7a1fa2; } .s1, .s2, .sa { color: #1b5e20; } .mi, .mf { color: #0d47a1; } .c1 { color: #666; }
"""


def render(path: Path) -> str:
    book = nbformat.read(path, as_version=4)
    NotebookClient(book, timeout=300, coalesce_streams=True, resources={"metadata": {"path": str(HERE)}}).execute()
    title = re.match(r"# (.+)", book.cells[0].source)
    body, _ = HTMLExporter(template_name="basic", exclude_input_prompt=True, exclude_output_prompt=True).from_notebook_node(book)
    body = re.sub(r' id="cell-id=[^"]*"', "", body)
    return (f'<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n<meta name="viewport" content="width=device-width">\n'
            f"<title>{title.group(1) if title else path.stem}</title>\n<style>{STYLE}</style>\n{body.strip()}\n</html>\n")


if __name__ == "__main__":
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else HERE.parents[1] / "docs" / "notebooks"
    folder.mkdir(parents=True, exist_ok=True)
    for notebook in sorted(HERE.glob("*.ipynb")):
        page = render(notebook)
        (folder / f"{notebook.stem}.html").write_text(page)
        print(f"{folder / notebook.stem}.html, {len(page) / 1000:.0f} kB", flush=True)
