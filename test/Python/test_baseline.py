"""Instructions of what is built for the oldest processor: those of newer ones only in functions that are chosen at run time."""
import platform
import re
import shutil
import subprocess

import pytest

from anetest import BUILD

OBJDUMP = next(filter(None, map(shutil.which, ("llvm-objdump-19", "llvm-objdump", "objdump"))), None)
# ane::rt::...F16c of runtime/support/half.cpp, which __builtin_cpu_supports decides about.
CHOSEN = re.compile(r"(widen|narrow|round)F16c")
# Mnemonics: some disassemblers add the width.
ABOVE = [
    # A VEX or EVEX prefix shows as a mnemonic with v; those without are v-named instructions of the system.
    r"v(?!err|erw|mcall|mlaunch|mresume|mxo)\w+",
    # (TZCNT is no sign: for what is not 0 older processors run it as BSF, with the same result.)
    r"(andn|bextr|blsi|blsr|blsmsk|mulx|pdep|pext|rorx|sarx|shlx|shrx|lzcnt|popcnt|movbe|adcx|adox|crc32)[bwlq]?|cmpxchg16b",
    # SSE3 and SSSE3
    r"addsubp[sd]|h(add|sub)p[sd]|lddqu|movddup|movs[hl]dup|pshufb|ph(add|sub)(w|d|sw)|pmaddubsw|pmulhrsw|psign[bwd]|palignr|pabs[bwd]",
    # SSE4.1 and SSE4.2
    r"p?blend(v?p[sd]|vb|w)|dpp[sd]|(extract|insert)ps|movntdqa|mpsadbw|packusdw|pcmp(eq|gt)q|p(extr|insr)[bdq]|phminposuw",
    r"p(max|min)(s[bd]|u[dw])|pmov[sz]x\w+|pmuldq|pmulld|ptest|round[ps][sd]|pcmp[ei]str[im]",
    r"aes\w+|pclmul\w+|sha(1|256)\w+"]
NEWER = re.compile(rf"^\s+[0-9a-f]+:\s+(lock\s+)?({'|'.join(ABOVE)})\s")

pytestmark = [pytest.mark.skipif(platform.machine() != "x86_64", reason="about x86-64"),
              pytest.mark.skipif(not OBJDUMP, reason="needs objdump")]


def newer_functions(path):
    """Functions with an instruction above the baseline, and how many functions there are."""
    listing = subprocess.run([OBJDUMP, "-d", "--no-show-raw-insn", path], capture_output=True, text=True, check=True).stdout
    found, current, count = set(), "", 0
    for line in listing.splitlines():
        if line.endswith(">:"):
            current, count = line.split("<", 1)[1][:-2], count + 1
        elif NEWER.match(line):
            found.add(current)
    return found, count


@pytest.mark.parametrize("name", ["lib/libanemone.so", "lib/libanemone.a", "bin/ane-run", "bin/ane-train"])
def test_only_chosen_functions_are_newer(name):
    found, count = newer_functions(BUILD / name)
    assert count > 500
    assert {function for function in found if not CHOSEN.search(function)} == set()
    assert len(found) == 3, "the test no longer sees what is chosen at run time"


def test_the_emulator_is_elsewhere():
    assert len(newer_functions(BUILD / "lib" / "libanemone_emulator.so")[0]) > 100
    for name in ("lib/libanemone.so", "bin/ane-run", "bin/ane-train"):
        linked = subprocess.run(["ldd", BUILD / name], capture_output=True, text=True, check=True).stdout
        assert "blas" not in linked and "emulator" not in linked
