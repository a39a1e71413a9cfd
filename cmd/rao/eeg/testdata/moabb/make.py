"""Recordings of MOABB's simulated set and MOABB's scores of them: python3 make.py, in this folder (MOABB 1.7.2)."""

import json
import os
import tempfile
import warnings

import mne
import moabb
import numpy as np
from moabb.datasets.fake import FakeDataset
from moabb.evaluations import CrossSessionEvaluation, CrossSubjectEvaluation
from moabb.paradigms import MotorImagery
from pyriemann.classification import MDM
from pyriemann.estimation import Covariances
from sklearn.pipeline import make_pipeline

os.environ["MNE_DATA"] = os.environ["MOABB_RESULTS"] = tempfile.mkdtemp()
warnings.filterwarnings("ignore")
mne.set_log_level("ERROR")
moabb.set_log_level("ERROR")


class Rounded(FakeDataset):
    """A simulated set whose values a file of single precision holds."""

    def _generate_raw(self, n_events, duration):
        raw = super()._generate_raw(n_events, duration)
        raw._data = raw._data.astype(np.float32).astype(np.float64)
        return raw


data = Rounded(n_sessions=2, n_runs=1, n_subjects=2, seed=1, sfreq=96, duration=20, n_events=18, stim=False,
               annotations=True)
for subject, sessions in data.get_data().items():
    for session, runs in sessions.items():
        runs["0"].save(f"s{subject}_{session}_raw.fif", overwrite=True)
golden = []
for events in [["fake1", "fake2"], ["fake1", "fake2", "fake3"]]:
    paradigm = MotorImagery(n_classes=len(events), events=events, fmin=8, fmax=32)
    X = paradigm.get_data(data)[0]
    for name, evaluation in [("cross-session", CrossSessionEvaluation), ("cross-subject", CrossSubjectEvaluation)]:
        found = evaluation(paradigm, [data], overwrite=True).process({"mdm": make_pipeline(Covariances("oas"), MDM())})
        found = found.sort_values(["subject", "session"])
        golden.append({"evaluation": name, "events": events, "measure": paradigm.scoring, "shape": list(X.shape),
                       "scores": [[str(r.subject), str(r.session), float(r.score)] for r in found.itertuples()]})
with open("scores.json", "w") as f:
    json.dump(golden, f)
