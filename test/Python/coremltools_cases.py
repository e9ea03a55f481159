"""Programs of coremltools' own tests of its operations: thousands, of which some parameters of each test are made."""
import contextlib
import importlib.util
import inspect
import io
import itertools
import logging
import pkgutil
import sys
import warnings
from unittest import mock

warnings.filterwarnings("ignore")
logging.getLogger("coremltools").setLevel(logging.ERROR)

import coremltools as ct  # noqa: E402
from coremltools.converters.mil import mil  # noqa: E402
from coremltools.converters.mil.converter import mil_convert  # noqa: E402
from coremltools.converters.mil.mil import Function  # noqa: E402
from coremltools.converters.mil.mil.ops import tests  # noqa: E402
from coremltools.proto import FeatureTypes_pb2  # noqa: E402


class Made(BaseException):
    """Ends a test that has made its model. No error, which a test could catch."""

    def __init__(self, spec):
        self.spec = spec


def legal(spec):
    """Gives inputs and outputs the version that has their types: a pass would have given them other types."""
    kinds = {each.type.multiArrayType.dataType for each in (*spec.description.input, *spec.description.output)}
    least = 10 if FeatureTypes_pb2.ArrayFeatureType.INT8 in kinds else 7 if FeatureTypes_pb2.ArrayFeatureType.FLOAT16 in kinds else 6
    spec.specificationVersion = max(spec.specificationVersion, least)
    return spec


def convert(build, input_placeholders, *_, backend=None, inputs=None, **__):
    """In place of the tests' run_compare_builder: the model as it is built, without passes that fold or fuse."""
    program = mil.Program()
    with Function(input_placeholders, opset_version=backend.opset_version) as function:
        outputs = build(**function.inputs)
        function.set_outputs(list(outputs) if isinstance(outputs, (list, tuple)) else [outputs])
        program.add_function("main", function)
    program.skip_all_passes = True
    model = mil_convert(program, convert_to="mlprogram", convert_from="milinternal",
                        specification_version=max(6, backend.opset_version.value),
                        compute_units=ct.ComputeUnit.CPU_ONLY, skip_model_load=True)
    raise Made(legal(model.get_spec()))


def modules():
    # Some compute what they expect with these, which no model needs.
    absent = {name: mock.MagicMock() for name in ("scipy", "torch") if importlib.util.find_spec(name) is None}
    with mock.patch.dict(sys.modules, absent):
        for info in pkgutil.walk_packages(tests.__path__, tests.__name__ + "."):
            if info.name.rpartition(".")[2].startswith("test_") and info.name.rpartition(".")[2] != "test_utils":
                with contextlib.suppress(ImportError, NameError):
                    module = importlib.import_module(info.name)
                    module.run_compare_builder = convert
                    yield module


def functions(module):
    """(name, function) of a module's tests, methods with an object before them."""
    for name, member in vars(module).items():
        if name.startswith("test_") and inspect.isfunction(member):
            yield name, member, ()
        if name.startswith("Test") and inspect.isclass(member):
            for method, function in inspect.getmembers(member, inspect.isfunction):
                if method.startswith("test_"):
                    yield f"{name}.{method}", function, (member(),)


def parameters(function):
    """Keyword arguments by the marks of a test: for Core ML's programs, not for neural networks."""
    lists = []
    for mark in getattr(function, "pytestmark", []):
        if mark.name == "parametrize":
            names, values = [*mark.args, *(mark.kwargs[key] for key in ("argnames", "argvalues") if key in mark.kwargs)][:2]
            names = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
            values = [getattr(value, "values", value) for value in values]
            lists.append([dict(zip(names, value if len(names) > 1 else (value,))) for value in values])
    for parts in itertools.product(*lists):
        merged = {name: value for part in parts for name, value in part.items()}
        if getattr(merged.get("backend"), "backend", None) == "mlprogram":
            yield merged


def chosen(function, count):
    """The first parameters of each mode, which other operations may go by, and `count` of all."""
    every = list(parameters(function))
    modes = {tuple(str(value) for value in each.values() if isinstance(value, str)): each for each in reversed(every)}
    spaced = [every[len(every) * i // count] for i in range(count)] if every else []
    return [each for each in every if any(each is other for other in (*modes.values(), *spaced))]


def programs(count):
    """(name, specification) of some parameters of each test that makes a program."""
    for module in modules():
        for name, function, this in functions(module):
            for index, each in enumerate(chosen(function, count)):
                # A test that needs fixtures, or expects an error, makes no model.
                try:
                    with contextlib.redirect_stderr(io.StringIO()), contextlib.redirect_stdout(io.StringIO()):
                        function(*this, **each)
                except Made as made:
                    yield f"{module.__name__.partition('tests.')[2]}.{name}.{index}", made.spec
                except BaseException as problem:
                    if isinstance(problem, KeyboardInterrupt):
                        raise
