"""Makes the graph of a finding small: drops nodes, puts constants and inputs in place of what is computed, cuts shapes, calms values."""
import copy

import numpy as np

import valuegraph
import valueoracle


class Reducer:
    """`runner` tries; a smaller graph must be wrong in the same kind on the same device."""

    def __init__(self, runner, opset, finding, tries=60):
        self.runner, self.opset, self.kind, self.device, self.tries = runner, opset, finding.kind, finding.device, tries
        self.text = finding.text
        self.variant = self.copied(finding.variant)
        if finding.output:
            self.attempt(lambda v: setattr(v.graph, "outputs", [finding.output]))

    @staticmethod
    def copied(variant):
        graph = copy.copy(variant.graph)
        graph.values, graph.steps, graph.outputs = dict(graph.values), list(graph.steps), list(graph.outputs)
        graph.constants = set(graph.constants)
        return variant._replace(graph=graph, constants=set(variant.constants))

    def attempt(self, change):
        """Keeps the change if the graph is wrong all the same."""
        if self.tries <= 0:
            return False
        made = self.copied(self.variant)
        try:
            if change(made) is False:
                return False
        except (valueoracle.Unknown, valuegraph.Undrawable, ValueError, IndexError):
            return False
        made.graph.prune()
        made = made._replace(constants=made.constants & set(made.graph.values))
        self.tries -= 1
        found = [f for f in self.runner.check([made], self.opset) if f.kind == self.kind and (f.device == self.device)]
        if found:
            self.variant, self.text = made, found[0].text
        return bool(found)

    def reduce(self):
        graph = self.variant.graph
        for index in range(len(graph.steps) - 1, -1, -1):
            for name in list(graph.steps[index].outputs):
                if name in self.variant.graph.values and len(self.variant.graph.steps) > 1:
                    # What is computed becomes a leaf: first a constant as the leaves around it mostly are, or an input.
                    self.attempt(lambda v: self.cut(v, name, v.joined)) or self.attempt(lambda v: self.cut(v, name, not v.joined))
        for name in [value.name for value in self.variant.graph.leaves if not value.fixed]:
            if name in self.variant.constants:
                self.attempt(lambda v: v.constants.discard(name))
        self.cut_shapes()
        self.calm_values()
        return self.variant

    @staticmethod
    def cut(variant, name, constant):
        graph = variant.graph
        value = graph.values.get(name)
        if value is None or value.leaf or name in graph.outputs:
            return False
        graph.values[name] = valuegraph.Value(name, value.array, leaf=True)
        steps = []
        for step in graph.steps:
            if name in step.outputs:
                if len(step.outputs) > 1:
                    return False
                continue
            steps.append(step)
        graph.steps = steps
        if constant:
            variant.constants.add(name)
        return True

    @staticmethod
    def evaluate(variant):
        """Computes all values again."""
        graph = variant.graph
        for step in graph.steps:
            arrays = {n: graph.values[n].array for n in step.inputs}
            results = valueoracle.evaluate(step, arrays, graph.opset, {n for n in step.inputs if graph.values[n].fixed})
            for name, array in zip(step.outputs, results):
                graph.values[name] = valuegraph.Value(name, array)

    @staticmethod
    def set(variant, name, array):
        old = variant.graph.values[name]
        variant.graph.values[name] = valuegraph.Value(name, array, True, old.fixed)

    def cut_shapes(self):
        """All axes of one size are cut to one element, or to halves, at the same time."""
        for size in sorted({d for v in self.variant.graph.leaves if not v.fixed for d in v.shape if d > 1}, reverse=True):
            for begin, end in [(i, i + 1) for i in {0, size // 2, size - 1}] + [(0, (size + 1) // 2), (size // 2, size)]:
                if self.attempt(lambda v: self.narrow(v, size, begin, end)):
                    break

    def narrow(self, variant, size, begin, end):
        for value in list(variant.graph.leaves):
            if not value.fixed and size in value.shape:
                index = tuple(slice(begin, end) if d == size else slice(None) for d in value.shape)
                self.set(variant, value.name, np.ascontiguousarray(value.array[index]).reshape(value.array[index].shape))
        self.evaluate(variant)

    def calm_values(self):
        for name in [value.name for value in self.variant.graph.leaves if not value.fixed]:
            value = self.variant.graph.values[name]
            if self.attempt(lambda v: self.replace(v, name, np.ones(value.shape, value.dtype))) or value.size < 2:
                continue
            for half in (slice(None, value.size // 2), slice(value.size // 2, None)):
                array = self.variant.graph.values[name].array.copy()
                array.reshape(-1)[half] = 1
                self.attempt(lambda v: self.replace(v, name, array))

    def replace(self, variant, name, array):
        if (variant.graph.values[name].array == array).all():
            return False
        self.set(variant, name, array)
        self.evaluate(variant)
