"""The child process: what befalls it must not befall the interpreter."""

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import rao
from rao import _engine

posix = pytest.mark.skipif(os.name != "posix", reason="signals and forks of POSIX")


def long_fit(verbose=False):
    """A fit of many seconds."""
    rng = np.random.default_rng(0)
    y = np.arange(3000) % 10
    X = rng.normal(size=(3000, 200)) + np.eye(200)[y]
    settings = [{"name": "max-iter", "value": "100000"}]
    return _engine.call("fit", {"X": X, "y": y}, method="wda", settings=settings, classes=[str(c) for c in range(10)])


def worker_pid():
    rao.distance(np.eye(2), np.eye(2))
    return _engine._pool._idle[-1].process.pid


def alive(pid):
    try:
        with open(f"/proc/{pid}/stat") as f:
            return f.read().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_errors_of_a_request_leave_the_worker():
    pid = worker_pid()
    with pytest.raises(rao.RaoError, match="unknown metric"):
        rao.distance(np.eye(2), np.eye(2), metric="far")
    assert worker_pid() == pid


@posix
def test_a_worker_that_died_between_calls_is_replaced():
    os.kill(worker_pid(), signal.SIGKILL)
    time.sleep(0.05)
    assert rao.distance(np.eye(2), np.eye(2)) == 0


@posix
def test_a_crash_is_an_exception_and_the_next_call_works():
    worker_pid()
    threading.Timer(0.5, lambda: os.kill(_engine._pool._all.copy().pop().process.pid, signal.SIGKILL)).start()
    with pytest.raises(rao.EngineError, match="signal 9, perhaps because it ran out of memory; call the function again, or use fewer"):
        long_fit()
    assert rao.distance(np.eye(2), np.eye(2)) == 0


@posix
def test_interrupt_ends_a_fit_and_keeps_the_interpreter():
    # as in a shell: what runs in the background may have been started with Ctrl-C turned off
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        interrupted()
    finally:
        signal.signal(signal.SIGINT, before)


def interrupted():
    threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        long_fit()
        time.sleep(5)  # in case the fit was quick
    assert time.monotonic() - start < 1.5  # a second after the signal
    assert rao.distance(np.eye(2), np.eye(2)) == 0


def test_an_interrupt_does_not_wait_until_the_worker_has_ended(monkeypatch):
    worker = _engine.Worker()
    ended, wait = threading.Event(), worker.process.wait
    monkeypatch.setattr(worker.process, "wait", lambda *_: (ended.wait(20), wait()))
    start = time.monotonic()
    worker.kill()
    assert time.monotonic() - start < 5
    ended.set()


def test_copies_of_large_arrays_are_whole_and_stop_at_an_interrupt(monkeypatch):
    a = np.arange(3 << 20, dtype=float).reshape(-1, 3)
    to = np.zeros_like(a)
    _engine._copy(to, a)
    assert np.array_equal(to, a)
    _engine._copy(to[:1], a[5:6])
    assert to[0, 0] == 15
    copied = []

    class Interrupted(np.ndarray):
        def __setitem__(self, at, value):
            copied.append(at)
            if threading.current_thread() is threading.main_thread():
                raise KeyboardInterrupt
            time.sleep(0.05)

    monkeypatch.setattr(_engine, "_processors", lambda: 2)
    monkeypatch.setattr(_engine, "_PIECE", 1 << 16)
    with pytest.raises(KeyboardInterrupt):
        _engine._copy(to.view(Interrupted), a)
    assert len(copied) < 20  # of 384 pieces


@pytest.mark.skipif(not hasattr(os, "memfd_create"), reason="no shared memory")
def test_interrupt_while_an_array_is_copied(monkeypatch):
    X = np.zeros((1000, 400))
    held = []

    def interrupted_copy(to, a):
        held.append(to)
        raise KeyboardInterrupt

    monkeypatch.setattr(_engine, "_copy", interrupted_copy)
    with pytest.raises(KeyboardInterrupt):
        rao.stats(X, np.arange(1000) % 2)
    monkeypatch.undo()
    assert len(held) == 1 and rao.stats(X, np.arange(1000) % 2).counts.tolist() == [500, 500]


@posix
def test_a_fork_has_workers_of_its_own(vectors):
    X, y = vectors
    rao.stats(X, y)
    with multiprocessing.get_context("fork").Pool(2) as pool:
        counts = pool.starmap(_counts, [(X, y)] * 4)
    assert all(np.array_equal(c, np.bincount(y)) for c in counts)
    assert np.array_equal(_counts(X, y), np.bincount(y))


def _counts(X, y):
    return rao.stats(X, y).counts


def test_threads_share_the_workers(vectors):
    X, y = vectors
    want = rao.stats(X, y).covariances
    wrong = []

    def work(k):
        for _ in range(10):
            if not np.array_equal(rao.stats(X, y).covariances, want) or rao.distance(np.eye(2), np.eye(2) * (k + 1)) < 0:
                wrong.append(k)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong
    assert len(_engine._pool._all) <= _engine._pool._limit


@pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc")
def test_the_child_dies_with_its_parent():
    program = ("import numpy as np, rao, time; from rao import _engine; rao.distance(np.eye(2), np.eye(2));"
               "print(_engine._pool._idle[-1].process.pid, flush=True); time.sleep(60)")
    parent = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    child = int(parent.stdout.readline())
    assert alive(child)
    parent.kill()
    parent.wait()
    parent.stdout.close()
    for _ in range(100):
        if not alive(child):
            break
        time.sleep(0.05)
    assert not alive(child)


