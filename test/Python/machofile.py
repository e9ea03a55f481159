"""What LLVM's tools and a look at the bytes tell of Mach-O files for arm64."""
import hashlib
import re
import struct
import subprocess

MAGIC = b"\xcf\xfa\xed\xfe"
SIGNATURE = 0x1D  # LC_CODE_SIGNATURE


def is_macho(path):
    with open(path, "rb") as file:
        return file.read(4) == MAGIC


def load_commands(data):
    """{command: offset} of a 64-bit Mach-O file for arm64."""
    magic, processor, _, _, count, _, _, _ = struct.unpack_from("<8I", data)
    assert (magic, processor) == (0xFEEDFACF, 0x0100000C), "no file for arm64"
    found, at = {}, 32
    for _ in range(count):
        command, size = struct.unpack_from("<2I", data, at)
        found[command] = at
        at += size
    return found


def check_signature(data):
    """LC_CODE_SIGNATURE: a superblob with a code directory, ad hoc, whose hashes are those of the file's pages."""
    commands = load_commands(data)
    assert SIGNATURE in commands, "is not signed"
    start, size = struct.unpack_from("<2I", data, commands[SIGNATURE] + 8)
    assert start + size == len(data), f"the signature ends at {start + size} of {len(data)} bytes"
    magic, _, count = struct.unpack_from(">3I", data, start)
    kind, offset = struct.unpack_from(">2I", data, start + 12)
    assert (magic, count, kind) == (0xFADE0CC0, 1, 0), "the signature is no superblob with a code directory"
    at = start + offset
    magic, _, _, flags, hashes, _, _, slots, limit = struct.unpack_from(">9I", data, at)
    hash_size, hash_type, _, page_bits = struct.unpack_from("4B", data, at + 36)
    assert magic == 0xFADE0C02 and flags & 2 and limit == start, "the signature is not ad hoc, or of another file"
    assert (hash_size, hash_type) == (32, 2), "the signature's hashes are not SHA-256"
    page = 1 << page_bits
    assert slots == -(-limit // page), f"the signature has {slots} pages of {-(-limit // page)}"
    for i in range(slots):
        digest = hashlib.sha256(data[i * page:min((i + 1) * page, limit)]).digest()
        assert data[at + hashes + 32 * i:][:32] == digest, f"the signature is not that of page {i}"


def _lines(tool, *arguments):
    done = subprocess.run([f"llvm-{tool}-19", *map(str, arguments)], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    assert done.returncode == 0, f"llvm-{tool}-19: {done.stderr.strip()}"
    return done.stdout.splitlines()


def _commands(path, *kinds):
    """Fields of each load command of these kinds: what LLVM prints as lines of name and value."""
    found = []
    for text in re.split(r"^Load command \d+\n", "\n".join(_lines("otool", "-l", path)), flags=re.MULTILINE)[1:]:
        fields = dict(line.split(None, 1) for line in text.splitlines() if len(line.split(None, 1)) == 2)
        if fields.get("cmd") in kinds:
            found.append({name: value.split(" (offset")[0] for name, value in fields.items()})
    return found


def linked(path):
    """Names of the libraries that a file asks for."""
    kinds = ("LC_LOAD_DYLIB", "LC_LOAD_WEAK_DYLIB", "LC_REEXPORT_DYLIB", "LC_LAZY_LOAD_DYLIB", "LC_LOAD_UPWARD_DYLIB")
    return [command["name"] for command in _commands(path, *kinds)]


def identity(path):
    """The name that others ask for a library by; None of a program."""
    return next((command["name"] for command in _commands(path, "LC_ID_DYLIB")), None)


def system(path):
    """(platform, oldest version) that a file is for; 1 is macOS."""
    return next(((command["platform"], command["minos"]) for command in _commands(path, "LC_BUILD_VERSION")), (None, None))


def _names(path, *options):
    return {line.split()[-1] for line in _lines("nm", *options, path) if line.strip()}


def exported(path):
    return _names(path, "--extern-only", "--defined-only", "--just-symbol-name")


def undefined(path):
    return _names(path, "--undefined-only", "--just-symbol-name")


def stub_symbols(path):
    """Names that a .tbd file lists for arm64, also of the libraries that it hands on."""
    names = set()
    for targets, kinds in re.findall(r"- targets: +\[(.*?)\]\n(.*?)(?=\n +- targets:|\n\S|\Z)", path.read_text(), re.DOTALL):
        if "arm64" in targets:
            for found in re.findall(r"symbols: +\[(.*?)\]", kinds, re.DOTALL):
                names |= set(found.replace("'", "").replace(",", " ").split())
    return names
