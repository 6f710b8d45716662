#!/usr/bin/env python3
"""Writes the warp-specialized GEMM that the simulator's tests run.

    make_gemm.py [--ping-pong] > OUT.mlir       needs mlir-opt on PATH

D[M,N] = A[M,K] * B[N,K]^T + bias[N] in bf16, for clusters of two blocks: one
producer warp fills a ring of stages by tensor copies, B by multicast halves;
two consumer warpgroups multiply with wgmma, give stages back to both blocks,
and store their results through shared memory. Cooperative: both consumers work
on one tile of 128 rows. Ping-pong: each has tiles of 64 rows of its own, and
barriers keep them in order. What is printed is lowered to LLVM and NVVM.
"""

import argparse
import subprocess

STAGES, TILE_N, TILE_K, WARPS, CLUSTER = 3, 64, 64, 8, 2
ROW = TILE_K * 2  # bytes, as wide as the swizzle
REGISTERS = TILE_N // 2
PASSES = ["--convert-scf-to-cf", "--convert-arith-to-llvm", "--convert-cf-to-llvm", "--reconcile-unrealized-casts",
          "--canonicalize", "--cse"]

P3, P7 = "!llvm.ptr<3>", "!llvm.ptr<7>"
ACCUMULATOR = "!llvm.struct<(" + ", ".join(["f32"] * REGISTERS) + ")>"
MAP = "!llvm.ptr {llvm.byval = !llvm.array<128 x i8>, llvm.align = 64 : i64, nvvm.grid_constant}"


class Layout:
    """Where things lie in shared memory."""

    def __init__(self, rows):
        self.a_bytes, self.b_bytes = rows * ROW, TILE_N * ROW
        self.a = 0
        self.b = STAGES * self.a_bytes
        self.d = self.b + STAGES * self.b_bytes
        self.full = self.d + WARPS * 2 * 16 * ROW
        self.empty = self.full + 8 * STAGES


class Writer:
    """Lines of a function; values get names as they come."""

    def __init__(self):
        self.lines, self.constants, self.count, self.depth = [], {}, 0, 2

    def line(self, text):
        self.lines.append("  " * self.depth + text)

    def value(self, text):
        self.count += 1
        self.line(f"%{self.count} = {text}")
        return f"%{self.count}"

    def constant(self, number, type="i32"):
        name = f"%c{number}_{type}".replace("-", "m").replace(".", "p")
        self.constants[name] = f"    {name} = arith.constant {number} : {type}"
        return name

    def operand(self, value, type="i32"):
        return self.constant(value, type) if isinstance(value, int) else value

    def __getattr__(self, operation):
        """Integer arithmetic: w.addi(a, b), w.muli(a, 4, "i64")."""
        def make(a, b, type="i32"):
            return self.value(f"arith.{operation} {self.operand(a, type)}, {self.operand(b, type)} : {type}")
        return make

    def compare(self, predicate, a, b):
        return self.value(f"arith.cmpi {predicate}, {self.operand(a)}, {self.operand(b)} : i32")

    def select(self, condition, a, b):
        return self.value(f"arith.select {condition}, {self.operand(a)}, {self.operand(b)} : i32")

    def widen(self, value):
        return self.value(f"arith.extui {value} : i32 to i64")

    def register(self, name):
        return self.value(f"nvvm.read.ptx.sreg.{name} : i32")

    def shared(self, offset):
        return self.value(f"llvm.getelementptr %shared[{self.operand(offset)}] : ({P3}, i32) -> {P3}, i8")

    def open(self, text):
        self.line(text + " {")
        self.depth += 1

    def close(self, text="}"):
        self.depth -= 1
        self.line(text)

    def loop(self, name, begin, end, step, carried):
        """Opens a loop with carried (name, start, type); its results are %name#0 and so on."""
        starts = ", ".join(f"%{n} = {self.operand(s)}" for n, s, _ in carried)
        types = ", ".join(t for _, _, t in carried)
        self.open(f"%{name}:{len(carried)} = scf.for %i_{name} = {self.operand(begin)} to {end} step "
                  f"{self.operand(step)} iter_args({starts}) -> ({types}) : i32")
        return f"%i_{name}"

    def end_loop(self, values, types):
        self.line(f"scf.yield {', '.join(values)} : {', '.join(types)}")
        self.close()


