"""Compute the numbers of the gallery with pyRiemann 0.12.

    python3 peer_numbers.py PROGRAMS COMMANDS > pyriemann.csv

PROGRAMS is a folder written by `go test ./docs/gallery -gallery PROGRAMS`, and COMMANDS a folder
written by `go test ./cmd/rao -run TestGallery -gallery COMMANDS`. They contain the matrices and
signals of the gallery. Each line of the output has a quantity and its value. The pages show some
of the quantities.
"""
import datetime
import os
import platform
import sys

import numpy as np
import pyriemann
import sklearn
from pyriemann.artifact_detection import Potato, PotatoField
from pyriemann.classification import MDM, KNearestNeighbor, class_distinctiveness
from pyriemann.clustering import Kmeans
from pyriemann.embedding import SpectralEmbedding, locally_linear_embedding
from pyriemann.estimation import Covariances, XdawnCovariances
from pyriemann.geometry.distance import distance_riemann, pairwise_distance
from pyriemann.geometry.mean import gmean, mean_riemann, nanmean_riemann
from pyriemann.geometry.median import median_euclid, median_riemann
from pyriemann.spatialfilters import AJDC
from pyriemann.stats import PermutationDistance
from pyriemann.tangentspace import TangentSpace
from pyriemann.transfer import MDWM, TLCenter, TLRotate, encode_domains
from scipy.optimize import linear_sum_assignment
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

programs, commands = sys.argv[1:]
METRICS = {"euclid": "Euclidean", "logeuclid": "log-Euclidean", "riemann": "Riemannian"}


def load(folder, name):
    """Return X and integer labels, with the classes in the order of their names."""
    z = np.load(os.path.join(folder, name + ".npz"), allow_pickle=False)
    y = np.unique(z["y"], return_inverse=True)[1] if "y" in z else None
    return z["X"], y


def say(what, value):
    print(f"{what},{value}" if "," not in f"{what}{value}" else f'"{what}","{value}"')


def percent(v):
    return f"{100 * v:.2f} %"


def score(model, train, test):
    model.fit(*train)
    return np.mean(model.predict(test[0]) == test[1])


def pseudo_f(x, y):
    test = PermutationDistance(n_perms=1, metric="riemann", mode="pairwise")
    return test._score_pairwise(pairwise_distance(x, metric="riemann", squared=True), y)


def matched(k, metric, x, y):
    """Return the share of matrices in the right group, for the best matching of groups and classes."""
    groups = Kmeans(n_clusters=k, metric=metric, n_init=10, random_state=1).fit(x).labels_
    counts = np.array([[np.sum((groups == g) & (y == c)) for c in range(k)] for g in range(k)])
    return counts[linear_sum_assignment(-counts)].sum() / len(y)


print(f"# pyRiemann {pyriemann.__version__}, numpy {np.__version__}, scikit-learn {sklearn.__version__}, "
      f"Python {platform.python_version()}; {datetime.date.today()}")


# Artifacts.
signal = load(programs, "ajdc")[0].T
ajdc = AJDC(window=128, overlap=0.5, fmin=1, fmax=32, fs=250, dim_red={"n_components": 16}, verbose=False)
ajdc.fit(signal[None, None])
blink = np.argmax(np.abs(ajdc.backward_filters_[0]))
clean = ajdc.inverse_transform(ajdc.transform(signal[None]), supp=[blink])[0]
say("standard deviation at Fp1 without the blinks, µV", f"{clean[0].std():.4f}")
x, _ = load(commands, "two")
potato = Potato(metric="riemann", threshold=2).fit(x[:30])
before = potato.transform(x[:30])
after = []
for m in x[30:]:
    after.append(potato.transform(m[None])[0])
    if potato.predict(m[None])[0] == 1:
        potato.partial_fit(m[None], alpha=0.02)
z = np.r_[before, after]
say("potato, z-score of matrix 19", f"{z[19]:.2f}")
say("potato, z-score of matrix 38, after adapting", f"{z[38]:.2f}")
x, _ = load(commands, "blinks")
names = list(np.load(os.path.join(commands, "blinks.npz"))["channels"])
parts = [[names.index(c) for c in part.split(",")] for part in "Fp1,Fp2;F3,Fz,F4;O1,Oz,O2".split(";")]
field = PotatoField(n_potatoes=3, z_threshold=2, p_threshold=0.01).fit([x[:30, p][:, :, p] for p in parts])
z = field.transform([x[:, p][:, :, p] for p in parts])
say("potato field, z-scores of matrix 19", " ".join(f"{v:.2f}" for v in np.asarray(z)[19]))

