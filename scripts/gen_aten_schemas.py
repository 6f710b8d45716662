#!/usr/bin/env python3
"""Writes lib/Import/AtenSchemas.inc, the operator schemas of ATen and prims.

Usage: gen_aten_schemas.py OUT.inc [MORE.txt ...]
       gen_aten_schemas.py --dump > MORE.txt

Exported programs leave out arguments that have their default value, so the
compiler needs the schemas. The table comes from the torch that runs this script.
Operators that only other versions have come from dumps made with those versions;
where two versions disagree, the torch that runs this script wins.
"""

import re
import sys

import torch

# TorchScript-only types; exported programs have none of them.
FOREIGN = re.compile(r"\b(Dict|Any|AnyEnumType|AnyClassType|Future|Await|RRef|Tuple|Storage|Stream|tVal|t|t1|t2)\b\(?"
                     r"(?!\w)|\.\.\.|__torch__")


def name_of(schema):
    return schema.split("(", 1)[0]


def is_wanted(schema):
    if not schema.startswith(("aten::", "prims::")):
        return False
    types = re.sub(r"\w+(=\"(?:[^\"\\]|\\.)*\"|=[^,)]*)?(?=[,)])", "", schema.split("(", 1)[1])
    return not FOREIGN.search(types) and not FOREIGN.search(schema.split("->")[-1])


def schemas_of_torch():
    return sorted(str(schema) for schema in torch._C._jit_get_all_schemas() if is_wanted(str(schema)))


def main():
    if sys.argv[1] == "--dump":
        print("\n".join(schemas_of_torch()))
        return
    table = {name_of(schema): schema for schema in schemas_of_torch()}
    for path in sys.argv[2:]:
        with open(path) as lines:
            for line in filter(is_wanted, map(str.strip, lines)):
                table.setdefault(name_of(line), line)
    version = torch.__version__.split("+")[0]
    with open(sys.argv[1], "w") as out:
        out.write(f"// Written by scripts/gen_aten_schemas.py with torch {version}; do not edit.\n")
        out.write("// Sorted by name. One schema a line, in the notation of native_functions.yaml.\n")
        for name in sorted(table):
            escaped = table[name].replace("\\", "\\\\").replace('"', '\\"')
            out.write(f'"{escaped}",\n')


if __name__ == "__main__":
    main()
