"""Gradients of a bundle beside PyTorch's, parameter by parameter: zoo.gradients gives what to expect. Other oracles have no gradients in
double, and those in fp32 stand for them."""
import numpy as np

import anetest
import trainlib

# Of the cosine between gradients of a parameter. The emulator's are of fp16.
LEAST = {"cpu": 0.99999, "emulator": 0.999}
LENGTH = {"cpu": 1e-3, "emulator": 2e-2}  # a factor would not show in the angle
# Of the norm of all gradients together, in double: a parameter below (a bias of keys, which softmax takes out) is rounding, and its error is held to ABSOLUTE of
# that norm: a sixth, and a fiftieth, of what fp32 and fp16 round a number by, as the terms that cancel are a part of all.
VANISHING = 1e-7
ABSOLUTE = {"cpu": 1e-8, "emulator": 1e-5}
# Of what PyTorch is off by when it rounds values to fp16: of all gradients together, and of one parameter, where it is chance which values are rounded across a step.
WHOLE, FACTOR = 1.25, 3.0
SKIPPED = 20  # steps at most until the loss scale fits


def step(bundle, device, values, weights={}, **options):
    """With `weights` instead of what parameters begin with: loss and {parameter: gradient} of the first step whose gradients are finite under a dynamic loss scale, with the scale."""
    with trainlib.Trainer(bundle, device=device, learning_rate=1e-3, **options) as trainer:
        for name, value in weights.items():
            trainer.set_weight(name, value)
        for _ in range(SKIPPED):
            trainer.feed(values)
            trainer.backward()
            report = trainer.update()
            if not report.skipped:
                break
        assert not report.skipped, report.skipped
        assert not trainer.events(), trainer.events()
        assert report.loss_scale == 1 if device == "cpu" else report.loss_scale > 1
        return report.loss, {name: trainer.gradient(name) for name in trainer.parameters}, report.loss_scale


def check(device, found, want, length=None):
    """`found` is what step() gives. Where fp16 can't hold the limits, as what is rounded falls on the other side of a step, `want` has the gradients of
    PyTorch with values rounded to fp16 ("half.NAME"): the emulator's may be off by WHOLE and FACTOR times as much."""
    loss, gradients, scale = found
    assert abs(loss - want["loss"]) < (1e-5 if device == "cpu" else 1e-2) * abs(want["loss"])
    kind = "double." if any(key.startswith("double.") for key in want) else "grad."
    exact = {key.removeprefix(kind): array.astype(np.float64) for key, array in want.items() if key.startswith(kind)}
    assert exact and set(gradients) == set(exact)
    whole = np.sqrt(sum(np.vdot(array, array) for array in exact.values()))
    rounding = {key: np.linalg.norm(want[f"half.{key}"] - array) / np.linalg.norm(array) for key, array in exact.items() if f"half.{key}" in want}
    typical = np.median(list(rounding.values())) if rounding else 0  # a parameter's own may be small by luck
    wrong, cosines, vanishing, loose = [], {}, {}, []
    if device == "emulator" and rounding:
        off, by_rounding = (np.sqrt(sum(np.linalg.norm(other(key) - array) ** 2 for key, array in exact.items()))
                            for other in (gradients.get, lambda key: want[f"half.{key}"]))
        print(f"all gradients are off by {off / whole:.4f} of their norm, {by_rounding / whole:.4f} by rounding alone")
        assert off < WHOLE * by_rounding
    for key, array in exact.items():
        got = gradients[key].astype(np.float64)
        if np.linalg.norm(array) < VANISHING * whole:
            vanishing[key] = np.linalg.norm(got - array) / whole
            if not vanishing[key] < ABSOLUTE[device]:
                wrong.append(f"{key}: off by {vanishing[key]:.2e} of all gradients' norm")
            continue
        share = np.linalg.norm(array) / whole
        if device == "emulator" and key in rounding:
            off = np.linalg.norm(got - array) / np.linalg.norm(array) / max(rounding[key], typical)
            if off < FACTOR:
                loose.append(off)
                cosines[key] = anetest.Error(got, array).cosine
                continue
        # PyTorch's in fp32, and in double.
        for reference in (want[f"grad.{key}"], array):
            error = anetest.Error(got, reference)
            cosines[key] = min(error.cosine, cosines.get(key, 1.0))
            ratio = np.linalg.norm(got) / np.linalg.norm(reference)
            if not (error.cosine > LEAST[device] and abs(ratio - 1) < (length or LENGTH[device])):
                wrong.append(f"{key}: {error}, {share:.1e} of all gradients' norm, length {ratio:.5f}")
                break
    lowest = min(cosines, key=cosines.get)
    print(f"{device}: lowest cosine of {len(cosines)} parameters {cosines[lowest]:.9f} ({lowest}, {np.linalg.norm(exact[lowest]) / whole:.1e} of all), scale {scale}; "
          f"{len(vanishing)} vanish, off by at most {max(vanishing.values(), default=0):.1e} of all; "
          f"{len(loose)} are off by at most {max(loose, default=0):.2f} times what rounding alone makes")
    assert not wrong, "\n".join(wrong)
