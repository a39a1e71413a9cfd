"""Convert docs/report/report.md to docs/report.pdf with Chromium.

    python docs/report/build.py
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import markdown

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "site"))
from hooks import align  # noqa: E402

STYLE = """
@page { size: A4; margin: 15mm 16mm; }
body { font: 10.6pt/1.42 "Liberation Serif", "Times New Roman", serif; color: #111; margin: 0; columns: 2; column-gap: 7mm; }
h1 { column-span: all; font: 600 17pt/1.2 "Liberation Sans", Arial, sans-serif; margin: 0 0 1mm; }
h1 + p { column-span: all; margin: 0 0 4mm; color: #444; }
h2 { font: 600 12pt/1.2 "Liberation Sans", Arial, sans-serif; margin: 3.2mm 0 1.2mm; break-after: avoid; }
p, ul { margin: 0 0 1.8mm; } ul { padding-left: 4mm; }
table { border-collapse: collapse; width: 100%; font: 8.8pt/1.3 "Liberation Sans", Arial, sans-serif; margin: 0 0 2mm; break-inside: avoid;
  border-top: 1px solid #111; border-bottom: 1px solid #111; text-align: left; font-variant-numeric: tabular-nums; }
th { border-bottom: 1px solid #111; font-weight: 600; white-space: nowrap; } th, td { padding: .45mm .9mm; vertical-align: top; }
.n { text-align: right; white-space: nowrap; }
code { font: 8.6pt "Liberation Mono", monospace; } p code { white-space: nowrap; }
figure { margin: 0 0 2mm; break-inside: avoid; } figure img { width: 100%; } figcaption { font-size: 8pt; color: #333; }
"""


def main() -> None:
    body = markdown.markdown((HERE / "report.md").read_text("utf-8"), extensions=["tables", "attr_list"])
    body = body.replace(" %", "\u00a0%").replace(" ± ", "\u00a0±\u00a0")
    body = re.sub(r"<table>.*?</table>", lambda m: align(m[0]).replace('class="number"', 'class="n"'), body, flags=re.S)
    browser = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome") or "chromium-browser"
    with tempfile.NamedTemporaryFile("w", suffix=".html", dir=HERE, encoding="utf-8") as page:
        page.write(f"<!doctype html><html lang='en'><meta charset='utf-8'><title>rao</title><style>{STYLE}</style>{body}</html>")
        page.flush()
        subprocess.run([browser, "--headless", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer",
                        f"--print-to-pdf={HERE.parent / 'report.pdf'}", Path(page.name).as_uri()], check=True,
                       stderr=subprocess.DEVNULL)


if __name__ == "__main__":
    main()
