#!/usr/bin/env python3
"""Turns what mac-check.sh found on a Mac into evidence of the catalogue: prints a diff of include/ane/Constraint, to be looked at.

    scripts/merge_mac_check.py mac-check.json            prints the diff
    scripts/merge_mac_check.py mac-check.json --write    changes the records, too

Every statement is added beside those that are there, also where they contradict it: which of them a rule follows is for a person to
say. Exit code: 0; 1 for a file that is none, or of no Mac; 2 for wrong use.
"""
import argparse
import difflib
import json
import math
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SCHEMA = 1
WRONG = 0.02  # of the largest value: mac-check.sh has the same
MOST_BYTES = 16 << 20  # many times what a check of all ops gives
PLAIN = re.compile(r"[\w .,:;()+-]{0,120}")  # what may stand in a record
DIRECT = "doEvaluateDirect is faster than evaluate"  # in Disputes.td
IDENTIFIER = "the identifier of a program covers the content of its weights"  # there, too
WORTHWHILE = 0.95  # of a time: runtime/core/evaluation_paths.cpp has the same
OLD_WEIGHTS = "it computes with the old weights"  # runtime/core/weight_ways.cpp
PLACES = ("0x50004",)  # too many programs are loaded: runtime/device/ane/errors.cpp
OP = re.compile(r"[a-z][a-z0-9_]*(\.[a-z0-9_]+)?")


class Bad(Exception):
    """The file is refused; the text says where and why."""


def member(value, path, key, kind):
    """A member of an object, of one of the kinds."""
    where = f"{path}.{key}" if path else key
    if not isinstance(value, dict):
        raise Bad(f"{path or 'the file'} is {type(value).__name__}, expected an object")
    if key not in value:
        raise Bad(f"{where} is missing")
    found = value[key]
    if isinstance(found, bool) or not isinstance(found, kind):
        names = " or ".join(each.__name__ for each in (kind if isinstance(kind, tuple) else (kind,)))
        raise Bad(f"{where} is {json.dumps(found)[:60]}, expected {names}")
    return found


def text(value, path, key, pattern):
    found = member(value, path, key, str)
    if not re.fullmatch(pattern, found):
        raise Bad(f"{path}.{key} is {json.dumps(found)[:80]}, expected what matches {pattern}")
    return found


def results(document, key):
    """The checks of a list: name, exit code and report, which is there if the code is 0."""
    found = []
    for index, entry in enumerate(member(document, "", key, list)):
        path = f"{key}[{index}]"
        code = member(entry, path, "exit", int)
        report = member(entry, path, "report", dict) if code == 0 else None
        found.append((path, text(entry, path, "name", OP), code, report))
    return found


class Machine:
    def __init__(self, document, constraints):
        entry = member(document, "", "machine", dict)
        if member(entry, "machine", "exit", int) != 0:
            raise Bad("machine.exit is not 0: nothing is known of the machine")
        report = member(entry, "machine", "report", dict)
        path = "machine.report"
        self.chip = text(report, path, "processor", r"Apple [AM]\d+( (Pro|Max|Ultra))?").removeprefix("Apple ")
        self.os = "macOS " + text(report, path, "os_version", r"\d+(\.\d+){0,2}")
        self.build = text(report, path, "os_build", r"\d+[A-Z]\d+[a-z]?")
        tiers = dict(re.findall(r'Chip<"(\w+)", (Tier\w+),', (constraints / "Targets.td").read_text()))
        targets = member(report, path, "targets", list)
        known = {tiers.get(target) if isinstance(target, str) else None for target in targets}
        if len(known) != 1 or None in known:
            raise Bad(f"{path}.targets is {json.dumps(targets)}, expected targets of one tier that the records have")
        self.tier = known.pop()

    def evidence(self, supports, note):
        kind = "Supports" if supports else "Contradicts"
        return f'{kind}<MacCheck, "{self.chip}", "{self.os}", Measured, "{note} ({self.build})">'


KINDS = "none|program|transient|resource|gone"


def refusal_of(entry, path):
    """(what kind of refusal it is, its code, a text that may stand in a record)."""
    kind, code = text(entry, path, "kind", KINDS), text(entry, path, "code", PLAIN)
    return kind, code or "an error without a code"


def is_final(kind, code):
    """Whether it says something of the program. A compiler that gives no reason is one that refuses: there were no compilations before."""
    return kind == "program" or code.startswith("ANECCompile()")


def error_of(entry, path):
    """Of a probe's entry, as refusal_of(); None: there was none."""
    if not isinstance(entry, dict):
        raise Bad(f"{path} is {json.dumps(entry)[:60]}, expected an object")
    return None if entry.get("error") is None else refusal_of(entry["error"], f"{path}.error")


