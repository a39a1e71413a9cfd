"""What the tables of the migration page say of rao can be run."""

import re
from pathlib import Path

import numpy as np
import pytest
from conftest import blobs, spd_data

import rao

pytest.importorskip("sklearn")
page = Path(__file__).resolve().parents[2] / "docs" / "guide-python.md"


def lengths(a, b):
    a, b = (x["means"] if isinstance(x, dict) else x.diagonal(dim1=1, dim2=2) for x in (a, b))
    return ((a[:, None] - b[None, :]) ** 2).sum(-1)


def lines(section):
    """The right cells of a section's table, as code."""
    if not page.exists():
        return []
    text = page.read_text().split(f"## From {section}\n")[1].split("\n## ")[0]
    cells = [line.strip("| ").split(" | ")[-1] for line in text.splitlines() if line.startswith("| `")]
    return [code for cell in cells for code in re.findall(r"`([^`]+)`", cell)]


def test_there_are_lines():
    assert not page.exists() or len(lines("sqfa")) > 8 and len(lines("pyRiemann")) > 8


@pytest.mark.parametrize("code", lines("sqfa"))
def test_from_sqfa(code):
    X, y = blobs()
    model = rao.SQFA(filters=2, noise=0.1).fit(X, y)
    s, (C, _) = rao.stats(X, y), spd_data()
    names = {**vars(rao), "rao": rao, "SQFA": rao.SQFA, "SecondMomentsSQFA": rao.SecondMomentsSQFA, "X": X, "y": y, "model": model,
             "s": s, "A": C[0], "B": C[1], "my_function": lengths}
    if code.startswith("SecondMomentsSQFA(filters=2).fit_statistics"):
        names["s"] = {"second_moments": s.second_moments}
    code = code.replace("(...)", "()").replace("filters=9", "filters=2")
    if re.match(r"\w+=", code):
        code = f"SQFA(filters=2, {code}).fit(X, y)"
    elif code[0].islower() and not code.startswith(("s.", "rao.")):
        code = "model." + code
    assert eval(code, names) is not None


@pytest.mark.parametrize("code", lines("pyRiemann"))
def test_from_pyriemann(code):
    X, y = spd_data()
    names = {n: getattr(rao, n) for n in dir(rao)}
    names.update(rao=rao, X=X, y=y, A=X[0], B=X[1], epochs=np.random.default_rng(0).normal(size=(len(X), 4, 60)),
                 domains=np.where(np.arange(len(X)) % 5 < 2, "s07", "s01"))
    result = eval(code, names)
    if hasattr(result, "fit"):
        fitted = result if hasattr(result, "classes_") else result.fit(X, y)
        assert fitted.score(X, y) > 0.8
    else:
        assert np.isfinite(result).all()
