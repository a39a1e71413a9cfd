"""Golden numbers for the vector classifiers: python3 vector.py > vector.json"""
import json
import numpy as np
from scipy.special import logsumexp
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as LDA
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis as QDA
from sklearn.neighbors import KNeighborsClassifier as KNN

rng = np.random.default_rng(3)
n, c = 3, 3
counts = [40, 25, 15]
X, y = [], []
for i, k in enumerate(counts):
    A = rng.normal(size=(n, n))
    X.append(rng.normal(size=(k, n)) @ A + 2 * rng.normal(size=n))
    y += [i] * k
X = np.round(np.concatenate(X), 4)
y = np.array(y)
p = rng.permutation(len(y))
X, y = X[p], y[p]
T = np.round(2 * rng.normal(size=(20, n)), 4)
priors = [0.2, 0.5, 0.3]


def logp(m):
    z = m.fit(X, y).decision_function(T)  # predict_log_proba underflows
    return (z - logsumexp(z, axis=1, keepdims=True)).ravel().tolist()


out = dict(
    dim=n, x=X.ravel().tolist(), y=y.tolist(), test=T.ravel().tolist(), priors=priors,
    qda=logp(QDA()), qda_reg=logp(QDA(reg_param=0.1)), qda_priors=logp(QDA(priors=priors)),
    lda=logp(LDA()), lda_priors=logp(LDA(priors=priors)),
    knn_votes=(5 * KNN(5).fit(X, y).predict_proba(T)).round().astype(int).ravel().tolist())

# Linear discriminant with the pooled covariance shrunk by 0.3, from the definition.
W = sum((k - 1) * np.cov(X[y == i].T) for i, k in enumerate(counts)) / (len(y) - c)
W = 0.7 * W + 0.3 * np.trace(W) / n * np.eye(n)
M = np.array([X[y == i].mean(0) for i in range(c)])
S = np.linalg.solve(W, M.T).T
z = T @ S.T - 0.5 * (M * S).sum(1) + np.log(np.array(counts) / len(y))
out["lda_fixed"] = (z - logsumexp(z, axis=1, keepdims=True)).ravel().tolist()
print(json.dumps(out))
