"""Golden numbers for elastic-nuclear logistic regression: python3 enuc.py > enuc.json

Small Gaussian classes with their minimum, found by plain FISTA steps to a tolerance
far below the test's, and a run of the causal bias on its scores.
"""
import json
import numpy as np
from scipy.linalg import expm

rng = np.random.default_rng(14)
n, c, per = 5, 3, 16
centers = [0.3 * (lambda g: g + g.T)(rng.normal(size=(n, n))) for _ in range(c)]
X, y = [], []
for i in range(c * per):
    k = i % c
    g = rng.normal(size=(n, n))
    X.append(np.round(expm(centers[k] + 0.25 * (g + g.T)), 6))
    y.append(k)
X, y = np.array(X), np.array(y)


def fun(A, f):
    w, V = np.linalg.eigh(A)
    return (V * f(w)[..., None, :]) @ np.swapaxes(V, -1, -2)


def mean(A):
    M = A.mean(0)
    for _ in range(100):
        R, S = fun(M, np.sqrt), fun(M, lambda w: w ** -.5)
        J = fun(S @ A @ S, np.log).mean(0)
        M = R @ fun(J, np.exp) @ R
        if np.linalg.norm(J) < 1e-14:
            break
    return M


i, j = np.triu_indices(n)
scale = np.where(i == j, 1., 2 ** .5)
S = fun(mean(X), lambda w: w ** -.5)
Z = fun(S @ X @ S, np.log)[:, i, j] * scale
N, D, T = len(Z), Z.shape[1], np.eye(c)[y]
lam, ridge = .015, .02
L = .5 * np.linalg.eigvalsh(Z.T @ Z / N)[-1] + .25 + ridge


def softmax(a):
    e = np.exp(a - a.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


def matrices(V):
    A = np.zeros((len(V), n, n))
    A[:, i, j] = A[:, j, i] = V / scale
    return A


W, b = np.zeros((c, D)), np.zeros(c)
V, d, t = W, b, 1.
for _ in range(100000):
    E = (softmax(Z @ V.T + d) - T) / N
    Wn, bn = V - (E.T @ Z + ridge * V) / L, d - E.sum(0) / L
    Wn = fun(matrices(Wn), lambda w: np.sign(w) * np.maximum(abs(w) - lam / L, 0))[:, i, j] * scale
    if ((V - Wn) * (Wn - W)).sum() > 0:
        t, V, d = 1., Wn, bn
    else:
        tn = (1 + np.sqrt(1 + 4 * t * t)) / 2
        V, d, t = Wn + (t - 1) / tn * (Wn - W), bn + (t - 1) / tn * (bn - b), tn
    change = abs(Wn - W).max()
    W, b = Wn, bn
    if change < 1e-15:
        break
objective = (-np.log(softmax(Z @ W.T + b)[np.arange(N), y]).mean() + lam * abs(np.linalg.eigvalsh(matrices(W))).sum()
             + ridge / 2 * (W ** 2).sum())
scores = Z @ W.T + b
drift, after, eta = np.zeros(c), [], .2
for row in scores:
    o = row + drift
    p = softmax(o[None])[0]
    after.append(np.log(p).tolist())
    drift = drift - eta * (p - 1 / c)
print(json.dumps(dict(dim=n, classes=c, x=X.ravel().tolist(), y=y.tolist(), coefficients=W.ravel().tolist(), intercepts=(b - b.mean()).tolist(),
                      objective=objective, ranks=[int((abs(e) > 1e-9).sum()) for e in np.linalg.eigvalsh(matrices(W))],
                      scores=scores.ravel().tolist(), causal=after, drift=drift.tolist())))
