// A row that blocks share: the launch has scratch memory, zeroed before it, and
// the kernels assemble for every architecture.
// REQUIRES: ptxas, libdevice
// RUN: kfuse-compile %s --start-from=fuse --target=sm_80,sm_90a,sm_100 --ptxas=%ptxas --libdevice=%libdevice -o %t.kfuse
// RUN: unzip -p %t.kfuse plan.json | FileCheck %s
// RUN: unzip -l %t.kfuse | FileCheck %s --check-prefix=MEMBERS

// CHECK-DAG: "op":"fill"
// CHECK-DAG: "scratch":[2]
// CHECK-DAG: "tensors":[0,1,2]
// MEMBERS-DAG: kernels/sm_80/{{.*}}.cubin
// MEMBERS-DAG: kernels/sm_90a/{{.*}}.cubin
// MEMBERS-DAG: kernels/sm_100/{{.*}}.cubin

func.func @main(%x: tensor<1048577xf32, #kfuse.layout<[1048577], [1]>>) -> (tensor<i64, #kfuse.layout<[], []>>) {
  %r = kfuse.fusion(%x) {kind = #kfuse.fusion_kind<row>} : (tensor<1048577xf32, #kfuse.layout<[1048577], [1]>>) -> (tensor<i64, #kfuse.layout<[], []>>) body {
  ^bb0(%a: tensor<1048577xf32>):
    %s = kfuse.arg_reduce <max> %a dims [0] : tensor<1048577xf32> -> tensor<i64>
    kfuse.yield %s : tensor<i64>
  } generic {
  ^bb0(%a: tensor<1048577xf32, #kfuse.layout<[1048577], [1]>>):
    %1 = kfuse.aten "aten::argmax"(%a) {names = ["self"], args = [#kfuse.operand<0>]} : (tensor<1048577xf32, #kfuse.layout<[1048577], [1]>>) -> (tensor<i64, #kfuse.layout<[], []>>)
    kfuse.yield %1 : tensor<i64, #kfuse.layout<[], []>>
  }
  return %r : tensor<i64, #kfuse.layout<[], []>>
}
