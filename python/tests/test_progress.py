"""Bars of progress move, and what takes long can be interrupted."""

import sys
import threading
import time

import pytest

import rao
from rao import _progress

pytest.importorskip("sklearn")


@pytest.mark.parametrize("with_tqdm", [True, False])
def test_a_bar_moves_without_news(with_tqdm, capsys, monkeypatch):
    if with_tqdm:
        pytest.importorskip("tqdm")
    else:
        monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    before = threading.active_count()
    with _progress.shown("sqfa", True) as news:
        time.sleep(0.9)
        waiting = capsys.readouterr().err
        news({"Stage": "fit", "Done": 7, "Total": 10, "Objective": 1.5})
        last = capsys.readouterr().err
    assert waiting.count("\r") >= 3 and "0it" not in waiting and "data" in waiting
    assert "fit" in last and "7/10" in last and "1.5" in last
    assert threading.active_count() <= before + with_tqdm  # tqdm keeps a monitor of its own
    with _progress.shown("sqfa", False) as news:
        assert news is None


def test_a_fit_shows_its_stages(capsys):
    X, y = rao.load_digits()
    rao.SQFA(filters=2, verbose=True).fit(X, y)
    assert "sqfa" in capsys.readouterr().err
    rao.compare(["pca"], X, y, folds=3, verbose=True)
    assert "rao.compare" in capsys.readouterr().err
