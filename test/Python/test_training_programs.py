"""Programs of a step of training: how many (`--partition`), what they keep of the forward pass (`--recompute`), and that gradients are
the same in each setting. That they are right is in test_training_bundles.py."""
import json

import numpy as np
import pytest

import anetest
import lmfiles
from test_training_bundles import SCALE, step

TOKENS, BATCH = 24, 2
PARTITIONS = ["auto", "layers", "layer-sixths", "layer-tenths"]
RECOMPUTING = ["attention", "none", "all", "auto,model.layers.1.*=all,*.mlp.*=none"]


def compiled(model, bundle, *flags, tokens=TOKENS, batch=BATCH):
    """{function: row of the report}"""
    report = bundle.with_suffix(".json")
    anetest.run("ane-compile", model, "-o", bundle, "--quiet", "--train", f"--sequence={tokens}", f"--batch={batch}", "--tokenizer=none",
                f"--report={report}", "--json", *(flags if any("--target=" in flag for flag in flags) else ("--target=m4", *flags)))
    return {function["name"]: function for function in json.loads(report.read_text())["functions"]}


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """Queries that share keys, no width that is a multiple of 32, and weights of usual sizes."""
    weights = {name: array if array.ndim == 1 else array / 5 for name, array in lmfiles.tensors().items()}
    return lmfiles.write(tmp_path_factory.mktemp("model") / "m", weights=weights)


def inputs():
    ids = np.random.default_rng(3).integers(0, lmfiles.CONFIG["vocab_size"], (BATCH, TOKENS + 1))
    target = ids[:, 1:].astype(np.int64)
    target[0, 3] = -100
    return {"input_ids": ids[:, :-1].astype(np.int32), "target": target}


@pytest.fixture(scope="module")
def expected(model, tmp_path_factory):
    """What the CPU computes of programs as they are made without flags."""
    bundle = tmp_path_factory.mktemp("expected") / "m.anebundle"
    compiled(model, bundle)
    return step(bundle, "cpu", inputs())


@pytest.mark.parametrize("flag", [*(f"--partition={word}" for word in PARTITIONS), *(f"--recompute={word}" for word in RECOMPUTING), "--weight-gradients=cpu"])
def test_gradients(model, expected, flag, tmp_path):
    """The same numbers whatever the programs are: on the CPU but for the order of sums, on the emulator but for 16 bits."""
    bundle = tmp_path / "m.anebundle"
    compiled(model, bundle, flag)
    for device, most in (("cpu", 1e-5), ("emulator", 2e-2)):
        found = step(bundle, device, inputs())
        assert set(found) == set(expected)
        for key, want in expected.items():
            got = found[key].astype(np.float64) / (1 if key in ("loss", "loss_share") else SCALE[device])
            assert np.linalg.norm(got - want) <= most * np.linalg.norm(want), f"{device}: {key}"


def test_wide_head(tmp_path):
    """More tokens than an axis of M1's engine may have: the head's three products run there in parts, and give what one product gives."""
    sizes = {**lmfiles.CONFIG, "vocab_size": 20000, "num_hidden_layers": 1}
    model = lmfiles.write(tmp_path / "m", sizes, {name: array if array.ndim == 1 else array / 5 for name, array in wide_tensors(sizes).items()})
    whole, parts = compiled(model, tmp_path / "m4.anebundle"), compiled(model, tmp_path / "m1.anebundle", "--target=m1")
    assert whole["train"]["engine_share"] > 0.9 and parts["train"]["engine_share"] > 0.5  # not the loss
    ids = np.random.default_rng(4).integers(0, 20000, (BATCH, TOKENS + 1))
    values = {"input_ids": ids[:, :-1].astype(np.int32), "target": ids[:, 1:].astype(np.int64)}
    want = step(tmp_path / "m4.anebundle", "cpu", values)
    for device, most in (("cpu", 1e-5), ("emulator", 2e-2)):
        for key, got in step(tmp_path / "m1.anebundle", device, values).items():
            got = got.astype(np.float64) / (1 if key in ("loss", "loss_share") else SCALE[device])
            assert np.linalg.norm(got - want[key]) <= most * np.linalg.norm(want[key]), f"{device}: {key}"


def wide_tensors(sizes):
    tensors = {name: array for name, array in lmfiles.tensors().items() if ".layers.1." not in name}
    embedding = np.random.default_rng(6).standard_normal((sizes["vocab_size"], sizes["hidden_size"])).astype(np.float32)
    return tensors | {"model.embed_tokens.weight": embedding}


@pytest.fixture(scope="module")
def stories(tmp_path_factory):
    return lmfiles.write_llama(tmp_path_factory.mktemp("stories") / "m", **lmfiles.STORIES110M)


@pytest.mark.parametrize("chip", ["m1", "m4", "m5"])
@pytest.mark.parametrize("strictness", ["evidence", "catalog"])
def test_evaluations(stories, strictness, chip, tmp_path):
    """At most 24 of Stories110M with 256 tokens, of which no product is on the CPU."""
    train = compiled(stories, tmp_path / "m.anebundle", "--host=none", f"--strictness={strictness}", f"--target={chip}", tokens=256, batch=1)["train"]
    assert train["evaluations_per_inference"] <= 24 and train["engine_share"] > 0.999, train


