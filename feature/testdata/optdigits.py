"""Golden numbers on the optical digits: python3 optdigits.py optdigits.tra > optdigits.json

The argument is the training part of the UCI set. Likelihoods depend on the covariance
alone, so factor analysis is fitted to 128 rows that have the covariance of all."""
import json
import sys
import numpy as np
from sklearn.datasets import load_digits
from sklearn.decomposition import FactorAnalysis, FastICA

uci = np.loadtxt(sys.argv[1], delimiter=",")[:, :64]
digits = load_digits().data
sets = {"digits": digits, "digits:train": digits[np.arange(len(digits)) % 3 != 0], "optdigits:train": uci}


def likelihood(x, factors):
    w, v = np.linalg.eigh(np.cov(x.T, bias=True))
    r = np.sqrt(np.maximum(w, 0))[:, None] * v.T * 8
    f = FactorAnalysis(factors, tol=1e-8, max_iter=5000, svd_method="lapack").fit(np.vstack([r, -r]))
    return dict(factors=factors, loglik=f.score(x - x.mean(0)), iterations=f.n_iter_)


out = {"fa": []}
for name, x in sets.items():
    for scale in ["none", "std"]:
        z = x - x.mean(0)
        if scale == "std":
            z /= x.std()
        for factors in [1, 2, 3, 5, 9, 12, 15]:
            out["fa"].append(dict(data=name, scale=scale, **likelihood(z, factors)))

# The first pixel is constant, and scikit-learn 1.2.1 multiplies the principal components by
# the signs of its loadings, some of which are exactly 0: the pixels are taken backwards.
rng = np.random.default_rng(7)
w0 = rng.normal(size=(9, 9))
ica = FastICA(9, whiten="unit-variance", tol=1e-12, max_iter=20000, w_init=w0).fit(uci[:, ::-1])
out["ica"] = dict(start=np.round((w0 @ ica.whitening_[:, ::-1]).T, 10).ravel().tolist(),
                  unmixing=np.round(ica.components_[:, ::-1], 10).ravel().tolist(), iterations=ica.n_iter_)
print(json.dumps(out))