def probe_statements(document):
    """(record, whether it supports it, what was seen)."""
    compiled = None
    for path, name, code, report in results(document, "probes"):
        if report is None:
            continue
        path += ".report"
        if name == "constants":
            outcome = {}
            for index, entry in enumerate(member(report, path, "programs", list)):
                own = f"{path}.programs[{index}]"
                outcome[member(entry, own, "constants", int), member(entry, own, "files", int)] = error_of(entry, own)
            fine = sorted(key for key, error in outcome.items() if error is None)
            # Packed, so that only their number can be what is refused.
            packed = [key for key in fine if key[1] == 1 and key[0] > 16]
            if outcome.get((16, 1), "") is None:
                if packed:
                    yield "C224", False, f"{packed[-1][0]} constants in one file run"
                elif (17, 1) in outcome and is_final(*outcome[17, 1]):
                    yield "C224", True, f"16 constants in one file run, 17 do not: {outcome[17, 1][1]}"
            if outcome.get((16, 16), "") is None:
                many = [key for key in fine if key[1] > 16]
                if many:
                    yield "C134", False, f"{many[-1][1]} files run"
                elif (17, 17) in outcome and is_final(*outcome[17, 17]):
                    yield "C134", True, f"16 files run, 17 do not: {outcome[17, 17][1]}"
        elif name == "weights":
            for way in "patch", "donor":
                why = member(report, path, way, str)
                if why in ("", OLD_WEIGHTS):  # other reasons may pass
                    yield "C07", bool(why), f"by {way} a program computes with its {'old' if why else 'new'} weights"
            why = member(report, path, "recompile", str)
            if why in ("", OLD_WEIGHTS):
                yield IDENTIFIER, not why, f"a program of the same text computes with {'weights of the other' if why else 'its own weights'}"
        elif name == "evaluation":
            times, sizes = {}, member(report, path, "sizes", list)
            for index, entry in enumerate(member(report, path, "paths", list)):
                own = f"{path}.paths[{index}]"
                if not member(entry, own, "error", str):
                    times[text(entry, own, "path", r"standard|direct|real-time")] = [
                        number({"median_us": each}, own, "median_us") for each in member(entry, own, "median_us", list)]
            rows = list(zip(sizes, times.get("standard", []), times.get("direct", [])))
            if rows:
                seen = ", ".join(f"{direct:.0f} against {standard:.0f} us at {text({'sizes': size}, path, 'sizes', PLAIN)}" for size, standard, direct in rows)
                yield DIRECT, all(direct <= WORTHWHILE * standard for _, standard, direct in rows), seen
        elif name == "programs":
            count, loaded = member(report, path, "compiled", int), member(report, path, "loaded", int)
            error, phase = error_of(report, path), text(report, path, "phase", "compile|load")
            end = f", then {error[1]}" if error else " and no error"
            # A first process says where compilations end, a second, which finds them, where places do: unless those end first.
            if compiled is None:
                compiled = count
                if count > 1 and (error is None or phase == "compile"):
                    yield "C05", error is not None, f"{count} programs compiled{end}"
            elif loaded > compiled and error is None:
                yield "C139", False, f"{loaded} programs loaded{end}"
            if phase == "load" and error and error[1] in PLACES:
                yield "C139", True, f"{loaded} programs loaded{end}"


def number(value, path, key):
    """JSON has no NaN: ane-run writes words."""
    found = member(value, path, key, (int, float, str))
    if isinstance(found, int) and abs(found) > 10**300:
        raise Bad(f"{path}.{key} is a number of {len(str(found))} digits")
    return float(found) if found in ("nan", "inf", "-inf") or not isinstance(found, str) else math.nan


def op_rows(document, machine):
    """(op in MIL, its status, or None where nothing is known, what was seen, condition)."""
    for path, name, code, report in results(document, "ops"):
        if report is None:
            continue
        path += ".report"
        steps = member(report, path, "profile", list)
        where = [f"{path}.profile[{index}]" for index in range(len(steps))]
        refused = [step for step, own in zip(steps, where) if text(step, own, "status", r"ok|refused|rescued|retried") == "refused"]
        programs = [step for step, own in zip(steps, where) if text(step, own, "kind", r"host|program|twin|update") == "program"]
        compared = member(member(report, path, "compare", dict), f"{path}.compare", "outputs", list)
        worst = 0.0
        for index, output in enumerate(compared):
            own = f"{path}.compare.outputs[{index}]"
            largest = number(output, own, "max_reference")
            error = number(output, own, "max_abs") / (largest if largest > 0 else 1)
            worst = max(worst, error if math.isfinite(error) else math.inf)
        op, _, variant = name.partition(".")
        of = f" of {name}" if variant else ""
        if refused:
            reason = member(refused[0], path, "refusal", dict)
            kind, code = refusal_of(reason, f"{path}.refusal")
            phase = text(reason, f"{path}.refusal", "phase", "load|run")
            yield op, "Rejected" if is_final(kind, code) else None, f"refused when it is to {phase}: {code}{of}", ""
        elif programs and worst > WRONG:
            yield op, "Conditional", f"relative error {worst:.2g}{of}", "values of mac-check"
        elif programs:
            yield op, "Native", f"relative error {worst:.2g}{of}", ""


