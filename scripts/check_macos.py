#!/usr/bin/env python3
"""Checks what scripts/package_macos.sh has made, by what can be seen of it without a Mac. It calls it after each packing.

    scripts/check_macos.py [--stub libSystem.tbd] [--not-in PATH]... DIRECTORY

DIRECTORY holds the archive, and perhaps the wheel. Of each binary: it is for arm64 and macOS 14.0, signed ad hoc with hashes that
fit, links libSystem alone, and finds there (--stub) every symbol that it lacks; the library exports the C API and nothing else.
Of each file: it has the hash that SHA256SUMS or the wheel's RECORD says, and holds no path of the machine that made it (--not-in).
"""
import argparse
import base64
import csv
import email
import hashlib
import plistlib
import re
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "test" / "Python"))
import machofile  # noqa: E402

SYSTEM = "/usr/lib/libSystem.B.dylib"
MINIMUM = "14.0"
TAG = "py3-none-macosx_14_0_arm64"
LIBRARY = re.compile(r"libanemone(\.[0-9.]+)?\.dylib")
# Folders that only a machine that builds has. A pattern that begins with a fixed byte is looked for fast; what comes before is looked at afterwards.
FOLDERS = re.compile(rb"/(?:home|root|tmp|work|build|builds|Users|mnt|private)/[\w.+-]+")
WITHIN = re.compile(rb"[\w./@-]")


def api():
    """What the library must export, as the linker's version script says it on Linux."""
    return {f"_{name}" for name in re.findall(r"\bane_\w+", (ROOT / "runtime" / "api" / "exports.map").read_text())}


def check_binary(path, name, stub):
    kind = "library" if LIBRARY.fullmatch(path.name) else "host" if path.suffix == ".dylib" else "program"
    machofile.check_signature(path.read_bytes())
    platform, minimum = machofile.system(path)
    assert (platform, minimum) == ("1", MINIMUM), f"is for platform {platform}, version {minimum}, expected macOS (1), {MINIMUM}"
    assert machofile.linked(path) == [SYSTEM], f"links {', '.join(machofile.linked(path))}, expected {SYSTEM}"
    lacks = machofile.undefined(path)
    if kind == "host":
        assert not lacks, f"CPU code calls {', '.join(sorted(lacks))}"
    elif stub:
        unknown = sorted(lacks - stub)
        assert not unknown, f"needs what libSystem has not: {', '.join(unknown)}"
    if kind == "library":
        assert machofile.identity(path) == f"@rpath/{path.name}", f"is known as {machofile.identity(path)}, expected @rpath/{path.name}"
        different = sorted(machofile.exported(path) ^ api())
        assert not different, f"exports not what runtime/api/exports.map says: {', '.join(different)}"


def check_paths(data, places):
    for place in places:
        assert place not in data, f"holds '{place.decode()}', a path of the machine that made it"
    for found in FOLDERS.finditer(data):
        assert WITHIN.match(data[found.start() - 1:found.start()]), f"holds '{found[0].decode()}', a path of the machine that made it"


def check_tree(folder, places, stub):
    """Returns what is wrong with files, as lines, and how many binaries there were."""
    wrong, binaries = [], 0
    for path in sorted(folder.rglob("*")):
        if path.is_symlink() and not path.exists():
            wrong.append(f"{path.relative_to(folder)}: points to {path.readlink()}, which is not there")
        if not path.is_file() or path.is_symlink():
            continue
        name = str(path.relative_to(folder))
        try:
            check_paths(path.read_bytes(), places)
            if machofile.is_macho(path):
                binaries += 1
                check_binary(path, name, stub)
        except AssertionError as error:
            wrong.append(f"{name}: {error}")
    return wrong, binaries


def check_hashes(folder, source, listed, digest):
    """Those that a file of the folder lists of all others, {name: hash}; digest() writes one as it does."""
    there = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file() and not path.is_symlink()} - {source}
    kind = Path(source).name
    wrong = [f"{kind}: lists {name}, which is not there" for name in sorted(listed.keys() - there)]
    wrong += [f"{kind}: lacks {name}" for name in sorted(there - listed.keys())]
    wrong += [f"{name}: has not the hash that {kind} says" for name in sorted(there & listed.keys())
              if digest(hashlib.sha256((folder / name).read_bytes())) != listed[name]]
    return wrong


def check_sums(folder):
    lines = [line.split("  ", 1) for line in (folder / "SHA256SUMS").read_text().splitlines()]
    return check_hashes(folder, "SHA256SUMS", {name: digest for digest, name in lines}, lambda found: found.hexdigest())


