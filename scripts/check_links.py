#!/usr/bin/env python3
"""Checks that relative links in the Markdown files lead to files that exist."""

import pathlib
import re
import sys

LINK = re.compile(r"\]\(([^)#\s]+)(#[^)]*)?\)")


def main():
    root = pathlib.Path(__file__).resolve().parents[1]
    pages = sorted(root.glob("*.md")) + sorted((root / "docs").rglob("*.md"))
    faults = [
        f"{page.relative_to(root)}: link to {target}, which does not exist"
        for page in pages
        for target, _ in LINK.findall(page.read_text(encoding="utf-8"))
        if "://" not in target and not (page.parent / target).exists()
    ]
    print("\n".join(faults) if faults else f"links: {len(pages)} pages")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
