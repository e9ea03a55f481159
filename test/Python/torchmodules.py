"""PyTorch's own database of modules, each trained for a step beside PyTorch's autograd, and the committed page of what does not agree.

  .venv-models/bin/python test/Python/torchmodules.py            runs all and writes docs/generated/torch-modules.md (some minutes)
  .venv-models/bin/python test/Python/torchmodules.py PATTERN    runs those whose names match; the others stay as the page has them

A module stands in a probe, which is trained in its place: floats that the module takes are parameters, so that gradients by inputs are seen, and
the loss is the sum of all outputs times parameters of their shapes, so that gradients by these are the outputs.
"""
import copy
import os
import re
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor
from functools import lru_cache
from pathlib import Path

import numpy as np
import torch
from torch.testing._internal.common_modules import module_db
from torch.utils import _pytree

import anetest
import frontend  # finds the package
import pagetable

import anemone

PAGE = frontend.ROOT / "docs" / "generated" / "torch-modules.md"
MOST = 4  # of the inputs that the database has for a module, spread over all of them
LIMIT = 2e-5  # of the largest entry of a gradient or output
NOT_DIFFERENTIABLE = {"nn.SoftMarginLoss": (1,)}  # arguments by which PyTorch has no gradient
NOTHING = "makes no float: there is nothing to train"
PASS, EXPORT, OTHER = "passes", "PyTorch can't export it: ", "PyTorch exports "


class Probe(torch.nn.Module):
    """`leaves`: what the module is called with, as `tree` has it; those in `fixed` are constants, although they are floats."""

    def __init__(self, module, leaves, tree, fixed=()):
        super().__init__()
        self.module, self.tree = module, tree
        self.leaves = [None if isinstance(leaf, torch.Tensor) else leaf for leaf in leaves]
        floats = {str(i): leaf for i, leaf in enumerate(leaves)
                  if isinstance(leaf, torch.Tensor) and leaf.is_floating_point() and i not in fixed}
        self.inputs = torch.nn.ParameterDict({i: leaf.detach().clone() for i, leaf in floats.items()})
        for i, leaf in enumerate(leaves):
            if isinstance(leaf, torch.Tensor) and str(i) not in floats:
                self.register_buffer(f"constant{i}", leaf)
        with torch.no_grad():
            made = self.made()
        self.outputs = torch.nn.ParameterList(torch.randn(value.shape) for value in made)

    def made(self):
        """The floats that the module makes."""
        leaves = [self.inputs[str(i)] if str(i) in self.inputs else getattr(self, f"constant{i}", leaf) for i, leaf in enumerate(self.leaves)]
        args, kwargs = _pytree.tree_unflatten(leaves, self.tree)
        return [value for value in _pytree.tree_leaves(self.module(*args, **kwargs)) if isinstance(value, torch.Tensor) and value.is_floating_point()]

    def forward(self, one):
        """`one` [1, 1]: a step needs data."""
        return {"loss": (one * sum((value * weight).sum() for value, weight in zip(self.made(), self.outputs))).sum()}


@lru_cache(None)
def names():
    """{name: (module's record, place among its inputs)}"""
    made = {}
    for info in module_db:
        listed = inputs_of(info)
        places = sorted(set(np.linspace(0, len(listed) - 1, min(MOST, len(listed))).round().astype(int)))
        for place in places:
            made[f"{info.name.removeprefix('nn.')}.{place}{'_' * bool(listed[place].desc)}{listed[place].desc}".replace("`", "")] = info, place
    return made


@lru_cache(None)
def kernels():
    """A folder of machine code for all modules, which share that of the optimisers."""
    folder = Path(tempfile.gettempdir()) / f"anemone-torch-modules-{os.getuid()}"
    folder.mkdir(exist_ok=True)
    return folder


def inputs_of(info):
    torch.manual_seed(3)
    return list(info.module_inputs_func(info, device="cpu", dtype=torch.float32, requires_grad=False, training=False))


