// RUN: kfuse-opt %s --kfuse-functionalize | FileCheck %s
// RUN: kfuse-opt %s --kfuse-functionalize --remarks-filter=kfuse-functionalize -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

#m = #kfuse.layout<[4, 4], [4, 1]>
#v = #kfuse.layout<[4], [1]>
#t = #kfuse.layout<[4, 4], [1, 4]>

// A write into an argument is returned; users of the argument and of the
// result of the in-place operation see the new value.
// CHECK-LABEL: func.func @argument(
// CHECK-SAME: %[[X:.*]]: tensor<4x4xf32
// CHECK-SAME: {kfuse.mutates = 0 : i64}
func.func @argument(%x: tensor<4x4xf32, #m>) -> tensor<4x4xf32, #m> {
  // CHECK: %[[NEW:.*]] = kfuse.aten "aten::relu"(%[[X]])
  %0 = kfuse.aten "aten::relu_"(%x) {names = ["self"], args = [#kfuse.operand<0>]}
    : (tensor<4x4xf32, #m>) -> tensor<4x4xf32, #m>
  // CHECK: %[[SUM:.*]] = kfuse.aten "aten::add.Tensor"(%[[NEW]], %[[NEW]])
  %1 = kfuse.aten "aten::add.Tensor"(%0, %x) {names = ["self", "other"], args = [#kfuse.operand<0>, #kfuse.operand<1>]}
    : (tensor<4x4xf32, #m>, tensor<4x4xf32, #m>) -> tensor<4x4xf32, #m>
  // CHECK: return %[[SUM]], %[[NEW]]
  return %1 : tensor<4x4xf32, #m>
}

// CHECK-LABEL: func.func @through_views
func.func @through_views(%x: tensor<4x4xf32, #m>) -> tensor<4x4xf32, #t> {
  // CHECK: %[[B:.*]] = kfuse.aten "aten::neg"
  %b = kfuse.aten "aten::neg"(%x) {names = ["self"], args = [#kfuse.operand<0>]}
    : (tensor<4x4xf32, #m>) -> tensor<4x4xf32, #m>
  %t = kfuse.aten "aten::t"(%b) {names = ["self"], args = [#kfuse.operand<0>]}
    : (tensor<4x4xf32, #m>) -> tensor<4x4xf32, #t>
  %row = kfuse.aten "aten::select.int"(%b) {names = ["self", "dim", "index"], args = [#kfuse.operand<0>, 0, 1]}
    : (tensor<4x4xf32, #m>) -> tensor<4xf32, #kfuse.layout<[4], [1], 4>>
  // CHECK: %[[ROW:.*]] = kfuse.aten "aten::select.int"(%[[B]])
  // CHECK: %[[TWICE:.*]] = kfuse.aten "aten::mul.Tensor"(%[[ROW]])
  %0 = kfuse.aten "aten::mul_.Tensor"(%row) {names = ["self", "other"], args = [#kfuse.operand<0>, 2]}
    : (tensor<4xf32, #kfuse.layout<[4], [1], 4>>) -> tensor<4xf32, #kfuse.layout<[4], [1], 4>>
  // CHECK: %[[C:.*]] = kfuse.aten "aten::select_scatter"(%[[B]], %[[TWICE]]) {args = [#kfuse.operand<0>, #kfuse.operand<1>, 0, 1], names = ["self", "src", "dim", "index"]}
  // CHECK: %[[T:.*]] = kfuse.aten "aten::t"(%[[C]])
  // CHECK: return %[[T]]
  return %t : tensor<4x4xf32, #t>
}

// CHECK-LABEL: func.func @transposed_write
func.func @transposed_write(%x: tensor<4x4xf32, #m>) -> tensor<4x4xf32, #m> {
  %t = kfuse.aten "aten::transpose.int"(%x) {names = ["self", "dim0", "dim1"], args = [#kfuse.operand<0>, 0, 1]}
    : (tensor<4x4xf32, #m>) -> tensor<4x4xf32, #t>
  // CHECK: %[[NEW:.*]] = kfuse.aten "aten::zeros_like"
  %0 = kfuse.aten "aten::zero_"(%t) {names = ["self"], args = [#kfuse.operand<0>]}
    : (tensor<4x4xf32, #t>) -> tensor<4x4xf32, #t>
  // CHECK: %[[BACK:.*]] = kfuse.aten "aten::permute"(%[[NEW]]) {args = [#kfuse.operand<0>, [1, 0]]
  // CHECK: return %[[BACK]], %[[BACK]]
  return %x : tensor<4x4xf32, #m>
}

// The sum would be f64: the twin has another type than the written tensor.
// CHECK-LABEL: func.func @kept
func.func @kept(%x: tensor<4xf32, #v>, %y: tensor<4xf64, #v>) {
  // CHECK: "aten::add_.Tensor"
  // REMARK: kept-in-place{{.*}}Reason="the functional twin has another result type"
  %0 = kfuse.aten "aten::add_.Tensor"(%x, %y) {names = ["self", "other"], args = [#kfuse.operand<0>, #kfuse.operand<1>]}
    : (tensor<4xf32, #v>, tensor<4xf64, #v>) -> tensor<4xf32, #v>
  return
}

// CHECK-LABEL: func.func @unknown_write
func.func @unknown_write(%x: tensor<4xf32, #v>) {
  // CHECK: "aten::normal_"
  // REMARK: kept-in-place{{.*}}Reason="no functional twin is known"
  %0 = kfuse.aten "aten::normal_"(%x) {names = ["self"], args = [#kfuse.operand<0>]}
    : (tensor<4xf32, #v>) -> tensor<4xf32, #v>
  return
}

// CHECK-LABEL: func.func @metadata_check
// CHECK-NEXT: return
func.func @metadata_check(%x: tensor<4xf32, #v>) {
  kfuse.aten "aten::_assert_tensor_metadata"(%x) {names = ["a", "size", "stride", "dtype"], args = [#kfuse.operand<0>, unit, unit, f32]}
    : (tensor<4xf32, #v>) -> ()
  return
}

// `as_strided` views the storage: the dense twin of a tensor with gaps has
// another one.
#gaps = #kfuse.layout<[12], [2]>
#four = #kfuse.layout<[4], [2]>
// CHECK-LABEL: func.func @storage_view
// CHECK: kfuse.aten "aten::add_.Scalar"
// CHECK: kfuse.aten "aten::as_strided"
func.func @storage_view(%x: tensor<12xf32, #gaps>) -> tensor<4xf32, #four> {
  %0 = kfuse.aten "aten::add_.Scalar"(%x) {names = ["self", "other"], args = [#kfuse.operand<0>, 1]}
    : (tensor<12xf32, #gaps>) -> tensor<12xf32, #gaps>
  %1 = kfuse.aten "aten::as_strided"(%0) {names = ["self", "size", "stride", "storage_offset"],
      args = [#kfuse.operand<0>, [4], [2], 0]} : (tensor<12xf32, #gaps>) -> tensor<4xf32, #four>
  return %1 : tensor<4xf32, #four>
}

// One write that is not understood keeps its own alias set in place, no other.
// CHECK-LABEL: func.func @kept_beside_rewritten
// CHECK: "aten::normal_"(%arg0)
// CHECK: %[[NEW:.*]] = kfuse.aten "aten::relu"(%arg1)
// CHECK: return %arg0, %[[NEW]], %[[NEW]]
func.func @kept_beside_rewritten(%x: tensor<4xf32, #v>, %y: tensor<4xf32, #v>) -> (tensor<4xf32, #v>, tensor<4xf32, #v>) {
  %0 = kfuse.aten "aten::normal_"(%x) {names = ["self"], args = [#kfuse.operand<0>]}
    : (tensor<4xf32, #v>) -> tensor<4xf32, #v>
  %1 = kfuse.aten "aten::relu_"(%y) {names = ["self"], args = [#kfuse.operand<0>]}
    : (tensor<4xf32, #v>) -> tensor<4xf32, #v>
  return %x, %y : tensor<4xf32, #v>, tensor<4xf32, #v>
}

// What may be a copy or the same storage stays in place with its source, also
// where only the possible copy is written to.
// CHECK-LABEL: func.func @maybe_shared
// CHECK: "aten::relu_"
// REMARK: kept-in-place{{.*}}Reason="it may or may not share storage with another"
func.func @maybe_shared(%x: tensor<?x?xf32, #kfuse.layout<[s0, s1], [1, s0]>>) -> tensor<?x?xf32, #kfuse.layout<[s0, s1], [s1, 1]>> {
  %0 = kfuse.aten "aten::contiguous"(%x) {names = ["self"], args = [#kfuse.operand<0>]}
    : (tensor<?x?xf32, #kfuse.layout<[s0, s1], [1, s0]>>) -> tensor<?x?xf32, #kfuse.layout<[s0, s1], [s1, 1]>>
  %1 = kfuse.aten "aten::relu_"(%0) {names = ["self"], args = [#kfuse.operand<0>]}
    : (tensor<?x?xf32, #kfuse.layout<[s0, s1], [s1, 1]>>) -> tensor<?x?xf32, #kfuse.layout<[s0, s1], [s1, 1]>>
  return %1 : tensor<?x?xf32, #kfuse.layout<[s0, s1], [s1, 1]>>
}

// Dense elements in order are no view of elements in another order.
// CHECK-LABEL: func.func @certain_copy
// CHECK: %[[COPY:.*]] = kfuse.aten "aten::contiguous"
// CHECK: %[[NEW:.*]] = kfuse.aten "aten::relu"(%[[COPY]])
// CHECK: return %[[NEW]]
func.func @certain_copy(%x: tensor<4x4xf32, #t>) -> tensor<4x4xf32, #m> {
  %0 = kfuse.aten "aten::contiguous"(%x) {names = ["self"], args = [#kfuse.operand<0>]}
    : (tensor<4x4xf32, #t>) -> tensor<4x4xf32, #m>
  %1 = kfuse.aten "aten::relu_"(%0) {names = ["self"], args = [#kfuse.operand<0>]}
    : (tensor<4x4xf32, #m>) -> tensor<4x4xf32, #m>
  return %1 : tensor<4x4xf32, #m>
}

// Nothing is written by these; they are views.
// CHECK-LABEL: func.func @detached
// CHECK: "aten::detach_"
// CHECK: %[[NEW:.*]] = kfuse.aten "aten::relu"
// CHECK: return %[[NEW]]
func.func @detached(%x: tensor<4xf32, #v>) -> tensor<4xf32, #v> {
  %0 = kfuse.aten "aten::neg"(%x) {names = ["self"], args = [#kfuse.operand<0>]}
    : (tensor<4xf32, #v>) -> tensor<4xf32, #v>
  %1 = kfuse.aten "aten::detach_"(%0) {names = ["self"], args = [#kfuse.operand<0>]}
    : (tensor<4xf32, #v>) -> tensor<4xf32, #v>
  %2 = kfuse.aten "aten::relu_"(%1) {names = ["self"], args = [#kfuse.operand<0>]}
    : (tensor<4xf32, #v>) -> tensor<4xf32, #v>
  return %2 : tensor<4xf32, #v>
}

// The elements of an image in channels-last order are a view of its pixels.
// CHECK-LABEL: func.func @flat_pixels
// CHECK: %[[IMAGE:.*]] = kfuse.aten "aten::neg"
// CHECK: %[[NEW:.*]] = kfuse.aten "aten::relu"(%[[IMAGE]])
// CHECK: kfuse.aten "aten::flatten.using_ints"(%[[NEW]])
#image = #kfuse.layout<[2, 3, 4, 4], [48, 1, 12, 3]>
#pixels = #kfuse.layout<[2, 3, 16], [48, 1, 3]>
func.func @flat_pixels(%x: tensor<2x3x4x4xf32, #image>) -> tensor<2x3x16xf32, #pixels> {
  %0 = kfuse.aten "aten::neg"(%x) {names = ["self"], args = [#kfuse.operand<0>]}
    : (tensor<2x3x4x4xf32, #image>) -> tensor<2x3x4x4xf32, #image>
  %1 = kfuse.aten "aten::relu_"(%0) {names = ["self"], args = [#kfuse.operand<0>]}
    : (tensor<2x3x4x4xf32, #image>) -> tensor<2x3x4x4xf32, #image>
  %2 = kfuse.aten "aten::flatten.using_ints"(%1) {names = ["self", "start_dim"], args = [#kfuse.operand<0>, 2]}
    : (tensor<2x3x4x4xf32, #image>) -> tensor<2x3x16xf32, #pixels>
  return %2 : tensor<2x3x16xf32, #pixels>
}
