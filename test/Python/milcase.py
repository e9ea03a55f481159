"""One op as a MIL program on the emulator: text from NumPy values, run by ane-run, results as NumPy arrays."""
import numpy as np

import anetest

NAMES = {"float16": "fp16", "float32": "fp32", "int32": "int32", "bool": "bool", "int8": "int8", "uint8": "uint8",
         "int16": "int16", "uint16": "uint16", "uint32": "uint32"}


def type_of(array, element=None):
    return f"tensor<{element or NAMES[array.dtype.name]}, [{', '.join(map(str, array.shape))}]>"


class Packed:
    """A constant of a type that NumPy lacks, such as uint4."""

    def __init__(self, element, values):
        self.element, self.values = element, np.asarray(values)


def spelled(item):
    if isinstance(item, (bool, np.bool_)):
        return "true" if item else "false"
    if isinstance(item, (int, np.integer)):
        return str(int(item))
    return float(item).hex()


def constant(value):
    """(type, literal) of a Python or NumPy value: int -> int32, float -> fp32, list of int -> vector of int32."""
    if isinstance(value, str):
        return "string", f'string("{value}")'
    element = None
    if isinstance(value, Packed):
        element, value = value.element, value.values
    if isinstance(value, bool):
        value = np.array(value)
    elif isinstance(value, int):
        value = np.array(value, np.int32)
    elif isinstance(value, float):
        value = np.array(value, np.float32)
    elif isinstance(value, list):
        value = np.array(value, np.bool_ if isinstance(value[0], bool) else np.int32)
    kind = type_of(value, element)
    items = ", ".join(spelled(item) for item in value.reshape(-1))
    return kind, f"{kind}([{items}])" if value.ndim else f"{kind}({items})"


def program(op, inputs, constants, results, opset=18):
    """Text of `main`: `inputs` {argument: array or tuple of arrays}, `constants` {argument: value}, `results` [(name,
    type)]."""
    params, arguments, body = [], [], []
    for name, value in inputs.items():
        group = value if isinstance(value, tuple) else (value,)
        names = [f"in_{name}_{i}" if isinstance(value, tuple) else f"in_{name}" for i in range(len(group))]
        params += [f"{type_of(array)} {n}" for array, n in zip(group, names)]
        arguments.append(f"{name} = ({', '.join(names)})" if isinstance(value, tuple) else f"{name} = {names[0]}")
    for name, value in constants.items():
        kind, literal = constant(value)
        body.append(f'{kind} c_{name} = const()[name = string("c_{name}"), val = {literal}];')
        arguments.append(f"{name} = c_{name}")
    left = ", ".join(f"{kind} {name}" for name, kind in results)
    body.append(f'{left} = {op}({", ".join(arguments)})[name = string("r")];')
    lines = "\n    ".join(body)
    return (f'program(1.3)\n[buildInfo = dict<string, string>({{{{"coremlc-version", "3505.4.1"}}}})]\n{{\n'
            f'  func main<ios{opset}>({", ".join(params)}) {{\n    {lines}\n  }} -> ({", ".join(n for n, _ in results)});\n}}\n')


def call(directory, op, inputs, constants, results, opset=18, check=True):
    """Runs one op. Returns the results in order, or with check=False the failed process."""
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "op.mil").write_text(program(op, inputs, constants, results, opset))
    options = ["--mil", directory / "op.mil", "--emulator-mode=plain", "--output-dir", directory]
    for name, value in inputs.items():
        group = value if isinstance(value, tuple) else (value,)
        for index, array in enumerate(group):
            full = f"in_{name}_{index}" if isinstance(value, tuple) else f"in_{name}"
            np.save(directory / f"{full}.npy", array)
            options += ["--input", f"{full}={directory}/{full}.npy"]
    done = anetest.run("ane-run", *options, check=check)
    if not check:
        return done
    return [np.load(directory / f"{name}.npy") for name, _ in results]
