"""Golden numbers for the tests of comparison: python3 compare.py > compare.json"""
import json
import numpy as np
from scipy import stats

rng = np.random.default_rng(11)
w = []
for n, ties in [(6, 0), (9, 0), (20, 0), (50, 0), (51, 0), (12, 1), (40, 1)]:
    a, b = rng.normal(size=n) + 0.3, rng.normal(size=n)
    if ties:
        a, b = np.round(a, 0), np.round(b, 0)
    d = a - b
    d = d[d != 0]
    exact = len(np.unique(abs(d))) == len(d) and len(d) <= 50
    r = stats.wilcoxon(d, correction=not exact, mode="exact" if exact else "approx")
    w.append(dict(a=a.tolist(), b=b.tolist(), statistic=r.statistic, p=r.pvalue, exact=exact))
m = []
for b, c in [(10, 3), (0, 6), (7, 7), (40, 61), (1, 0)]:
    x = max(abs(b - c) - 1, 0) ** 2 / (b + c)
    m.append(dict(b=b, c=c, exact=stats.binomtest(min(b, c), b + c).pvalue, chi2=x, p=stats.chi2.sf(x, 1)))
t = []
for j, ntr, nte in [(10, 90, 10), (100, 200, 50), (5, 80, 20)]:
    d = rng.normal(size=j) * 0.02 + 0.01
    s = d.mean() / np.sqrt((1 / j + nte / ntr) * d.var(ddof=1))
    t.append(dict(d=d.tolist(), train=ntr, test=nte, statistic=s, p=2 * stats.t.sf(abs(s), j - 1)))
iv = []
for k, n, level in [(0, 10, 0.95), (10, 10, 0.95), (7, 12, 0.9), (912, 1000, 0.95), (1, 300, 0.99)]:
    ci = stats.binomtest(k, n).proportion_ci(level, method="wilson")
    iv.append(dict(right=k, n=n, level=level, wilson=[ci.low, ci.high]))
ch = []
for n, c, alpha in [(20, 2, 0.05), (100, 4, 0.05), (288, 4, 0.01), (5, 2, 0.001), (1000, 10, 0.05)]:
    ch.append(dict(n=n, classes=c, alpha=alpha, level=stats.binom.isf(alpha, n, 1 / c) / n))
print(json.dumps(dict(wilcoxon=w, mcnemar=m, t=t, interval=iv, chance=ch)))
