"""Decisions on live signals: those of the tool, and what happens when a decoder, its process or the signal ends."""

import gc
import json
import os
import pickle
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest
from conftest import filtered

import rao
from rao._recording import tool

pytest.importorskip("sklearn")


@pytest.fixture(scope="module")
def hands(tmp_path_factory):
    """A recording, a model that the tool fitted to its trials, and a model that Python fitted to them."""
    folder = tmp_path_factory.mktemp("live")
    path, trials, model = (str(folder / name) for name in ("hands.xdf", "trials.npz", "hands.rao"))
    tool("data", "recording", out=path, trials=20, seed=4)
    how = {"bands": "8-13,18-26", "combine": "stacked", "causal": True, "estimator": "oas"}
    tool("eeg", "cov", path, classes="left,right", start=0.5, stop=2.5, out=trials, **how)
    run("fit", "plrsq", "--data", trials, "--epochs", "5", "--reject-coverage", "0.9", "--out", model)
    recording = rao.read(path)
    return path, model, recording, recording.covariances(["left", "right"], 0.5, 2.5, **how)


def run(*args):
    done = subprocess.run([rao.executable(), *args], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def of_tool(*args):
    return [json.loads(line) for line in run("eeg", "stream", *args, "--json").splitlines()]


def fields(d):
    return d.at, d.label, d.probability, d.rejected, d.outlier


def alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.parametrize("block", [1, 7, 500, 20000])
def test_decisions_are_those_of_the_tool(hands, block):
    path, model, recording, trials = hands
    want = [(w["at"], w["label"], w["probability"], w["rejected"], w["outlier"])
            for w in of_tool(path, "--model", model, "--step", "0.25")]
    assert len(want) > 200 and any(w[3] for w in want) and len({w[1] for w in want}) == 2
    # all channels of the recording in another order
    order = np.random.default_rng(0).permutation(len(recording.channels))
    stop = len(recording.data[0]) if block > 1 else 2000
    with rao.Decoder(rao.load(model), rate=250, channels=[recording.channels[i] for i in order], channel_unit="V",
                     step=0.25) as decoder:
        pid = decoder._worker.process.pid
        found = [d for i in range(0, stop, block) for d in decoder.push(recording.data[order, i:min(stop, i + block)])]
        assert decoder._worker.process.pid == pid and (decoder.rate, decoder.seconds, decoder.skipped) == (250, 2, 0)
    assert [fields(d) for d in found] == [w for w in want if w[0] <= stop]  # the same bits
    assert [d.time for d in found] == [d.at / 250 for d in found]
    assert all(abs(d.posterior.sum() - 1) < 1e-12 and d.posterior.max() == d.probability for d in found)


def test_a_model_of_python_decides_with_the_recipe_of_its_trials(hands, tmp_path):
    path, _, recording, trials = hands
    mdm = rao.MDM().fit(trials.X, trials.y)
    with rao.Decoder(mdm, recipe=trials.recipe, channel_unit="V") as decoder:
        found = decoder.push(recording.data)
        decoder.model.save(tmp_path / "m.rao")  # contains the recipe
    want = of_tool(path, "--model", str(tmp_path / "m.rao"))
    assert len(want) == 40
    assert [(d.at, d.label, d.probability) for d in found] == [(w["at"], w["label"], w["probability"]) for w in want]
    again = pickle.loads(pickle.dumps(trials))
    assert again.recipe == trials.recipe and len(again) == 3 and trials._replace(X=trials.X[:2]).recipe is None
    assert trials.recipe["signal"]["channels"] == recording.channels
    signals = recording.trials(["left", "right"])
    assert signals.recipe["signal"]["estimator"] == "none"
    with pytest.raises(rao.RaoError, match="cannot decide continuously; use rao.EventDecoder, or a model of matrices"):
        rao.Decoder(mdm, recipe=signals.recipe)
    with pytest.raises(rao.RaoError, match="^recipe has the type Trials, but must be a dict, such as trials.recipe$"):
        rao.Decoder(mdm, recipe=trials)
    options = {"rate": 250, "window": 2, "bands": [(8, 13), (18, 26)], "estimator": "oas"}
    with rao.Decoder(mdm, **options) as decoder:
        assert [fields(d) for d in decoder.push(recording.data)] == [fields(d) for d in found]
    with pytest.warns(rao.RaoWarning, match="the unit of the training data is unknown, .* unchanged, in uV"):
        rao.Decoder(mdm, channel_unit="uV", **options).close()
    with rao.Decoder(mdm, recipe=trials.recipe, channel_unit="V", step=1 / 250) as decoder:  # a window at every sample
        every = {d.at: d for d in decoder.push(recording.data)}
    ends = [every[at + 625] for at in recording.event_sample]
    assert [d.label for d in ends] == mdm.predict(trials.X).tolist()
    assert np.allclose([d.posterior for d in ends], mdm.predict_proba(trials.X), rtol=1e-12, atol=0)


def test_units_are_converted_and_checked(hands):
    _, model, recording, _ = hands
    m, want = rao.load(model), []
    for unit, factor in (("V", 1), ("microvolts", 1e6), (["mV"] * 16, 1e3)):
        with rao.Decoder(m, channel_unit=unit) as decoder:
            want.append([d.probability for d in decoder.push(factor * recording.data[:, :5000])])
    assert np.allclose(want[0], want[1], rtol=1e-9) and np.allclose(want[0], want[2], rtol=1e-9)
    with pytest.warns(rao.RaoWarning, match="the unit of the signal is unknown; the values are assumed to be in V"):
        with rao.Decoder(m) as decoder:
            assert "unknown" in decoder.notes[0]
    for options, words in (
            ({"channel_unit": "K"}, "channel Fp1 is in K, but the training data are in V"),
            ({"rate": 500}, "rate: 500 Hz here, 250 Hz in training"),
            ({"channels": recording.channels[:15]}, "channel O2 is missing; the signal has Fp1"),
            ({"channels": ["a", "b"], "channel_unit": ["V"] * 3}, "channel_unit has 3 units for 2 channels"),
            ({"bands": "8-30"}, "bands: 8-30 Hz here, 8-13,18-26 Hz in training"),
            ({"bands": "8:30"}, '"8:30" is not a band'),
            ({"estimator": "sample"}, "estimator: sample here, oas in training"),
            ({"order": 2.5}, "order is 2.5, but must be a whole number"),
            ({"window": -1}, "window is -1.0, but must be above 0"),
            ({"step": -1}, "step is -1.0, but must be above 0"),
            ({"adapt": "causal"}, "was not fitted to centered matrices"),
            ({"on_error": "raise"}, 'on_error is \'raise\', but must be "stop" or "skip"'),
            ({"recipe": {"signal": {"rate": 1}}}, "the window in the recipe is 0 s")):
        with pytest.raises(rao.RaoError, match=words):
            rao.Decoder(m, **{"channel_unit": "V", **options})


def test_models_that_cannot_decide_on_a_signal():
    X, y = rao.load_digits()
    C, z = rao.datasets.make("syn1", per_class=10)
    for model, words in ((rao.LDA(), "model is not fitted; call fit first"),
                         (np.zeros(3), "model has the type ndarray, but must be a rao.Model or a fitted estimator"),
                         (rao.TangentRidge().fit(C, np.arange(len(C))), "number|no classes")):
        with pytest.raises(rao.RaoError, match=words):
            rao.Decoder(model)
    with rao.Decoder(rao.SQFA(filters=2, noise=0.1).fit(X, y)) as decoder:
        assert decoder.observe(X[3]).label in y
        with pytest.raises(rao.RaoError, match="cannot decide on a live signal; use rao.EventDecoder for a model of"):
            decoder.push(np.zeros((64, 10)))
    with rao.Decoder(rao.MDM().fit(C, z)) as decoder:
        with pytest.raises(rao.RaoError, match="give recipe, such as trials.recipe, or window, rate and bands; observe "):
            decoder.push(np.zeros((len(C[0]), 10)))
    with pytest.raises(rao.RaoError, match="give the rate"):
        rao.Decoder(rao.MDM().fit(C, z), window=1)
    with pytest.raises(rao.RaoError, match="does not record how its trials were cut from a signal; give recipe"):
        rao.EventDecoder(rao.MDM().fit(C, z))


def test_shapes(hands):
    _, model, recording, _ = hands
    with rao.Decoder(rao.load(model), channel_unit="V") as decoder:
        assert decoder.push(recording.data[:, 0]) == decoder.push(recording.data[:, :0]) == decoder.push([]) == []
        assert decoder.push(recording.data[:, 1:400].tolist()) == []
        with pytest.raises(rao.RaoError, match=r"^X has the shape \(100, 16\), but must have the shape "
                                               r"\(channels, samples\) with 16 channels; push X.T$"):
            decoder.push(recording.data[:, :100].T)
        with pytest.raises(rao.RaoError, match=r"X has the shape \(3,\)"):
            decoder.push([1, 2, 3])
        one, = decoder.push(recording.data[:, 400:500].astype(np.float32))
        assert one.at == 500  # errors did not change the signal


def test_errors_in_the_signal(hands):
    _, model, recording, _ = hands
    x = recording.data[:, :2000].copy()
    x[3, 1200:1210] = np.nan
    m = rao.load(model)
    with rao.Decoder(m, channel_unit="V", step=0.5) as decoder:
        with pytest.raises(rao.SignalError, match="F3|channel") as caught:
            decoder.push(x)
        assert caught.value.at == 1200 and [d.at for d in caught.value.decisions] == list(range(500, 1200, 125))
        with pytest.raises(ValueError, match="ended because of an error in the signal; create a new one"):
            decoder.push(x)
    with rao.Decoder(m, channel_unit="V", step=0.5, on_error="skip") as decoder:
        with pytest.warns(rao.RaoWarning, match="^skipped: ") as caught:
            found = decoder.push(x)
        assert len(caught) == 1 and decoder.skipped == 10
        assert [d.at for d in found] == [*range(500, 1200, 125), 1710, 1835, 1960]
        assert decoder.push(recording.data[:, 2000:2100])[0].at == 2085
    x = recording.data[:, :2000].copy()
    x[6] = 1e-5
    with rao.Decoder(m, channel_unit="V", on_error="skip") as decoder:
        with pytest.warns(rao.RaoWarning, match="flat for a window or longer: C3; decisions are unreliable"):
            decoder.push(x[:, :1000])
        assert decoder.flat == ["C3"]
        with filtered("error", "flat"):
            decoder.push(recording.data[:, 1000:2000])
        assert decoder.flat == []


def test_restart_is_a_gap(hands):
    _, model, recording, _ = hands
    x = recording.data
    first, second = (rao.Decoder(rao.load(model), channel_unit="V") for _ in range(2))
    with first as decoder, second as other:
        assert decoder.push(x[:, :700])[0].at == 500 and decoder.restart() == 0
        found, want = decoder.push(x[:, 1000:1500]), other.push(x[:, 1000:1500])
        assert [d.at for d in found] == [1200] and found[0].probability == want[0].probability


def test_adaptation_and_updates_follow_the_observations(hands, tmp_path):
    trials = hands[2].covariances(["left", "right"], 0.5, 2.5, bands="8-30", channels=["C3", "Cz", "C4", "Pz"])
    e = rao.MDM(adapt="center").fit(trials.X, trials.y, recordings=np.zeros(len(trials.y), int))
    with pytest.raises(rao.RaoError, match='decode with adapt="causal"|adapt=causal'):
        rao.Decoder(e)
    e.save(tmp_path / "m.rao")
    lines = "\n".join(",".join(map(repr, x.ravel().tolist())) for x in trials.X)
    done = subprocess.run([rao.executable(), "eeg", "stream", "--model", tmp_path / "m.rao", "--adapt", "causal",
                           "--json"], input=lines, capture_output=True, text=True, check=True)
    want = [json.loads(line) for line in done.stdout.splitlines()]
    with rao.Decoder(e, adapt="causal") as decoder:
        found = [decoder.observe(x) for x in trials.X]
        with pytest.raises(rao.RaoError, match="but the model was fitted to"):
            decoder.observe(np.eye(3))
    assert [(d.at, d.label, d.probability, d.rejected) for d in found] == \
        [(w["at"], w["label"], w["probability"], w["rejected"]) for w in want]
    mdm = rao.MDM().fit(trials.X[:10], trials.y[:10])
    with rao.Decoder(mdm) as decoder:
        with pytest.raises(rao.RaoError, match="nothing to learn from"):
            decoder.update(trials.y[0])
        for x, label in zip(trials.X[10:], trials.y[10:]):
            decoder.observe(x)
            decoder.update(label)
        with pytest.raises(rao.RaoError, match="the label up is not one of the model's classes, left, right"):
            decoder.update("up")
        model = decoder.model
    assert sum(model.counts) == 20 and sum(mdm.model_.counts) == 10
    step = mdm.model_
    for x, label in zip(trials.X[10:], trials.y[10:]):
        step = step.update(x[None], [label])
    assert np.allclose(model.predict_proba(trials.X), step.predict_proba(trials.X), rtol=1e-9)


def test_decisions_at_events_are_those_of_the_tool(tmp_path):
    path, trials, model = (str(tmp_path / name) for name in ("evoked.xdf", "trials.npz", "m.rao"))
    tool("data", "recording", paradigm="evoked", out=path, trials=80, seed=2)
    how = {"bands": "1-20", "causal": True}
    tool("eeg", "cov", path, classes="light-left,light-right", start=0, stop=0.5, signals=True, out=trials, **how)
    run("fit", "xdawn", "--data", trials, "--out", model)
    want = of_tool(path, "--model", model, "--at", "light-left,light-right")
    r = rao.read(path)
    events = [(at, label) for at, label in zip(r.event_sample, r.event_label) if label.startswith("light")]
    ours = r.trials(["light-left", "light-right"], 0, 0.5, **how)
    for m, options in ((rao.load(model), {}), (rao.Xdawn().fit(ours.X, ours.y), {"recipe": ours.recipe})):
        with rao.EventDecoder(m, channels=r.channels, channel_unit="V", **options) as decoder:
            found = []
            for i in range(0, r.data.shape[1], 50):
                for at, label in events:
                    if i <= at < i + 50:
                        assert decoder.mark(at, (label, at))
                found += decoder.push(r.data[:, i:i + 50])
            assert not decoder.mark(events[0][0])
            decoder.model.save(tmp_path / "live.rao")  # contains the recipe
        again = of_tool(path, "--model", str(tmp_path / "live.rao"), "--at", "light-left,light-right")
        assert [w["probability"] for w in again] == [w["probability"] for w in want]
        assert [(*fields(d), d.event[0]) for d in found] == \
            [(w["at"], w["label"], w["probability"], w["rejected"], w["outlier"], w["event"]) for w in want]
        assert all(d.at - d.event[1] == 125 for d in found) and len(found) == 40
    with rao.EventDecoder(rao.load(model), channel_unit="V") as decoder:
        assert decoder.mark(100) and decoder.mark(400, "later") and decoder.push(r.data[:, :150]) == []
        assert decoder.restart() == 2 and decoder.push(r.data[:, :1000]) == []
        with pytest.raises(rao.RaoError, match="at is 1.5, but must be a whole number"):
            decoder.mark(1.5)
    with pytest.raises(rao.RaoError, match="the start must be between -1000 and 1000"):
        rao.EventDecoder(rao.load(model), start=2000)


@pytest.mark.skipif(os.name != "posix", reason="sends signals")
def test_the_process_ends_with_the_decoder(hands):
    _, model, recording, _ = hands
    m = rao.load(model)
    decoder = rao.Decoder(m, channel_unit="V")
    pid = decoder._worker.process.pid
    assert alive(pid)
    decoder.close()
    decoder.close()
    assert not alive(pid) and "closed" in repr(decoder)
    with pytest.raises(ValueError, match="the decoder is closed; create a new one"):
        decoder.push(recording.data)
    decoder = rao.Decoder(m, channel_unit="V")
    pid = decoder._worker.process.pid
    del decoder
    gc.collect()
    assert not alive(pid)
    decoder = rao.Decoder(m, channel_unit="V")
    os.kill(decoder._worker.process.pid, signal.SIGKILL)
    with pytest.raises(rao.EngineError, match="signal 9"):
        for _ in range(100):
            decoder.push(recording.data)
    with pytest.raises(ValueError, match="create a new one"):
        decoder.push(recording.data)
    with rao.Decoder(m, channel_unit="V") as decoder, pytest.raises(TypeError, match="cannot be copied or pickled"):
        pickle.dumps(decoder)


@pytest.mark.skipif(os.name != "posix", reason="asks for a process by its number")
def test_an_interrupted_call_ends_the_decoder(hands, monkeypatch):
    _, model, recording, _ = hands
    decoder = rao.Decoder(rao.load(model), channel_unit="V")
    process = decoder._worker.process

    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(decoder._worker, "_reply", interrupted)
    with pytest.raises(KeyboardInterrupt):
        decoder.push(recording.data[:, :100])
    assert process.wait(30) != 0  # half of a frame would spoil the next call
    with pytest.raises(ValueError, match="the decoder ended when a call was interrupted; create a new one"):
        decoder.push(recording.data[:, :100])
    decoder.close()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks")
def test_forks_and_the_end_of_the_program(hands):
    _, model, recording, _ = hands
    program = f"""
import os, sys, numpy as np, rao
d = rao.Decoder(rao.load({model!r}), channel_unit="V")
x = np.random.default_rng(0).normal(size=(16, 2000)) * 1e-5
first = d.push(x[:, :600])
child = os.fork()
if child == 0:
    try:
        d.push(x)
    except rao.EngineError as e:
        assert "belongs to the process that created it" in str(e)
        with rao.Decoder(rao.load({model!r}), channel_unit="V") as own:
            assert own.push(x[:, :600])[0].probability == first[0].probability
        os._exit(7)
    os._exit(1)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
assert [e.at for e in d.push(x[:, 600:])] == [1000, 1500, 2000]
print(d._worker.process.pid)
"""
    if sys.version_info < (3, 9):
        pytest.skip("waitstatus_to_exitcode")
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", program], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0 and done.stderr == "", done.stderr
    assert not alive(int(done.stdout))


def test_threads_wait_for_each_other(hands):
    _, model, recording, _ = hands
    x = recording.data[:, :500]
    found = []
    with rao.Decoder(rao.load(model), channel_unit="V") as decoder:
        threads = [threading.Thread(target=lambda: found.extend(decoder.push(x))) for _ in range(8)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
    assert sorted(d.at for d in found) == [500 * i for i in range(1, 9)]
