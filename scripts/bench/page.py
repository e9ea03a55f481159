"""Pages that a measurement writes."""
import re

NOTES = "## Notes"


def table(head, rows):
    return "\n".join("| " + " | ".join(row) + " |" for row in [head, ["---"] * len(head), *rows])


def write(path, text):
    """Writes the page; what people wrote below it, from NOTES on, stays."""
    old = path.read_text() if path.exists() else ""
    notes = old[old.index(NOTES):] if NOTES in old else ""
    path.write_text(text + (f"\n{notes}" if notes else ""))


def replace(path, pattern, text):
    """Puts `text` in the place of what the pattern finds in the page, which must be there once."""
    made, count = re.subn(pattern, lambda _: text, path.read_text())
    if count != 1:
        raise SystemExit(f"{path}: has {count} places like {pattern}, expected one for the new table")
    path.write_text(made)


def write_tables(path, tables):
    """Puts each table, {mark: table}, behind its mark, in the place of the one that is there."""
    for mark, made in tables.items():
        replace(path, rf"(?<=<!-- {mark} -->\n\n)(\|.*\n)+", made + "\n")
