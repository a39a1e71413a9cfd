# Writes the files beside it with MNE 1.13, and golden.json with what MNE reads from them; run with python3 make.py.
import json, datetime
import numpy as np
import mne
from mne.io import base

mne.set_log_level("error")
rng = np.random.default_rng(2)
names, rate, n = ["Fz", "C3", "C4 with a long name", "EOG", "STI 014"], 128.0, 120
info = mne.create_info(names, rate, ["eeg", "eeg", "eeg", "eog", "stim"])
x = rng.normal(size=(5, n)) * 20e-6
x[4] = 0
x[4, 10:14], x[4, 30:33], x[4, 33:36], x[4, 70:75] = 1, 2, 3, 1
raw = mne.io.RawArray(x, info, first_samp=50)
raw.set_meas_date(datetime.datetime(2024, 1, 2, tzinfo=datetime.timezone.utc))
raw.info["bads"] = ["C4 with a long name"]
raw.set_montage(mne.channels.make_dig_montage({"Fz": [0, 0.07, 0.06], "C3": [-0.06, 0, 0.06], "C4 with a long name": [0.06, 0, 0.06]}, coord_frame="head"))
raw.set_annotations(mne.Annotations([20 / rate, 40.3 / rate], [0, 5 / rate], ["go:left", "7"]))
raw.save("single_raw.fif", overwrite=True, buffer_size_sec=0.25, fmt="single")
raw.save("short_raw.fif.gz", overwrite=True, buffer_size_sec=0.25, fmt="short")

# Parts of a split recording have 2 MB or more; a smaller bound makes files for a test.
_get = base._get_split_size
base._get_split_size = lambda s: 2**20 + 6000
try:
    raw.copy().save("split_raw.fif", overwrite=True, buffer_size_sec=0.125, fmt="double", split_size="2MB")
finally:
    base._get_split_size = _get

ev = np.array([[60, 0, 1], [90, 0, 2], [110, 0, 1], [140, 0, 2]])
ep = mne.Epochs(raw, ev, {"left/hand": 1, "feet": 2}, -4 / rate, 10 / rate, baseline=None, preload=True, picks=["Fz", "C3", "EOG"])
ep.save("some-epo.fif", overwrite=True, fmt="double")

def raw_gold(f):
    r = mne.io.read_raw_fif(f, preload=True)
    a, ids = mne.events_from_annotations(r)
    back = {v: k for k, v in ids.items()}
    events = [[int(s - r.first_samp), 0, back[c]] for s, _, c in a] + [[int(s - r.first_samp), int(c), ""] for s, _, c in mne.find_events(r, shortest_event=1)]
    return dict(names=r.ch_names, rate=r.info["sfreq"], bads=r.info["bads"], types=r.get_channel_types(), data=r.get_data().T.ravel().tolist(),
                events=sorted(events), c3=r.info["chs"][1]["loc"][:3].tolist())

gold = {f: raw_gold(f) for f in ("single_raw.fif", "short_raw.fif.gz", "split_raw.fif")}
e = mne.read_epochs("some-epo.fif")
gold["some-epo.fif"] = dict(names=e.ch_names, rate=e.info["sfreq"], bads=e.info["bads"], types=e.get_channel_types(),
                            data=e.get_data().transpose(0, 2, 1).ravel().tolist(), c3=e.info["chs"][1]["loc"][:3].tolist(),
                            events=[[15 * k + 4, int(c), {1: "left/hand", 2: "feet"}[c]] for k, c in enumerate(e.events[:, 2])])
json.dump(gold, open("golden.json", "w"))