def check_layout(folder):
    """What a reader of docs/on-a-mac.md and Swift's package manager look for."""
    wrong = []
    for name in ("bin/ane-run", "bin/ane-train", "lib/libanemone.dylib", "include/ane/runtime/ane.h", "include/ane/runtime/train.h",
                 "include/module.modulemap", "Package.swift", "on-a-mac.md"):
        if not (folder / name).is_file():
            wrong.append(f"{name}: is not there")
    for path in [*(folder / "bin").glob("*"), *folder.glob("*.sh")]:
        if not path.stat().st_mode & 0o100:
            wrong.append(f"{path.relative_to(folder)}: is not executable")
    framework = folder / "Anemone.xcframework"
    for entry in plistlib.loads((framework / "Info.plist").read_bytes())["AvailableLibraries"]:
        place = framework / entry["LibraryIdentifier"]
        for key in ("LibraryPath", "HeadersPath"):
            if not (place / entry[key]).exists():
                wrong.append(f"Anemone.xcframework/Info.plist: {key} is {entry[key]}, which is not in {entry['LibraryIdentifier']}")
    return wrong


def check_archive(path, places, stub):
    with tempfile.TemporaryDirectory() as work:
        with tarfile.open(path) as archive:
            archive.extractall(work, filter="data") if hasattr(tarfile, "data_filter") else archive.extractall(work)
        top = [entry for entry in Path(work).iterdir()]
        if [entry.name for entry in top] != [path.name[:-len(".tar.gz")]]:
            return [f"{path.name}: holds {', '.join(sorted(entry.name for entry in top))}, expected one folder of its name"], 0
        wrong, binaries = check_tree(top[0], places, stub)
        return [f"{path.name}: {line}" for line in wrong + check_sums(top[0]) + check_layout(top[0])], binaries


def check_record(folder, record):
    """Hashes of RECORD, which pip compares."""
    listed = {name: digest for name, digest, _ in csv.reader((folder / record).read_text().splitlines()) if name != record}
    return check_hashes(folder, record, listed, lambda found: f"sha256={base64.urlsafe_b64encode(found.digest()).rstrip(b'=').decode()}")


def check_wheel(path, places, stub):
    with tempfile.TemporaryDirectory() as work:
        folder = Path(work)
        with zipfile.ZipFile(path) as wheel:
            wheel.extractall(work)
            executable = {info.filename for info in wheel.infolist() if info.external_attr >> 16 & 0o100}
        name, version, tag = path.name.removesuffix(".whl").split("-", 2)
        about = folder / f"{name}-{version}.dist-info"
        if not (about / "WHEEL").is_file() or not (about / "RECORD").is_file():
            return [f"{path.name}: has no {about.name} with WHEEL and RECORD"], 0
        wrong, binaries = check_tree(folder, places, stub)
        wrong += check_record(folder, f"{about.name}/RECORD")
        # Python that any machine runs, and what is for the Mac alone.
        wrong += [f"{file.relative_to(folder)}: is neither Python nor for a Mac" for file in sorted((folder / name).rglob("*"))
                  if file.is_file() and file.suffix not in {".py", ".h", ".typed"} and not machofile.is_macho(file)]
        said = email.message_from_string((about / "WHEEL").read_text())["Tag"]
    for place, found in ("name", tag), ("WHEEL", said):
        if found != TAG:
            wrong.append(f"{place}: says {found}, expected {TAG}")
    for name in ("anemone/bin/ane-run", "anemone/bin/ane-train"):
        if name not in executable:
            wrong.append(f"{name}: is not there, or not executable")
    return [f"{path.name}: {line}" for line in wrong], binaries


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", type=Path)
    parser.add_argument("--stub", type=Path, help="libSystem.tbd, which lists what libSystem exports")
    parser.add_argument("--not-in", action="append", default=[], metavar="PATH", help="a folder of this machine that no file may name")
    options = parser.parse_args()
    archives, wheels = sorted(options.directory.glob("anemone-*.tar.gz")), sorted(options.directory.glob("anemone-*.whl"))
    if not archives:
        raise SystemExit(f"check_macos.py: error: {options.directory} holds no anemone-*.tar.gz; remedy: scripts/package_macos.sh")
    if options.stub and not options.stub.is_file():
        raise SystemExit(f"check_macos.py: error: {options.stub} is not there; remedy: scripts/macos_libraries.sh, or no --stub")
    stub = machofile.stub_symbols(options.stub) if options.stub else None
    places = [place.encode() for place in options.not_in]
    wrong = []
    for check, paths in (check_archive, archives), (check_wheel, wheels):
        for path in paths:
            found, binaries = check(path, places, stub)
            wrong += found
            print(f"{path.name}: {path.stat().st_size:,} bytes, {binaries} binaries, {len(found)} faults")
    for line in wrong:
        print(f"check_macos.py: error: {line}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