# Evoked potentials.
train, test = load(commands, "erp-a"), load(commands, "erp-b")
train, test = [(x.reshape(len(x), 16, -1), y) for x, y in (train, test)]
xdawn = XdawnCovariances(nfilter=4, estimator="oas", xdawn_estimator="cov")
say("Xdawn, tangent space, accuracy", percent(score(make_pipeline(xdawn, TangentSpace(), LogisticRegression()), train, test)))
say("Xdawn, nearest means, accuracy", percent(score(make_pipeline(xdawn, MDM()), train, test)))
x, _ = load(commands, "ssvep/train")
ours = np.load(os.path.join(commands, "spectral.npy"))
print(f"# largest difference of a coordinate: spectral {np.abs(SpectralEmbedding(n_components=2).fit_transform(x) - ours).max():.1g}", end="")
theirs, ours = locally_linear_embedding(x, n_components=2, n_neighbors=10)[0], np.load(os.path.join(commands, "lle.npy"))
theirs *= np.sign(np.sum(theirs * ours, axis=0))
print(f", lle {np.abs(theirs - ours).max():.1g}")

# Motor imagery.
for k in ["plain", "delays", "coherence", "blocks", "hands"]:
    train, test = load(commands, k + "-a"), load(commands, k + "-b")
    say(f"{k}, nearest means, accuracy", percent(score(MDM(), train, test)))
    say(f"{k}, tangent space, accuracy", percent(score(make_pipeline(TangentSpace(), LogisticRegression()), train, test)))
for low, what in [(10, "best band"), (30, "30 to 34 Hz")]:
    say(f"{what}, class distinctiveness", f"{class_distinctiveness(*load(programs, f'bands-{low}')):.4f}")

# Steady-state potentials.
train, test = load(commands, "ssvep/train"), load(commands, "ssvep/test")
say("SSVEP, nearest means, accuracy", percent(score(MDM(), train, test)))

# Covariance estimation.
x, _ = load(programs, "estimators")
truth = np.load(os.path.join(programs, "estimators-truth.npz"))["X"][0]
for ours, theirs in [("ledoit_wolf", "lwf"), ("oas", "oas"), ("schaefer_strimmer", "sch")]:
    c = Covariances(estimator=theirs).transform(x[None, :10].transpose(0, 2, 1))[0]
    say(f"{ours}, distance from the true covariance with 10 samples", f"{distance_riemann(truth, c):.4f}")
x, _ = load(programs, "robust")
for ours, theirs in [("oas", "oas"), ("huber", "hub")]:
    say(f"{ours} with outliers, variance of channel 1", f"{Covariances(estimator=theirs).transform(x.T[None])[0, 0, 0]:.4f}")

# Images.
for name, what in [("scene", "radar"), ("hyperspectral", "hyperspectral")]:
    for metric in ["euclid", "riemann"]:
        say(f"{what} image, % of pixels in the right field, {METRICS[metric]} metric", f"{100 * matched(4, metric, *load(programs, name)):.1f}")

# Simulated matrices.
x, y = load(programs, "classifiers")
even, odd = (x[0::2], y[0::2]), (x[1::2], y[1::2])
say("nearest means (MDM), accuracy on the other half", f"{score(MDM(), even, odd):.2f}")
say("three neighbors (3-NN), accuracy on the other half", f"{score(KNearestNeighbor(n_neighbors=3), even, odd):.2f}")
for metric in ["riemann", "euclid"]:
    say(f"3-means, % of matrices in the right group, {METRICS[metric]} metric", f"{100 * matched(3, metric, *load(programs, 'clusterers')):.1f}")
x, _ = load(programs, "means")
say("Riemannian mean, first entry", f"{mean_riemann(x)[0, 0]:.4f}")
say("Euclidean median, first entry", f"{median_euclid(x, tol=1e-10, maxiter=1000)[0, 0]:.4f}")
say("Riemannian median, first entry", f"{median_riemann(x, tol=1e-10, maxiter=1000)[0, 0]:.4f}")
corners = np.array([[[0.5, 0], [0, 0.05]], [[0.5, 0], [0, 1]], [[2.7, 0.7], [0.7, 0.2]], [[2.7, -0.7], [-0.7, 0.2]]])
for metric in ["euclid", "logeuclid", "riemann"]:
    say(f"{METRICS[metric]} metric, determinant in the middle", f"{np.linalg.det(gmean(corners, metric=metric)):.4f}")
