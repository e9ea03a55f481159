"""Files that a package carries in its source distribution only: real vocabularies and chat templates of language models."""
import functools
import subprocess
import sys
import tarfile

from anetest import ROOT

LLAMA_CPP = "0.3.36"


@functools.lru_cache(maxsize=None)
def llama_cpp_models():
    """The folder vendor/llama.cpp/models of llama-cpp-python, unpacked once below .venv; None where pip finds no index."""
    folder = ROOT / ".venv" / "sdist"
    name = f"llama_cpp_python-{LLAMA_CPP}"
    models = folder / name / "vendor" / "llama.cpp" / "models"
    if models.is_dir():
        return models
    archive = folder / f"{name}.tar.gz"
    if not archive.exists():
        # Its build system is asked for metadata, which scikit-build-core, one of our requirements, gives.
        done = subprocess.run([sys.executable, "-m", "pip", "download", "-q", "--no-binary", ":all:", "--no-deps", "--no-build-isolation",
                               "-d", folder, f"llama-cpp-python=={LLAMA_CPP}"], capture_output=True)
        if done.returncode != 0:
            return None
    part = folder / f"{name}.part"
    with tarfile.open(archive) as files:
        wanted = [member for member in files if "/vendor/llama.cpp/models/" in member.name]
        files.extractall(part, members=wanted, filter="data")
    (folder / name).mkdir(exist_ok=True)
    (part / name).rename(folder / name)
    return models
