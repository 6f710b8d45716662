// RUN: kfuse-opt %s --kfuse-plan-fusion --remarks-filter=kfuse-fusion --remark-policy=all -o %t 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: FileCheck %s < %t

#m = #kfuse.layout<[64, 128], [128, 1]>
#t = #kfuse.layout<[128, 64], [64, 1]>
#r = #kfuse.layout<[64], [1]>
#c = #kfuse.layout<[128], [1]>

// A row reduction, what feeds it and what uses it for each element.
// CHECK-LABEL: func.func @center_rows
// CHECK-COUNT-3: kfuse.group = 0 : i64, kfuse.group_kind = #kfuse.fusion_kind<row>
// REMARK: merged{{.*}}gain_us=
func.func @center_rows(%x: tensor<64x128xf32, #m>) -> tensor<64x128xf32, #m> {
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
  %1 = kfuse.fusion(%0) : (tensor<64x128xf32, #m>) -> tensor<64xf32, #r>
  body {
  ^bb0(%a0: tensor<64x128xf32>):
    %r = kfuse.reduce <sum> %a0 dims [1] : tensor<64x128xf32> -> tensor<64xf32>
    kfuse.yield %r : tensor<64xf32>
  } generic {
  ^bb0(%a0: tensor<64x128xf32, #m>):
    %r = kfuse.aten "aten::sum.dim_IntList"(%a0) : (tensor<64x128xf32, #m>) -> tensor<64xf32, #r>
    kfuse.yield %r : tensor<64xf32, #r>
  }
  %2 = kfuse.fusion(%0, %1) : (tensor<64x128xf32, #m>, tensor<64xf32, #r>) -> tensor<64x128xf32, #m>
  body {
  ^bb0(%a0: tensor<64x128xf32>, %a1: tensor<64xf32>):
    %b = kfuse.broadcast %a1 dims [0] sizes [#kfuse.expr<64>, #kfuse.expr<128>] : tensor<64xf32> -> tensor<64x128xf32>
    %r = arith.subf %a0, %b : tensor<64x128xf32>
    kfuse.yield %r : tensor<64x128xf32>
  } generic {
  ^bb0(%a0: tensor<64x128xf32, #m>, %a1: tensor<64xf32, #r>):
    %r = kfuse.aten "aten::sub.Tensor"(%a0, %a1) : (tensor<64x128xf32, #m>, tensor<64xf32, #r>) -> tensor<64x128xf32, #m>
    kfuse.yield %r : tensor<64x128xf32, #m>
  }
  return %2 : tensor<64x128xf32, #m>
}

// The same over columns.
// CHECK-LABEL: func.func @center_columns
// CHECK-COUNT-3: kfuse.group = 0 : i64, kfuse.group_kind = #kfuse.fusion_kind<column>
func.func @center_columns(%x: tensor<64x128xf32, #m>) -> tensor<64x128xf32, #m> {
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
  %1 = kfuse.fusion(%0) : (tensor<64x128xf32, #m>) -> tensor<128xf32, #c>
  body {
  ^bb0(%a0: tensor<64x128xf32>):
    %r = kfuse.reduce <sum> %a0 dims [0] : tensor<64x128xf32> -> tensor<128xf32>
    kfuse.yield %r : tensor<128xf32>
  } generic {
  ^bb0(%a0: tensor<64x128xf32, #m>):
    %r = kfuse.aten "aten::sum.dim_IntList"(%a0) : (tensor<64x128xf32, #m>) -> tensor<128xf32, #c>
    kfuse.yield %r : tensor<128xf32, #c>
  }
  %2 = kfuse.fusion(%0, %1) : (tensor<64x128xf32, #m>, tensor<128xf32, #c>) -> tensor<64x128xf32, #m>
  body {
  ^bb0(%a0: tensor<64x128xf32>, %a1: tensor<128xf32>):
    %b = kfuse.broadcast %a1 dims [1] sizes [#kfuse.expr<64>, #kfuse.expr<128>] : tensor<128xf32> -> tensor<64x128xf32>
    %r = arith.subf %a0, %b : tensor<64x128xf32>
    kfuse.yield %r : tensor<64x128xf32>
  } generic {
  ^bb0(%a0: tensor<64x128xf32, #m>, %a1: tensor<128xf32, #c>):
    %r = kfuse.aten "aten::sub.Tensor"(%a0, %a1) : (tensor<64x128xf32, #m>, tensor<128xf32, #c>) -> tensor<64x128xf32, #m>
    kfuse.yield %r : tensor<64x128xf32, #m>
  }
  return %2 : tensor<64x128xf32, #m>
}

// CHECK-LABEL: func.func @two_directions
// CHECK: kfuse.group = 0 : i64, kfuse.group_kind = #kfuse.fusion_kind<row>
// CHECK: kfuse.group = 1 : i64, kfuse.group_kind = #kfuse.fusion_kind<column>
// REMARK: illegal{{.*}}Reason="reductions over different extents"
func.func @two_directions(%x: tensor<64x128xf32, #m>) -> (tensor<64xf32, #r>, tensor<128xf32, #c>) {
  %0 = kfuse.fusion(%x) : (tensor<64x128xf32, #m>) -> tensor<64xf32, #r>
  body {
  ^bb0(%a0: tensor<64x128xf32>):
    %r = kfuse.reduce <sum> %a0 dims [1] : tensor<64x128xf32> -> tensor<64xf32>
    kfuse.yield %r : tensor<64xf32>
  } generic {
  ^bb0(%a0: tensor<64x128xf32, #m>):
    %r = kfuse.aten "aten::sum.dim_IntList"(%a0) : (tensor<64x128xf32, #m>) -> tensor<64xf32, #r>
    kfuse.yield %r : tensor<64xf32, #r>
  }
  %1 = kfuse.fusion(%x) : (tensor<64x128xf32, #m>) -> tensor<128xf32, #c>
  body {
  ^bb0(%a0: tensor<64x128xf32>):
    %r = kfuse.reduce <sum> %a0 dims [0] : tensor<64x128xf32> -> tensor<128xf32>
    kfuse.yield %r : tensor<128xf32>
  } generic {
  ^bb0(%a0: tensor<64x128xf32, #m>):
    %r = kfuse.aten "aten::sum.dim_IntList"(%a0) : (tensor<64x128xf32, #m>) -> tensor<128xf32, #c>
    kfuse.yield %r : tensor<128xf32, #c>
  }
  return %0, %1 : tensor<64xf32, #r>, tensor<128xf32, #c>
}

// The transposition gains more with the subtraction than the reduction would.
// CHECK-LABEL: func.func @transposed_result
// CHECK: kfuse.group = 0 : i64
// CHECK-COUNT-2: kfuse.group = 1 : i64
// REMARK: illegal{{.*}}Reason="a transposition of what a reduction produced"
func.func @transposed_result(%x: tensor<64x128xf32, #m>) -> tensor<128x64xf32, #t> {
  %0 = kfuse.fusion(%x) : (tensor<64x128xf32, #m>) -> tensor<64xf32, #r>
  body {
  ^bb0(%a0: tensor<64x128xf32>):
    %r = kfuse.reduce <sum> %a0 dims [1] : tensor<64x128xf32> -> tensor<64xf32>
    kfuse.yield %r : tensor<64xf32>
  } generic {
  ^bb0(%a0: tensor<64x128xf32, #m>):
    %r = kfuse.aten "aten::sum.dim_IntList"(%a0) : (tensor<64x128xf32, #m>) -> tensor<64xf32, #r>
    kfuse.yield %r : tensor<64xf32, #r>
  }
  %1 = kfuse.fusion(%x, %0) : (tensor<64x128xf32, #m>, tensor<64xf32, #r>) -> tensor<64x128xf32, #m>
  body {
  ^bb0(%a0: tensor<64x128xf32>, %a1: tensor<64xf32>):
    %b = kfuse.broadcast %a1 dims [0] sizes [#kfuse.expr<64>, #kfuse.expr<128>] : tensor<64xf32> -> tensor<64x128xf32>
    %r = arith.subf %a0, %b : tensor<64x128xf32>
    kfuse.yield %r : tensor<64x128xf32>
  } generic {
  ^bb0(%a0: tensor<64x128xf32, #m>, %a1: tensor<64xf32, #r>):
    %r = kfuse.aten "aten::sub.Tensor"(%a0, %a1) : (tensor<64x128xf32, #m>, tensor<64xf32, #r>) -> tensor<64x128xf32, #m>
    kfuse.yield %r : tensor<64x128xf32, #m>
  }
  %2 = kfuse.fusion(%1) : (tensor<64x128xf32, #m>) -> tensor<128x64xf32, #t>
  body {
  ^bb0(%a0: tensor<64x128xf32>):
    %r = kfuse.permute %a0 [1, 0] : tensor<64x128xf32> -> tensor<128x64xf32>
    kfuse.yield %r : tensor<128x64xf32>
  } generic {
  ^bb0(%a0: tensor<64x128xf32, #m>):
    %r = kfuse.aten "aten::clone"(%a0) : (tensor<64x128xf32, #m>) -> tensor<128x64xf32, #t>
    kfuse.yield %r : tensor<128x64xf32, #t>
  }
  return %2 : tensor<128x64xf32, #t>
}

// An operation that kfuse does not compile lies between: merging the outer
// two would make a cycle.
// CHECK-LABEL: func.func @cycle
// CHECK: kfuse.group = 0 : i64
// CHECK: kfuse.group = 1 : i64
// REMARK: illegal{{.*}}Reason="something between them needs the one and feeds the other"
func.func @cycle(%x: tensor<64x128xf32, #m>) -> tensor<64x128xf32, #m> {
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
  %1 = kfuse.aten "aten::cumsum"(%0) : (tensor<64x128xf32, #m>) -> tensor<64x128xf32, #m>
  %2 = kfuse.fusion(%0, %1) : (tensor<64x128xf32, #m>, tensor<64x128xf32, #m>) -> tensor<64x128xf32, #m>
  body {
  ^bb0(%a0: tensor<64x128xf32>, %a1: tensor<64x128xf32>):
    %r = arith.addf %a0, %a1 : tensor<64x128xf32>
    kfuse.yield %r : tensor<64x128xf32>
  } generic {
  ^bb0(%a0: tensor<64x128xf32, #m>, %a1: tensor<64x128xf32, #m>):
    %r = kfuse.aten "aten::add.Tensor"(%a0, %a1) : (tensor<64x128xf32, #m>, tensor<64x128xf32, #m>) -> tensor<64x128xf32, #m>
    kfuse.yield %r : tensor<64x128xf32, #m>
  }
  return %2 : tensor<64x128xf32, #m>
}

// Fusions do not move across a write.
// CHECK-LABEL: func.func @across_write
// CHECK: kfuse.group = 0 : i64
// CHECK: kfuse.group = 1 : i64
func.func @across_write(%x: tensor<64x128xf32, #m>) -> tensor<64x128xf32, #m> {
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
  %1 = kfuse.aten "aten::normal_"(%x) : (tensor<64x128xf32, #m>) -> tensor<64x128xf32, #m>
  %2 = kfuse.fusion(%0) : (tensor<64x128xf32, #m>) -> tensor<64x128xf32, #m>
  body {
  ^bb0(%a0: tensor<64x128xf32>):
    %r = math.tanh %a0 : tensor<64x128xf32>
    kfuse.yield %r : tensor<64x128xf32>
  } generic {
  ^bb0(%a0: tensor<64x128xf32, #m>):
    %r = kfuse.aten "aten::tanh"(%a0) : (tensor<64x128xf32, #m>) -> tensor<64x128xf32, #m>
    kfuse.yield %r : tensor<64x128xf32, #m>
  }
  return %2 : tensor<64x128xf32, #m>
}

// The two that read %x may be one kernel, or the two that read %y, but not
// both: each pair would wait for the other.
// CHECK-LABEL: func.func @two_pairs
// CHECK-COUNT-2: kfuse.group = 0 : i64
// CHECK-NOT: kfuse.group = 0 : i64
// REMARK: merged{{.*}}group=2
// REMARK: something between them needs the one and feeds the other
// CHECK-LABEL: func.func @after_two_pairs
func.func @two_pairs(%x: tensor<64x128xf32, #m>, %y: tensor<64x128xf32, #m>, %w: tensor<128x128xf32, #kfuse.layout<[128, 128], [128, 1]>>) -> (tensor<64x128xf32, #m>, tensor<64x128xf32, #m>) {
  %n1 = kfuse.fusion(%x) : (tensor<64x128xf32, #m>) -> tensor<64x128xf32, #m>
  body {
  ^bb0(%a0: tensor<64x128xf32>):
    %r = arith.negf %a0 : tensor<64x128xf32>
    kfuse.yield %r : tensor<64x128xf32>
  } generic {
  ^bb0(%a0: tensor<64x128xf32, #m>):
    %r = kfuse.aten "aten::neg"(%a0) : (tensor<64x128xf32, #m>) -> tensor<64x128xf32, #m>
    kfuse.yield %r : tensor<64x128xf32, #m>
  }
  %n2 = kfuse.fusion(%y) : (tensor<64x128xf32, #m>) -> tensor<64x128xf32, #m>
  body {
  ^bb0(%a0: tensor<64x128xf32>):
    %r = arith.negf %a0 : tensor<64x128xf32>
    kfuse.yield %r : tensor<64x128xf32>
  } generic {
  ^bb0(%a0: tensor<64x128xf32, #m>):
    %r = kfuse.aten "aten::neg"(%a0) : (tensor<64x128xf32, #m>) -> tensor<64x128xf32, #m>
    kfuse.yield %r : tensor<64x128xf32, #m>
  }
  %m1 = kfuse.aten "aten::mm"(%n1, %w) : (tensor<64x128xf32, #m>, tensor<128x128xf32, #kfuse.layout<[128, 128], [128, 1]>>) -> tensor<64x128xf32, #m>
  %m2 = kfuse.aten "aten::mm"(%n2, %w) : (tensor<64x128xf32, #m>, tensor<128x128xf32, #kfuse.layout<[128, 128], [128, 1]>>) -> tensor<64x128xf32, #m>
  %s1 = kfuse.fusion(%x, %m2) : (tensor<64x128xf32, #m>, tensor<64x128xf32, #m>) -> tensor<64x128xf32, #m>
  body {
  ^bb0(%a0: tensor<64x128xf32>, %a1: tensor<64x128xf32>):
    %r = arith.addf %a0, %a1 : tensor<64x128xf32>
    kfuse.yield %r : tensor<64x128xf32>
  } generic {
  ^bb0(%a0: tensor<64x128xf32, #m>, %a1: tensor<64x128xf32, #m>):
    %r = kfuse.aten "aten::add.Tensor"(%a0, %a1) : (tensor<64x128xf32, #m>, tensor<64x128xf32, #m>) -> tensor<64x128xf32, #m>
    kfuse.yield %r : tensor<64x128xf32, #m>
  }
  %s2 = kfuse.fusion(%y, %m1) : (tensor<64x128xf32, #m>, tensor<64x128xf32, #m>) -> tensor<64x128xf32, #m>
  body {
  ^bb0(%a0: tensor<64x128xf32>, %a1: tensor<64x128xf32>):
    %r = arith.addf %a0, %a1 : tensor<64x128xf32>
    kfuse.yield %r : tensor<64x128xf32>
  } generic {
  ^bb0(%a0: tensor<64x128xf32, #m>, %a1: tensor<64x128xf32, #m>):
    %r = kfuse.aten "aten::add.Tensor"(%a0, %a1) : (tensor<64x128xf32, #m>, tensor<64x128xf32, #m>) -> tensor<64x128xf32, #m>
    kfuse.yield %r : tensor<64x128xf32, #m>
  }
  return %s1, %s2 : tensor<64x128xf32, #m>, tensor<64x128xf32, #m>
}

func.func @after_two_pairs() {
  return
}
