# The model of peer_model.py behind FastAPI: the same requests of the Open Inference Protocol
# in, JSON or binary, label and posterior out.
import json

import numpy as np
from fastapi import FastAPI, Request, Response

from peer_model import model

app = FastAPI()


@app.get("/v2/models/model/ready")
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
