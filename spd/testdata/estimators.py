# Writes estimators.json beside it: covariances of trials by pyRiemann 0.12; run with python3 estimators.py.
# Its M-estimators have the weights for complex signals: nu = 10 there is nu = 5 for real ones, and Huber's is computed here
# by the formula for real signals (Ollila, Tyler, Koivunen and Poor, 2012).
import json
import numpy as np
from scipy.stats import chi2
from pyriemann.geometry.covariance import covariance_sch, covariance_mest

rng = np.random.default_rng(8)
mix = rng.normal(size=(5, 5))
x = mix @ rng.standard_t(3, size=(5, 60)) + 2
few = rng.normal(size=(6, 5)) @ rng.normal(size=(5, 5)).T
gold = dict(x=x.T.ravel().tolist(), few=few.ravel().tolist(), schaefer_few=covariance_sch(few.T).ravel().tolist())
gold["schaefer-strimmer"] = covariance_sch(x).ravel().tolist()
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
json.dump(gold, open("estimators.json", "w"))
