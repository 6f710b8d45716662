// RUN: kfuse-compile %s --start-from=plan-memory --ptxas=none -o %t.kfuse
// RUN: unzip -p %t.kfuse manifest.json | FileCheck %s --check-prefix=MANIFEST
// RUN: unzip -p %t.kfuse plan.json | FileCheck %s --check-prefix=PLAN
// RUN: unzip -p %t.kfuse ledger.json | FileCheck %s --check-prefix=LEDGER
// RUN: unzip -p %t.kfuse kernels/sm_90a/kernels0.ptx | FileCheck %s --check-prefix=PTX

// The same input gives the same bytes.
// RUN: kfuse-compile %s --start-from=plan-memory --ptxas=none -j 1 -o %t.again.kfuse
// RUN: cmp %t.kfuse %t.again.kfuse

// Members are stored at multiples of 64 bytes.
// RUN: %python -c "import struct, sys, zipfile; data = open(sys.argv[1], 'rb').read(); infos = zipfile.ZipFile(sys.argv[1]).infolist(); assert not zipfile.ZipFile(sys.argv[1]).testzip(); assert [i for i in infos if i.compress_type] == []; assert {(i.header_offset + 30 + sum(struct.unpack_from('<HH', data, i.header_offset + 26))) %% 64 for i in infos} == {0}" %t.kfuse

#m = #kfuse.layout<[s0, 64], [64, 1]>
#t = #kfuse.layout<[64, s0], [1, 64]>

// MANIFEST: "inputs":[{"dtype":"f32","kind":"tensor","name":"x","sizes":["s0",64],"strides":[64,1]},{"kind":"int","name":"n"},{"kind":"constant","name":"mode","value":"mean"}]
// MANIFEST-SAME: "outputs":[{"dtype":"f32","kind":"tensor","name":"output0","sizes":["s0",64],"strides":[64,1]},{"kind":"none"},{"kind":"scalar","type":"int"}]
// MANIFEST-SAME: "symbols":[{"bind":{"input":1},"name":"s1","type":"int"},{"bind":{"dim":0,"input":0},"max":64,"min":2,"name":"s0"}]
// MANIFEST-SAME: "targets":["sm_90a"]
// MANIFEST-SAME: "version":1

// PLAN: "arena_bytes":["mul","s0",256]
// PLAN-SAME: "kernels":[{"binaries":{"sm_90a":{"entry":"k_0","member":"kernels/sm_90a/kernels0.ptx"}},"id":"k"
// PLAN-SAME: "params":{"pointers":2,"scalars":1}
// PLAN-SAME: "outputs":[{"t":5},null,{"sym":["add","s0",1]}]
// PLAN-SAME: "steps":[{"exact":true,"generic":[
// PLAN-SAME: {"op":"copy","result":1,"source":{{[0-9]+}}}]
// PLAN-SAME: "outputs":[1],"variants":[{"block":64,"grid":["s0",1,1],"guards":[{"bytes":16,"kind":"aligned","tensor":0},{"by":8,"expr":"s0","kind":"divisible"},{"kind":"le","lhs":"s0","rhs":512}],"kernel":0,"scalars":["s0"],"shared_bytes":0,"tensors":[0,1]},
// PLAN-SAME: {"op":"view","result":[[VIEW:[0-9]+]],"source":1}
// PLAN-SAME: {"args":[{"name":"self","value":{"t":1}},{"name":"mat2","value":{"t":[[VIEW]]}},{"name":"device","value":{"device":"model"}},{"name":"alpha","value":{"float":"inf"}},{"name":"n","value":{"sym":"s1"}},{"name":"sizes","value":[{"sym":"s0"},3,null,true,{"dtype":"bf16"},{"memory_format":"channels_last"}]}]
// PLAN-SAME: "class":"library","op":"aten","overload":"out","results":[{"t":5}],"target":"aten::mm"
// PLAN-SAME: {"arena":0}
// PLAN-SAME: {"view":1}
// PLAN-SAME: "provider"

// LEDGER: "launches":[{"bytes_read":["mul","s0",256],"bytes_written":["mul","s0",256],"id":"k"
// LEDGER-SAME: "ops":[{"node":"","op":"aten::relu"}]

// PTX: .entry k_0(
module attributes {kfuse.model = "m", kfuse.device = "cpu",
    kfuse.symbols = [{name = "s0", min = 2 : i64, max = 64 : i64}]} {
  func.func @main(%x: tensor<?x64xf32, #m> {kfuse.kind = "input", kfuse.name = "x"},
                  %n: i64 {kfuse.kind = "input", kfuse.name = "n", kfuse.symbol = "s1"})
      -> tensor<?x64xf32, #m>
      attributes {kfuse.inputs = [0, 1, {name = "mode", value = "mean"}],
                  kfuse.outputs = [0, unit, #kfuse.expr<s0 + 1>],
                  kfuse.arena_size = #kfuse.expr<s0 * 256>} {
    %0 = kfuse.launch "k"(%x) {kfuse.arena = [#kfuse.expr<0>], variants = [
        #kfuse.variant<@k::@k_0, tensors = [0, 1], scalars = [<s0>], grid = [<s0>, <1>, <1>],
          block = 64, shared_bytes = 0,
          guards = [<"aligned", 0, 16>, <"divisible", s0, 8>, <"le", s0, 512>]>,
        #kfuse.variant<@k::@k_0, tensors = [0, 1], scalars = [<s0>], grid = [<s0>, <1>, <1>],
          block = 64, shared_bytes = 0>]}
      : (tensor<?x64xf32, #m>) -> tensor<?x64xf32, #m> generic {
    ^bb0(%a: tensor<?x64xf32, #m>):
      %g = kfuse.aten "aten::relu"(%a) {names = ["self"], args = [#kfuse.operand<0>]}
        : (tensor<?x64xf32, #m>) -> tensor<?x64xf32, #m>
      %v = kfuse.view %g : tensor<?x64xf32, #m> to tensor<?x64xf32, #m>
      kfuse.yield %v : tensor<?x64xf32, #m>
    }
    %1 = kfuse.view %0 : tensor<?x64xf32, #m> to tensor<64x?xf32, #t>
    %2 = kfuse.aten "aten::mm.out"(%0, %1, %n) {
        names = ["self", "mat2", "device", "alpha", "n", "sizes"],
        args = [#kfuse.operand<0>, #kfuse.operand<1>, #kfuse.torch<"device", "cpu">,
          0x7FF0000000000000 : f64, #kfuse.operand<2>,
          [#kfuse.expr<s0>, 3, unit, true, bf16, #kfuse.torch<"memory_format", "channels_last">]]}
      : (tensor<?x64xf32, #m>, tensor<64x?xf32, #t>, i64) -> tensor<?x64xf32, #m>
    return %2 : tensor<?x64xf32, #m>
  }
  gpu.module @k {
    llvm.func @k_0(%in: !llvm.ptr<1>, %out: !llvm.ptr<1>, %n: i64) attributes {gpu.kernel, nvvm.kernel} {
      llvm.return
    }
  }
}
