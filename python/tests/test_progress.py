"""Bars of progress move, and what takes long can be interrupted."""

import re
import sys
import threading
import time
import traceback

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
    rao.compare(["pca"], X, y, cv=3, verbose=True)
    assert "rao.compare" in capsys.readouterr().err


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize("verbose", [False, True])
def test_a_notebook_is_interrupted_within_a_second(verbose):
    manager = pytest.importorskip("jupyter_client.manager")
    pytest.importorskip("ipykernel")
    kernel, client = manager.start_new_kernel(kernel_name="python3")
    try:
        client.execute_interactive(FIT, timeout=120)
        client.execute(f"fit({verbose})")
        await_text(client, "running")
        time.sleep(2)
        sent = time.monotonic()
        kernel.interrupt_kernel()
        interrupted = float(await_text(client, "interrupted").split()[1])
        assert interrupted - sent < 1
        client.execute(f"print('again', flush=True); rao.WDA(max_iter=100000, verbose={verbose}).fit(X, y)")
        await_text(client, "again")
        time.sleep(3)
        sent = time.monotonic()
        kernel.interrupt_kernel()
        shown = await_error(client)
        assert time.monotonic() - sent < 1
        assert re.findall(r"File .*?([^/\\]+\.py)", shown) == ["_interrupt.py"]
        client.execute_interactive("assert rao.distance(np.eye(2), np.eye(2)) == 0", timeout=60)
    finally:
        client.stop_channels()
        kernel.shutdown_kernel(now=True)


@pytest.mark.parametrize("place", ["sklearn.utils.validation.check_array", "rao._engine.portable", "rao._learners",
                                   "rao._engine.Worker.ask"])
def test_an_interrupt_shows_no_frames_of_the_package(place, monkeypatch):
    def interrupted(*args, **options):
        raise KeyboardInterrupt

    rao.LDA  # noqa: B018 - which imports scikit-learn
    X, y = rao.load_digits()
    monkeypatch.setattr(place, interrupted)
    with pytest.raises(KeyboardInterrupt) as e:
        rao.LDA().fit(X, y)
    shown = [f for f, _ in traceback.walk_tb(e.tb) if not f.f_locals.get("__tracebackhide__")]
    assert [f.f_code.co_filename for f in shown] == [__file__]
    assert e.value.__suppress_context__


FIT = """
import time
import numpy as np
import rao
from rao import _engine, _progress

y = np.arange(3000) % 10
X = np.random.default_rng(0).normal(size=(3000, 200)) + np.eye(200)[y]
rao.distance(np.eye(2), np.eye(2))

def fit(verbose):
    settings = [{"name": "max-iter", "value": "100000"}]
    try:
        with _progress.shown("wda", verbose) as news:
            print("running", flush=True)
            _engine.call("fit", {"X": X, "y": y}, news, method="wda", settings=settings, classes=[str(c) for c in range(10)])
    except KeyboardInterrupt:
        print("interrupted", time.monotonic(), flush=True)
"""


def await_text(client, word):
    """The output of a cell that begins with the word."""
    while True:
        message = client.get_iopub_msg(timeout=60)
        assert message["msg_type"] != "error", message["content"]
        text = message["content"].get("text", "")
        if message["msg_type"] == "stream" and text.startswith(word):
            return text


def await_error(client):
    """The traceback of a cell, without colors."""
    while True:
        message = client.get_iopub_msg(timeout=60)
        if message["msg_type"] == "error":
            return re.sub(r"\x1b\[[0-9;]*m", "", "\n".join(message["content"]["traceback"]))
