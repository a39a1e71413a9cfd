# Writes estimators.json beside it: covariances of trials by pyRiemann 0.12; run with python3 estimators.py.
# Its M-estimators have the weights for complex signals: nu = 10 there is nu = 5 for real ones, and Huber's is computed here
# by the formula for real signals (Ollila, Tyler, Koivunen and Poor, 2012).
import itertools
import json
import numpy as np
from scipy.stats import chi2
from pyriemann.geometry.covariance import covariance_sch, covariance_mest, covariances

rng = np.random.default_rng(8)
mix = rng.normal(size=(5, 5))
x = mix @ rng.standard_t(3, size=(5, 60)) + 2
few = rng.normal(size=(6, 5)) @ rng.normal(size=(5, 5)).T
gold = dict(x=x.T.ravel().tolist(), few=few.ravel().tolist(), schaefer_few=covariance_sch(few.T).ravel().tolist())
gold["schaefer_strimmer"] = covariance_sch(x).ravel().tolist()
gold["student"] = covariance_mest(x, "stu", nu=10, tol=1e-13, n_iter_max=5000).ravel().tolist()
gold["tyler"] = covariance_mest(x, "tyl", tol=1e-13, n_iter_max=5000).ravel().tolist()
c, q, xc = 5, 0.9, x - x.mean(1, keepdims=True)
limit = chi2.ppf(q, c)
scale = chi2.cdf(limit, c + 2) + limit * (1 - q) / c
S = xc @ xc.T / 60
for _ in range(3000):
    d = (xc * np.linalg.solve(S, xc)).sum(0)
    S = (xc * (np.minimum(1, limit / d) / scale)) @ xc.T / 60
gold["huber"] = S.ravel().tolist()
# The minimum covariance determinant of a few samples, by all subsets, scaled to be consistent (Croux and Haesbroeck, 1999);
# and the determinant that a run of scikit-learn's fast_mcd ends with for x, where there are many local minima.
few = rng.standard_t(2, size=(14, 2)) @ rng.normal(size=(2, 2))
h = (14 + 2 + 1) // 2
covs = (np.cov(few[list(s)].T, bias=True) for s in itertools.combinations(range(14), h))
gold["mcd few x"] = few.ravel().tolist()
gold["mcd few"] = (min(covs, key=np.linalg.det) * (h / 14) / chi2.cdf(chi2.ppf(h / 14, 2), 4)).ravel().tolist()
share = 33 / 60
mcd = covariances(x[None], estimator="mcd", random_state=0)[0] * share / chi2.cdf(chi2.ppf(share, c), c + 2)
gold["mcd determinant"] = [np.linalg.det(mcd)]
json.dump(gold, open("estimators.json", "w"))