@pytest.fixture(scope="module")
def wide(tmp_path_factory):
    """Of matrices that have more elements than the rows that meet them."""
    sizes = {**lmfiles.STORIES110M, "vocab_size": 512, "hidden_size": 192, "intermediate_size": 256, "num_hidden_layers": 2, "max_position_embeddings": 64}
    return lmfiles.write_llama(tmp_path_factory.mktemp("wide") / "m", **sizes)


@pytest.mark.parametrize("chip, tokens, where, hosted", [("m4", 12, "auto", True), ("m4", 64, "auto", False), ("m5", 12, "auto", False), ("m4", 12, "engine", False),
                                                         ("m4", 64, "cpu", True)])
def test_gradients_of_weights(wide, chip, tokens, where, hosted, tmp_path):
    """Of few rows the CPU has them where its speed is published, and asked for; no program is cut for it, and all of a layer's are there."""
    flags = f"--weight-gradients={where}", f"--target={chip}", "--host=none"
    train = compiled(wide, tmp_path / "m.anebundle", *flags, tokens=tokens, batch=1)["train"]
    report = json.loads((tmp_path / "m.json").read_text())
    found = [op for op in anetest.host_ops(report) if op["constraint"] == "cost" and op["op"] == "matmul"]
    assert len(found) == (1 + 7 * 2 if hosted else 0), found  # of the head, and of two layers
    reason = "(--weight-gradients=cpu)" if where == "cpu" else "by speeds published of h16"
    assert all(reason in op["reason"] for op in found)
    engine = compiled(wide, tmp_path / "e.anebundle", "--weight-gradients=engine", *flags[1:], tokens=tokens, batch=1)["train"]
    assert train["evaluations_per_inference"] <= engine["evaluations_per_inference"]


@pytest.fixture(scope="module")
def deep(tmp_path_factory):
    """As many layers as Stories110M has, of small weights."""
    sizes = {**lmfiles.STORIES110M, "vocab_size": 512, "hidden_size": 192, "intermediate_size": 256, "max_position_embeddings": 64}
    return lmfiles.write_llama(tmp_path_factory.mktemp("deep") / "m", **sizes)


@pytest.mark.parametrize("recompute", ["auto", "all"])
def test_layers(deep, recompute, tmp_path):
    """No program has two layers: two for each, forward and back, and some of the loss."""
    train = compiled(deep, tmp_path / "m.anebundle", "--host=none", "--partition=layers", f"--recompute={recompute}", tokens=64, batch=1)["train"]
    assert 24 <= train["evaluations_per_inference"] <= 24 + 6


@pytest.mark.parametrize("partition, forward, both", [("layer-sixths", 2, 6), ("layer-tenths", 3, 10)])
def test_partitions_of_others(deep, partition, forward, both, tmp_path):
    """As many programs of a layer as Orion and maderix/ANE have, and none of what is not in a layer."""
    functions = compiled(deep, tmp_path / "m.anebundle", "--host=none", f"--partition={partition}", tokens=64, batch=1)
    assert functions["evaluate"]["evaluations_per_inference"] == 12 * forward
    assert functions["train"]["evaluations_per_inference"] == 12 * both


def test_memory(deep, tmp_path):
    """What is computed anew is not kept. Words decide it, and automatically nothing is computed anew that takes longer than to keep it: no products but those
    of attention."""
    found = {how: compiled(deep, tmp_path / f"{how}.anebundle", "--host=none", f"--recompute={how}", tokens=64, batch=1)["train"]
             for how in ("none", "attention", "auto", "all")}
    kept = [row["kept_bytes"] for row in found.values()]
    assert kept == sorted(kept, reverse=True) and len(set(kept)) == 4, kept
    assert found["none"]["recomputed_flops"] == 0
    products = 2 * 64 * (3 * 192 * 192 + 2 * 192 * 256) * 12  # all but those that residual sums take
    assert found["all"]["recomputed_flops"] > products > found["auto"]["recomputed_flops"] > 0
    # Two residual sums of a layer, and what the loss keeps of 512 logits.
    assert 2 * 64 * 192 * 2 * 12 <= found["all"]["kept_bytes"] < 2 * 64 * (192 * (2 * 12 + 3) + 2 * 512)


def test_wrong_words(tmp_path, model):
    compile_ = ["ane-compile", model, "-o", tmp_path / "o", "--tokenizer=none"]
    anetest.rejected(*compile_, "--train", "--recompute=some", says=["--recompute=some", "auto, attention, none and all"], code=2)
    anetest.rejected(*compile_, "--train", "--recompute=[=none", says="--recompute=[", code=2)
    anetest.rejected(*compile_, "--recompute=none", says="add --train", code=2)
    anetest.rejected(*compile_, "--partition=layer-sixths", says="add --train", code=2)
    anetest.rejected(*compile_, "--train", "--sequence=8", "--recompute=model.layers.9.*=none", says="no node of the model has such a name", code=1)
