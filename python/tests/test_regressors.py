"""The regressors keep scikit-learn's contract for regressors, on matrices."""

import pickle

import numpy as np
import pytest

import rao

pytest.importorskip("sklearn")

from sklearn.base import clone, is_regressor  # noqa: E402
from sklearn.exceptions import NotFittedError  # noqa: E402
from sklearn.metrics import r2_score  # noqa: E402
from sklearn.model_selection import GridSearchCV, cross_val_score  # noqa: E402

regressors = ["TangentRidge", "TangentSVR", "MatrixKNNRegressor"]


def data(n=80, order=4, seed=1):
    rng = np.random.default_rng(seed)
    y = rng.uniform(-1, 1, n)
    signals = rng.normal(size=(n, order, 60))
    signals[:, 0] *= np.exp(y)[:, None]
    return np.einsum("nit,njt->nij", signals, signals) / 60, y


@pytest.mark.parametrize("name", regressors)
def test_regressor(name, tmp_path):
    X, y = data()
    e = getattr(rao, name)()
    assert is_regressor(e)
    with pytest.raises(NotFittedError):
        e.predict(X)
    assert e.fit(X, y) is e
    p = e.predict(X[:7])
    assert p.shape == (7,) and p.dtype == np.float64
    assert e.score(X, y) == pytest.approx(r2_score(y, e.predict(X)))
    assert cross_val_score(e, X, y, cv=4).mean() > 0.7
    twin = clone(e)
    assert not hasattr(twin, "model_") and twin.get_params() == e.get_params()
    assert np.array_equal(twin.fit(X, y).predict(X), e.predict(X))
    assert np.array_equal(pickle.loads(pickle.dumps(e)).predict(X), e.predict(X))
    assert np.array_equal(e.fit(X, (1000 * y).astype(int)).predict(X), e.fit(X, (1000 * y).astype(int).astype(float)).predict(X))
    e.save(tmp_path / "m.rao")
    m = rao.load(tmp_path / "m.rao")
    assert repr(m) == f"<rao.Model {type(e).__name__}: matrices of {X.shape[1]}, predicts y>"
    assert "predicts</th>" in m._repr_html_() and "classes</th>" not in m._repr_html_()
    assert m.target == "y" and np.array_equal(m.predict(X), e.predict(X))
    assert m.score(X, 1000 * y) == pytest.approx(e.score(X, 1000 * y))


@pytest.mark.parametrize("name", regressors)
def test_refuses(name):
    X, y = data()
    e = getattr(rao, name)()
    for X_, y_, says in [(X[:, 0], y, "needs SPD matrices"), (X, y[:-1], "y has 79 targets, but X has 80"),
                         (X, np.array(["a"] * 80), "predicts numbers"), (X, np.where(y > 0, np.nan, y), "NaN"),
                         (X, np.column_stack([y, y]), "1d array"), (X * 1j, y, "Complex")]:
        with pytest.raises(ValueError, match=says):
            e.fit(X_, y_)
    bad = X.copy()
    bad[3, 0, 0] = np.nan
    with pytest.raises(ValueError):
        e.fit(bad, y)
    e.fit(X, y)
    with pytest.raises(ValueError, match="have order 3"):
        e.predict(X[:, :3, :3])


def test_options():
    X, y = data()
    best = GridSearchCV(rao.TangentSVR(), {"c": [0.1, 1.0]}, cv=3).fit(X, y)
    assert best.best_params_["c"] in (0.1, 1.0)
    assert rao.TangentRidge(ridge=3.0).fit(X, y).model_.options["ridge"] == "3"
    assert float(rao.TangentRidge().fit(X, y).model_.options["ridge"]) > 0
    near = rao.MatrixKNNRegressor(neighbors=1).fit(X, y)
    assert np.allclose(near.predict(X), y)
    for e in (rao.TangentRidge(ridge=-1.0), rao.TangentSVR(c=0.0), rao.MatrixKNNRegressor(neighbors=0),
              rao.TangentRidge(metric="euclid"), rao.TangentSVR(metric="nothing")):
        with pytest.raises(ValueError):
            e.fit(X, y)
    for metric, words in (("nothing", '^unknown metric "nothing"; choose from riemann, logeuclid$'),
                          ("euclid", '^metric="euclid" has no tangent space')):
        with pytest.raises(ValueError, match=words):
            rao.TangentRidge(metric=metric).fit(X, y)


def test_target_of_mdm():
    X, y = data()
    labels = (y > 0).astype(int)
    who = np.where(np.arange(80) < 60, "others", "s07")
    others = rao.MDM().fit(X[:60], labels[:60])
    both = rao.MDM(target="s07", tradeoff=0.2).fit(X, labels, recordings=who)
    own = rao.MDM(target="s07", tradeoff=1.0).fit(X, labels, recordings=who)
    alone = rao.MDM().fit(X[60:], labels[60:])
    assert np.allclose(own.predict_proba(X), alone.predict_proba(X), atol=1e-9)
    assert not np.allclose(both.predict_proba(X), others.predict_proba(X))
    with pytest.raises(ValueError, match="NAME=VALUE"):
        rao.MDM(tradeoff=0.5).fit(X, labels)


def test_warnings_of_the_program_reach_the_caller(monkeypatch):
    X, y = data()
    call = rao.regressors._engine.call_noting

    def warned(*args, **named):
        reply = call(*args, **named)
        return ({**reply[0], "warnings": ["the option --ridge is small"], "partial": "raise --max-iter"}, *reply[1:])

    monkeypatch.setattr(rao.regressors._engine, "call_noting", warned)
    with pytest.warns() as caught:
        rao.TangentRidge().fit(X, y)
    assert [(w.category.__name__, str(w.message)) for w in caught] == [
        ("ConvergenceWarning", "raise max_iter"), ("RaoWarning", "the option ridge is small")]
    assert {w.filename for w in caught} == {__file__}
