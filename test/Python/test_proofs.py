"""A record that `--explain` calls enforced names the tests that break it; needed.test shows that they fail without its check."""
import json
import re

import anetest

HELD = {"enforced", "lifted by evidence", "disputed", "advice"}


def test_each_record_that_holds_is_tested():
    versions = [json.loads(anetest.run("ane-compile", "--explain", "--json", f"--os={os}").stdout) for os in (15, 26, 27)]
    assert len(versions[0]) > 150
    for record, *later in zip(*versions):
        states = {state for each in (record, *later) for tiers in each["status"].values() for state in tiers.values()}
        assert bool(states & HELD) == bool(record["tested_by"]), (record["id"], states, record["tested_by"])
        for file in record["tested_by"]:
            text = (anetest.ROOT / file).read_text()
            said = rf"{record['id']} {record['name']}|\"{record['id']}\""
            if file.endswith("legalised.mlir"):
                said = "RUN: "
            elif file.endswith(".mlir") and record["checked_by"].startswith("the verifier"):
                said = "CHECK: error: "  # in the verifier's own words
            assert re.search(said, text), f"{file} does not break {record['id']}"


def test_what_nobody_checks_says_so():
    """C11 and C15 are about calls that nothing here makes."""
    for code in "C11", "C15":
        record = json.loads(anetest.run("ane-compile", f"--explain={code}", "--json").stdout)
        assert record["checked_by"] == "nobody" and not record["tested_by"]
        assert {state for tiers in record["status"].values() for state in tiers.values()} <= {"not enforced", "-"}
