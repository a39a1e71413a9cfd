"""Golden numbers for the adaptation to a new recording: python3 adapt.py > adapt.json

Centering by the mean of all, smoothly, by a balanced mean and causally, of small random
matrices whose mean drifts; and a rotation between class means.
"""
import json
import numpy as np
from scipy.linalg import expm

rng = np.random.default_rng(41)
n, N, c = 4, 40, 3


def fun(A, f):
    w, V = np.linalg.eigh(A)
    return (V * f(w)[..., None, :]) @ np.swapaxes(V, -1, -2)


def sym(s):
    g = rng.normal(size=(n, n)) * s
    return (g + g.T) / 2


def mean(A, w=None):
    w = np.full(len(A), 1 / len(A)) if w is None else w / w.sum()
    M = np.einsum('i,ijk->jk', w, A)
    for _ in range(200):
        R, S = fun(M, np.sqrt), fun(M, lambda e: e ** -.5)
        J = np.einsum('i,ijk->jk', w, fun(S @ A @ S, np.log))
        M = R @ fun(J, np.exp) @ R
        if np.linalg.norm(J) < 1e-14:
            break
    return M


def center(A, M):
    S = fun(M, lambda e: e ** -.5)
    return S @ A @ S


base, drift = sym(1), sym(.03)
X = np.array([np.round(expm(base + k * drift + sym(.5)), 6) for k in range(N)])
M = mean(X)

h = 6.
Y = center(X, M)
L = fun(Y, np.log)
t = np.arange(N)
w = np.exp(-.5 * ((t[:, None] - t) / h) ** 2)
w /= w.sum(1, keepdims=True)
a = np.einsum('ij,jkl->ikl', w, L)
Q = fun(-.5 * a, np.exp)
smooth = Q @ Y @ Q

K = np.array([sym(1) for _ in range(c)])  # the scores of class k are <K_k, log X>
G, shares = mean(X), np.array([.5, .3, .2])
for _ in range(4):
    s = np.einsum('kab,iab->ik', K, fun(center(X, G), np.log))
    P = np.exp(s - s.max(1, keepdims=True))
    P /= P.sum(1, keepdims=True)
    G = mean(X, (shares * P / np.maximum(P.sum(0), 8)).sum(1))

C, causal, start = mean(X[:10]), [], mean(X[:10])
for k, A in enumerate(X):
    g = max(1 / (10 + k + 1), .05)
    R, S = fun(C, np.sqrt), fun(C, lambda e: e ** -.5)
    C = R @ fun(S @ A @ S, lambda e: e ** g) @ R
    causal.append(center(A, C).ravel().tolist())

flat = lambda A: np.asarray(A).ravel().tolist()
print(json.dumps(dict(dim=n, classes=c, x=flat(X), mean=flat(M), centered=flat(Y), width=h, smooth=flat(smooth), scores=flat(K), shares=flat(shares),
                      balanced=flat(G), start=flat(start), floor=.05, causal=flat(causal), last=flat(C))))