def probe(name):
    info, place = names()[name]
    given = inputs_of(info)[place]
    torch.manual_seed(5)
    with torch.no_grad():
        module = info.module_cls(*given.constructor_input.args, **given.constructor_input.kwargs).eval()
        leaves, tree = _pytree.tree_flatten((given.forward_input.args, given.forward_input.kwargs))
        if any(isinstance(part, torch.nn.modules.lazy.LazyModuleMixin) for part in module.modules()):
            module(*given.forward_input.args, **given.forward_input.kwargs)  # parameters get their shapes
        return Probe(module.float(), leaves, tree, NOT_DIFFERENTIABLE.get(info.name, ())).eval()  # random numbers of some are doubles


def reason(message):
    """An error without the names of nodes, values and files: the same for all modules that it stops."""
    text = str(message)
    if "PyTorch can't export" in text:
        missing = re.search(r"No ONNX function found for <OpOverload\(op='([\w.]+)'", text)
        raised = re.search(r"<class '[\w.]*?(\w+)'>: (.*)", text) or re.search(r"can't export the module: (\w+): (.*)", text)
        return EXPORT + (f"there is no ONNX function for {missing[1]}" if missing else f"{raised[1]}: {raised[2].partition(' (')[0]}" if raised else text[:200])
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    line = next((line for line in lines if re.match(r"(op|node) ", line)), lines[0] if lines else "no message")
    line = re.sub(r"\S*/\S*\.onnx:?\S*\s*(error:)?\s*", "", line)
    line = re.sub(r"node '[^']*'", "node", line)
    line = re.sub(r"['\"]?(node|val|getitem|inputs|outputs)[\w.]*_\d[\w.]*['\"]?", "NODE", line)
    return line[:200].replace("`", "'")


def gradients(module, one):
    """By all parameters, by PyTorch, and the loss."""
    loss, named = module(one)["loss"], dict(module.named_parameters())
    loss.backward()
    return loss.item(), {name: np.zeros(value.shape) if value.grad is None else value.grad.double().numpy() for name, value in named.items()}


def error_of(got, want):
    """Of the largest entry; infinite where infinity or NaN stands in one alone."""
    finite = np.isfinite(want)
    if not np.array_equal(got[~finite], want[~finite], equal_nan=True):
        return np.inf
    return np.abs(got - want)[finite].max(initial=0) / max(np.abs(want[finite]).max(initial=0), 1e-3)


def differences(found, narrow, want):
    """What is wrong with gradients, {name: array} each, and the largest error."""
    wrong, worst = set(), 0.0
    for name, array in want.items():
        got = found.get(name, np.zeros_like(array)).astype(np.float64)  # without one, the loss does not depend on it
        error = error_of(got, array)
        worst = max(worst, error)
        if not error <= max(LIMIT, 2 * error_of(narrow[name], array)):
            kind = "outputs" if name.startswith("outputs.") else "gradients by inputs" if name.startswith("inputs.") else "gradients by parameters"
            wrong.add(kind if np.isfinite(error) else f"{kind}, where infinity or NaN is wanted or made")
    return sorted(wrong), worst


def runtime_loss(made, one):
    """What ONNX Runtime makes of the file that PyTorch exports; None if it refuses that."""
    with tempfile.TemporaryDirectory() as folder:
        path, _ = anemone._source.to_file(made, {"one": one}, {}, Path(folder), keeps_parameters=True)
        try:
            return float(*anetest.reference(path, {"one": one.numpy()}).values())
        except Exception:  # ONNX Runtime has no class for all of its errors
            return None


