"""What cases of gradientcases.py are in PyTorch: their values and gradients by its autograd, in double.

    .venv-models/bin/python test/Python/torchgradients.py CASES RESULTS

reads a pickled list of (name, expression, {input: array}, {constant: array}, weights), or of (name, statements, ..., {weights: array}), and writes {name: (loss, {input: gradient})}. Expressions may
use the functions below. They are written from the ops' meanings, with PyTorch's own operators where it has them.
"""
import pickle
import sys

import numpy as np
import torch


def put(x, where, update):
    """x with x[where] replaced."""
    y = x.clone()
    y[where] = update
    return y


def product(x, axes, keepdim=False):
    for axis in sorted(axes if isinstance(axes, tuple) else (axes,), reverse=True):
        x = x.prod(axis, keepdim)
    return x


def running(x, axis, exclusive, reverse):
    """Sums along an axis."""
    sums = x.flip(axis).cumsum(axis).flip(axis) if reverse else x.cumsum(axis)
    return sums - x if exclusive else sums


def depth_to_space(x, size):
    n, c, h, w = x.shape
    return x.reshape(n, size, size, c // size ** 2, h, w).permute(0, 3, 4, 1, 5, 2).reshape(n, c // size ** 2, h * size, w * size)


def space_to_depth(x, size):
    n, c, h, w = x.shape
    return x.reshape(n, c, h // size, size, w // size, size).permute(0, 3, 5, 1, 2, 4).reshape(n, c * size ** 2, h // size, w // size)


def batch_to_space(x, block, crops):
    n, c, h, w = x.shape[0] // (block[0] * block[1]), *x.shape[1:]
    y = x.reshape(*block, n, c, h, w).permute(2, 3, 4, 0, 5, 1).reshape(n, c, h * block[0], w * block[1])
    return y[:, :, crops[0]:y.shape[2] - crops[1], crops[2]:y.shape[3] - crops[3]]


def space_to_batch(x, block, paddings):
    y = torch.nn.functional.pad(x, (*paddings[2:], *paddings[:2]))
    n, c, h, w = y.shape
    y = y.reshape(n, c, h // block[0], block[0], w // block[1], block[1])
    return y.permute(3, 5, 0, 1, 2, 4).reshape(n * block[0] * block[1], c, h // block[0], w // block[1])


def sampled(x, sizes, place):
    """The last axes of x in other sizes, interpolated where place(size before, size after) says."""
    for axis, after in enumerate(sizes, x.dim() - len(sizes)):
        before = x.shape[axis]
        at = place(before, after).clamp(0, before - 1)
        low = at.floor().long()
        share = (at - low).reshape(-1, *[1] * (x.dim() - axis - 1))
        x = x.index_select(axis, low) * (1 - share) + x.index_select(axis, (low + 1).clamp(max=before - 1)) * share
    return x


def default_places(before, after):
    return torch.arange(after, dtype=torch.float64) * before / after


def offset_places(before, after):
    return (torch.arange(after, dtype=torch.float64) + 0.5) * max(1, before - 1) / after


def gates(tensor, order):
    """The blocks of rows of a weight or bias in another order."""
    blocks = tensor.chunk(len(order))
    return torch.cat([blocks[place] for place in order])


def rnn(x, h, w, r, k):
    """[steps, batch, width] of PyTorch's own, whose second bias is 0."""
    return torch.rnn_tanh(x, h[None], [w, r, k, torch.zeros_like(k)], True, 1, 0.0, False, False, False)[0]


def gru_after(x, h, w, r, k, j):
    """PyTorch's own, whose gates are reset, update, new, and the reset gate is behind the product."""
    weights = [gates(each, (0, 2, 1)) for each in (w, r, j, k)]
    return torch.gru(x, h[None], weights, True, 1, 0.0, False, False, False)[0]


def gru_before(x, h, w, r, k):
    """The last state of a GRU whose reset gate is before the product, step by step."""
    size = h.shape[1]
    for step in x:
        reset, update = [torch.sigmoid(step @ w[rows].T + h @ r[rows].T + k[rows]) for rows in (slice(size), slice(2 * size, 3 * size))]
        rows = slice(size, 2 * size)
        new = torch.tanh(step @ w[rows].T + (reset * h) @ r[rows].T + k[rows])
        h = update * h + (1 - update) * new
    return h


def lstm_peephole(x, h, c, w, r, k, p):
    """The last cell of an LSTM with peepholes, step by step."""
    into, forget, out = p.chunk(3)
    for step in x:
        i, f, o, g = (step @ w.T + h @ r.T + k).chunk(4, 1)
        i, f = torch.sigmoid(i + into * c), torch.sigmoid(f + forget * c)
        c = f * c + i * torch.tanh(g)
        h = torch.sigmoid(o + out * c) * torch.tanh(c)
    return c


def lstm_both(x, h, c, w, r, v, s):
    """PyTorch's own in both directions, whose gates are input, forget, cell, output."""
    states = [torch.stack(each.chunk(2, 1)).contiguous() for each in (h, c)]
    weights = [gates(each, (0, 1, 3, 2)) for each in (w, r, v, s)]
    return torch.lstm(x, states, weights, False, 1, 0.0, False, True, False)[0]


def main(cases, results):
    found = {}
    with open(cases, "rb") as file:
        for name, program, values, constants, weights in pickle.load(file):
            names = {key: torch.tensor(value, dtype=torch.float64, requires_grad=True) for key, value in values.items()}
            scope = globals() | names | {key: torch.tensor(value) for key, value in constants.items()}
            if isinstance(weights, dict):  # statements that compute the loss (randomgradients.py)
                scope |= {key: torch.tensor(value) for key, value in weights.items()}
                exec(program, scope)
                loss = scope["loss"]
            else:
                y = eval(program, scope)
                assert tuple(y.shape) == weights.shape, f"{name}: {tuple(y.shape)}, want {weights.shape}"
                loss = (y * torch.tensor(weights)).sum()
            if loss.requires_grad:
                loss.backward()
            found[name] = loss.item(), {key: np.zeros(value.shape) if value.grad is None else value.grad.numpy() for key, value in names.items()}
    with open(results, "wb") as file:
        pickle.dump(found, file)


if __name__ == "__main__":
    main(*sys.argv[1:])
