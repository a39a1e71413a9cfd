"""Golden numbers of measures for package evaluate: python3 measures.py > measures.json"""

import json

import numpy as np
from sklearn import metrics as sk

SECONDS = 3.5  # per decision


def bits(truth, decided, classes):
    """Bits per decision by Wolpaw's formula and by the confusion, and both per minute."""
    p, n = np.mean(truth == decided), classes
    wolpaw = np.log2(n) + p * np.log2(p) + (1 - p) * np.log2((1 - p) / (n - 1)) if p > 1 / n else 0
    mutual = sk.mutual_info_score(truth, decided) / np.log(2)
    return [wolpaw, mutual, wolpaw * 60 / SECONDS, mutual * 60 / SECONDS]


rng = np.random.default_rng(3)
cases = []
for n, c, ties in [(60, 2, True), (200, 2, False), (90, 4, True), (40, 3, False)]:
    y = rng.integers(0, c, n)
    y[:c] = range(c)
    z = rng.normal(size=(n, c))
    z[np.arange(n), y] += 0.8
    if ties:
        z = np.round(z)
    logp = z - np.log(np.exp(z).sum(1, keepdims=True))
    if ties:
        logp = np.round(logp, 6)


    def measures(truth, decided, score, **average):
        return [sk.accuracy_score(truth, decided), sk.balanced_accuracy_score(truth, decided),
                sk.cohen_kappa_score(truth, decided),
                np.mean([sk.roc_auc_score(t, s) for t, s in score]),
                np.mean([sk.average_precision_score(t, s) for t, s in score]),
                sk.precision_score(truth, decided, zero_division=0, **average),
                sk.recall_score(truth, decided, **average), sk.f1_score(truth, decided, **average),
                *bits(truth, decided, c)]


    ranked = [1] if c == 2 else range(c)
    case = dict(classes=c, truth=y.tolist(), log_posterior=logp.ravel().tolist(),
                values=measures(y, logp.argmax(1), [(y == k, logp[:, k]) for k in ranked],
                                average="binary" if c == 2 else "macro"))
    if c == 2:
        case["first_threshold"] = 0.3
        case["first"] = measures(y == 0, np.exp(logp[:, 0]) >= 0.3, [(y == 0, logp[:, 0])])
    cases.append(case)
print(json.dumps(cases))
