"""The archive and the wheel for Macs: that its check finds each fault, and the real ones, made here (with models: slow)."""
import base64
import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import zipfile

import pytest

from anetest import BUILD, ROOT

sys.path.insert(0, str(ROOT / "scripts"))
import check_macos  # noqa: E402

NAME = "anemone-1.0.0-macos14-arm64"
STUB = """--- !tapi-tbd
tbd-version: 4
targets: [ arm64-macos ]
install-name: '{}'
exports:
  - targets: [ arm64-macos ]
    symbols: [ {} ]
...
"""


def run(*command, **options):
    done = subprocess.run(list(map(str, command)), stdin=subprocess.DEVNULL, capture_output=True, text=True, **options)
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout


class Maker:
    """Small binaries for Macs: C, compiled without headers, linked with a stub of libSystem."""

    def __init__(self, folder):
        self.folder = folder
        self.stub = self.library("libSystem", check_macos.SYSTEM, "_malloc, _free")
        self.other = self.library("libOther", "/usr/lib/libobjc.A.dylib", "_objc_getClass")

    def library(self, name, identity, symbols):
        path = self.folder / f"{name}.tbd"
        path.write_text(STUB.format(identity, symbols))
        return path

    def build(self, path, source, *options, version="14.0", stubs=()):
        code = self.folder / "code.c"
        code.write_text(source)
        run("clang-19", f"--target=arm64-apple-macos{version}", "-O1", "-ffreestanding", "-fuse-ld=lld", "-nostdlib", *options, code,
            self.stub, *stubs, "-o", path)

    def dylib(self, path, more="", less="", **options):
        """The C API, of which each function does nothing."""
        names = [name[1:] for name in sorted(check_macos.api()) if name[1:] != less]
        source = "void *malloc(unsigned long);\n" + "".join(f"void *{name}(void) {{ return malloc(1); }}\n" for name in names)
        self.build(path, source + more, "-dynamiclib", f"-Wl,-install_name,@rpath/{path.name}", **options)

    def program(self, path, source="void *malloc(unsigned long); int main(void) { return malloc(1) == 0; }", **options):
        self.build(path, source, **options)


@pytest.fixture(scope="module")
def maker(tmp_path_factory):
    return Maker(tmp_path_factory.mktemp("maker"))


@pytest.fixture(scope="module")
def whole(maker, tmp_path_factory):
    """A folder as the archive holds it."""
    top = tmp_path_factory.mktemp("whole") / NAME
    framework = top / "Anemone.xcframework" / "macos-arm64"
    for folder in (top / "bin", top / "lib", framework / "Headers"):
        folder.mkdir(parents=True)
    shutil.copytree(ROOT / "runtime" / "include", top / "include")
    for name, place in ("module.modulemap", top / "include"), ("Info.plist", top / "Anemone.xcframework"), ("Package.swift", top):
        shutil.copy(ROOT / "scripts" / "macos" / name, place)
    (top / "on-a-mac.md").write_text("Text.\n")
    maker.dylib(framework / "libanemone.1.dylib")
    (top / "lib" / "libanemone.dylib").symlink_to("../Anemone.xcframework/macos-arm64/libanemone.1.dylib")
    for name in ("ane-run", "ane-train"):
        maker.program(top / "bin" / name)
    return top


def pack(top):
    names = sorted(str(path.relative_to(top)) for path in top.rglob("*") if path.is_file() and not path.is_symlink())
    (top / "SHA256SUMS").write_text("".join(f"{hashlib.sha256((top / name).read_bytes()).hexdigest()}  {name}\n" for name in names))


def faults(top, maker, places=()):
    path = top.parent / f"{NAME}.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        archive.add(top, top.name)
    return check_macos.check_archive(path, [str(place).encode() for place in places], check_macos.machofile.stub_symbols(maker.stub))


@pytest.fixture
def top(whole, tmp_path):
    shutil.copytree(whole, tmp_path / NAME, symlinks=True)
    return tmp_path / NAME


def test_a_whole_archive_has_no_faults(top, maker):
    pack(top)
    assert faults(top, maker, [ROOT]) == ([], 3)


def dylib(top):
    return top / "Anemone.xcframework" / "macos-arm64" / "libanemone.1.dylib"


def flip(path, at=0xF00):
    data = bytearray(path.read_bytes())
    data[at] ^= 1
    path.write_bytes(data)