class Gemm:
    def __init__(self, is_ping_pong):
        self.w, self.is_ping_pong = Writer(), is_ping_pong
        self.rows = 64 if is_ping_pong else 128
        self.at = Layout(self.rows)

    # The ring of stages.

    def full(self, stage):
        return self.w.shared(self.w.addi(self.w.shli(stage, 3), self.at.full))

    def empty(self, stage):
        return self.w.shared(self.w.addi(self.w.shli(stage, 3), self.at.empty))

    def wait(self, barrier, phase):
        self.w.line(f"nvvm.mbarrier.try_wait.parity {barrier}, {phase}, {self.w.constant(1000000)} : {P3}, i32, i32")

    def advance(self, stage, phase):
        w = self.w
        following = w.addi(stage, 1)
        wraps = w.compare("eq", following, STAGES)
        flip = w.value(f"arith.extui {wraps} : i1 to i32")
        return w.select(wraps, 0, following), w.xori(phase, flip)

    def skip(self, stage, phase, count):
        """The stage and phase `count` stages on."""
        w = self.w
        at = w.addi(stage, count)
        return w.remui(at, STAGES), w.xori(phase, w.andi(w.divui(at, STAGES), 1))

    def release(self, stage):
        """One thread for each block of the cluster gives the stage back."""
        w = self.w
        w.open(f"scf.if {self.is_releasing}")
        remote = w.value(f"nvvm.mapa {self.empty(stage)}, {self.thread_of_group} : {P3} -> {P7}")
        w.line(f"nvvm.mbarrier.arrive {remote} {{relaxed = true, scope = #nvvm.mem_scope<cluster>}} : {P7}")
        w.close()

    # Parts of the kernel.

    def sync_cluster(self):
        self.w.line("nvvm.cluster.arrive {aligned}")
        self.w.line("nvvm.cluster.wait {aligned}")

    def set_up(self):
        w = self.w
        thread = self.thread = w.register("tid.x")
        self.rank = w.register("cluster.ctaid.x")
        self.cluster = w.divui(w.register("ctaid.x"), CLUSTER)
        self.clusters = w.divui(w.register("nctaid.x"), CLUSTER)
        self.lane, self.warp, self.group = w.andi(thread, 31), w.shrui(thread, 5), w.shrui(thread, 7)
        self.thread_of_group = w.andi(thread, 127)
        self.is_releasing = w.compare("ult", self.thread_of_group, CLUSTER)
        w.open(f"scf.if {w.compare('eq', thread, 0)}")
        arrivals = CLUSTER * (1 if self.is_ping_pong else 2)
        for stage in range(STAGES):
            w.line(f"nvvm.mbarrier.init {self.full(stage)}, {w.constant(1)} : {P3}, i32")
            w.line(f"nvvm.mbarrier.init {self.empty(stage)}, {w.constant(arrivals)} : {P3}, i32")
        w.line("nvvm.fence.mbarrier.init")
        w.close()
        self.sync_cluster()
        self.tiles_m = w.divui(w.addi("%M", CLUSTER * self.rows - 1), CLUSTER * self.rows)
        self.tiles = w.muli(self.tiles_m, w.divui(w.addi("%N", TILE_N - 1), TILE_N))
        self.steps = w.divui(w.addi("%K", TILE_K - 1), TILE_K)

    def origin(self, tile):
        w = self.w
        m = w.muli(w.addi(w.muli(w.remui(tile, self.tiles_m), CLUSTER), self.rank), self.rows)
        return m, w.muli(w.divui(tile, self.tiles_m), TILE_N)

    def load(self, to, map, barrier, row, k, multicasts):
        w = self.w
        to = w.shared(to)
        kind, mask, only = P3, "", " {isCTAOnly = true}"
        if multicasts:
            kind, mask, only = P7, f" multicast_mask = {w.constant(2 ** CLUSTER - 1, 'i16')}", ""
            to = w.value(f"llvm.addrspacecast {to} : {P3} to !llvm.ptr")
            to = w.value(f"llvm.addrspacecast {to} : !llvm.ptr to {P7}")
        w.line(f"nvvm.cp.async.bulk.tensor.shared.cluster.global {to}, {map}, {barrier}, box [{k}, {row}]{mask}{only}"
               f" : {kind}, !llvm.ptr")

    def produce(self):
        w = self.w
        w.line("nvvm.setmaxregister decrease 40")
        w.open(f"scf.if {w.compare('eq', w.andi(self.thread, 127), 0)}")
        tile = w.loop("produced", self.cluster, self.tiles, self.clusters, [("s", 0, "i32"), ("p", 1, "i32")])
        m, n = self.origin(tile)
        half = w.muli(self.rank, TILE_N // CLUSTER)
        step = w.loop("filled", 0, self.steps, 1, [("s1", "%s", "i32"), ("p1", "%p", "i32")])
        self.wait(self.empty("%s1"), "%p1")
        barrier = self.full("%s1")
        w.line(f"nvvm.mbarrier.arrive.expect_tx {barrier}, {w.constant(self.at.a_bytes + self.at.b_bytes)} : {P3}, i32")
        k = w.muli(step, TILE_K)
        self.load(w.addi(w.muli("%s1", self.at.a_bytes), self.at.a), "%mapA", barrier, m, k, False)
        part = w.addi(w.muli(half, ROW), self.at.b)
        self.load(w.addi(w.muli("%s1", self.at.b_bytes), part), "%mapB", barrier, w.addi(n, half), k, True)
        w.end_loop(self.advance("%s1", "%p1"), ["i32"] * 2)
        w.end_loop(["%filled#0", "%filled#1"], ["i32"] * 2)
        w.close()

    def describe_operands(self):
        """Descriptors of both operands in stage 0."""
        w = self.w
        address = w.value(f"llvm.ptrtoint %shared : {P3} to i32")
        # In a cluster the address has the block's rank above its 18 bits.
        base = w.widen(w.shrui(w.andi(address, 0x3FFFF), 4))
        form = 1 << 62 | (8 * ROW >> 4) << 32 | 1 << 16
        part = 0 if self.is_ping_pong else w.muli(self.consumer, 64 * ROW >> 4)
        self.descriptor_a = w.addi(base, w.constant(form + (self.at.a >> 4), "i64"), "i64")
        if not self.is_ping_pong:
            self.descriptor_a = w.addi(self.descriptor_a, w.widen(part), "i64")
        self.descriptor_b = w.addi(base, w.constant(form + (self.at.b >> 4), "i64"), "i64")

    def multiply(self, stage, accumulator):
        w = self.w
        w.line("nvvm.wgmma.fence.aligned")
        stage = w.widen(stage)
        a = w.addi(self.descriptor_a, w.muli(stage, self.at.a_bytes >> 4, "i64"), "i64")
        b = w.addi(self.descriptor_b, w.muli(stage, self.at.b_bytes >> 4, "i64"), "i64")
        for k in range(TILE_K // 16):
            accumulator = w.value(
                f"nvvm.wgmma.mma_async {w.addi(a, 2 * k, 'i64')}, {w.addi(b, 2 * k, 'i64')}, {accumulator}, "
                f"#nvvm.shape<m = 64, n = {TILE_N}, k = 16>, D [<f32>, #nvvm.wgmma_scale_out<one>], "
                "A [<bf16>, #nvvm.wgmma_scale_in<one>, <row>], B [<bf16>, #nvvm.wgmma_scale_in<one>, <col>] : "
                f"{ACCUMULATOR} -> {ACCUMULATOR}")
        w.line("nvvm.wgmma.commit.group.sync.aligned")
        return accumulator

    def accumulate(self, stage, phase):
        """Multiplies the stages of a tile; the registers, and where the ring stands."""
        w = self.w
        zero = w.value(f"llvm.mlir.zero : {ACCUMULATOR}")
        step = w.loop("summed", 0, self.steps, 1, [("acc", zero, ACCUMULATOR), ("s2", stage, "i32"),
                                                    ("p2", phase, "i32"), ("old", stage, "i32")])
        self.wait(self.full("%s2"), "%p2")
        accumulator = self.multiply("%s2", "%acc")
        # The products of the stage before are complete.
        w.line("nvvm.wgmma.wait.group.sync.aligned 1")
        w.open(f"scf.if {w.compare('ne', step, 0)}")
        self.release("%old")
        w.close()
        following = self.advance("%s2", "%p2")
        w.end_loop([accumulator, *following, "%s2"], [ACCUMULATOR, "i32", "i32", "i32"])
        parts = [w.value(f"llvm.extractvalue %summed#0[{i}] : {ACCUMULATOR}") for i in range(REGISTERS)]
        constraints = ",".join(["=f"] * REGISTERS + [str(i) for i in range(REGISTERS)])
        tied = w.value('llvm.inline_asm has_side_effects asm_dialect = att "wgmma.wait_group.sync.aligned 0;", '
                       f'"{constraints}" {", ".join(parts)} : ({", ".join(["f32"] * REGISTERS)}) -> {ACCUMULATOR}')
        w.open(f"scf.if {w.compare('ne', self.steps, 0)}")
        self.release("%summed#3")
        w.close()
        registers = [w.value(f"llvm.extractvalue {tied}[{i}] : {ACCUMULATOR}") for i in range(REGISTERS)]
        return registers, "%summed#1", "%summed#2"

    def add_bias(self, registers, n):
        """Adds the bias of each column and rounds; pairs of neighbours as i32."""
        w = self.w
        last = w.subi("%N", 2)
        column = w.addi(n, w.shli(w.andi(self.lane, 3), 1))
        pairs = []
        for j in range(TILE_N // 8):
            at = w.minui(w.addi(column, 8 * j), last)
            at = w.value(f"llvm.getelementptr %bias[{at}] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, bf16")
            loaded = w.value(f"llvm.load {at} {{alignment = 4 : i64}} : !llvm.ptr<1> -> vector<2xbf16>")
            wide = w.value(f"llvm.fpext {loaded} : vector<2xbf16> to vector<2xf32>")
            for row in range(2):
                pair = w.value("llvm.mlir.undef : vector<2xf32>")
                for i in range(2):
                    register = registers[4 * j + 2 * row + i]
                    pair = w.value(f"llvm.insertelement {register}, {pair}[{w.constant(i)} : i32] : vector<2xf32>")
                total = w.value(f"llvm.fadd {pair}, {wide} : vector<2xf32>")
                rounded = w.value(f"llvm.fptrunc {total} : vector<2xf32> to vector<2xbf16>")
                pairs.append(w.value(f"llvm.bitcast {rounded} : vector<2xbf16> to i32"))
        return pairs

    def store(self, pairs, m, n, buffer):
        """Writes 16 rows of a warp to its buffer, and from there to D."""
        w = self.w
        warp = w.subi(self.warp, 4)
        base = w.addi(w.muli(w.addi(w.shli(warp, 1), buffer), 16 * ROW), self.at.d)
        is_first = w.compare("eq", self.lane, 0)
        w.open(f"scf.if {is_first}")
        w.line("nvvm.cp.async.bulk.wait_group 1 {read}")
        w.close()
        w.line(f"nvvm.bar.warp.sync {w.constant(-1)} : i32")
        matrix, low = w.shrui(self.lane, 3), w.andi(self.lane, 7)
        row = w.addi(w.shli(w.andi(matrix, 1), 3), low)
        for p in range(TILE_N // 16):
            piece = w.xori(w.addi(w.shrui(matrix, 1), 2 * p), low)
            at = w.shared(w.addi(w.addi(base, w.muli(row, ROW)), w.shli(piece, 4)))
            w.line(f"nvvm.stmatrix {at}, {', '.join(pairs[4 * p:4 * p + 4])} {{layout = #nvvm.mma_layout<row>, "
                   "shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>} : "
                   f"{P3}, i32, i32, i32, i32")
        w.line("nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}")
        w.line(f"nvvm.bar.warp.sync {w.constant(-1)} : i32")
        first = w.addi(m, w.shli(w.andi(warp, 3), 4))
        if not self.is_ping_pong:
            first = w.addi(first, w.shli(self.consumer, 6))
        w.open(f"scf.if {is_first}")
        w.line(f"nvvm.cp.async.bulk.tensor.global.shared.cta %mapD, {w.shared(base)}, box [{n}, {first}] : !llvm.ptr, {P3}")
        w.line("nvvm.cp.async.bulk.commit.group")
        w.close()
        return is_first

    def order(self, operation, barrier):
        self.w.line(f"nvvm.{operation} id = {barrier} number_of_threads = {self.w.constant(256)}")

    def consume(self):
        w = self.w
        w.line("nvvm.setmaxregister increase 232")
        self.consumer = w.subi(self.group, 1)
        self.describe_operands()
        start, step, stage, phase = self.cluster, self.clusters, 0, 0
        if self.is_ping_pong:
            start = w.addi(start, w.muli(self.consumer, step))
            step = w.shli(step, 1)
            stage, phase = self.skip(w.constant(0), w.constant(0), w.muli(self.consumer, self.steps))
            w.open(f"scf.if {w.compare('eq', self.consumer, 1)}")
            self.order("barrier.arrive", w.constant(2))
            w.close()
        tile = w.loop("consumed", start, self.tiles, step,
                      [("s", stage, "i32"), ("p", phase, "i32"), ("buffer", 0, "i32")])
        m, n = self.origin(tile)
        if self.is_ping_pong:
            self.order("barrier", w.addi(self.consumer, 2))
        registers, stage, phase = self.accumulate("%s", "%p")
        if self.is_ping_pong:
            self.order("barrier.arrive", w.subi(3, self.consumer))
            stage, phase = self.skip(stage, phase, self.steps)
        is_first = self.store(self.add_bias(registers, n), m, n, "%buffer")
        w.end_loop([stage, phase, w.xori("%buffer", 1)], ["i32"] * 3)
        w.open(f"scf.if {w.compare('eq', self.lane, 0)}")
        w.line("nvvm.cp.async.bulk.wait_group 0 {read}")
        w.close()

    def text(self):
        w = self.w
        self.set_up()
        w.open(f"scf.if {w.compare('eq', self.group, 0)}")
        self.produce()
        w.close("} else {")
        w.depth += 1
        self.consume()
        w.close()
        w.line(f"nvvm.bar.warp.sync {w.constant(-1)} : i32")
        self.sync_cluster()
        w.line("llvm.return")
        head = [
            'gpu.module @gemm [#nvvm.target<chip = "sm_90a", features = "+ptx86">] {',
            "  llvm.mlir.global external @dynamic() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>",
            f"  llvm.func @gemm(%mapA: {MAP}, %mapB: {MAP}, %mapD: {MAP}, %bias: !llvm.ptr<1>, %M: i32, %N: i32, %K: i32)",
            f"      attributes {{nvvm.kernel, nvvm.reqntid = array<i32: 384, 1, 1>, nvvm.cluster_dim = array<i32: {CLUSTER}, 1, 1>}} {{",
            f"    %shared = llvm.mlir.addressof @dynamic : {P3}"]
        return "\n".join([*head, *w.constants.values(), *w.lines, "  }", "}", ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ping-pong", action="store_true")
    parser.add_argument("--high-level", action="store_true", help="print what is lowered instead")
    options = parser.parse_args()
    gemm = Gemm(options.ping_pong)
    text = gemm.text()
    if options.high_level:
        print(text, end="")
        return
    lowered = subprocess.run(["mlir-opt", *PASSES], input=text, capture_output=True, text=True)
    if lowered.returncode:
        raise SystemExit(lowered.stderr)
    shape = "ping-pong" if options.ping_pong else "cooperative"
    print(f"// Written by make_gemm.py: {shape}, {gemm.at.empty + 8 * STAGES} bytes of dynamic shared memory; boxes of A "
          f"{gemm.rows}x64,\n// of B {TILE_N // CLUSTER}x64, of D 16x64, all swizzled by 128 bytes.")
    # The printer leaves blanks at the ends of some lines.
    print("\n".join(line.rstrip() for line in lowered.stdout.splitlines()))


if __name__ == "__main__":
    main()
