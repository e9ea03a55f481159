"""Small models from seeds on both devices, against ONNX Runtime and the fp16 oracle."""
import numpy as np
import onnx
import pytest
from onnx import numpy_helper

import anetest
import fp16_oracle
import models

MODELS = {
    "mlp": lambda seed: models.mlp(seed),
    "mlp-odd": lambda seed: models.mlp(seed, batch=3, widths=(17, 33, 5)),
    "encoder": lambda seed: models.encoder(seed, sequence=32, width=64, heads=4),
    "encoder-s20-w48-h3": lambda seed: models.encoder(seed, sequence=20, width=48, heads=3),
    "encoder-s33-w48-h3": lambda seed: models.encoder(seed, sequence=33, width=48, heads=3),
    "encoder-s1": lambda seed: models.encoder(seed, sequence=1, width=32, heads=2),
    "encoder-two-layers": lambda seed: models.encoder(seed, sequence=24, width=96, heads=3, layers=2),
    "decoder": lambda seed: models.decoder(seed),
    "decoder-s33-w48-h3": lambda seed: models.decoder(seed, sequence=33, width=48, heads=3, layers=1),
    "cnn": lambda seed: models.cnn(seed),
    "cnn-odd": lambda seed: models.cnn(seed, size=23, channels=(3, 7, 11)),
}
SEEDS = [1, pytest.param(2, marks=pytest.mark.slow), pytest.param(3, marks=pytest.mark.slow)]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", MODELS)
def test_model(tmp_path, name, seed):
    made = MODELS[name](seed)
    onnx.save(made.model, tmp_path / "m.onnx")
    bundle = tmp_path / "m.anebundle"
    anetest.compile_model(tmp_path / "m.onnx", bundle, "--cpu-weights=source")
    oracle = fp16_oracle.build(made.model)
    for draw in range(2):
        inputs = made.inputs(draw)
        want = anetest.reference(made.model, inputs)
        anetest.check_cpu(anetest.run_bundle(bundle, inputs, want, tmp_path / f"cpu{draw}", "cpu"), want)
        got = anetest.run_bundle(bundle, inputs, want, tmp_path / f"emulator{draw}", "emulator")
        anetest.check_engine(got, want, anetest.reference(oracle, inputs), limit=1e-2, factor=3.0)


# Over one token, softmax is 1 whatever the query.
@pytest.mark.parametrize("name", sorted(set(MODELS) - {"encoder-s1"}))
def test_parameters_matter(name):
    """Each parameter changes the output: none of them is where a mistake would not show."""
    model = MODELS[name](1).model
    inputs = MODELS[name](1).inputs(0)
    want = anetest.reference(model, inputs)
    for index, tensor in enumerate(model.graph.initializer):
        array = numpy_helper.to_array(tensor)
        if array.dtype != np.float32 or array.ndim != 1 or tensor.name.startswith("key"):
            continue
        neutral = onnx.ModelProto()
        neutral.CopyFrom(model)
        neutral.graph.initializer[index].CopyFrom(numpy_helper.from_array(np.zeros_like(array), tensor.name))
        got = anetest.reference(neutral, inputs)
        assert any(np.abs(got[k] - want[k]).max() > 1e-3 * np.abs(want[k]).max() for k in want), tensor.name
