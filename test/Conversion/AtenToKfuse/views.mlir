// RUN: kfuse-opt %s --convert-aten-to-kfuse | FileCheck %s

#m = #kfuse.layout<[s0, 8], [8, 1]>
#t = #kfuse.layout<[8, s0], [1, 8]>
#c = #kfuse.layout<[8, s0], [s0, 1]>
#s = #kfuse.layout<[s0, 3], [8, 1], 4>
#f = #kfuse.layout<[s0 * 8], [1]>
#e = #kfuse.layout<[4, s0, 8], [0, 8, 1]>

// CHECK-LABEL: func.func @transpose_is_a_view
// CHECK: kfuse.fusion(%arg0) {kfuse.view}
// CHECK: kfuse.permute %{{.*}} [1, 0]
func.func @transpose_is_a_view(%a: tensor<?x8xf32, #m>) -> tensor<8x?xf32, #t> {
  %0 = kfuse.aten "aten::t"(%a) {names = ["self"], args = [#kfuse.operand<0>]} : (tensor<?x8xf32, #m>) -> tensor<8x?xf32, #t>
  return %0 : tensor<8x?xf32, #t>
}

// CHECK-LABEL: func.func @contiguous_copies
// CHECK: kfuse.fusion(%arg0) :
func.func @contiguous_copies(%a: tensor<8x?xf32, #t>) -> tensor<8x?xf32, #c> {
  %0 = kfuse.aten "aten::contiguous"(%a) {names = ["self"], args = [#kfuse.operand<0>]} : (tensor<8x?xf32, #t>) -> tensor<8x?xf32, #c>
  return %0 : tensor<8x?xf32, #c>
}

// CHECK-LABEL: func.func @slice_has_an_offset
// CHECK: {kfuse.view}
// CHECK: kfuse.slice %{{.*}} starts [#kfuse.expr<0>, #kfuse.expr<4>] steps [1, 1] sizes [#kfuse.expr<s0>, #kfuse.expr<3>]
func.func @slice_has_an_offset(%a: tensor<?x8xf32, #m>) -> tensor<?x3xf32, #s> {
  %0 = kfuse.aten "aten::slice.Tensor"(%a) {names = ["self", "dim", "start", "end"], args = [#kfuse.operand<0>, 1, 4, 7]} : (tensor<?x8xf32, #m>) -> tensor<?x3xf32, #s>
  return %0 : tensor<?x3xf32, #s>
}

// CHECK-LABEL: func.func @flatten_contiguous
// CHECK: {kfuse.view}
func.func @flatten_contiguous(%a: tensor<?x8xf32, #m>) -> tensor<?xf32, #f> {
  %0 = kfuse.aten "aten::flatten.using_ints"(%a) {names = ["self"], args = [#kfuse.operand<0>]} : (tensor<?x8xf32, #m>) -> tensor<?xf32, #f>
  return %0 : tensor<?xf32, #f>
}

// CHECK-LABEL: func.func @flatten_transposed
// CHECK: kfuse.fusion(%arg0) :
// CHECK: kfuse.reshape
func.func @flatten_transposed(%a: tensor<8x?xf32, #t>) -> tensor<?xf32, #f> {
  %0 = kfuse.aten "aten::reshape"(%a) {names = ["self", "shape"], args = [#kfuse.operand<0>, [-1]]} : (tensor<8x?xf32, #t>) -> tensor<?xf32, #f>
  return %0 : tensor<?xf32, #f>
}

// CHECK-LABEL: func.func @expand
// CHECK: {kfuse.view}
func.func @expand(%a: tensor<?x8xf32, #m>) -> tensor<4x?x8xf32, #e> {
  %0 = kfuse.aten "aten::expand"(%a) {names = ["self", "size"], args = [#kfuse.operand<0>, [4, -1, -1]]} : (tensor<?x8xf32, #m>) -> tensor<4x?x8xf32, #e>
  return %0 : tensor<4x?x8xf32, #e>
}

// Parts become slices; one that nothing reads disappears.
// CHECK-LABEL: func.func @split_into_slices
// CHECK-COUNT-1: {kfuse.view}
// CHECK: kfuse.aten "aten::slice.Tensor"(%{{.*}}) {args = [#kfuse.operand<0>, 1, 4, 7]
// CHECK-NOT: {kfuse.view}
func.func @split_into_slices(%a: tensor<?x8xf32, #m>) -> tensor<?x3xf32, #s> {
  %0:3 = kfuse.aten "aten::split_with_sizes"(%a) {names = ["self", "split_sizes", "dim"], args = [#kfuse.operand<0>, [4, 3, 1], 1], result_groups = array<i64: 3>} : (tensor<?x8xf32, #m>) -> (tensor<?x4xf32, #kfuse.layout<[s0, 4], [8, 1]>>, tensor<?x3xf32, #s>, tensor<?x1xf32, #kfuse.layout<[s0, 1], [8, 1], 7>>)
  return %0#1 : tensor<?x3xf32, #s>
}

// A symbolic integer operand becomes an expression: only tensors enter fusions.
// CHECK-LABEL: func.func @symbolic_size_argument
// CHECK: kfuse.fusion(%arg0) {kfuse.view}
// CHECK: kfuse.aten "aten::view"(%{{.*}}) {args = [#kfuse.operand<0>, [#kfuse.expr<s0>, 8]]
func.func @symbolic_size_argument(%a: tensor<?xf32, #f>, %b: tensor<?x8xf32, #m>) -> tensor<?x8xf32, #m> {
  %n = kfuse.aten "aten::sym_size.int"(%b) {names = ["self", "dim"], args = [#kfuse.operand<0>, 0]} : (tensor<?x8xf32, #m>) -> i64
  %0 = kfuse.aten "aten::view"(%a, %n) {names = ["self", "size"], args = [#kfuse.operand<0>, [#kfuse.operand<1>, 8]]} : (tensor<?xf32, #f>, i64) -> tensor<?x8xf32, #m>
  return %0 : tensor<?x8xf32, #m>
}

// Sizes taken from another tensor: a view of one operand.
// CHECK-LABEL: func.func @view_as
// CHECK: kfuse.fusion(%arg0) {kfuse.view}
// CHECK: kfuse.aten "aten::reshape"
func.func @view_as(%a: tensor<?x8xf32, #m>, %b: tensor<?xf32, #f>) -> tensor<?xf32, #f> {
  %0 = kfuse.aten "aten::reshape_as"(%a, %b) {names = ["self", "other"], args = [#kfuse.operand<0>, #kfuse.operand<1>]} : (tensor<?x8xf32, #m>, tensor<?xf32, #f>) -> tensor<?xf32, #f>
  return %0 : tensor<?xf32, #f>
}

// Each vector along its dimension; with indexing xy the first two change places.
// CHECK-LABEL: func.func @meshgrid
// CHECK: kfuse.fusion(%arg0) {kfuse.view}
// CHECK: kfuse.reshape %{{.*}} sizes [#kfuse.expr<1>, #kfuse.expr<3>]
// CHECK: kfuse.fusion(%{{.*}}) {kfuse.view}
// CHECK: kfuse.reshape %{{.*}} sizes [#kfuse.expr<5>, #kfuse.expr<1>]
func.func @meshgrid(%a: tensor<3xf32, #kfuse.layout<[3], [1]>>, %b: tensor<5xf32, #kfuse.layout<[5], [1]>>) -> (tensor<5x3xf32, #kfuse.layout<[5, 3], [0, 1]>>, tensor<5x3xf32, #kfuse.layout<[5, 3], [1, 0]>>) {
  %0:2 = kfuse.aten "aten::meshgrid.indexing"(%a, %b) {names = ["tensors", "indexing"], args = [[#kfuse.operand<0>, #kfuse.operand<1>], "xy"], result_groups = array<i64: 2>} : (tensor<3xf32, #kfuse.layout<[3], [1]>>, tensor<5xf32, #kfuse.layout<[5], [1]>>) -> (tensor<5x3xf32, #kfuse.layout<[5, 3], [0, 1]>>, tensor<5x3xf32, #kfuse.layout<[5, 3], [1, 0]>>)
  return %0#0, %0#1 : tensor<5x3xf32, #kfuse.layout<[5, 3], [0, 1]>>, tensor<5x3xf32, #kfuse.layout<[5, 3], [1, 0]>>
}
