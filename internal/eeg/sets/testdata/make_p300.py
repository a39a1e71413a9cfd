"""Makes p300.mat and ssvep_raw.fif: small files in the layouts of BNCI 009-2014 and of Kalunga 2016, and what MOABB
reads of them, p300.json and ssvep.json. SciPy 1.x, MNE 1.x, MOABB 1.7.2."""

import json

import mne
import numpy as np
from moabb.datasets.bnci.base import _convert_run_p300_sl
from scipy.io import savemat

rng = np.random.default_rng(4)
names = ["Fz", "Cz", "Pz", "Oz"]
runs = []
for session in range(2):
    samples, flash = 256 * 14, 64
    x = rng.integers(-40, 41, (samples, 4)).astype(float)
    y, stim = np.zeros((samples, 1)), np.zeros((samples, 1))
    for k in range(40):  # a flash of 32 samples every 64
        at, target = 128 + flash * k, k % 6 == session
        y[at : at + 32] = 2 if target else 1
        stim[at : at + 32] = k % 12 + 1
        if target:
            x[at + 70 : at + 90, 2] += 60
    # trial: where each character begins, as in the published files
    runs.append({"X": x, "y": y, "y_stim": stim, "trial": np.array([[129, 129 + 20 * flash]], dtype=np.uint32),
                 "channels": np.array([names], dtype=object),
                 "classes": np.array([["NonTarget", "Target"]], dtype=object),
                 "classes_stim": np.array([[f"F{i}" for i in range(12)]], dtype=object)})
data = np.empty((1, 2), dtype=object)
data[0, 0], data[0, 1] = runs
savemat("p300.mat", {"data": data}, do_compression=True)


class Run:
    pass


said = []
for r in runs:
    run = Run()
    run.X, run.y, run.y_stim, run.channels = r["X"], r["y"].copy(), r["y_stim"].copy(), names
    run.classes, run.classes_stim = ["NonTarget", "Target"], [f"F{i}" for i in range(12)]
    raw, _ = _convert_run_p300_sl(run, verbose="ERROR")
    raw._data[:4] /= 10
    events = mne.find_events(raw, stim_channel="Target stim", shortest_event=0, verbose="ERROR")
    raw.filter(1, 24, method="iir", picks="eeg", verbose="ERROR")
    epochs = mne.Epochs(raw, events, {"Target": 2, "NonTarget": 1}, 0, 0.8, baseline=None, preload=True, picks="eeg",
                        verbose="ERROR")
    said.append({"samples": events[:, 0].tolist(), "codes": events[:, 2].tolist(), "trials": len(epochs),
                 "length": epochs.get_data().shape[2], "first": epochs.get_data()[25, 2, ::20].tolist()})
json.dump(said, open("p300.json", "w"))

# a stimulus channel with the codes of Kalunga 2016, 9 s apart
codes = [1, 2, 3, 4]
data = 1e-6 * rng.integers(-40, 41, (3, 256 * 38)).astype(float)
data[2] = 0
for k, code in enumerate(codes):
    at = 256 * (2 + 9 * k)
    data[2, at : at + 20] = code
    hertz = {1: 0, 2: 13, 3: 21, 4: 17}[code]
    data[0, at : at + 256 * 5] += 2e-5 * np.sin(2 * np.pi * hertz * np.arange(256 * 5) / 256)
info = mne.create_info(["Oz", "O1", "stim"], 256.0, ["eeg"] * 2 + ["stim"])
mne.io.RawArray(data, info).save("ssvep_raw.fif", overwrite=True)
raw = mne.io.read_raw_fif("ssvep_raw.fif", preload=True)
events = mne.find_events(raw, shortest_event=0)
said = {"samples": events[:, 0].tolist(), "codes": events[:, 2].tolist(), "covariance": []}
for f in (13, 17, 21):
    band = raw.copy().filter(f - 0.5, f + 0.5, method="iir", picks="eeg", verbose="ERROR")
    epochs = mne.Epochs(band, events, {"13": 2, "17": 4, "21": 3, "rest": 1}, 2, 4, baseline=None, preload=True,
                        picks="eeg", verbose="ERROR")
    x = epochs.get_data()
    said["trials"], said["length"] = len(x), x.shape[2]
    said["covariance"].append([np.var(t[0], ddof=1) for t in x])
json.dump(said, open("ssvep.json", "w"))
