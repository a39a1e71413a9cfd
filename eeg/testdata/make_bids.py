# Writes the BIDS folder beside it with MNE-BIDS 0.20 and MNE 1.13, and golden.json with what they read from it;
# run with python3 make.py.
import json, os, shutil
import numpy as np
import mne
from mne_bids import BIDSPath, write_raw_bids, read_raw_bids

mne.set_log_level("error")
root = "bids"
shutil.rmtree(root, ignore_errors=True)
rng = np.random.default_rng(4)
gold = {}
for sub, ses, run, bad in [("01", "a", "1", ["C4"]), ("01", "a", "2", []), ("02", "a", "1", ["Fz"])]:
    info = mne.create_info(["Fz", "C3", "C4", "EOG"], 100.0, ["eeg", "eeg", "eeg", "eog"])
    raw = mne.io.RawArray(np.round(rng.normal(size=(4, 200)) * 50) * 1e-7, info)
    raw.info["line_freq"] = 50
    raw.info["bads"] = bad
    raw.set_annotations(mne.Annotations([0.2, 0.7, 1.2], [0, 0.1, 0], ["left", "right", "left"]))
    path = BIDSPath(subject=sub, session=ses, task="hands", run=run, root=root, datatype="eeg")
    write_raw_bids(raw, path, format="BrainVision", allow_preload=True, overwrite=True, verbose="error", event_id={"left": 11, "right": 12})
    r = read_raw_bids(path, verbose="error")
    r.load_data()
    ev, ids = mne.events_from_annotations(r, event_id={"left": 11, "right": 12})
    gold[f"{sub} {ses} {run}"] = dict(names=r.ch_names, types=r.get_channel_types(), bads=r.info["bads"], rate=r.info["sfreq"],
                                      events=[[int(s), int(c)] for s, _, c in ev], first=(r.get_data()[:, :3] * 1e6).T.ravel().tolist())
json.dump(gold, open("bids_golden.json", "w"))
for name in ("README", "dataset_description.json", "participants.tsv", "participants.json"):
    if os.path.exists(f"{root}/{name}"):
        os.remove(f"{root}/{name}")
os.system(f"find {root} -name '*.json' -delete; find {root} -name '*scans.tsv' -delete")
