"""Exported programs without their weights, and pseudo-random weights for them.

A model with random weights needs no gigabytes to travel: `lean` leaves out the
bytes of the parameters, `fill` puts bytes in their place that depend on the seed
and the parameter's name alone, bit for bit the same on every machine. What is not
a parameter (position ids, masks, frequencies) keeps its value; the running
statistics of batch norms are filled.

A lean file is compressed and has the member `kfuse_fill.json`; no reader of
`.pt2` accepts it. Files that `fill` writes have one layout whoever wrote them, so a
package compiled by reference to one opens beside another.
"""

import json
import shutil
import struct
import zipfile
import zlib

import numpy as np

PLAN = "kfuse_fill.json"
_CHUNK = 1 << 22
_ALIGNMENT = 64
# torch._export.serde's numbers of the dtypes that parameters may have.
DTYPES = {6: "f16", 7: "f32", 8: "f64", 13: "bf16"}
_ITEM = {"f16": 2, "f32": 4, "f64": 8, "bf16": 2}


class LeanError(Exception):
    """A file is not what it should be."""


# Values


def rule(name, sizes):
    """(center, half width) of the uniform values of a parameter: such that
    activations keep their size through many layers."""
    last = name.rsplit(".", 1)[-1]
    if last == "running_var":
        return 1.0, 0.5
    if last == "running_mean" or "bias" in last:
        return 0.0, 0.05
    if len(sizes) < 2:
        return 1.0, 0.1
    if any(word in name for word in ("embed", "wte", "wpe", "shared", "token", "position")):
        return 0.0, 0.05
    # Uniform in [-h, h] has the deviation h / sqrt(3); convolutions are
    # followed by activations that halve the power.
    gain = 2.0 if len(sizes) > 2 else 1.0
    return 0.0, (3.0 * gain / float(np.prod(sizes[1:]))) ** 0.5


def _round(values, dtype):
    if dtype == "f32":
        return values
    if dtype == "bf16":
        bits = values.view(np.uint32)
        bits += 0x7FFF + ((bits >> 16) & 1)
        return (bits >> 16).astype(np.uint16)
    return values.astype({"f16": np.float16, "f64": np.float64}[dtype])


def values(seed, name, count, dtype, center, half_width):
    """Yields the bytes of `count` values in chunks. Only the raw output of PCG64
    and IEEE arithmetic is used, nothing that versions of numpy may change."""
    generator = np.random.PCG64(np.random.SeedSequence([seed, zlib.crc32(name.encode())]))
    scale = np.float32(half_width / 32768.0)
    while count:
        n = min(count, _CHUNK)
        raw = generator.random_raw((n + 3) // 4).astype("<u8", copy=False).view("<u2")[:n]
        uniform = raw.astype(np.float32)
        uniform -= np.float32(32767.5)
        uniform *= scale
        uniform += np.float32(center)
        yield _round(uniform, dtype).tobytes()
        count -= n


# Archives


def _root(names):
    for name in names:
        if name.endswith("/archive_format"):
            return name.removesuffix("archive_format")
    raise LeanError("no member 'archive_format' was found; expected a .pt2 file of torch 2.9 or later")


def _is_random(name, meta):
    return meta["is_param"] or name.rsplit(".", 1)[-1] in ("running_mean", "running_var")


def _plan(archive, root):
    """{member: how to fill it} of the storages that only hold parameters."""
    found, kept = {}, set()
    for info in archive.infolist():
        if not info.filename.endswith(("_weights_config.json", "_constants_config.json")):
            continue
        folder = info.filename.rsplit("/", 1)[0]
        config = json.loads(archive.read(info))["config"]
        for name, meta in sorted(config.items()):
            member = f"{folder}/{meta['path_name']}"
            dtype = DTYPES.get((meta.get("tensor_meta") or {}).get("dtype"))
            if not _is_random(name, meta) or dtype is None or meta["use_pickle"]:
                kept.add(member)
                continue
            if member in found:
                continue
            sizes = [size["as_int"] for size in meta["tensor_meta"]["sizes"]]
            center, half_width = rule(name, sizes)
            found[member] = {"name": name, "dtype": dtype, "center": center, "half_width": half_width}
    for member, how in found.items():
        how["count"] = archive.getinfo(member).file_size // _ITEM[how["dtype"]]
    return {member: how for member, how in found.items() if member not in kept}


def _packed(name):
    info = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
    info.compress_type = zipfile.ZIP_DEFLATED
    return info


def lean(source, target):
    """Writes `source` without the bytes of its parameters."""
    with zipfile.ZipFile(source) as archive, zipfile.ZipFile(target, "w") as out:
        root = _root(archive.namelist())
        if root + PLAN in archive.namelist():
            raise LeanError(f"{source} is lean already")
        plan = _plan(archive, root)
        for info in archive.infolist():
            with out.open(_packed(info.filename), "w") as member:
                if info.filename not in plan:
                    with archive.open(info) as data:
                        shutil.copyfileobj(data, member, _CHUNK)
        out.writestr(_packed(root + PLAN), json.dumps(plan, indent=1))


def _open_member(out, name, size):
    """A stored member whose data starts aligned, as readers that map want it."""
    info = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
    info.file_size = size
    zip64 = 20 if size * 1.05 > zipfile.ZIP64_LIMIT else 0
    start = out.fp.tell() + 30 + len(name.encode()) + 4 + zip64
    padding = -start % _ALIGNMENT
    info.extra = struct.pack("<HH", 0x4246, padding) + bytes(padding)
    return out.open(info, "w")


def fill(source, target, seed=0):
    """Writes the complete program of a lean one."""
    with zipfile.ZipFile(source) as archive, zipfile.ZipFile(target, "w") as out:
        root = _root(archive.namelist())
        if root + PLAN not in archive.namelist():
            raise LeanError(f"{source} has no member '{PLAN}'; expected a file that lean wrote")
        plan = json.loads(archive.read(root + PLAN))
        for info in archive.infolist():
            if info.filename == root + PLAN:
                continue
            how = plan.get(info.filename)
            size = how["count"] * _ITEM[how["dtype"]] if how else info.file_size
            with _open_member(out, info.filename, size) as member:
                if not how:
                    with archive.open(info) as data:
                        shutil.copyfileobj(data, member, _CHUNK)
                    continue
                arguments = (how["name"], how["count"], how["dtype"], how["center"], how["half_width"])
                for chunk in values(seed, *arguments):
                    member.write(chunk)
