"""Private statistics: noise, ledger, sites, models, and what is refused."""

import json
import pickle
import subprocess

import numpy as np
import pytest
from conftest import filtered

import rao
from rao import _engine

CLASSES = [0, 1, 2]


def rows(n=3000, seed=0):
    g = np.random.default_rng(seed)
    y = g.integers(0, 3, n)
    return np.clip(g.normal(size=(n, 6)) + 3 * np.eye(3, 6)[y], -6, 6), y


def promise(**more):
    return rao.Privacy(4, 1e-6, **{"range": (-6, 6), "classes": CLASSES, **more})


def test_a_model_of_private_statistics(tmp_path):
    pytest.importorskip("sklearn")
    X, y = rows()
    s = rao.stats(X, y, private=promise())
    assert s.complete and s.round == "classes" and s.sites == 1 and s.classes == ["0", "1", "2"]
    assert s.epsilon == pytest.approx(4, rel=1e-6) and s.delta == 1e-6
    assert abs(s.counts.sum() - len(X)) < 200
    assert "4 at δ 1e-06" in repr(s) and "% of cases" in repr(s) and "of cases" in s._repr_html_()
    s.save(tmp_path / "s.npz")
    assert (tmp_path / "s.npz").read_bytes() == s._file and b"sketch" not in s._file
    test, labels = rows(1000, 1)
    for again in (s, pickle.loads(pickle.dumps(s)), rao.PrivateStatistics.load(tmp_path / "s.npz")):
        for e in (rao.PCA(filters=3), rao.SQFA(filters=2, aggregate="bayes")):
            e.fit_statistics(again)
            assert e.classes_.dtype.kind == "i" and e.score(test, labels) > 0.8
            assert e.model_._info["privacy"]["epsilon"] == pytest.approx(4, rel=1e-6)
    with pytest.raises(rao.RaoError, match="PrivateStatistics.load"):
        rao.Statistics.load(tmp_path / "s.npz")
    shown = json.loads(subprocess.run([_engine.executable(), "verify", tmp_path / "s.npz", "--json"], check=True,
                                      capture_output=True).stdout)
    assert shown
    words = rao.stats(X, np.array(["a", "b", "c"])[y], private=promise(classes=["a", "b", "c"], kind="pooled"))
    assert rao.LDA().fit_statistics(words).classes_.tolist() == ["a", "b", "c"]


