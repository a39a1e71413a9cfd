"""Golden numbers for package evaluate: python3 scores.py > scores.json"""
import json
import numpy as np
from sklearn import metrics

rng = np.random.default_rng(7)
cases = []
for n, c, sharp in [(60, 2, 1.0), (200, 4, 2.0), (333, 7, 0.3)]:
    y = rng.integers(0, c, n)
    z = rng.normal(size=(n, c)) * sharp
    z[np.arange(n), y] += 1
    logp = z - np.log(np.exp(z).sum(1, keepdims=True))
    p = np.exp(logp)
    pred = p.argmax(1)
    conf = p.max(1)
    ece = 0.0
    for b in range(15):
        k = (conf > b / 15) & (conf <= (b + 1) / 15)
        if k.any():
            ece += k.mean() * abs((pred[k] == y[k]).mean() - conf[k].mean())
    cases.append(dict(
        truth=y.tolist(), classes=c, log_posterior=logp.ravel().tolist(),
        accuracy=metrics.accuracy_score(y, pred),
        balanced_accuracy=metrics.balanced_accuracy_score(y, pred),
        kappa=metrics.cohen_kappa_score(y, pred),
        log_loss=metrics.log_loss(y, p, labels=range(c)),
        confusion=metrics.confusion_matrix(y, pred, labels=range(c)).tolist(),
        ece=ece))
print(json.dumps(cases))