UNKNOWN = "void *mach_secret(void); int main(void) { return mach_secret() == 0; }"
OTHER = "void *objc_getClass(void); int main(void) { return objc_getClass() == 0; }"
BINARIES = {
    "changed": (lambda top, make: flip(dylib(top)), "libanemone.1.dylib: the signature is not that of page 0"),
    "older": (lambda top, make: make.program(top / "bin" / "ane-run", version="13.0"), "bin/ane-run: is for platform 1, version 13.0"),
    "linked": (lambda top, make: make.program(top / "bin" / "ane-run", OTHER, stubs=[make.other]), "links /usr/lib/libSystem.B.dylib, /usr/lib/libobjc.A"),
    "unknown": (lambda top, make: make.program(top / "bin" / "ane-train", UNKNOWN, stubs=["-Wl,-undefined,dynamic_lookup"]), "needs what libSystem has not: _mach_secret"),
    "more": (lambda top, make: make.dylib(dylib(top), more="int ane_secret(void) { return 1; }"), "exports not what runtime/api/exports.map says: _ane_secret"),
    "less": (lambda top, make: make.dylib(dylib(top), less="ane_version"), "exports not what runtime/api/exports.map says: _ane_version"),
    "signed": (lambda top, make: make.program(top / "bin" / "ane-run", stubs=["-Wl,-no_adhoc_codesign"]), "bin/ane-run: is not signed"),
}
FILES = {
    "path": (lambda top: (top / "on-a-mac.md").write_text(f"See {ROOT}/README.md\n"), f"on-a-mac.md: holds '{ROOT}', a path"),
    "folder": (lambda top: (top / "on-a-mac.md").write_bytes(b"\0/build/someone/x.cpp\0"), "on-a-mac.md: holds '/build/someone', a path"),
    "mode": (lambda top: (top / "bin" / "ane-run").chmod(0o644), "bin/ane-run: is not executable"),
    "lost": (lambda top: (top / "include" / "module.modulemap").unlink(), "include/module.modulemap: is not there"),
    "dangling": (lambda top: (top / "lib" / "libanemone.dylib").unlink() or (top / "lib" / "libanemone.dylib").symlink_to("nowhere"), "points to nowhere"),
    "framework": (lambda top: dylib(top).rename(dylib(top).with_name("libother.dylib")), "LibraryPath is libanemone.1.dylib, which is not in macos-arm64"),
}


@pytest.mark.parametrize("name", BINARIES)
def test_faults_of_binaries(top, maker, name):
    change, expected = BINARIES[name]
    change(top, maker)
    pack(top)
    found = [line for line in faults(top, maker)[0] if expected in line]
    assert len(found) == 1


@pytest.mark.parametrize("name", FILES)
def test_faults_of_files(top, maker, name):
    change, expected = FILES[name]
    change(top)
    pack(top)
    assert any(expected in line for line in faults(top, maker, [ROOT])[0])


def test_faults_of_hashes(top, maker):
    pack(top)
    (top / "on-a-mac.md").write_text("Another text.\n")
    (top / "stray").write_text("")
    (top / "Package.swift").unlink()
    found = faults(top, maker)[0]
    for expected in ("on-a-mac.md: has not the hash", "SHA256SUMS: lacks stray", "SHA256SUMS: lists Package.swift, which is not there"):
        assert any(expected in line for line in found), found


def fake_wheel(folder, top, tag=check_macos.TAG, said=check_macos.TAG):
    """One with the binaries of an archive's folder, and what each member is."""
    about = "anemone-1.0.0.dist-info"
    members = {"anemone/__init__.py": b"", "anemone/lib/libanemone.1.dylib": dylib(top).read_bytes(), f"{about}/WHEEL": f"Tag: {said}\n".encode(),
               **{f"anemone/bin/{path.name}": path.read_bytes() for path in (top / "bin").iterdir()}}
    digests = {name: base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode() for name, data in members.items()}
    members[f"{about}/RECORD"] = "".join(f"{name},sha256={digest},\n" for name, digest in {**digests, f"{about}/RECORD": ""}.items()).encode()
    return folder / f"anemone-1.0.0-{tag}.whl", members


def wheel_faults(path, members, maker):
    with zipfile.ZipFile(path, "w") as wheel:
        for name, data in members.items():
            info = zipfile.ZipInfo(name)
            info.external_attr = (0o100755 if "/bin/" in name else 0o100644) << 16
            wheel.writestr(info, data)
    return check_macos.check_wheel(path, [], check_macos.machofile.stub_symbols(maker.stub))


WHEELS = {
    "changed": (lambda members: members.update({"anemone/__init__.py": b"1\n"}), "anemone/__init__.py: has not the hash that RECORD says"),
    "stray": (lambda members: members.update({"anemone/more.so": b"\x7fELF"}), "RECORD: lacks anemone/more.so"),
    "other": (lambda members: members.update({"anemone/more.so": b"\x7fELF"}), "anemone/more.so: is neither Python nor for a Mac"),
    "lost": (lambda members: members.pop("anemone/bin/ane-run"), "RECORD: lists anemone/bin/ane-run, which is not there"),
    "program": (lambda members: members.pop("anemone/bin/ane-run"), "anemone/bin/ane-run: is not there, or not executable"),
    "about": (lambda members: members.pop("anemone-1.0.0.dist-info/RECORD"), "has no anemone-1.0.0.dist-info with WHEEL and RECORD"),
}


