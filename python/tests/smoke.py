"""The least that must work: numpy alone, then an estimator where scikit-learn is there."""

import pickle
import sys
import tempfile
from pathlib import Path

import numpy as np

import rao

assert "sklearn" not in sys.modules, "import rao brings scikit-learn in"
rng = np.random.default_rng(0)
y = np.arange(120) % 3
X = rng.normal(size=(120, 4)) + 3 * np.eye(4)[y]

s = rao.stats(X, y)
assert np.allclose(s.covariances[1], np.cov(X[y == 1].T)), "statistics"
C = rao.covariances(rng.normal(size=(8, 3, 60)))
assert np.allclose(rao.untangent(rao.tangent(C), rao.mean(C)), C), "tangent vectors"
assert rao.distance(C).shape == (8, 8)
try:
    rao.mean(-C)
except rao.RaoError as e:
    assert "positive definite" in str(e)
else:
    raise AssertionError("a matrix that is not positive definite was taken")

try:
    import sklearn  # noqa: F401
except ImportError:
    print("skipped the estimators: scikit-learn is not installed")
else:
    fitted = rao.SQFA(filters=2, noise=0.1).fit(X, y)
    assert fitted.score(X, y) > 0.9, fitted.score(X, y)
    assert rao.PCA(filters=2, classifier=None).fit(X, y).transform(X).shape == (120, 2)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "m.rao"
        fitted.save(path)
        loaded = rao.load(path)
        assert np.array_equal(loaded.predict(X), fitted.predict(X))
    assert np.array_equal(pickle.loads(pickle.dumps(fitted)).predict_proba(X), fitted.predict_proba(X))
print("the package works")
