# Writes epochs.npz beside it: epochs, and their covariances by pyRiemann 0.12 and scipy 1.17; run with python3 make_epochs.py.
import numpy as np
from scipy import signal
from pyriemann.estimation import Covariances

rng = np.random.default_rng(7)
x = rng.normal(size=(6, 3, 80)).cumsum(axis=2) * 1e-6
y = signal.sosfiltfilt(signal.butter(4, [8, 24], "bandpass", fs=100, output="sos"), x, axis=2)
np.savez("epochs.npz", X=x, y=np.array(["left", "right"] * 3), sfreq=100.0, channels=np.array(["C3", "Cz", "C4"]), subject=np.array([1, 1, 1, 2, 2, 2]),
         oas=Covariances("oas").fit_transform(x), filtered=Covariances("cov").fit_transform(y[:, :, 10:60]), note=np.array(["of all"]))
