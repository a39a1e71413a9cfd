"""Check a built site: all internal links and anchors must exist, and no page may load anything from other servers.

    python docs/site/check.py FOLDER
"""

from __future__ import annotations

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

LOADS = {("script", "src"), ("link", "href"), ("img", "src"), ("iframe", "src"), ("source", "src"), ("video", "src"),
         ("object", "data"), ("use", "href")}


class Page(HTMLParser):
    """Collect the anchors, links and loaded files of a page."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.anchors: set[str] = {""}
        self.links: list[str] = []
        self.loads: list[str] = []
        self.feed(path.read_text("utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.anchors |= {v for k, v in attrs if v and (k == "id" or k == "name" and tag == "a")}
        if tag == "a" and given.get("href"):
            self.links.append(given["href"])
        for key, value in attrs:
            if value and (tag, key) in LOADS and given.get("rel") not in ("canonical", "next", "prev", "edit"):
                self.loads.append(value)


def main(folder: Path) -> int:
    pages = {p.resolve(): Page(p) for p in sorted(folder.rglob("*.html")) if p.name != "404.html"}
    bad: list[str] = []
    links = 0
    for path, page in pages.items():
        name = path.relative_to(folder.resolve())
        for url in page.loads:
            if urlsplit(url).scheme in ("http", "https") or url.startswith("//"):
                bad.append(f"{name}: loads {url}")
        for url in page.links + page.loads:
            part = urlsplit(url)
            if part.scheme or url.startswith("//"):
                continue
            links += 1
            target = (path.parent / unquote(part.path)).resolve() if part.path else path
            if target.is_dir():
                target /= "index.html"
            if not target.exists():
                bad.append(f"{name}: no file {url}")
            elif target in pages and unquote(part.fragment) not in pages[target].anchors:
                bad.append(f"{name}: no anchor {url}")
    for style in folder.rglob("*.css"):
        text = style.read_text("utf-8")
        if "url(http" in text or "url(//" in text or "@import" in text:
            bad.append(f"{style.relative_to(folder)}: loads from another server")
    print("\n".join(bad) or f"{len(pages)} pages, {links} internal links: all targets exist, and nothing is loaded from other servers")
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
