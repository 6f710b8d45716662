// RUN: kfuse-opt %s --kfuse-form-fusions=numerics=eager | FileCheck %s --check-prefixes=CHECK,EAGER
// RUN: kfuse-opt %s --kfuse-form-fusions=numerics=fused | FileCheck %s --check-prefixes=CHECK,FUSED

#m = #kfuse.layout<[64, 128], [128, 1]>
#t = #kfuse.layout<[128, 64], [64, 1]>
#r = #kfuse.layout<[64], [1]>
#v = #kfuse.layout<[8192], [1]>
#c = #kfuse.layout<[128], [1]>

// CHECK-LABEL: func.func @chain
// CHECK: kfuse.fusion(%arg0) {kind = #kfuse.fusion_kind<pointwise>}
// CHECK: math.tanh
// EAGER: kfuse.round
// EAGER: arith.extf
// FUSED-NOT: kfuse.round
// CHECK: math.tanh
// CHECK: kfuse.round
// CHECK: kfuse.yield
// CHECK: generic
// CHECK-COUNT-2: "aten::tanh"
// CHECK-NOT: kfuse.fusion
func.func @chain(%x: tensor<64x128xbf16, #m>) -> tensor<64x128xbf16, #m> {
  %0 = kfuse.fusion(%x) {kfuse.group = 0 : i64, kfuse.group_kind = #kfuse.fusion_kind<pointwise>} : (tensor<64x128xbf16, #m>) -> tensor<64x128xbf16, #m>
  body {
  ^bb0(%a0: tensor<64x128xbf16>):
    %e = arith.extf %a0 : tensor<64x128xbf16> to tensor<64x128xf32>
    %t = math.tanh %e : tensor<64x128xf32>
    %r = kfuse.round %t : tensor<64x128xf32> -> tensor<64x128xbf16>
    kfuse.yield %r : tensor<64x128xbf16>
  } generic {
  ^bb0(%a0: tensor<64x128xbf16, #m>):
    %r = kfuse.aten "aten::tanh"(%a0) : (tensor<64x128xbf16, #m>) -> tensor<64x128xbf16, #m>
    kfuse.yield %r : tensor<64x128xbf16, #m>
  }
  %1 = kfuse.fusion(%0) {kfuse.group = 0 : i64, kfuse.group_kind = #kfuse.fusion_kind<pointwise>} : (tensor<64x128xbf16, #m>) -> tensor<64x128xbf16, #m>
  body {
  ^bb0(%a0: tensor<64x128xbf16>):
    %e = arith.extf %a0 : tensor<64x128xbf16> to tensor<64x128xf32>
    %t = math.tanh %e : tensor<64x128xf32>
    %r = kfuse.round %t : tensor<64x128xf32> -> tensor<64x128xbf16>
    kfuse.yield %r : tensor<64x128xbf16>
  } generic {
  ^bb0(%a0: tensor<64x128xbf16, #m>):
    %r = kfuse.aten "aten::tanh"(%a0) : (tensor<64x128xbf16, #m>) -> tensor<64x128xbf16, #m>
    kfuse.yield %r : tensor<64x128xbf16, #m>
  }
  return %1 : tensor<64x128xbf16, #m>
}

// A stored value is rounded for its users inside, too.
// CHECK-LABEL: func.func @stored
// CHECK: %[[A:.*]] = math.tanh
// CHECK: %[[R:.*]] = kfuse.round %[[A]]
// CHECK: %[[E:.*]] = arith.extf %[[R]]
// CHECK: math.tanh %[[E]]
func.func @stored(%x: tensor<64x128xbf16, #m>) -> (tensor<64x128xbf16, #m>, tensor<64x128xbf16, #m>) {
  %0 = kfuse.fusion(%x) {kfuse.group = 0 : i64, kfuse.group_kind = #kfuse.fusion_kind<pointwise>} : (tensor<64x128xbf16, #m>) -> tensor<64x128xbf16, #m>
  body {
  ^bb0(%a0: tensor<64x128xbf16>):
    %e = arith.extf %a0 : tensor<64x128xbf16> to tensor<64x128xf32>
    %t = math.tanh %e : tensor<64x128xf32>
    %r = kfuse.round %t : tensor<64x128xf32> -> tensor<64x128xbf16>
    kfuse.yield %r : tensor<64x128xbf16>
  } generic {
  ^bb0(%a0: tensor<64x128xbf16, #m>):
    %r = kfuse.aten "aten::tanh"(%a0) : (tensor<64x128xbf16, #m>) -> tensor<64x128xbf16, #m>
    kfuse.yield %r : tensor<64x128xbf16, #m>
  }
  %1 = kfuse.fusion(%0) {kfuse.group = 0 : i64, kfuse.group_kind = #kfuse.fusion_kind<pointwise>} : (tensor<64x128xbf16, #m>) -> tensor<64x128xbf16, #m>
  body {
  ^bb0(%a0: tensor<64x128xbf16>):
    %e = arith.extf %a0 : tensor<64x128xbf16> to tensor<64x128xf32>
    %t = math.tanh %e : tensor<64x128xf32>
    %r = kfuse.round %t : tensor<64x128xf32> -> tensor<64x128xbf16>
    kfuse.yield %r : tensor<64x128xbf16>
  } generic {
  ^bb0(%a0: tensor<64x128xbf16, #m>):
    %r = kfuse.aten "aten::tanh"(%a0) : (tensor<64x128xbf16, #m>) -> tensor<64x128xbf16, #m>
    kfuse.yield %r : tensor<64x128xbf16, #m>
  }
  return %0, %1 : tensor<64x128xbf16, #m>, tensor<64x128xbf16, #m>
}

// CHECK-LABEL: func.func @compared
// CHECK: kfuse.round
// CHECK: arith.cmpf
func.func @compared(%x: tensor<64x128xbf16, #m>) -> tensor<64x128xi1, #m> {
  %0 = kfuse.fusion(%x) {kfuse.group = 0 : i64, kfuse.group_kind = #kfuse.fusion_kind<pointwise>} : (tensor<64x128xbf16, #m>) -> tensor<64x128xbf16, #m>
  body {
  ^bb0(%a0: tensor<64x128xbf16>):
    %e = arith.extf %a0 : tensor<64x128xbf16> to tensor<64x128xf32>
    %t = math.tanh %e : tensor<64x128xf32>
    %r = kfuse.round %t : tensor<64x128xf32> -> tensor<64x128xbf16>
    kfuse.yield %r : tensor<64x128xbf16>
  } generic {
  ^bb0(%a0: tensor<64x128xbf16, #m>):
    %r = kfuse.aten "aten::tanh"(%a0) : (tensor<64x128xbf16, #m>) -> tensor<64x128xbf16, #m>
    kfuse.yield %r : tensor<64x128xbf16, #m>
  }
  %1 = kfuse.fusion(%0) {kfuse.group = 0 : i64, kfuse.group_kind = #kfuse.fusion_kind<pointwise>} : (tensor<64x128xbf16, #m>) -> tensor<64x128xi1, #m>
  body {
  ^bb0(%a0: tensor<64x128xbf16>):
    %e = arith.extf %a0 : tensor<64x128xbf16> to tensor<64x128xf32>
    %z = arith.constant dense<0.0> : tensor<64x128xf32>
    %r = arith.cmpf ogt, %e, %z : tensor<64x128xf32>
    kfuse.yield %r : tensor<64x128xi1>
  } generic {
  ^bb0(%a0: tensor<64x128xbf16, #m>):
    %r = kfuse.aten "aten::gt.Scalar"(%a0) : (tensor<64x128xbf16, #m>) -> tensor<64x128xi1, #m>
    kfuse.yield %r : tensor<64x128xi1, #m>
  }
  return %1 : tensor<64x128xi1, #m>
}

// CHECK-LABEL: func.func @explicit
// CHECK: kfuse.round explicit
// CHECK: math.tanh
func.func @explicit(%x: tensor<64x128xf32, #m>) -> tensor<64x128xbf16, #m> {
  %0 = kfuse.fusion(%x) {kfuse.group = 0 : i64, kfuse.group_kind = #kfuse.fusion_kind<pointwise>} : (tensor<64x128xf32, #m>) -> tensor<64x128xbf16, #m>
  body {
  ^bb0(%a0: tensor<64x128xf32>):
    %r = kfuse.round explicit %a0 : tensor<64x128xf32> -> tensor<64x128xbf16>
    kfuse.yield %r : tensor<64x128xbf16>
  } generic {
  ^bb0(%a0: tensor<64x128xf32, #m>):
    %r = kfuse.aten "aten::_to_copy"(%a0) : (tensor<64x128xf32, #m>) -> tensor<64x128xbf16, #m>
    kfuse.yield %r : tensor<64x128xbf16, #m>
  }
  %1 = kfuse.fusion(%0) {kfuse.group = 0 : i64, kfuse.group_kind = #kfuse.fusion_kind<pointwise>} : (tensor<64x128xbf16, #m>) -> tensor<64x128xbf16, #m>
  body {
  ^bb0(%a0: tensor<64x128xbf16>):
    %e = arith.extf %a0 : tensor<64x128xbf16> to tensor<64x128xf32>
    %t = math.tanh %e : tensor<64x128xf32>
    %r = kfuse.round %t : tensor<64x128xf32> -> tensor<64x128xbf16>
    kfuse.yield %r : tensor<64x128xbf16>
  } generic {
  ^bb0(%a0: tensor<64x128xbf16, #m>):
    %r = kfuse.aten "aten::tanh"(%a0) : (tensor<64x128xbf16, #m>) -> tensor<64x128xbf16, #m>
    kfuse.yield %r : tensor<64x128xbf16, #m>
  }
  return %1 : tensor<64x128xbf16, #m>
}

// What reads a result between the members moves behind the merged fusion.
// CHECK-LABEL: func.func @between
// CHECK: %[[F:.*]]:2 = kfuse.fusion
// CHECK: kfuse.aten "aten::cumsum"(%[[F]]#0)
func.func @between(%x: tensor<64x128xbf16, #m>) -> (tensor<64x128xbf16, #m>, tensor<64x128xbf16, #m>) {
  %0 = kfuse.fusion(%x) {kfuse.group = 0 : i64, kfuse.group_kind = #kfuse.fusion_kind<pointwise>} : (tensor<64x128xbf16, #m>) -> tensor<64x128xbf16, #m>
  body {
  ^bb0(%a0: tensor<64x128xbf16>):
    %e = arith.extf %a0 : tensor<64x128xbf16> to tensor<64x128xf32>
    %t = math.tanh %e : tensor<64x128xf32>
    %r = kfuse.round %t : tensor<64x128xf32> -> tensor<64x128xbf16>
    kfuse.yield %r : tensor<64x128xbf16>
  } generic {
  ^bb0(%a0: tensor<64x128xbf16, #m>):
    %r = kfuse.aten "aten::tanh"(%a0) : (tensor<64x128xbf16, #m>) -> tensor<64x128xbf16, #m>
    kfuse.yield %r : tensor<64x128xbf16, #m>
  }
  %c = kfuse.aten "aten::cumsum"(%0) : (tensor<64x128xbf16, #m>) -> tensor<64x128xbf16, #m>
  %1 = kfuse.fusion(%0) {kfuse.group = 0 : i64, kfuse.group_kind = #kfuse.fusion_kind<pointwise>} : (tensor<64x128xbf16, #m>) -> tensor<64x128xbf16, #m>
  body {
  ^bb0(%a0: tensor<64x128xbf16>):
    %e = arith.extf %a0 : tensor<64x128xbf16> to tensor<64x128xf32>
    %t = math.tanh %e : tensor<64x128xf32>
    %r = kfuse.round %t : tensor<64x128xf32> -> tensor<64x128xbf16>
    kfuse.yield %r : tensor<64x128xbf16>
  } generic {
  ^bb0(%a0: tensor<64x128xbf16, #m>):
    %r = kfuse.aten "aten::tanh"(%a0) : (tensor<64x128xbf16, #m>) -> tensor<64x128xbf16, #m>
    kfuse.yield %r : tensor<64x128xbf16, #m>
  }
  return %c, %1 : tensor<64x128xbf16, #m>, tensor<64x128xbf16, #m>
}

// A view between members becomes part of the body; the rounding before it
// goes all the same. Read from outside as well, it also stays a view.
// CHECK-LABEL: func.func @view
// CHECK: %[[F:.*]]:2 = kfuse.fusion
// CHECK: kfuse.reshape
// CHECK: "aten::view"
// CHECK: %[[V:.*]] = kfuse.view %[[F]]#0
// CHECK: return %[[V]], %[[F]]#1
func.func @view(%x: tensor<64x128xbf16, #m>) -> (tensor<8192xbf16, #v>, tensor<8192xbf16, #v>) {
  %0 = kfuse.fusion(%x) {kfuse.group = 0 : i64, kfuse.group_kind = #kfuse.fusion_kind<pointwise>} : (tensor<64x128xbf16, #m>) -> tensor<64x128xbf16, #m>
  body {
  ^bb0(%a0: tensor<64x128xbf16>):
    %e = arith.extf %a0 : tensor<64x128xbf16> to tensor<64x128xf32>
    %t = math.tanh %e : tensor<64x128xf32>
    %r = kfuse.round %t : tensor<64x128xf32> -> tensor<64x128xbf16>
    kfuse.yield %r : tensor<64x128xbf16>
  } generic {
  ^bb0(%a0: tensor<64x128xbf16, #m>):
    %r = kfuse.aten "aten::tanh"(%a0) : (tensor<64x128xbf16, #m>) -> tensor<64x128xbf16, #m>
    kfuse.yield %r : tensor<64x128xbf16, #m>
  }
  %1 = kfuse.fusion(%0) {kfuse.view} : (tensor<64x128xbf16, #m>) -> tensor<8192xbf16, #v>
  body {
  ^bb0(%a0: tensor<64x128xbf16>):
    %r = kfuse.reshape %a0 sizes [#kfuse.expr<8192>] : tensor<64x128xbf16> -> tensor<8192xbf16>
    kfuse.yield %r : tensor<8192xbf16>
  } generic {
  ^bb0(%a0: tensor<64x128xbf16, #m>):
    %r = kfuse.aten "aten::view"(%a0) : (tensor<64x128xbf16, #m>) -> tensor<8192xbf16, #v>
    kfuse.yield %r : tensor<8192xbf16, #v>
  }
  %2 = kfuse.fusion(%1) {kfuse.group = 0 : i64, kfuse.group_kind = #kfuse.fusion_kind<pointwise>} : (tensor<8192xbf16, #v>) -> tensor<8192xbf16, #v>
  body {
  ^bb0(%a0: tensor<8192xbf16>):
    %e = arith.extf %a0 : tensor<8192xbf16> to tensor<8192xf32>
    %t = math.tanh %e : tensor<8192xf32>
    %r = kfuse.round %t : tensor<8192xf32> -> tensor<8192xbf16>
    kfuse.yield %r : tensor<8192xbf16>
  } generic {
  ^bb0(%a0: tensor<8192xbf16, #v>):
    %r = kfuse.aten "aten::tanh"(%a0) : (tensor<8192xbf16, #v>) -> tensor<8192xbf16, #v>
    kfuse.yield %r : tensor<8192xbf16, #v>
  }
  return %1, %2 : tensor<8192xbf16, #v>, tensor<8192xbf16, #v>
}

// CHECK-LABEL: func.func @view_inside
// CHECK: %[[F:.*]] = kfuse.fusion
// EAGER: kfuse.reshape {{.*}} -> tensor<8192xbf16>
// FUSED: kfuse.reshape {{.*}} -> tensor<8192xf32>
// CHECK-NOT: kfuse.view
// CHECK: return %[[F]]
func.func @view_inside(%x: tensor<64x128xbf16, #m>) -> tensor<8192xbf16, #v> {
  %0 = kfuse.fusion(%x) {kfuse.group = 0 : i64, kfuse.group_kind = #kfuse.fusion_kind<pointwise>} : (tensor<64x128xbf16, #m>) -> tensor<64x128xbf16, #m>
  body {
  ^bb0(%a0: tensor<64x128xbf16>):
    %e = arith.extf %a0 : tensor<64x128xbf16> to tensor<64x128xf32>
    %t = math.tanh %e : tensor<64x128xf32>
    %r = kfuse.round %t : tensor<64x128xf32> -> tensor<64x128xbf16>
    kfuse.yield %r : tensor<64x128xbf16>
  } generic {
  ^bb0(%a0: tensor<64x128xbf16, #m>):
    %r = kfuse.aten "aten::tanh"(%a0) : (tensor<64x128xbf16, #m>) -> tensor<64x128xbf16, #m>
    kfuse.yield %r : tensor<64x128xbf16, #m>
  }
  %1 = kfuse.fusion(%0) {kfuse.view} : (tensor<64x128xbf16, #m>) -> tensor<8192xbf16, #v>
  body {
  ^bb0(%a0: tensor<64x128xbf16>):
    %r = kfuse.reshape %a0 sizes [#kfuse.expr<8192>] : tensor<64x128xbf16> -> tensor<8192xbf16>
    kfuse.yield %r : tensor<8192xbf16>
  } generic {
  ^bb0(%a0: tensor<64x128xbf16, #m>):
    %r = kfuse.aten "aten::view"(%a0) : (tensor<64x128xbf16, #m>) -> tensor<8192xbf16, #v>
    kfuse.yield %r : tensor<8192xbf16, #v>
  }
  %2 = kfuse.fusion(%1) {kfuse.group = 0 : i64, kfuse.group_kind = #kfuse.fusion_kind<pointwise>} : (tensor<8192xbf16, #v>) -> tensor<8192xbf16, #v>
  body {
  ^bb0(%a0: tensor<8192xbf16>):
    %e = arith.extf %a0 : tensor<8192xbf16> to tensor<8192xf32>
    %t = math.tanh %e : tensor<8192xf32>
    %r = kfuse.round %t : tensor<8192xf32> -> tensor<8192xbf16>
    kfuse.yield %r : tensor<8192xbf16>
  } generic {
  ^bb0(%a0: tensor<8192xbf16, #v>):
    %r = kfuse.aten "aten::tanh"(%a0) : (tensor<8192xbf16, #v>) -> tensor<8192xbf16, #v>
    kfuse.yield %r : tensor<8192xbf16, #v>
  }
  return %2 : tensor<8192xbf16, #v>
}

// Not planned: the generic operations are left.
// CHECK-LABEL: func.func @unplanned
// CHECK-NEXT: kfuse.aten "aten::tanh"
// CHECK-NEXT: return
func.func @unplanned(%x: tensor<64x128xf32, #m>) -> tensor<64x128xf32, #m> {
  %0 = kfuse.fusion(%x) : (tensor<64x128xf32, #m>) -> tensor<64x128xf32, #m>
  body {
  ^bb0(%a0: tensor<64x128xf32>):
    %r = math.tanh %a0 : tensor<64x128xf32>
    kfuse.yield %r : tensor<64x128xf32>
  } generic {
  ^bb0(%a0: tensor<64x128xf32, #m>):
    %r = kfuse.aten "aten::tanh"(%a0) : (tensor<64x128xf32, #m>) -> tensor<64x128xf32, #m>
    kfuse.yield %r : tensor<64x128xf32, #m>
  }
  return %0 : tensor<64x128xf32, #m>
}

// What a reduction leaves for a row is rounded as in eager execution.
// CHECK-LABEL: func.func @reduced
// CHECK: kfuse.reduce <max>
// CHECK: kfuse.round
// CHECK: arith.divf
// CHECK: kfuse.round
// CHECK: kfuse.yield
func.func @reduced(%x: tensor<64x128xf32, #m>) -> tensor<64xbf16, #r> {
  %0 = kfuse.fusion(%x) {kfuse.group = 0 : i64, kfuse.group_kind = #kfuse.fusion_kind<row>} : (tensor<64x128xf32, #m>) -> tensor<64xbf16, #r>
  body {
  ^bb0(%a: tensor<64x128xf32>):
    %1 = kfuse.reduce <max> %a dims [1] : tensor<64x128xf32> -> tensor<64xf32>
    %2 = kfuse.round %1 : tensor<64xf32> -> tensor<64xbf16>
    %3 = arith.extf %2 : tensor<64xbf16> to tensor<64xf32>
    %4 = arith.divf %3, %3 : tensor<64xf32>
    %5 = kfuse.round %4 : tensor<64xf32> -> tensor<64xbf16>
    kfuse.yield %5 : tensor<64xbf16>
  } generic {
  ^bb0(%a: tensor<64x128xf32, #m>):
    %1 = kfuse.aten "aten::op"(%a) : (tensor<64x128xf32, #m>) -> tensor<64xbf16, #r>
    kfuse.yield %1 : tensor<64xbf16, #r>
  }
  return %0 : tensor<64xbf16, #r>
}
