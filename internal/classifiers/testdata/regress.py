# Writes regress.json beside it; run with python3 regress.py. Neighbors and support vectors by pyRiemann 0.12, ridge by
# scikit-learn 1.9.1 on pyRiemann's tangent vectors, its penalty by leaving one out of the sum of squares, one at a time.
import json
import numpy as np
from pyriemann.regression import KNearestNeighborRegressor, SVR
from pyriemann.tangentspace import TangentSpace
from sklearn.linear_model import Ridge
from sklearn.model_selection import LeaveOneOut, cross_val_predict

rng = np.random.default_rng(2)
N, n = 40, 4
speed = rng.uniform(1, 5, size=N)
a = rng.normal(size=(N, n, 12))
a[:, 0] *= np.sqrt(speed)[:, None]
a[:, 1] += 0.3 * a[:, 0]
x = a @ a.transpose(0, 2, 1) / 12
train, test = slice(0, 30), slice(30, 40)
gold = dict(x=x.ravel().tolist(), y=speed.tolist())
gold["knn"] = KNearestNeighborRegressor(n_neighbors=4).fit(x[train], speed[train]).predict(x[test]).tolist()
gold["svr"] = SVR(C=2, epsilon=0.2, tol=1e-9).fit(x[train], speed[train]).predict(x[test]).tolist()
gold["ridge"] = Ridge(3.0).fit((ts := TangentSpace().fit(x[train])).transform(x[train]), speed[train]).predict(ts.transform(x[test])).tolist()
t = ts.transform(x[train])
scale = np.linalg.eigvalsh(np.cov(t.T, bias=True) * 30).clip(0).sum() / 30
grid = [scale * 10 ** (k / 2) for k in range(-12, 13)]
errors = [np.sum((cross_val_predict(Ridge(r), t, speed[train], cv=LeaveOneOut()) - speed[train]) ** 2) for r in grid]
gold["chosen"] = [grid[int(np.argmin(errors))]]
json.dump(gold, open("regress.json", "w"))