def test_a_whole_wheel_has_no_faults(whole, maker, tmp_path):
    assert wheel_faults(*fake_wheel(tmp_path, whole), maker) == ([], 3)


@pytest.mark.parametrize("name", WHEELS)
def test_faults_of_wheels(whole, maker, tmp_path, name):
    change, expected = WHEELS[name]
    path, members = fake_wheel(tmp_path, whole)
    change(members)
    assert any(expected in line for line in wheel_faults(path, members, maker)[0])


def test_wheels_of_another_tag(whole, maker, tmp_path):
    other = "py3-none-macosx_13_0_arm64"
    for place, tags in ("name", {"tag": other}), ("WHEEL", {"said": other}):
        found, _ = wheel_faults(*fake_wheel(tmp_path, whole, **tags), maker)
        assert [line.split(": ", 1)[1] for line in found] == [f"{place}: says {other}, expected {check_macos.TAG}"]


def test_wrong_use():
    for arguments, code, text in (["--nonsense"], 2, "unknown argument '--nonsense'"), (["a", "b"], 2, "more than one directory"):
        done = subprocess.run([ROOT / "scripts" / "package_macos.sh", *arguments], capture_output=True, text=True)
        assert done.returncode == code and text in done.stderr
    assert "--no-models" in run(ROOT / "scripts" / "package_macos.sh", "--help")


def test_nothing_to_check(tmp_path):
    done = subprocess.run([ROOT / "scripts" / "package_macos.sh", "--check", tmp_path], capture_output=True, text=True)
    assert done.returncode == 1 and "remedy: scripts/package_macos.sh" in done.stderr


def package(folder, *options):
    """What scripts/package_macos.sh leaves, which has checked it. It tells how far it is."""
    subprocess.run([ROOT / "scripts" / "package_macos.sh", *options, folder], stdin=subprocess.DEVNULL, check=True,
                   env={**os.environ, "ANE_BUILD_DIR": str(BUILD)})
    return folder


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return package(tmp_path_factory.mktemp("package"), "--no-models")


def test_the_archive(made, tmp_path):
    """Headers and module map are what clang takes, as C and as C++."""
    (path,) = made.glob("anemone-*.tar.gz")
    with tarfile.open(path) as archive:
        archive.extractall(tmp_path)
        modes = {member.name: member.mode for member in archive}
    top = tmp_path / path.name.removesuffix(".tar.gz")
    assert modes[f"{top.name}/bin/ane-run"] & 0o111
    for binary in top / "bin" / "ane-run", top / "lib" / "libanemone.dylib":
        assert {"_memcpy", "_pow"} <= check_macos.machofile.undefined(binary), "has what the system does better"
    for language, standard in ("c", "c99"), ("c++", "c++17"):
        source = tmp_path / f"use.{language}"
        source.write_text("#pragma clang module import Anemone\nconst char *use(void) { return ane_version(); }\n")
        run("clang-19", "-x", language, f"-std={standard}", "-fmodules", f"-fmodules-cache-path={tmp_path / 'modules'}", "-Werror",
            "-fsyntax-only", f"-I{top / 'Anemone.xcframework' / 'macos-arm64' / 'Headers'}", source)


def test_the_wheel(made, tmp_path):
    """pip takes it for a Mac, whatever Python that has, and for nothing else."""
    (path,) = made.glob("anemone-*.whl")
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-index", "--no-deps", "--only-binary=:all:",
           f"--find-links={made}", "anemone"]
    for number, platform in enumerate(["macosx_14_0_arm64", "macosx_26_0_arm64"]):
        run(*pip, "--dest", tmp_path / str(number), "--python-version=3.13", "--platform", platform)
        assert [found.name for found in (tmp_path / str(number)).iterdir()] == [path.name]
    for platform in ("macosx_13_0_arm64", "macosx_14_0_x86_64", "manylinux_2_36_aarch64"):
        assert subprocess.run([*pip, "--dest", tmp_path / "none", "--platform", platform], capture_output=True).returncode == 1
    names = set(zipfile.ZipFile(path).namelist())
    assert {"anemone/lib/libanemone.1.dylib", "anemone/bin/ane-run", "anemone/bin/ane-train"} <= names
    assert not [name for name in names if name.endswith(("/ane-compile", ".so"))]


def test_the_second_time_gives_the_same_bytes(made, tmp_path):
    package(tmp_path, "--no-models")
    for path in made.iterdir():
        assert (tmp_path / path.name).read_bytes() == path.read_bytes(), path.name


@pytest.mark.slow
def test_models_of_the_archive(tmp_path):
    (path,) = package(tmp_path, "--no-wheel").glob("anemone-*.tar.gz")
    with tarfile.open(path) as archive:
        bundles = {name.split("/")[2] for name in archive.getnames() if name.startswith(f"{NAME}/bundles/")}
    assert bundles == {"minilm.anebundle", "chat.anebundle", "ops"}
