"""What users type: from a model's files to answers and embeddings on the terminal."""
import json
import math
import os
import signal
import subprocess
import time

import numpy as np
import pytest

pytest.importorskip("tokenizers")

import anetest
import lmfiles
import tinychat

CONTEXT = 96


def compiled(model, bundle, *flags, host="native"):
    return anetest.run("ane-compile", model, "-o", bundle, "--quiet", f"--host={host}", *flags)


@pytest.fixture(scope="module")
def bundle(tmp_path_factory):
    folder = tmp_path_factory.mktemp("talk")
    done = compiled(tinychat.write(folder / "m"), folder / "m.anebundle", f"--context={CONTEXT}", "--prefill=8,32")
    assert not done.stderr
    return folder / "m.anebundle"


def talk(bundle, *options, says="", code=0):
    """(what is printed, messages) of ane-run; `says` is typed."""
    done = subprocess.run([anetest.tool("ane-run"), bundle, "--device=cpu", *map(str, options)], input=says, capture_output=True, text=True,
                          timeout=anetest.TIMEOUT)
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout, done.stderr


def tokens(text):
    """Objects for each token, and the last, of each answer."""
    lines, answers, events = [json.loads(line) for line in text.splitlines()], [], []
    for line in lines:
        if "end" in line:
            answers.append((events, line))
            events = []
        else:
            events.append(line)
    assert not events
    return answers


def test_files(bundle):
    """The tokenizer, the names that the template knows, and the template, listed as other files are."""
    folder = bundle / "tokenizer"
    assert (folder / "chat_template.jinja").read_text() == tinychat.TEMPLATE
    assert json.loads((folder / "chat.json").read_text()) == {
        "bos_token": "<s>", "eos_token": "</s>", "additional_special_tokens": ["<|user|>"]}
    assert len(json.loads((folder / "tokenizer.json").read_text())["tokens"]) == len(tinychat.SPECIAL) + 256
    listed = {file["path"] for file in json.loads((bundle / "manifest.json").read_text())["files"]}
    assert {f"tokenizer/{name}" for name in ("tokenizer.json", "chat.json", "chat_template.jinja")} <= listed


def test_what_a_folder_says(tmp_path):
    """Older and newer places of names, templates and ends of answers."""
    model = tinychat.write(tmp_path / "m", template=None)
    config = json.loads((model / "tokenizer_config.json").read_text())
    (model / "special_tokens_map.json").write_text(json.dumps({"bos_token": "<old>", "unk_token": {"content": "<unk>"}}))
    (model / "tokenizer_config.json").write_text(json.dumps(
        {**config, "chat_template": [{"name": "tool_use", "template": "no"}, {"name": "default", "template": "listed"}]}))
    (model / "generation_config.json").write_text('{"eos_token_id": [2, 4], "temperature": 0.6}')
    compiled(model, tmp_path / "o", "--context=16", "--prefill=8", host="none")
    names = json.loads((tmp_path / "o" / "tokenizer" / "chat.json").read_text())
    assert names["bos_token"] == "<s>" and names["unk_token"] == "<unk>"
    assert (tmp_path / "o" / "tokenizer" / "chat_template.jinja").read_text() == "listed"
    assert json.loads((tmp_path / "o" / "manifest.json").read_text())["language_model"]["stop_tokens"] == [2, 4]
    (model / "chat_template.jinja").write_text("{{ a file }}")
    done = compiled(model, tmp_path / "o", "--context=16", "--prefill=8", host="none")
    assert "tokenizer.json:1:6:" in done.stderr and "--chat-template=FILE" in done.stderr
    assert (tmp_path / "o" / "tokenizer" / "chat_template.jinja").read_text() == "{{ a file }}"


def test_prompt(bundle):
    said, notes = talk(bundle, "--prompt=Hello", "--max-tokens=12")
    (events, end), = tokens(talk(bundle, "--prompt=Hello", "--max-tokens=12", "--json")[0])
    assert said == end["text"] + "\n" == "".join(event["text"] for event in events) + "\n"
    assert end["end"] == "length" and end["prefill"]["tokens"] == 6 and end["decode"]["tokens"] == 11
    assert [event["index"] for event in events if event["token"] >= 0] == list(range(12))
    assert notes.startswith("first token ") and "decode 11 tokens at " in notes