def closing(source, start):
    """Where the bracket at `start` ends; strings have no brackets."""
    depth, index = 0, start
    while index < len(source):
        if source[index] == '"':
            index = source.index('"', index + 1)
        elif source[index] in "<[{":
            depth += 1
        elif source[index] in ">]}":
            depth -= 1
            if depth == 0:
                return index
        index += 1
    raise Bad("a record of the catalogue has no end")


def add_to_list(source, start, entry):
    """Adds to the list that begins at `start`."""
    end = closing(source, start)
    before = source[start + 1:end].rstrip()
    return source[:start + 1] + before + (",\n    " if before else "\n    ") + entry + source[end:]


def add_evidence(sources, record, evidence):
    for path, source in sources.items():
        if found := re.search(rf'<"{re.escape(record)}", ', source):
            in_place = source[found.end()] == "["  # of a dispute
            start = found.end() if in_place else source.index("let evidence = [", found.start()) + len("let evidence = ")
            if evidence not in source[start:closing(source, start)]:
                sources[path] = add_to_list(source, start, evidence)
            return
    raise Bad(f"no record {record} in the catalogue")


def class_of(op):
    return "ANE_" + "".join(part.capitalize() for part in op.split("_")) + "Op"


def add_row(sources, op, row):
    """Adds to the rows of the record that is about the op in general. False: there is none."""
    for path, source in sources.items():
        for found in re.finditer(r"^def : ANE_Legality<", source, re.MULTILINE):
            start = found.end() - 1
            end = closing(source, start)
            body = source[start:end]
            ops = body[1:closing(body, 1) + 1]
            if class_of(op).lower() not in re.findall(r"\w+", ops.lower()) or "let form" in source[end:source.find("\ndef", end)].split("}")[0]:
                continue
            if row in body:
                return True
            rows = re.search(r",\s*\[", body[len(ops) + 1:])
            if rows:
                sources[path] = add_to_list(source, start + len(ops) + rows.end(), row)
            else:
                sources[path] = source[:end] + ", [\n    " + row + "]" + source[end:]
            return True
    return False


def merge(document, constraints):
    """The sources of the records, as they are and as they are to be, and notes."""
    if member(document, "", "schema", int) != SCHEMA:
        raise Bad(f"schema is {document['schema']}, expected {SCHEMA}: it was made by another version of mac-check.sh")
    if member(document, "", "framework", str) != "system":
        raise Bad(f"framework is {json.dumps(document['framework'])[:60]}, expected \"system\": a simulation is no evidence of an engine")
    machine = Machine(document, constraints)
    before = {path: path.read_text() for path in sorted(constraints.rglob("*.td"))}
    after, notes = dict(before), []
    for record, supports, note in probe_statements(document):
        add_evidence(after, record, machine.evidence(supports, note))
    for op, status, note, condition in op_rows(document, machine):
        if status is None:
            notes.append(f"{op}: {note}; that may pass, so it is left out")
            continue
        row = f"InMemoryRow<{status}, [{machine.tier}], [{machine.evidence(True, note)}]" + (f', "{condition}">' if condition else ">")
        if not add_row(after, op, row):
            notes.append(f"{op}: {status}, {note}; no record is about it, so this is left out")
    return before, after, notes


def read(path):
    with path.open("rb") as file:  # some files have no end
        found = file.read(MOST_BYTES + 1)
    if len(found) > MOST_BYTES:
        raise Bad(f"has more than {MOST_BYTES} bytes; expected the mac-check.json that mac-check.sh has made")
    return json.loads(found.decode("utf-8"))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("--write", action="store_true", help="change the records, too")
    parser.add_argument("--root", type=Path, default=ROOT, help="of the repository")
    options = parser.parse_args()
    try:
        document = read(options.file)
        before, after, notes = merge(document, options.root / "include" / "ane" / "Constraint")
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
        sys.exit(f"merge_mac_check.py: {options.file}: is not JSON ({error}); expected the mac-check.json that mac-check.sh has made")
    except OSError as error:
        sys.exit(f"merge_mac_check.py: {options.file}: {error.strerror}")
    except Bad as error:
        sys.exit(f"merge_mac_check.py: {options.file}: {error}")
    for path in before:
        name = path.relative_to(options.root)
        sys.stdout.writelines(difflib.unified_diff(before[path].splitlines(True), after[path].splitlines(True), f"a/{name}", f"b/{name}"))
        if options.write and after[path] != before[path]:
            path.write_text(after[path])
    for note in notes:
        print(f"note: {note}", file=sys.stderr)


if __name__ == "__main__":
    main()
