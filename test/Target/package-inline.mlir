// What has no kernel, or sizes that are known too late, runs as the operators
// it was made of, and says why.

// RUN: kfuse-compile %s --start-from=lower --ptxas=none -o %t.kfuse
// RUN: unzip -p %t.kfuse plan.json | FileCheck %s

#m = #kfuse.layout<[4, 64], [64, 1]>
#u = #kfuse.layout<[u0, 64], [64, 1]>

// CHECK: "outputs":[{"t":4},{"scalar":"v0"}]
// CHECK-SAME: "steps":[
// CHECK-SAME: "op":"aten","overload":"","reason":"too many outputs","results":[{"t":1}],"target":"aten::relu"}
// CHECK-SAME: "results":[{"t":2},{"symbol":"v0"}],"target":"aten::foo"
// CHECK-SAME: "op":"aten","overload":"","reason":"a size depends on data","results":[{"t":3}],"target":"aten::tanh"}
// CHECK-SAME: "results":{{\[\[}}{"t":4},{"t":5}{{\]\]}},"target":"aten::bar"
// CHECK-SAME: "symbols":[{"bind":{"dim":0,"tensor":2},"max":4,"min":0,"name":"u0"},{"bind":{"step":true},"name":"v0","type":"float"}]
module attributes {kfuse.symbols = [{name = "u0", min = 0 : i64, max = 4 : i64, unbacked}]} {
  func.func @main(%x: tensor<4x64xf32, #m> {kfuse.kind = "input", kfuse.name = "x"})
      -> (tensor<4x64xf32, #m>, f64) attributes {kfuse.arena_size = #kfuse.expr<0>} {
    %0 = kfuse.fusion(%x) {kfuse.refused = "too many outputs"}
      : (tensor<4x64xf32, #m>) -> tensor<4x64xf32, #m> body {
    ^bb0(%a: tensor<4x64xf32>):
      kfuse.yield %a : tensor<4x64xf32>
    } generic {
    ^bb0(%a: tensor<4x64xf32, #m>):
      %g = kfuse.aten "aten::relu"(%a) {names = ["self"], args = [#kfuse.operand<0>]}
        : (tensor<4x64xf32, #m>) -> tensor<4x64xf32, #m>
      kfuse.yield %g : tensor<4x64xf32, #m>
    }
    %1:2 = kfuse.aten "aten::foo"(%0) {names = ["self"], args = [#kfuse.operand<0>]}
      : (tensor<4x64xf32, #m>) -> (tensor<?x64xf32, #u>, f64)
    %2 = kfuse.launch "k"(%1#0) {kfuse.arena = [unit], variants = [
        #kfuse.variant<@k::@k_0, tensors = [0, 1], scalars = [<u0>], grid = [<u0>, <1>, <1>],
          block = 64, shared_bytes = 0>]}
      : (tensor<?x64xf32, #u>) -> tensor<?x64xf32, #u> generic {
    ^bb0(%a: tensor<?x64xf32, #u>):
      %g = kfuse.aten "aten::tanh"(%a) {names = ["self"], args = [#kfuse.operand<0>]}
        : (tensor<?x64xf32, #u>) -> tensor<?x64xf32, #u>
      kfuse.yield %g : tensor<?x64xf32, #u>
    }
    %3:2 = kfuse.aten "aten::bar"(%2) {names = ["self"], args = [#kfuse.operand<0>],
        result_groups = array<i64: 2>}
      : (tensor<?x64xf32, #u>) -> (tensor<4x64xf32, #m>, tensor<4x64xf32, #m>)
    return %3#0, %1#1 : tensor<4x64xf32, #m>, f64
  }
}