def test_rows_without_a_value_are_left_out():
    X, y = rows(6000)
    X[::3, 1] = np.nan
    assert abs(rao.stats(X, y, private=promise(), missing="drop").counts.sum() - 4000) < 200
    each = rao.stats(X, y, private=promise(unit="person"), missing="drop", units=np.arange(len(X)) // 3)
    assert abs(each.counts.sum() - 2000) < 200
    with pytest.raises(rao.RaoError, match="missing does not work with private, because a mean that is found in the data is private"):
        rao.stats(X, y, private=promise(), missing="mean")


@pytest.mark.parametrize("kind", ["full", "pooled"])
def test_a_class_with_too_few_rows_is_named(kind):
    X, y = rows(9000)
    few, p = (y != 2) | (np.cumsum(y == 2) <= 1), rao.Privacy(1, 1e-6, range=(-6, 6), classes=CLASSES, kind=kind)
    with pytest.warns(rao.RaoWarning, match="class 2 has too few rows for this guarantee"):
        rao.stats(X[few], y[few], private=p)
    with filtered("error", category=rao.RaoWarning):
        rao.stats(X, y, private=p)


def test_sites_add_up():
    X, y = rows()
    parts, p = [(X[::2], y[::2]), (X[1::2], y[1::2])], promise()
    all_sites = None
    for k in range(3):
        more = {"round": "start"} if all_sites is None else {"after": all_sites}
        a, b = (rao.stats(*part, private=p, **more) for part in parts)
        assert a.sites == 1 and a.complete == (k == 2)
        all_sites = a + b
        with pytest.raises(rao.RaoError, match="release 1 and release 2 contain the same release"):
            a + a
    assert all_sites.sites == 2 and all_sites.complete and all_sites.epsilon == pytest.approx(4, rel=1e-6)
    with pytest.raises(rao.RaoError, match="differ"):
        rao.stats(*parts[0], private=p) + rao.stats(*parts[1], private=p)
    with pytest.raises(TypeError, match="would not be private"):
        all_sites.merge(rao.stats(X, y))
    with pytest.raises(TypeError):
        rao.stats(X, y).merge(all_sites)


def test_the_ledger_refuses_what_the_budget_does_not_hold(tmp_path):
    X, y = rows()
    p = promise(ledger=tmp_path / "site.json", budget=(5, 1e-6))
    rao.stats(X, y, private=p)
    with pytest.raises(rao.RaoError, match="the budget of these rows is ε 5"):
        rao.stats(X, y, private=p)
    assert len(json.loads((tmp_path / "site.json").read_text())["releases"]) == 1
    with pytest.raises(rao.RaoError, match="budget"):
        rao.stats(X, y, private=promise(ledger=tmp_path / "new.json"))


def test_what_is_refused():
    X, y = rows(200)
    for wrong, why in (({"classes": None}, "list of all classes"), ({"range": None}, "range of the data"), ({"clip": 3}, "give one of them"),
                       ({"kind": "subspace"}, "'full' or 'pooled'"), ({"range": (1, 0)}, "smaller one first"),
                       ({"range": 7}, "two numbers"), ({"budget": (1, 1e-6)}, "give ledger too"), ({"range": None, "clip": 0}, "above 0")):
        with pytest.raises(rao.RaoError, match=why):
            promise(**wrong)
    for more, why in (({"moments": True}, "moments"), ({"hashes": "none"}, "hashes"), ({"classes": CLASSES}, "Privacy"),
                      ({"round": "pooled"}, "start"), ({"after": 3}, "after")):
        with pytest.raises(rao.RaoError, match=why):
            rao.stats(X, y, private=promise(), **more)
    with pytest.raises(rao.RaoError, match="it must be above 0 and at most 16"):
        rao.stats(X, y, private=rao.Privacy(17, 1e-6, range=(0, 1), classes=CLASSES))
    with pytest.raises(TypeError, match=r"rao\.Privacy"):
        rao.stats(X, y, private=(1, 1e-6))
    with pytest.raises(rao.RaoError, match="private"):
        rao.stats(X, y, round="start")
    Z = X.copy()
    Z[7, 1] = np.nan
    with pytest.raises(rao.RaoError) as missing:
        rao.stats(Z, y, private=promise())
    assert "7" not in str(missing.value)
    with pytest.warns(rao.RaoWarning, match="delta 0.001 is larger"):
        rao.stats(np.repeat(X, 40, 0), np.repeat(y, 40), private=rao.Privacy(1, 1e-3, range=(-6, 6), classes=CLASSES))


def test_units():
    pd = pytest.importorskip("pandas")
    X, y = rows()
    persons = np.arange(len(X)) // 3
    p = promise(unit="person")
    assert "for each person" in repr(p)
    s = rao.stats(X, y, private=p, units=persons)
    assert s.unit == "person" and "for each person" in repr(s) and s.complete
    assert abs(s.counts.sum() - len(X) / 3) < 200  # one row of each
    two = rao.stats(X, y, private=promise(unit="person", unit_rows=2), units=[f"p{i}" for i in persons])
    assert abs(two.counts.sum() - 2 * len(X) / 3) < 200
    frame = pd.DataFrame(X, columns=list("abcdef")).assign(person=persons)
    framed = rao.stats(frame, y, private=p)
    assert framed.columns == list("abcdef") and abs(framed.counts.sum() - len(X) / 3) < 200
    first = rao.stats(X, y, private=p, units=persons, round="start")
    assert rao.stats(X, y, private=p, units=persons, after=first).unit == "person"
    for wrong, given, why in ((p, {}, "give units, with the person of each row"), (p, {"units": persons[:5]}, "units: .* every row needs one value"),
                              (promise(), {"units": persons}, "give unit"), (p, {"units": [None] * len(X)}, "no person"),
                              (promise(), {"after": first}, "protects each person"),
                              (promise(unit="visit"), {"after": first, "units": persons}, "protects each person")):
        with pytest.raises(rao.RaoError, match=why):
            rao.stats(X, y, private=wrong, **given)
    with pytest.raises(rao.RaoError, match="leave one"):
        rao.stats(frame, y, private=p, units=persons)
    with pytest.raises(rao.RaoError, match="differ in the protected unit"):
        first + rao.stats(X, y, private=promise(), round="start")
    with pytest.raises(rao.RaoError, match="give unit too"):
        promise(unit_rows=2)
    with pytest.raises(rao.RaoError, match="name of what is protected"):
        promise(unit=persons)
