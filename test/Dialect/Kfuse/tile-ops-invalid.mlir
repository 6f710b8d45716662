// RUN: kfuse-opt %s -split-input-file -verify-diagnostics

func.func @packet_rank(%p: !llvm.ptr<1>, %i: i32) {
  // expected-error @+1 {{expected a scalar or a vector of rank 1, found 'vector<2x2xf32>'}}
  %v = kfuse.tile_load %p[%i] : !llvm.ptr<1>, i32 -> vector<2x2xf32>
  return
}

// -----

func.func @alignment(%p: !llvm.ptr<1>, %i: i32, %v: f32) {
  // expected-error @+1 {{expected a power of two as alignment, found 6}}
  kfuse.tile_store %v, %p[%i] {alignment = 6} : f32, !llvm.ptr<1>, i32
  return
}

// -----

func.func @part_of_the_block(%v: f32) {
  // expected-error @+1 {{expected a group of more than 32 threads to be the whole block}}
  %r = kfuse.thread_reduce(%v) threads 128 count 64 step 1 {
  ^bb0(%a: f32, %b: f32):
    kfuse.yield %a : f32
  } : (f32) -> f32
  return
}

// -----

func.func @group_size(%v: f32) {
  // expected-error @+1 {{expected a power of two as count of a group of at most 32 neighbours, found 24}}
  %r = kfuse.thread_reduce(%v) threads 96 count 24 step 1 {
  ^bb0(%a: f32, %b: f32):
    kfuse.yield %a : f32
  } : (f32) -> f32
  return
}

// -----

func.func @combiner(%v: f32) {
  // expected-error @+1 {{expected 2 arguments of the combiner, found 1}}
  %r = kfuse.thread_reduce(%v) threads 32 count 32 step 1 {
  ^bb0(%a: f32):
    kfuse.yield %a : f32
  } : (f32) -> f32
  return
}
