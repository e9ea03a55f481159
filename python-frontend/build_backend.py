"""PEP 517 backend: packs the package and a finished build into a wheel. Needs no other package and no network.

    ANE_BUILD_DIR=build pip wheel --no-deps ./python-frontend

The build (ANE_BUILD_DIR, seen from the source tree; default: build) must hold the targets in BINARIES. The same build gives the
same bytes: members are sorted and carry a fixed date.

ANE_WHEEL_LIBRARIES=bundle packs the shared libraries that the binaries use, too (LLVM, MLIR, protobuf, ...; 200 MB, all but
the C library's), for machines without Debian's packages.
"""
import base64
import hashlib
import os
import platform
import re
import shutil
import subprocess
import tempfile
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
NAME = "anemone"
BINARIES = ["bin/ane-compile", "bin/ane-run", "bin/ane-opt", "bin/ane-translate", "lib/libane.so.0"]
# The C library's parts must be those of the system that runs them.
SYSTEM = re.compile(r"(ld-linux.*|linux-vdso|libc|libm|libdl|libpthread|librt|libutil|libresolv|libnss_.*)\.so\..*")


def _project():
    """The [project] fields that go into METADATA. (tomllib came with Python 3.11; what is read here is simple.)"""
    text = (HERE / "pyproject.toml").read_text()

    def one(key):
        return re.search(rf'^{key} = "(.*)"$', text, re.MULTILINE)[1]

    extras = re.search(r"^\[project.optional-dependencies\]\n(.*?)\n\n", text, re.MULTILINE | re.DOTALL)[1]
    scripts = re.search(r"^\[project.scripts\]\n(.*)", text, re.MULTILINE | re.DOTALL)[1]
    return {
        "version": one("version"), "summary": one("description"), "readme": one("readme"), "python": one("requires-python"),
        "dependencies": re.findall(r'"(.*?)"', re.search(r"^dependencies = \[(.*)\]$", text, re.MULTILINE)[1]),
        "extras": {key: re.findall(r'"(.*?)"', values) for key, values in re.findall(r"^(\w+) = \[(.*)\]$", extras, re.MULTILINE)},
        "scripts": re.findall(r'^([\w-]+) = "(.*)"$', scripts, re.MULTILINE),
    }


def _metadata(project):
    lines = ["Metadata-Version: 2.1", f"Name: {NAME}", f"Version: {project['version']}", f"Summary: {project['summary']}",
             f"Requires-Python: {project['python']}"]
    lines += [f"Requires-Dist: {requirement}" for requirement in project["dependencies"]]
    for extra, requirements in project["extras"].items():
        lines += [f"Provides-Extra: {extra}"]
        lines += [f'Requires-Dist: {requirement}; extra == "{extra}"' for requirement in requirements]
    lines += ["Description-Content-Type: text/markdown", "", (HERE / project["readme"]).read_text()]
    return "\n".join(lines)


def _tag():
    return f"py3-none-linux_{platform.machine()}"


def _stripped(path, folder):
    """A copy without debug information, where there is a tool to make one."""
    copy = Path(folder) / path.name
    shutil.copyfile(path, copy)
    strip = shutil.which("llvm-strip-19") or shutil.which("llvm-strip") or shutil.which("strip")
    if strip:
        subprocess.run([strip, "--strip-unneeded", copy], check=True)
    return copy


def _shared_libraries(binaries):
    """Name -> file of every library that the binaries load, directly or not."""
    found = {}
    for binary in binaries:
        listing = subprocess.run(["ldd", binary], capture_output=True, text=True, check=True).stdout
        for name, path in re.findall(r"^\s*(\S+) => (/\S+)", listing, re.MULTILINE):
            if not SYSTEM.fullmatch(name) and name != "libane.so.0":
                found[name] = Path(path).resolve()
    return found


def _members(folder):
    """(path in the wheel, file, whether executable) of the package."""
    build = (HERE.parent / os.environ.get("ANE_BUILD_DIR", "build")).resolve()
    missing = [name for name in BINARIES if not (build / name).exists()]
    if missing:
        raise SystemExit(f"{build} has no {', '.join(missing)}: build the project first (scripts/build.sh), or set ANE_BUILD_DIR")
    for path in sorted((HERE / NAME).rglob("*")):
        if path.suffix == ".py" or path.name == "py.typed":
            yield f"{NAME}/{path.relative_to(HERE / NAME)}", path, False
    yield f"{NAME}/include/ane/runtime/ane.h", HERE.parent / "runtime/include/ane/runtime/ane.h", False
    for name in BINARIES:
        yield f"{NAME}/{name}", _stripped(build / name, folder), True
    wanted = os.environ.get("ANE_WHEEL_LIBRARIES", "system")
    if wanted not in ("system", "bundle"):
        raise SystemExit(f"ANE_WHEEL_LIBRARIES: is '{wanted}', expected system or bundle")
    if wanted == "bundle":
        for name, path in sorted(_shared_libraries(build / name for name in BINARIES).items()):
            yield f"{NAME}/lib/{name}", path, True


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    project = _project()
    info = f"{NAME}-{project['version']}.dist-info"
    wheel = f"{NAME}-{project['version']}-{_tag()}.whl"
    record = []

    with tempfile.TemporaryDirectory() as folder, \
            zipfile.ZipFile(Path(wheel_directory) / wheel, "w", zipfile.ZIP_DEFLATED) as archive:

        def add(name, data, executable=False):
            entry = zipfile.ZipInfo(name)  # dated 1980
            entry.external_attr = (0o100755 if executable else 0o100644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, data)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            record.append(f"{name},sha256={digest},{len(data)}\n")

        for name, path, executable in _members(folder):
            add(name, path.read_bytes(), executable)
        add(f"{info}/METADATA", _metadata(project).encode())
        add(f"{info}/WHEEL", f"Wheel-Version: 1.0\nGenerator: {NAME}\nRoot-Is-Purelib: false\nTag: {_tag()}\n".encode())
        add(f"{info}/entry_points.txt",
            ("[console_scripts]\n" + "".join(f"{name} = {place}\n" for name, place in project["scripts"])).encode())
        archive.writestr(zipfile.ZipInfo(f"{info}/RECORD"), "".join(record) + f"{info}/RECORD,,\n")
    return wheel


def build_sdist(sdist_directory, config_settings=None):
    raise SystemExit("the package is made from a finished build of the whole project: use the repository itself")
