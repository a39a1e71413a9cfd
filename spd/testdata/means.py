# Writes means.json beside it: power, masked and joint means; run with python3 means.py. The power and ALE means are by
# pyRiemann 0.12. The masked means minimize the sum of squared distances by scipy's BFGS, from numpy alone.
import json
import numpy as np
from scipy.linalg import eigvalsh
from scipy.optimize import minimize
from pyriemann.geometry.ajd import ajd_pham
from pyriemann.geometry.mean import mean_ale, mean_power, mean_poweuclid, nanmean_riemann

rng = np.random.default_rng(12)
N, n = 8, 4
a = rng.normal(size=(N, n, 9)) * rng.uniform(0.3, 3, size=(N, 1, 1))
x = a @ a.transpose(0, 2, 1) / 9
w = rng.uniform(0.5, 2, size=N)
gold = dict(x=x.ravel().tolist(), w=w.tolist())
for p in (-0.7, -0.1, 0.001, 0.3, 0.9):
    gold[f"power {p}"] = mean_power(x, p, zeta=1e-14, maxiter=10000).ravel().tolist()
    gold[f"power {p} weighted"] = mean_power(x, p, sample_weight=w, zeta=1e-14, maxiter=10000).ravel().tolist()
for p in (-0.5, 0.25, 0.5, 2):
    gold[f"poweuclid {p}"] = mean_poweuclid(x, p).ravel().tolist()
    gold[f"poweuclid {p} weighted"] = mean_poweuclid(x, p, sample_weight=w).ravel().tolist()

b, _ = ajd_pham(x, eps=1e-14, n_iter_max=1000)
gold["ale"] = mean_ale(x, init=b, tol=1e-14, maxiter=1000).ravel().tolist()
b /= np.sqrt(np.einsum("ij,kjl,il->i", b, x, b) / N)[:, None]
gold["filters"] = (b * np.sign(b[np.arange(n), abs(b).argmax(1)])[:, None]).T.ravel().tolist()

seen = [[0, 1, 2, 3], [0, 1, 3], [0, 2], [1, 2, 3], [2, 3], [0, 1, 2, 3], [1, 3], [0, 2, 3]]
hidden = x.copy()
for k, s in enumerate(seen):
    for i in set(range(n)) - set(s):
        hidden[k, i, :] = hidden[k, :, i] = np.nan


def unpack(v):
    low = np.zeros((n, n))
    low[np.tril_indices(n)] = v
    low[np.diag_indices(n)] = np.exp(np.diag(low))
    return low @ low.T


def cost(v, w):
    m = unpack(v)
    return sum(w[k] * np.sum(np.log(eigvalsh(x[k][np.ix_(s, s)], m[np.ix_(s, s)])) ** 2) for k, s in enumerate(seen))


for name, weights in (("masked", np.full(N, 1 / N)), ("masked weighted", w / w.sum())):
    best = minimize(cost, np.zeros(n * (n + 1) // 2), args=(weights,), method="BFGS", options=dict(gtol=1e-9, maxiter=5000))
    for _ in range(3):
        best = minimize(cost, best.x, args=(weights,), method="Powell", options=dict(xtol=1e-13, ftol=1e-16, maxiter=20000))
    gold[name] = unpack(best.x).ravel().tolist()
    gold[name + " cost"] = [best.fun]
    theirs = nanmean_riemann(hidden, sample_weight=weights, tol=1e-12, maxiter=10000)
    low = np.linalg.cholesky(theirs)
    low[np.diag_indices(n)] = np.log(np.diag(low))
    print(name, best.fun, "pyRiemann's nanmean_riemann", cost(low[np.tril_indices(n)], weights))
gold["seen"] = [v for s in seen for v in (*s, -1)]
json.dump(gold, open("means.json", "w"))
