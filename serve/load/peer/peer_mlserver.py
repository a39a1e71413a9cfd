# The model of peer_model.py behind MLServer, which takes JSON alone.
from mlserver import MLModel
from mlserver.codecs import NumpyCodec, StringCodec
from mlserver.types import InferenceRequest, InferenceResponse

from peer_model import model


class Peer(MLModel):
    async def load(self) -> bool:
        return True

    async def predict(self, payload: InferenceRequest) -> InferenceResponse:
        posterior = model.predict_proba(NumpyCodec.decode_input(payload.inputs[0]))
        labels = [str(v) for v in model.classes_[posterior.argmax(1)]]
        return InferenceResponse(
            model_name=self.name,
            outputs=[StringCodec.encode_output("label", labels), NumpyCodec.encode_output("posterior", posterior)],
        )