def outcome(name, says=lambda text: None):
    """PASS, or why not."""
    torch.set_num_threads(1)
    made, one = probe(name), torch.ones(1, 1)
    if not sum(value.numel() for value in made.outputs):
        return NOTHING
    loss, want = gradients(copy.deepcopy(made).double(), one.double())
    try:
        bundle = anemone.compile(made, example_inputs={"one": one}, training="model", deterministic=True, options=(f"--kernel-cache={kernels()}",))
        with bundle.trainer(device="cpu", threads=1) as trainer:
            found = trainer.backward({"one": one.numpy()})
            wrong, worst = differences(trainer.gradients(), gradients(copy.deepcopy(made), one)[1], want)
    except (anemone.CompileError, anemone.RunError) as error:
        says(str(error))
        why = reason(error)
        return why if why.startswith(EXPORT) or runtime_loss(made, one) is not None else f"{OTHER}a file that ONNX Runtime refuses, too; {why}"
    says(f"off by {worst:.1e}")
    if not wrong:
        return PASS
    other = runtime_loss(made, one)
    if other is not None and abs(found - other) < 1e-5 * max(abs(other), 1) < abs(loss - other):
        return f"{OTHER}another computation: ONNX Runtime's loss of the file is this one's, and not the module's"
    return f"off by more than {LIMIT:g} of the largest value: {', '.join(wrong)}"


def page(outcomes):
    """The page for {name: outcome} of all."""
    modules = {name: info.name for name, (info, _) in names().items()}
    passed = [name for name, why in outcomes.items() if why == PASS]
    whole = set(modules.values()) - {modules[name] for name in outcomes if outcomes[name] != PASS}
    lines = ["<!-- Made by test/Python/torchmodules.py; do not edit. -->", "", "# PyTorch's own modules, trained", "",
             f"`torch.testing._internal.common_modules` of PyTorch {torch.__version__.split('+')[0]} lists modules of `torch.nn`, each with inputs to test it with; of these at",
             f"most {MOST} for a module are taken. Each is exported, compiled with `training=\"model\"` and run on the CPU. Its outputs and the gradients by its",
             f"parameters and inputs are compared with those of PyTorch's autograd in double; they may be off by {LIMIT:g} of the largest value, or by twice what",
             "PyTorch's are in float32. Where they are off by more, ONNX Runtime tells whether what PyTorch exports is the module. Modules are in the mode of",
             "evaluation, as the exporter has them: dropout does nothing, and batch norms take their running statistics.", "",
             "| | number | agree |", "|---|---|---|", f"| modules | {len(set(modules.values()))} | {len(whole)} with all inputs, "
             f"{len({modules[name] for name in passed})} with some |", f"| modules with inputs | {len(outcomes)} | {len(passed)} |",
             f"| of these, exported by PyTorch as they are | {sum(not why.startswith((EXPORT, OTHER)) for why in outcomes.values())} | {len(passed)} |", ""]
    failed = [(name, why) for name, why in outcomes.items() if why != PASS]
    for title, starts in (("Not exported by PyTorch", EXPORT), ("Exported wrongly by PyTorch", OTHER)):
        lines += pagetable.section(title, [(name, why) for name, why in failed if why.startswith(starts)])
    lines += pagetable.section("Not agreeing", [(name, why) for name, why in failed if not why.startswith((EXPORT, OTHER))])
    return "\n".join(lines).rstrip() + "\n"


def expected(name, listed):
    return listed.get(name, ("", PASS))[1]


def safe_outcome(name):
    said = []
    try:
        made = outcome(name, said.append)
    except Exception as failure:  # of PyTorch, or of this file
        made = f"FAILS: {type(failure).__name__}: {reason(failure)}"
    print(f"{name}: {made} {' '.join(said) if made != PASS else said[0]}", file=sys.stderr, flush=True)
    return made


def main():
    pattern = sys.argv[1] if len(sys.argv) > 1 else ""
    chosen = [name for name in names() if re.search(pattern, name)]
    with ProcessPoolExecutor(int(os.environ.get("ANE_JOBS", "2"))) as pool:
        run = dict(zip(chosen, pool.map(safe_outcome, chosen, chunksize=4)))
    listed = pagetable.committed(PAGE) if len(run) < len(names()) else {}
    PAGE.write_text(page({name: run.get(name) or expected(name, listed) for name in names()}))
    print(f"wrote {PAGE}")


if __name__ == "__main__":
    main()
