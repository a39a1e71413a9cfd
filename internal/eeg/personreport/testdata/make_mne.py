"""Writes mne.json: a recording of small whole numbers, and what MNE 1.x computes from it: the spectra, the change of
power around the events, and the mean trials."""

import json

import mne
import numpy as np
from mne.baseline import rescale

rng = np.random.default_rng(7)
names, rate, seconds = ["C3", "Cz", "C4"], 100, 48
t = np.arange(rate * seconds) / rate
data = np.cumsum(rng.integers(-2, 3, (3, len(t))), 1) * 0.2 + rng.integers(-5, 6, (3, len(t)))
data[0] += 6 * np.sin(2 * np.pi * 10 * t) * (t % 4 < 2)
data = np.round(data).astype(int)
onsets = np.arange(2 * rate, rate * (seconds - 3), 4 * rate)
codes = 1 + np.arange(len(onsets)) % 2
info = mne.create_info(names, rate, "eeg")
raw = mne.io.RawArray(data.astype(float), info, verbose="error")
events = np.stack([onsets, np.zeros_like(onsets), codes], 1)

density, hertz = mne.time_frequency.psd_array_welch(raw.get_data(), rate, 0, rate / 2, n_fft=2 * rate, n_per_seg=2 * rate,
                                                    n_overlap=rate, window="hann", average="mean", verbose="error")

# Power in windows of half a second around each time, mean over the trials of a class, relative to the second before.
window, step, stop = rate // 2, rate // 10, 2.0
centers = np.arange(-1 + 0.25, stop - 0.25 + 1e-9, 0.1)
change = []
for code in (1, 2):
    power = []
    for c in centers:
        pieces = np.stack([raw.get_data()[:, a : a + window] for a in onsets[codes == code] + np.round((c - 0.25) * rate).astype(int)])
        p, f = mne.time_frequency.psd_array_welch(pieces, rate, 0, rate / 2, n_fft=window, n_per_seg=window, n_overlap=0,
                                                  window="hann", verbose="error")
        power.append(p.mean(0))
    power = np.moveaxis(np.array(power), 0, -1)  # channels × frequencies × times
    keep = (f >= 4) & (f <= 40)
    change.append(rescale(power, centers, (None, -0.25 + 1e-9), mode="percent", verbose="error")[:, keep])

epochs = mne.Epochs(raw, events, {"a": 1, "b": 2}, 0, 1.49, baseline=None, preload=True, verbose="error")
json.dump({"data": data.T.tolist(), "onsets": onsets.tolist(), "codes": codes.tolist(), "hertz": hertz.tolist(),
           "density": density.tolist(), "change": np.array(change).tolist(), "change_hertz": f[keep].tolist(),
           "mean": [epochs[k].average().data.tolist() for k in ("a", "b")], "trials": [len(epochs["a"]), len(epochs["b"])]},
          open("mne.json", "w"))
