"""Golden numbers for package feature: python3 linear.py > linear.json"""
import json
import warnings
import numpy as np
from sklearn.datasets import load_digits
from sklearn.decomposition import FactorAnalysis, FastICA, PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as LDA
from sklearn.neighbors import NeighborhoodComponentsAnalysis as NCA

warnings.simplefilter("ignore")
rng = np.random.default_rng(5)
n, c, N = 6, 4, 120
A = rng.normal(size=(n, n))
y = np.arange(N) % c
X = np.round(rng.normal(size=(N, n)) @ A * (1 + 0.5 * (y[:, None] % 2)) + 2 * rng.normal(size=(c, n))[y], 3)

out = dict(dim=n, x=X.ravel().tolist(), y=y.tolist())
p = PCA(3, svd_solver="full").fit(X)
out["pca"] = dict(values=p.explained_variance_.tolist(), filters=p.components_.T.ravel().tolist())
lda = LDA(solver="svd").fit(X, y)
out["lda"] = dict(filters=lda.scalings_[:, :3].ravel().tolist())

# Factor analysis: log-likelihood of the training rows, mean per row, and covariance.
XF = np.round(rng.normal(size=(300, 2)) @ rng.normal(size=(2, 7)) + rng.normal(size=(300, 7)) * np.array([0.3, 0.5, 0.7, 0.4, 0.6, 0.8, 1]) + 1, 3)
fa = FactorAnalysis(2, tol=1e-12, max_iter=50000, svd_method="lapack").fit(XF)
out["fa"] = dict(dim=7, x=XF.ravel().tolist(), loglik=fa.score(XF), covariance=fa.get_covariance().ravel().tolist(), transform=fa.transform(XF)[:5].ravel().tolist())

# Independent components: a seeded mixture of four sources.
S = np.column_stack([rng.laplace(size=2000), rng.uniform(-1, 1, size=2000), np.sign(rng.normal(size=2000)) * rng.gamma(2, size=2000), rng.exponential(size=2000) - 1])
M = rng.normal(size=(4, 4))
Z = np.round(S @ M.T, 4)
out["ica"] = dict(mixing=M.ravel().tolist(), x=Z.ravel().tolist(), fits=[])
for alg in ["parallel", "deflation"]:
    for fun in ["logcosh", "exp", "cube"]:
        w0 = rng.normal(size=(4, 4))
        f = FastICA(4, algorithm=alg, fun=fun, whiten="unit-variance", tol=1e-12, max_iter=5000, w_init=w0).fit(Z)
        out["ica"]["fits"].append(dict(algorithm=alg, fun=fun, start=(w0 @ f.whitening_).T.ravel().tolist(), unmixing=f.components_.ravel().tolist()))

# NCA: loss and gradient at a given point, and the optimum from there.
nca = NCA(2, init=np.round(rng.normal(size=(2, n)) * 0.1, 3), tol=1e-10, max_iter=2000)
L0 = nca.init.copy()
from sklearn.preprocessing import LabelEncoder
nca.n_iter_ = 0
mask = y[:, None] == y[None, :]
loss, grad = nca._loss_grad_lbfgs(L0.ravel(), X, mask, -1.0)
nca.fit(X, y)
best, _ = nca._loss_grad_lbfgs(nca.components_.ravel(), X, mask, -1.0)
out["nca"] = dict(start=L0.ravel().tolist(), value=-loss, gradient=(-grad).ravel().tolist(), best=-best)

# Digits.
D, t = load_digits(return_X_y=True)
dig = {}
for m in [3, 9]:
    fa = FactorAnalysis(m, tol=1e-6, max_iter=10000, svd_method="lapack").fit(D)
    dig["fa%d" % m] = fa.score(D)
p = PCA(9, svd_solver="full").fit(D)
dig["pca"] = p.explained_variance_.tolist()
out["digits"] = dig
w0 = rng.normal(size=(9, 9))
f = FastICA(9, whiten="unit-variance", tol=1e-12, max_iter=20000, w_init=w0).fit(D)
out["digits"]["ica_start"] = np.round((w0 @ f.whitening_).T, 10).ravel().tolist()
out["digits"]["ica"] = np.round(f.components_, 10).ravel().tolist()
out["digits"]["ica_iterations"] = f.n_iter_
print(json.dumps(out))