def test_devices_say_the_same(bundle):
    (events, end), = tokens(anetest.run("ane-run", bundle, "--prompt=Hello", "--max-tokens=4", "--json", "--device=emulator").stdout)
    assert end["text"] == talk(bundle, "--prompt=Hello", "--max-tokens=4")[0][:-1]
    assert end["decode"]["evaluations_per_token"] >= 1 and end["decode"]["bytes_per_token"] > 0 and len(events) >= 4


PROMPTS = ["Hello", "x", "A longer text, of more than one size of a prompt, with words.", "", "Bye", "x"]


@pytest.fixture(scope="module")
def parallel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("parallel")
    compiled(tinychat.write(folder / "m"), folder / "m.anebundle", f"--context={CONTEXT}", "--prefill=8,32", "--parallel=4")
    (folder / "prompts").write_text("\n".join(PROMPTS) + "\n")
    return folder / "m.anebundle"


@pytest.mark.parametrize("flags", [["--max-tokens=9"], ["--temperature=1.5", "--seed=3", "--max-tokens=40"]])
def test_prompts(parallel, flags):
    """More prompts than decode together, each answered as it is alone, in their order."""
    alone = [tokens(talk(parallel, f"--prompt={prompt}", "--json", *flags)[0])[0][1] for prompt in PROMPTS]
    said, notes = talk(parallel, f"--prompts={parallel.parent / 'prompts'}", *flags)
    assert said == "".join(f"> {prompt}\n{answer['text']}\n" for prompt, answer in zip(PROMPTS, alone))
    assert notes.startswith("first token ")
    lines = [json.loads(line) for line in talk(parallel, "--prompts=-", "--json", *flags, says="\n".join(PROMPTS))[0].splitlines()]
    ends, cost = [line for line in lines if "end" in line], lines[-1]
    assert [(line["prompt"], line["text"], line["end"]) for line in ends] == [(i, a["text"], a["end"]) for i, a in enumerate(alone)]
    assert cost["decode"]["tokens"] == sum(answer["decode"]["tokens"] for answer in alone)
    for i, answer in enumerate(alone):
        assert "".join(line["text"] for line in lines if line.get("prompt") == i and "token" in line) == answer["text"]


def test_prompts_that_are_wrong(parallel, bundle, tmp_path):
    file = parallel.parent / "prompts"
    assert "ane-compile --parallel=N" in talk(bundle, f"--prompts={file}", code=1)[1]
    assert "can't read" in talk(parallel, f"--prompts={tmp_path / 'none'}", code=1)[1]
    assert "has no lines" in talk(parallel, "--prompts=-", code=1)[1]
    assert "prompt 2: has 202 tokens" in talk(parallel, "--prompts=-", says="a\n" + "b" * 201, code=1)[1]
    assert "no room to shift" in talk(parallel, "--prompts=-", "--on-overflow=shift", says="a", code=2)[1]


def test_profile(bundle, parallel, tmp_path):
    """Where each function of a model ran, and what it cost: behind the answers, which stay as they are."""
    trace = tmp_path / "trace.json"
    options = ["--max-tokens=4", "--profile", f"--trace={trace}"]
    plain = talk(bundle, "--prompt=Hello", "--max-tokens=4")[0]
    said, notes = talk(bundle, "--prompt=Hello", *options)
    assert said == plain and notes.index("function prefill_8, device cpu") < notes.index("function decode, device cpu") < notes.index("phases")
    for says, way in ("", "--prompt=Hello"), ("Hello\nAgain\n", "--chat"), ("Hello\nBye\n", "--prompts=-"):
        lines = [json.loads(line) for line in talk(parallel, way, "--json", *options, says=says)[0].splitlines()]
        functions = {each["function"]: each["profile"] for each in lines[-1]["functions"]}
        decode = functions["decode_4" if way == "--prompts=-" else "decode"]
        assert {step["device"] for step in decode} == {"cpu"} and decode[0]["runs"] >= 3 and len(functions) > 1, way
        assert [phase["name"] for phase in lines[-1]["phases"]] == ["load", "answers"]
        names = [event["name"] for event in json.loads(trace.read_text())["traceEvents"] if event["ph"] == "X"]
        assert len(names) - 2 == sum(step["runs"] for steps in functions.values() for step in steps) and names[:2] == ["load", "answers"]


