// RUN: kfuse-opt %s -split-input-file -verify-diagnostics

#v = #kfuse.layout<[4], [1]>
func.func @aten_target(%a: tensor<4xf32, #v>) {
  // expected-error @+1 {{expected a target such as 'aten::add.Tensor', found 'relu'}}
  kfuse.aten "relu"(%a) : (tensor<4xf32, #v>) -> ()
  return
}

// -----

#v = #kfuse.layout<[4], [1]>
func.func @aten_operand_reference(%a: tensor<4xf32, #v>) {
  // expected-error @+1 {{argument refers to operand 1, but there are only 1}}
  kfuse.aten "aten::relu"(%a) {names = ["self"], args = [#kfuse.operand<1>]} : (tensor<4xf32, #v>) -> ()
  return
}

// -----

// expected-error @+1 {{expected a layout of rank 2, found 1 sizes and 1 strides}}
func.func private @layout_rank(tensor<4x4xf32, #kfuse.layout<[4], [1]>>)

// -----

// expected-error @+1 {{expected the type's sizes to be the layout's constant sizes, found 4}}
func.func private @layout_size(tensor<4xf32, #kfuse.layout<[5], [1]>>)

// -----

#v = #kfuse.layout<[4], [1]>
func.func @fusion_argument(%a: tensor<4xui8, #v>) -> tensor<4xui8, #v> {
  // expected-error @+1 {{expected argument 0 of 'body' to have type 'tensor<4xi8>', found 'tensor<4xui8>'}}
  %0 = kfuse.fusion(%a) : (tensor<4xui8, #v>) -> tensor<4xui8, #v>
  body {
  ^bb0(%x: tensor<4xui8>):
    kfuse.yield %x : tensor<4xui8>
  } generic {
  ^bb0(%x: tensor<4xui8, #v>):
    kfuse.yield %x : tensor<4xui8, #v>
  }
  return %0 : tensor<4xui8, #v>
}

// -----

func.func @reduce_result(%a: tensor<4x8xf32>) {
  // expected-error @+1 {{expected the result to lack the dims of the source that are reduced}}
  %0 = kfuse.reduce <sum> %a dims [1] : tensor<4x8xf32> -> tensor<8xf32>
  return
}

// -----

func.func @permutation(%a: tensor<4x8xf32>) {
  // expected-error @+1 {{expected a permutation of the dimensions}}
  %0 = kfuse.permute %a [0, 0] : tensor<4x8xf32> -> tensor<4x4xf32>
  return
}

// -----

func.func @reshape_elements(%a: tensor<4x8xf32>) {
  // expected-error @+1 {{expected 32 elements, found 33}}
  %0 = kfuse.reshape %a sizes [#kfuse.expr<33>] : tensor<4x8xf32> -> tensor<33xf32>
  return
}

// -----

func.func @broadcast_dims(%a: tensor<4x8xf32>) {
  // expected-error @+1 {{expected increasing dims below 2, found 0}}
  %0 = kfuse.broadcast %a dims [1, 0] sizes [#kfuse.expr<8>, #kfuse.expr<4>] : tensor<4x8xf32> -> tensor<8x4xf32>
  return
}

// -----

func.func @round_direction(%a: tensor<4xbf16>) {
  // expected-error @+1 {{expected a conversion to a narrower float type}}
  %0 = kfuse.round %a : tensor<4xbf16> -> tensor<4xf32>
  return
}

// -----

// expected-error @+1 {{expected guard kind aligned, divisible or le, found 'prime'}}
func.func private @guard_kind() attributes {g = #kfuse.guard<"prime", s0, 2>}