def test_large_arrays_come_whole():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(20000, 40))
    y = np.arange(20000) % 2
    for x in (X, X.astype(np.float32), np.asfortranarray(X), X[::2], (X * 10).astype(np.int8)):
        labels = y[: len(x)]
        s = rao.stats(x, labels)
        want = np.cov(np.asarray(x[labels == 1], float).T)
        assert np.allclose(s.covariances[1], want, rtol=1e-6, atol=1e-6)


def test_an_executable_that_is_none(monkeypatch):
    monkeypatch.setenv("RAO_EXECUTABLE", "/nowhere/rao")
    monkeypatch.setattr(_engine, "_pool", _engine.Pool())
    with pytest.raises(rao.EngineError, match="nowhere"):
        rao.distance(np.eye(2), np.eye(2))


@posix
@pytest.mark.parametrize("program", ["echo this is no frame at all", "exec <&-"])
def test_a_program_that_is_not_rao(monkeypatch, tmp_path, program):
    other = tmp_path / "rao"
    other.write_text(f"#!/bin/sh\n{program}\n")
    other.chmod(0o755)
    monkeypatch.setenv("RAO_EXECUTABLE", str(other))
    monkeypatch.setattr(_engine, "_pool", _engine.Pool())
    with pytest.raises(rao.EngineError):
        rao.distance(np.eye(2), np.eye(2))


def test_the_tool_is_there(tmp_path):
    ran = subprocess.run([sys.executable, "-m", "rao", "version"], capture_output=True, text=True)
    assert ran.returncode == 0 and "rao" in ran.stdout
    absent = subprocess.run([sys.executable, "-m", "rao", "version"], capture_output=True, text=True,
                            env={**os.environ, "RAO_EXECUTABLE": str(tmp_path / "nowhere")})
    assert absent.returncode == 1 and "nowhere" in absent.stderr and "Traceback" not in absent.stderr


def test_import_is_light(tmp_path):
    env = {**os.environ, "PYTHONPYCACHEPREFIX": str(tmp_path)}  # the first run writes the bytecode
    env.pop("PYTHONDONTWRITEBYTECODE", None)
    program = ("import sys, numpy, time; t = time.process_time(); import rao; t = time.process_time() - t;"
               "assert 'sklearn' not in sys.modules and 'matplotlib' not in sys.modules; print(t)")
    seconds = min(float(subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True,
                                       env=env).stdout) for _ in range(12))
    assert seconds < 0.05


@pytest.mark.parametrize("turns", [0, 1, 1000])
def test_answers_come_however_long_one_looks(vectors, monkeypatch, turns):
    monkeypatch.setattr(_engine, "_turns", turns)
    x, y = vectors
    e = rao.SQFA(filters=2, noise=1.0).fit(x, y)
    want = e.predict(x[:50])
    assert [e.predict(x[i:i + 1])[0] for i in range(50)] == list(want)


def test_a_warning_is_of_the_callers_line(vectors):
    x, y = vectors
    e = rao.SQFA(filters=2, noise=1.0).fit(x, y)
    for who in (e, e.model_):
        with pytest.warns(rao.RaoWarning, match="far outside") as told:
            who.predict(1e6 * x)
        assert told[0].filename == __file__


def test_whole_numbers_up_to_255_are_sent_as_bytes(monkeypatch):
    monkeypatch.setattr(_engine, "_NARROW_FROM", 100)
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 400)
    x = rng.integers(0, 60, (400, 5)) + 50 * np.eye(3, 5, dtype=int)[y]
    for kind in ("f8", "f4", "i8", "u2", ">f8"):
        assert np.array_equal(_engine.narrowed(x.astype(kind)), x) and _engine.narrowed(x.astype(kind)).dtype == np.uint8
    for value in (256, -1, 0.5, np.nan, np.inf, 1e300):
        other = x.astype(float)
        other[-1, -1] = value
        assert _engine.narrowed(other) is other
    fits = [rao.SQFA(filters=2, noise=1.0).fit(x.astype(kind), y) for kind in ("u1", "f8", "i8")]
    monkeypatch.setattr(_engine, "_NARROW_FROM", 1 << 30)
    fits.append(rao.SQFA(filters=2, noise=1.0).fit(x.astype(float), y))
    assert np.array_equal(fits[0].filters_, fits[1].filters_) and np.array_equal(fits[0].filters_, fits[2].filters_)
    assert np.abs(fits[0].filters_ - fits[3].filters_).max() < 1e-8


@posix
@pytest.mark.parametrize("closed", [(0,), (1,), (2,), (0, 1, 2)])
def test_standard_streams_may_be_closed(tmp_path, closed):
    """The loky of joblib 1.2 starts its processes with descriptor 0 free."""
    script = tmp_path / "closed.py"
    script.write_text(f"""
import os
for descriptor in {closed}:
    os.close(descriptor)
import numpy as np, rao
from rao import _engine
X = np.random.default_rng(0).normal(size=(20000, 30))
counts = rao.stats(X, np.arange(20000) % 2).counts
worker = _engine._pool._idle[-1]
ours = [worker.arena.fd, worker.errors.fileno(), worker._in.fileno(), worker._out.fileno()]
free = []
for descriptor in {closed}:
    try:
        os.fstat(descriptor)
    except OSError:
        free.append(descriptor)
open({str(tmp_path / "out")!r}, "w").write(repr((counts.tolist(), min(ours) > 2, tuple(free))))
""")
    subprocess.run([sys.executable, script], timeout=60, stderr=subprocess.DEVNULL)
    assert (tmp_path / "out").read_text() == repr(([10000, 10000], True, closed))
