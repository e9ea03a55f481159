"""Committed pages that list what does not pass, in sections, each with its reasons: written by the modules of their tables, read by their tests."""
import collections
import re


def section(title, chosen):
    """Lines for (name, reason) pairs: by reason, the most frequent first."""
    groups = collections.defaultdict(list)
    for name, why in chosen:
        groups[why].append(name)
    lines = [f"## {title}: {sum(map(len, groups.values()))}", ""]
    for why, names in sorted(groups.items(), key=lambda group: (-len(group[1]), group[0])):
        lines += [f"### {why} ({len(names)})", "", ", ".join(f"`{name}`" for name in sorted(names)), ""]
    return lines


def committed(page):
    """{name: (section, reason)} of such a page."""
    made, title, why = {}, "", ""
    for line in page.read_text().splitlines():
        if line.startswith("## "):
            title = line[3:].rpartition(":")[0]
        elif line.startswith("### "):
            why = line[4:].rpartition(" (")[0]
        elif title:
            made.update((name, (title, why)) for name in re.findall(r"`([^`]+)`", line))
    return made