def test_cost_on_the_cpu(bundle):
    """What a token reads from, where no device is asked."""
    (_, end), = tokens(talk(bundle, "--prompt=Hello", "--max-tokens=4", "--json")[0])
    states = sum(4 * math.prod(state["shape"]) for state in json.loads((bundle / "manifest.json").read_text())["states"])
    weights = (bundle / "weights" / "host.bin").stat().st_size
    assert (end["cpu_weight_bytes"], end["state_bytes"], end["decode"]["evaluations_per_token"]) == (weights, states, 0)
    _, notes = talk(bundle, "--prompt=Hello", "--max-tokens=4")
    assert notes.endswith(f" tok/s, {weights / 1e6:.1f} MB of weights and {states / 1e6:.1f} MB of caches\n")


@pytest.mark.parametrize("first, second", [("emulator", "cpu"), ("cpu", "emulator")])
def test_two_devices_say_the_same(bundle, first, second):
    """The prompt on one, what follows on another."""
    flags = ("--prompt=Hello", "--max-tokens=4")
    places = (f"--prefill-device={first}", f"--decode-device={second}")
    (_, end), = tokens(anetest.run("ane-run", bundle, *flags, *places, "--json").stdout)
    assert end["text"] == talk(bundle, *flags)[0][:-1]
    states = json.loads((bundle / "manifest.json").read_text())["states"]
    entry = sum(4 * math.prod(state["shape"]) // CONTEXT for state in states)
    assert end["prefill"]["state_bytes_moved"] == 6 * entry and end["decode"]["state_bytes_moved"] == 0
    assert [end[phase]["evaluations_per_token"] > 0 for phase in ("prefill", "decode")] == [first == "emulator", second == "emulator"]
    notes = anetest.run("ane-run", bundle, *flags, *places).stderr
    assert "evaluations for the prompt and" in notes and "MB of states between devices" in notes
    anetest.rejected("ane-run", bundle, *flags, "--prefill-device=moon", says=["--prefill-device", "moon"], code=2)
    anetest.rejected("ane-run", bundle, "--random-inputs", "--decode-device=cpu", says="--decode-device has no meaning without", code=2)


SAMPLED = ("--temperature=1.5", "--top-k=100", "--top-p=0.95", "--min-p=0.001", "--repeat-penalty=1.1", "--presence-penalty=0.1",
           "--frequency-penalty=0.1", "--max-tokens=24", "--prompt=x")


def test_the_same_seed_gives_the_same_text(bundle):
    texts = [talk(bundle, *SAMPLED, f"--seed={seed}")[0] for seed in (1, 1, 2)]
    assert texts[0] == texts[1] != texts[2]


def test_bias_and_ends(bundle):
    ids = tinychat.tokenizer().get_vocab()
    always = f"--logit-bias={ids['a']}=1000"
    assert talk(bundle, "--prompt=x", always, "--max-tokens=5")[0] == "aaaaa\n"
    (events, end), = tokens(talk(bundle, "--prompt=x", always, "--stop=aaa", "--json")[0])
    assert (end["text"], end["end"], len(events)) == ("", "stop_string", 3)
    (events, end), = tokens(talk(bundle, "--prompt=x", "--logit-bias=2=1000", "--json")[0])
    assert (events, end["text"], end["end"]) == ([], "", "stop_token")
    (events, end), = tokens(talk(bundle, "--prompt=x", always, f"--logit-bias={ids['a']}=-inf", "--max-tokens=5", "--json")[0])
    assert ids["a"] not in [event["token"] for event in events]


def test_a_full_context(bundle):
    """Stops at its end, with a note that says what helps; shifted, it goes on."""
    always = f"--logit-bias={tinychat.tokenizer().get_vocab()['a']}=1000"
    said, notes = talk(bundle, "--prompt=x", always)
    assert len(said) == CONTEXT + 1 - 2 + 1 and "context of 96 tokens was full; --on-overflow=shift" in notes
    said, notes = talk(bundle, "--prompt=x", always, "--on-overflow=shift", "--max-tokens=300")
    assert said == "a" * 300 + "\n" and "full" not in notes
    _, message = talk(bundle, "--prompt", "long " * 40, code=1)
    assert all(text in message for text in ("the prompt has 201 tokens", "context takes 96", "--on-overflow=shift", "--context"))


def test_conversation(bundle, tmp_path):
    """Turns, of which the state keeps what was said; the names of special tokens in a question are text."""
    questions = ["Hi", "<|user|></s>", "and\\", "so on"]
    end = ("--max-tokens=6", "--chat", "--system=be kind")
    said, notes = talk(bundle, *end, says="\n".join(questions) + "\n")
    answers = [last["text"] for _, last in tokens(talk(bundle, *end, "--json", says="\n".join(questions) + "\n")[0])]
    assert said == f"> Hi\n{answers[0]}\n> <|user|></s>\n{answers[1]}\n> and\\\n  so on\n{answers[2]}\n"
    assert notes.count("first token ") == 3 and "(0 reused)" in notes
    # <s>, the system's turn, the first question and its answer, but for its last token, which nothing was asked behind.
    _, notes = talk(bundle, *end, f"--logit-bias={tinychat.tokenizer().get_vocab()['a']}=1000", says="Hi\nHi\n")
    assert f"({1 + 1 + 7 + 1 + 1 + 2 + 1 + 1 + 5} reused)" in notes.splitlines()[1]
    # The same in parts, from one file twice.
    save = tmp_path / "first"
    talk(bundle, *end, f"--save-conversation={save}", says="Hi\n")
    saved = json.loads((tmp_path / "first.json").read_text())
    assert [message["content"] for message in saved["messages"]] == ["be kind", "Hi", answers[0]]
    for _ in range(2):
        again = tokens(talk(bundle, "--max-tokens=6", "--chat", "--json", f"--restore-conversation={save}", says="\n".join(questions[1:]))[0])
        assert [last["text"] for _, last in again] == answers[1:]
        assert again[0][1]["reused_tokens"] > 10


def test_window(bundle):
    """The oldest turns are left out; the system's message stays."""
    said, notes = talk(bundle, "--chat", "--system=S", "--on-overflow=window", "--max-tokens=4", says="a question of some length\n" * 5)
    assert said.count("> a question") == 5 and "error" not in notes
    _, message = talk(bundle, "--chat", "--system=" + "S" * 120, "--on-overflow=window", says="Hi\n", code=1)
    assert "context takes 96" in message


class Typed:
    """ane-run --chat with somebody at the other end of its pipes."""

    def __init__(self, bundle, *options, program=("--chat", "--json")):
        # Shells ignore SIGINT for what runs in the background, such as these tests.
        self.process = subprocess.Popen([anetest.tool("ane-run"), bundle, "--device=cpu", *program, *options], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, bufsize=1,
                                        preexec_fn=lambda: [signal.signal(kind, signal.SIG_DFL) for kind in (signal.SIGINT, signal.SIGHUP)])

    def say(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def hear(self):
        return json.loads(self.process.stdout.readline())

    def interrupt(self, kind=signal.SIGINT):
        self.process.send_signal(kind)

    def end(self):
        try:
            return self.process.wait(timeout=60), self.process.stderr.read()
        finally:
            self.process.kill()


ENDLESS = ("--on-overflow=shift", "--logit-bias=2=-inf")  # never the end of a turn


def test_interrupts(bundle, tmp_path):
    """One stops the answer and keeps the conversation; one at the prompt ends, and what was said is saved."""
    typed = Typed(bundle, *ENDLESS, f"--save-conversation={tmp_path / 'c'}")
    for _ in range(2):
        typed.say("go on")
        for _ in range(20):
            assert "token" in typed.hear()
        typed.interrupt()
        while "end" not in (line := typed.hear()):
            pass
        assert line["end"] == "cancelled" and line["text"]
    time.sleep(0.3)
    typed.interrupt()
    assert typed.end() == (0, "")
    assert len(json.loads((tmp_path / "c.json").read_text())["messages"]) == 4


@pytest.mark.parametrize("kind", [signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("answering", [True, False])
def test_ended_by_a_signal(bundle, tmp_path, kind, answering):
    """A logout or a system that goes down: what was said is saved, as far as it went."""
    typed = Typed(bundle, *(ENDLESS if answering else ("--max-tokens=2",)), f"--save-conversation={tmp_path / 'c'}")
    typed.say("go on")
    while ("token" if answering else "end") not in typed.hear():
        pass
    typed.interrupt(kind)
    assert typed.end()[0] == 128 + kind
    assert [message["role"] for message in json.loads((tmp_path / "c.json").read_text())["messages"]] == ["user", "assistant"]
    _, notes = talk(bundle, "--chat", f"--restore-conversation={tmp_path / 'c'}", "--on-overflow=shift", "--max-tokens=2", says="Hi\n")
    assert "error" not in notes


def test_interrupted_prompt(bundle):
    typed = Typed(bundle, *ENDLESS, program=("--prompt=x", "--json"))
    typed.hear()
    typed.interrupt()
    code, notes = typed.end()
    assert code == 130 and not notes


def test_nobody_reads(bundle):
    """The reader of an answer without an end goes away."""
    for program in (("--prompt=x",), ("--chat",)):
        typed = Typed(bundle, *ENDLESS, program=program)
        typed.say("Hi")
        typed.process.stdout.read(3)
        typed.process.stdout.close()
        code, notes = typed.end()
        assert code == 0 and "error" not in notes


@pytest.mark.parametrize("options, says", [
    (["--chat", "--prompt=x"], "uses of a model"),
    (["--temperature=1"], "--temperature has no meaning without --prompt, --prompts or --chat"),
    (["--prompt=x", "--system=y"], "--system has no meaning without --chat"),
    (["--chat", "--random-inputs"], "--random-inputs has no meaning with --chat"),
    (["--text", "--seed=1"], "draws nothing"),
    (["--chat", "--system=x", "--restore-conversation=y"], "exclude each other"),
    (["--chat", "--on-overflow=forget"], "is \"forget\", expected stop, shift or window"),
    (["--prompt=x", "--on-overflow=window"], "with --prompt give stop or shift"),
    (["--prompt=x", "--temperature=hot"], "--temperature: is \"hot\", expected a number"),
    (["--prompt=x", "--temperature=-1"], "the temperature is -1; it must be 0"),
    (["--prompt=x", "--top-p=1.5"], "top-p is 1.5"),
    (["--prompt=x", "--logit-bias=a=1"], "--logit-bias: is \"a=1\", expected ID=X"),
    (["--prompt=x", "--stop="], "--stop: is empty"),
    (["--prompt=x", "--max-tokens=0"], "--max-tokens: is \"0\""),
])
def test_wrong_use(options, says):
    anetest.rejected("ane-run", "m.anebundle", *options, says=says, code=2)


def test_wrong_bundles(bundle, tmp_path):
    """One message, which says what helps."""
    anetest.rejected("ane-run", bundle, "--text", says=["is a decoder (llama)", "give --prompt or --chat"])
    anetest.rejected("ane-run", bundle, "--prompt=x", "--logit-bias=300=1", says="token 300 is beyond the model's vocabulary of 300")
    anetest.rejected("ane-run", bundle, "--chat", f"--restore-conversation={tmp_path / 'none'}", says="none.json")
    anetest.rejected("ane-run", bundle, "--chat", f"--chat-template={tmp_path / 'none'}", says=["--chat-template", "none"])
    (tmp_path / "broken.jinja").write_text("{% for %}")
    anetest.rejected("ane-run", bundle, "--chat", f"--chat-template={tmp_path / 'broken.jinja'}", says=["broken.jinja:1:", "another template"])
    (tmp_path / "c.json").write_text("{}")
    anetest.rejected("ane-run", bundle, "--chat", f"--restore-conversation={tmp_path / 'c'}", says="no conversation that was saved")
    small = ("--context=16", "--prefill=8")
    compiled(tinychat.write(tmp_path / "plain", template=None), tmp_path / "plain.anebundle", *small)
    anetest.rejected("ane-run", tmp_path / "plain.anebundle", "--chat", says=["chat_template.jinja is not there", "--chat-template=FILE", "--prompt"])
    said, _ = talk(tmp_path / "plain.anebundle", "--chat", f"--chat-template={bundle / 'tokenizer' / 'chat_template.jinja'}", "--max-tokens=2", says="Hi")
    assert said.startswith("> Hi\n")
    done = compiled(lmfiles.write(tmp_path / "bare"), tmp_path / "bare.anebundle", *small)
    assert "has no tokenizer" in done.stderr and "--tokenizer=PATH" in done.stderr
    anetest.rejected("ane-run", tmp_path / "bare.anebundle", "--prompt=x", says=["compiled without a tokenizer", "--tokenizer=PATH"])
    assert compiled(tmp_path / "bare", tmp_path / "bare.anebundle", "--tokenizer=none", *small).stderr == ""


def test_damaged_tokenizer(bundle, tmp_path):
    """What a bundle brings along is checked as all of it is."""
    copy = tmp_path / "m.anebundle"
    subprocess.run(["cp", "-r", bundle, copy], check=True)
    path = copy / "tokenizer" / "tokenizer.json"
    whole = path.read_bytes()
    for text, says, *flags in [(whole[:-20], "the manifest says"), (b" " * len(whole), "tokenizer/tokenizer.json: is no JSON text"),
                               (whole.replace(b'"tokens"', b'"takens"'), 'field "takens" is not known'),
                               (whole.replace(b"<unk>", b"<bad>"), "xxh128", "--verify")]:
        path.write_bytes(text)
        anetest.rejected("ane-run", copy, "--prompt=x", *flags, says=["tokenizer/tokenizer.json", says])
    os.unlink(path)
    anetest.rejected("ane-run", copy, "--prompt=x", says="tokenizer/tokenizer.json")


@pytest.mark.parametrize("change, says", [
    ({"vocab_size": 200}, ["the tokenizer has 262 tokens, field 'vocab_size' of the model is 200", "--tokenizer=PATH"]),
    ({"eos_token_id": 290}, "the tokenizer has no token 290, which field 'eos_token_id' of the model names"),
    ({"bos_token_id": 291}, "the tokenizer has no token 291, which field 'bos_token_id'"),
])
def test_tokenizers_of_other_models(tmp_path, change, says):
    config = {**tinychat.CONFIG, **change}
    model = tinychat.write(tmp_path / "m", config)
    if "vocab_size" in change:
        lmfiles.write(model, config, {**lmfiles.tensors(), "model.embed_tokens.weight": np.zeros((change["vocab_size"], 16), np.float32)})
    anetest.rejected("ane-compile", model, "-o", tmp_path / "o", "--quiet", "--host=none", says=says)
    assert not (tmp_path / "o").exists()


def test_tokenizer_of_a_smaller_vocabulary(tmp_path):
    """It may be one whose model has rows to spare."""
    model, config = tmp_path / "m", {**tinychat.CONFIG, "vocab_size": 600}
    tinychat.write(model, config)
    lmfiles.write(model, config, {**lmfiles.tensors(), "model.embed_tokens.weight": np.zeros((600, 16), np.float32)})
    done = anetest.run("ane-compile", model, "-o", tmp_path / "o", "--quiet", "--host=none")
    assert "tokenizer.json: the tokenizer has 262 tokens, field 'vocab_size' of the model is 600: is it this model's?" in done.stderr


def test_files_that_are_damaged(tmp_path):
    model = tinychat.write(tmp_path / "m")
    for name, text, says in [("tokenizer_config.json", "{", "is no JSON text: can't be read from line 1, column 2; remedy"), ("tokenizer.json", "{}", "tokenizer.json"),
                             ("generation_config.json", '{"eos_token_id": "x"}', "generation_config.json: field 'eos_token_id' is \"x\""),
                             ("generation_config.json", '{"eos_token_id": 300}', "is 300, the vocabulary has 300 tokens")]:
        before = (model / name).read_text() if (model / name).exists() else "{}"
        (model / name).write_text(text)
        anetest.rejected("ane-compile", model, "-o", tmp_path / "o", "--quiet", "--host=none", says=[name, says])
        (model / name).write_text(before)
    anetest.rejected("ane-compile", model, "-o", tmp_path / "o", "--context=0", says="--context=0: a number of tokens is 1 or more", code=2)
    anetest.rejected("ane-compile", model, "-o", tmp_path / "o", f"--tokenizer={tmp_path / 'none'}", says="there is no such file or folder", code=2)
