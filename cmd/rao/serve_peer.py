# The model that rao bench serve serves, in scikit-learn behind FastAPI: the same requests of
# the Open Inference Protocol in, JSON or binary, label and posterior out.
import json
import os

import numpy as np
from fastapi import FastAPI, Request, Response
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
app = FastAPI()


@app.get("/v2/health/ready")
def ready():
    return {"ready": True}


@app.post("/v2/models/model/infer")
async def infer(request: Request):
    body = await request.body()
    head = int(request.headers.get("inference-header-content-length", len(body)))
    asked = json.loads(body[:head])
    given = asked["inputs"][0]
    values = np.frombuffer(body, "<f8", offset=head) if head < len(body) else np.array(given["data"], float)
    posterior = model.predict_proba(values.reshape(given["shape"]))
    labels = [str(v) for v in model.classes_[posterior.argmax(1)]]
    outputs = [{"name": "label", "datatype": "BYTES", "shape": [len(labels)]},
               {"name": "posterior", "datatype": "FP64", "shape": list(posterior.shape)}]
    answer = {"model_name": "model", "outputs": outputs}
    if not asked.get("parameters", {}).get("binary_data_output"):
        outputs[0]["data"], outputs[1]["data"] = labels, posterior.ravel().tolist()
        return answer
    tails = [b"".join(len(v).to_bytes(4, "little") + v.encode() for v in labels), posterior.tobytes()]
    for o, t in zip(outputs, tails):
        o["parameters"] = {"binary_data_size": len(t)}
    text = json.dumps(answer).encode()
    return Response(text + b"".join(tails), media_type="application/octet-stream",
                    headers={"Inference-Header-Content-Length": str(len(text))})
