// What cannot be run is said in one line for each function; the exit code is 2.
// REQUIRES: kfuse-eval
// RUN: rm -rf %t && mkdir %t
// RUN: not kfuse-eval %s --dir %t | FileCheck %s
// RUN: kfuse-eval --list-ops | FileCheck %s --check-prefix=OPS

#v = #kfuse.layout<[8], [1]>

// CHECK: no_inputs: {{.*}}no_inputs.in0.npy': No such file or directory
func.func @no_inputs(%a: tensor<8xf32, #v>) -> tensor<8xf32, #v> {
  return %a : tensor<8xf32, #v>
}

// CHECK: not_captured: 'kfuse.aten' op is not a fusion or a view
func.func @not_captured() -> tensor<8xf32, #v> {
  %0 = kfuse.aten "aten::zeros"() {names = [], args = []} : () -> tensor<8xf32, #v>
  return %0 : tensor<8xf32, #v>
}

// CHECK: generated: ok
func.func @generated() -> tensor<8xi64, #v> {
  %0 = kfuse.fusion() : () -> tensor<8xi64, #v> body {
    %1 = kfuse.iota dim 0 sizes [#kfuse.expr<8>] : tensor<8xi64>
    kfuse.yield %1 : tensor<8xi64>
  } generic {
    %1 = kfuse.aten "aten::arange"() {names = ["end"], args = [8]} : () -> tensor<8xi64, #v>
    kfuse.yield %1 : tensor<8xi64, #v>
  }
  return %0 : tensor<8xi64, #v>
}

// A body must be the view that the layouts describe.
// CHECK: wrong_view: 'kfuse.fusion' op has a body that is not the view that its layouts describe
func.func @wrong_view() -> tensor<4xi64, #kfuse.layout<[4], [1]>> {
  %0 = kfuse.fusion() : () -> tensor<8xi64, #v> body {
    %1 = kfuse.iota dim 0 sizes [#kfuse.expr<8>] : tensor<8xi64>
    kfuse.yield %1 : tensor<8xi64>
  } generic {
    %1 = kfuse.aten "aten::arange"() {names = ["end"], args = [8]} : () -> tensor<8xi64, #v>
    kfuse.yield %1 : tensor<8xi64, #v>
  }
  %2 = kfuse.fusion(%0) {kfuse.view} : (tensor<8xi64, #v>) -> tensor<4xi64, #kfuse.layout<[4], [1]>> body {
  ^bb0(%a: tensor<8xi64>):
    %1 = kfuse.slice %a starts [#kfuse.expr<4>] steps [1] sizes [#kfuse.expr<4>] : tensor<8xi64> -> tensor<4xi64>
    kfuse.yield %1 : tensor<4xi64>
  } generic {
  ^bb0(%a: tensor<8xi64, #v>):
    %1 = kfuse.aten "aten::slice.Tensor"(%a) {names = ["self", "dim", "start", "end"], args = [#kfuse.operand<0>, 0, 4, 8]} : (tensor<8xi64, #v>) -> tensor<4xi64, #kfuse.layout<[4], [1]>>
    kfuse.yield %1 : tensor<4xi64, #kfuse.layout<[4], [1]>>
  }
  return %2 : tensor<4xi64, #kfuse.layout<[4], [1]>>
}

// OPS: aten::add
// OPS: aten::gelu
// OPS: aten::max.dim
