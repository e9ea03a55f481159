"""The generated pages are those of the records, and the hand-written ones point at files that exist."""
import re
import subprocess
import sys

from anetest import ROOT


def test_generated_pages_are_current():
    done = subprocess.run([sys.executable, ROOT / "scripts" / "generate_docs.py", "--check"], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def pages():
    return [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def test_pages_exist():
    names = {path.name for path in pages()}
    assert {"README.md", "architecture.md", "rationale.md", "adding-an-op.md", "adding-a-constraint.md", "adding-a-pass.md"} <= names


def test_links_lead_somewhere():
    broken = []
    for page in pages():
        for link in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text()):
            if "://" not in link and not (page.parent / link).exists():
                broken.append(f"{page.name}: {link}")
    assert not broken, "\n".join(broken)


def test_named_files_exist():
    """Paths in backticks that look like files of the tree."""
    missing = []
    for page in pages():
        for name in re.findall(r"`((?:include|lib|runtime|tools|test|scripts|docs|cmake)/[\w./-]+\.\w+)`", page.read_text()):
            if not (ROOT / name).exists():
                missing.append(f"{page.name}: {name}")
    assert not missing, "\n".join(missing)
