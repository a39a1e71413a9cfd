"""Golden numbers of the permutation test of distances: python3 manova.py

The pseudo-F is that of pyRiemann 0.12 (PermutationDistance, mode pairwise); with few matrices it
runs through all permutations. With groups, all permutations inside the groups are listed here.
"""
import itertools
import json
import numpy as np
from pyriemann.geometry.distance import pairwise_distance
from pyriemann.stats import PermutationDistance

rng = np.random.default_rng(3)
y = np.array([0, 0, 0, 0, 1, 1, 1, 2, 2])
groups = np.array([0, 1, 0, 1, 0, 1, 1, 0, 1])
a = rng.normal(size=(len(y), 3, 6)) * (1 + 0.5 * y)[:, None, None]
x = a @ a.transpose(0, 2, 1) / 6
test = PermutationDistance(n_perms=10000, metric="riemann", mode="pairwise")
p, scores = test.test(x, y, verbose=False)
d2 = pairwise_distance(x, metric="riemann", squared=True)
inside = []
for one in set(itertools.permutations(y[groups == 0])):
    for two in set(itertools.permutations(y[groups == 1])):
        z = y.copy()
        z[groups == 0], z[groups == 1] = one, two
        inside.append(test._score_pairwise(d2, z))
f = scores[0]
json.dump(dict(squared=d2.ravel().tolist(), y=y.tolist(), groups=groups.tolist(), f=float(f), permutations=len(scores),
               p=float(np.mean(scores >= f - 1e-9)), inside=len(inside), p_inside=float(np.mean(np.array(inside) >= f - 1e-9))),
          open("manova.json", "w"))
