# The model that the load program serves, in scikit-learn.
import json
import os

import numpy as np
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

with open(os.environ["RAO_PEER"]) as f:
    given = json.load(f)
filters, offset = np.array(given["filters"]), np.array(given["offset"])
qda = QuadraticDiscriminantAnalysis()
qda.classes_, qda.priors_, qda.means_ = np.array(given["classes"]), np.array(given["priors"]), np.array(given["means"])
qda.scalings_, qda.rotations_ = zip(*(np.linalg.eigh(np.reshape(c, (len(offset), -1))) for c in given["covariances"]))
qda.n_features_in_ = filters.shape[1]
model = make_pipeline(FunctionTransformer(lambda x: x @ filters + offset), qda)