reference = mean_riemann(load(programs, "masked-0")[0])
x, _ = load(programs, "masked-2")
complete = x[~np.isnan(x).any(axis=(1, 2))]
say("masked mean, up to 2 missing channels, distance from the true mean",
    f"{distance_riemann(reference, nanmean_riemann(x, tol=1e-10, maxiter=1000)):.4f}")
say("mean of complete matrices, up to 2 missing channels, distance from the true mean",
    f"{distance_riemann(reference, mean_riemann(complete)):.4f}")
x, _ = load(programs, "gaussian")
for k, what in enumerate(["first", "second"]):
    one = x[100 * k:100 * k + 100]
    say(f"{what} group, mean squared distance from the mean", f"{np.mean([distance_riemann(m, mean_riemann(one)) ** 2 for m in one]):.4f}")
x, y = load(programs, "distinct-2")
say("accuracy of nearest means for Δ/σ = 1", f"{score(MDM(), (x[0::2], y[0::2]), (x[1::2], y[1::2])):.2f}")
say("class distinctiveness for Δ/σ = 1", f"{class_distinctiveness(x[0::2], y[0::2]):.4f}")

# Statistics.
for folder, name, what in [(programs, "evoked", "evoked potentials"), (commands, "hands-a", "hands"),
                           (programs, "frequency-10", "cospectra at 10 Hz"), (programs, "frequency-30", "cospectra at 30 Hz"),
                           (programs, "time-0", "window from 0.0 s"), (programs, "time-10", "window from 2.0 s")]:
    say(f"{what}, pseudo-F", f"{pseudo_f(*load(folder, name)):.4f}")

# Transfer.
x, y = load(commands, "P")
recording = np.load(os.path.join(commands, "P.npz"))["recording"]
for centered in [False, True]:
    moved = np.array(x)
    for r in np.unique(recording):
        if centered:
            values, vectors = np.linalg.eigh(mean_riemann(x[recording == r]))
            root = vectors / np.sqrt(values) @ vectors.T
            moved[recording == r] = root @ x[recording == r] @ root
    each = [score(MDM(), (moved[recording != r], y[recording != r]), (moved[recording == r], y[recording == r]))
            for r in np.unique(recording)]
    say(f"{'centered' if centered else 'as recorded'}, mean accuracy of three recordings", percent(np.mean(each)))


def center(x, y, domain):
    """Return the matrices of both people, centered by the mean of each person, and labels with the domain."""
    enc, labels = encode_domains(x, y.astype(str), domain)
    return TLCenter(target_domain="target").fit_transform(enc, labels), labels


x, y = load(programs, "people")
domain = np.array(["source"] * 100 + ["target"] * 100)
centered, labels = center(x, y, domain)
rotated = TLRotate(target_domain="target", metric="riemann").fit_transform(centered, labels)
for what, moved in [("as recorded", x), ("centered", centered), ("rotated", rotated)]:
    say(f"{what}, accuracy on the target", f"{score(MDM(), (moved[:100], y[:100]), (moved[100:], y[100:])):.2f}")
x, y = load(programs, "pipelines")
domain = np.array(["source"] * 200 + ["target"] * 200)
centered, labels = center(x, y, domain)
few = np.arange(200, 400) % 100 < 5
rest, own = np.arange(200, 400)[~few], np.arange(200, 400)[few]
for what, moved in [("as recorded", x), ("centered", centered)]:
    say(f"5 labels per class, {what}, accuracy", f"{score(MDM(), (moved[:200], y[:200]), (moved[rest], y[rest])):.3f}")
known = np.r_[np.arange(200), own]
enc, labels = encode_domains(centered[known], y[known].astype(str), domain[known])
mdwm = MDWM(domain_tradeoff=0.5, target_domain="target", metric="riemann").fit(enc, labels)
say("5 labels per class, weighted means, accuracy", f"{np.mean(mdwm.predict(centered[rest]).astype(int) == y[rest]):.3f}")
say("5 labels per class, labeled trials alone, accuracy", f"{score(MDM(), (x[own], y[own]), (x[rest], y[rest])):.3f}")
