"""A bar of progress: tqdm's where it is installed, else one line of the terminal."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import Any, Callable, Iterator


@contextmanager
def shown(label: str, verbose: bool) -> Iterator[Callable[[dict[str, Any]], None] | None]:
    """What is to be called with news, None when nothing is to be shown."""
    if not verbose:
        yield None
        return
    try:
        from tqdm.auto import tqdm
    except ImportError:
        with _line(label) as show:
            yield show
        return
    bar = tqdm(desc=label, leave=False)

    def news(event: dict[str, Any]) -> None:
        bar.set_description(f"{label} {event['Stage']}", refresh=False)
        bar.total = event["Total"] or None
        bar.n = event["Done"]
        if event["Objective"]:
            bar.set_postfix(objective=f"{event['Objective']:.6g}", refresh=False)
        bar.refresh()

    try:
        yield news
    finally:
        bar.close()


@contextmanager
def _line(label: str) -> Iterator[Callable[[dict[str, Any]], None]]:
    width = 0

    def news(event: dict[str, Any]) -> None:
        nonlocal width
        text = f"{label} {event['Stage']} {event['Done']}"
        if event["Total"]:
            text += f"/{event['Total']}"
        if event["Objective"]:
            text += f" {event['Objective']:.6g}"
        sys.stderr.write("\r" + text.ljust(width))
        sys.stderr.flush()
        width = len(text)

    try:
        yield news
    finally:
        if width:
            sys.stderr.write("\r" + " " * width + "\r")
            sys.stderr.flush()
