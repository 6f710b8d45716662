//===- HostAsm.cpp - inline PTX that is known -----------------------------===//
///
/// \file
/// The inline assembly of libdevice and of kernels, by its exact text: anything
/// else is an error.
///

#include "HostCode.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"

using namespace llvm;

namespace kfuse::sim {

using Maker = Value *(*)(IRBuilder<> &, CallInst &);

/// Both halves of a number as a struct of two integers.
static Value *splitHalves(IRBuilder<> &builder, Value *whole, Type *pair) {
  Type *half = cast<StructType>(pair)->getElementType(0);
  Value *low = builder.CreateTrunc(whole, half);
  Value *high = builder.CreateTrunc(
      builder.CreateLShr(whole, half->getIntegerBitWidth()), half);
  Value *result = PoisonValue::get(pair);
  result = builder.CreateInsertValue(result, low, 0);
  return builder.CreateInsertValue(result, high, 1);
}

static Value *widen(IRBuilder<> &builder, Value *value) {
  return builder.CreateZExt(
      value, builder.getIntNTy(2 * value->getType()->getIntegerBitWidth()));
}

static Value *joinHalves(IRBuilder<> &builder, Value *low, Value *high) {
  unsigned width = low->getType()->getIntegerBitWidth();
  return builder.CreateOr(widen(builder, low),
                          builder.CreateShl(widen(builder, high), width));
}

/// a * b + c in twice the width.
static Value *makeMultiplyAdd(IRBuilder<> &builder, CallInst &call) {
  Value *product = builder.CreateMul(widen(builder, call.getArgOperand(0)),
                                     widen(builder, call.getArgOperand(1)));
  if (call.arg_size() > 2)
    product = builder.CreateAdd(product, widen(builder, call.getArgOperand(2)));
  return splitHalves(builder, product, call.getType());
}

template <Instruction::BinaryOps opcode>
static Value *makeLong(IRBuilder<> &builder, CallInst &call) {
  Value *a = joinHalves(builder, call.getArgOperand(0), call.getArgOperand(1));
  Value *b = joinHalves(builder, call.getArgOperand(2), call.getArgOperand(3));
  return splitHalves(builder, builder.CreateBinOp(opcode, a, b),
                     call.getType());
}

static Value *makeSelectEqual(IRBuilder<> &builder, CallInst &call) {
  Value *isEqual =
      builder.CreateFCmpUEQ(call.getArgOperand(0), call.getArgOperand(1));
  return builder.CreateSelect(isEqual, call.getArgOperand(2),
                              call.getArgOperand(3));
}

namespace {
struct KnownAsm {
  const char *text; ///< with single spaces
  Maker make;       ///< or
  const char *function;
};
} // namespace

static const KnownAsm knownAsm[] = {
    {"{ mad.lo.cc.u32 $0, $2, $3, $4; madc.hi.u32 $1, $2, $3, 0; }",
     makeMultiplyAdd, nullptr},
    {"{ .reg .u32 r0, r1, r2, r3, alo, ahi, blo, bhi, clo, chi; "
     "mov.b64 {alo,ahi}, $2; mov.b64 {blo,bhi}, $3; mov.b64 {clo,chi}, $4; "
     "mad.lo.cc.u32 r0, alo, blo, clo; madc.hi.cc.u32 r1, alo, blo, chi; "
     "madc.hi.u32 r2, alo, bhi, 0; mad.lo.cc.u32 r1, alo, bhi, r1; "
     "madc.hi.cc.u32 r2, ahi, blo, r2; madc.hi.u32 r3, ahi, bhi, 0; "
     "mad.lo.cc.u32 r1, ahi, blo, r1; madc.lo.cc.u32 r2, ahi, bhi, r2; "
     "addc.u32 r3, r3, 0; mov.b64 $0, {r0,r1}; mov.b64 $1, {r2,r3}; }",
     makeMultiplyAdd, nullptr},
    {"{ .reg .u32 r0, r1, r2, r3, alo, ahi, blo, bhi; "
     "mov.b64 {alo,ahi}, $2; mov.b64 {blo,bhi}, $3; "
     "mul.lo.u32 r0, alo, blo; mul.hi.u32 r1, alo, blo; "
     "mad.lo.cc.u32 r1, alo, bhi, r1; madc.hi.u32 r2, alo, bhi, 0; "
     "mad.lo.cc.u32 r1, ahi, blo, r1; madc.hi.cc.u32 r2, ahi, blo, r2; "
     "madc.hi.u32 r3, ahi, bhi, 0; mad.lo.cc.u32 r2, ahi, bhi, r2; "
     "addc.u32 r3, r3, 0; mov.b64 $0, {r0,r1}; mov.b64 $1, {r2,r3}; }",
     makeMultiplyAdd, nullptr},
    {"{ .reg .u32 r0, r1, r2, r3, a0, a1, a2, a3, b0, b1, b2, b3; "
     "mov.b64 {a0,a1}, $2; mov.b64 {a2,a3}, $3; mov.b64 {b0,b1}, $4; "
     "mov.b64 {b2,b3}, $5; add.cc.u32 r0, a0, b0; addc.cc.u32 r1, a1, b1; "
     "addc.cc.u32 r2, a2, b2; addc.u32 r3, a3, b3; mov.b64 $0, {r0,r1}; "
     "mov.b64 $1, {r2,r3}; }",
     makeLong<Instruction::Add>, nullptr},
    {"{ .reg .u32 r0, r1, r2, r3, a0, a1, a2, a3, b0, b1, b2, b3; "
     "mov.b64 {a0,a1}, $2; mov.b64 {a2,a3}, $3; mov.b64 {b0,b1}, $4; "
     "mov.b64 {b2,b3}, $5; sub.cc.u32 r0, a0, b0; subc.cc.u32 r1, a1, b1; "
     "subc.cc.u32 r2, a2, b2; subc.u32 r3, a3, b3; mov.b64 $0, {r0,r1}; "
     "mov.b64 $1, {r2,r3}; }",
     makeLong<Instruction::Sub>, nullptr},
    {"{ .reg .pred __$$temp3; setp.equ.f64 __$$temp3, $1, $2; "
     "selp.f64 $0, $3, $4, __$$temp3;}",
     makeSelectEqual, nullptr},
    {"bfind.shiftamt.u32 $0, $1;", nullptr, "nvvm.bfind.shiftamt"},
    {"rcp.approx.ftz.f32 $0,$1;", nullptr, "nvvm.rcp.approx.ftz.f"},
    {"rcp.approx.ftz.f32 $0, $1;", nullptr, "nvvm.rcp.approx.ftz.f"},
    {"ex2.approx.ftz.f32 $0, $1;", nullptr, "nvvm.ex2.approx.ftz.f"},
    {"tanh.approx.f32 $0, $1;", nullptr, "nvvm.tanh.approx.f"},
    {"rsqrt.approx.ftz.f64 $0, $1;", nullptr, "nvvm.rsqrt.approx.ftz.d"},
    {"sub.rn.f32 $0, $1, $2;", nullptr, "nvvm.sub.rn.f"},
    {"sub.rm.f32 $0, $1, $2;", nullptr, "nvvm.sub.rm.f"},
    {"sub.rp.f32 $0, $1, $2;", nullptr, "nvvm.sub.rp.f"},
    {"sub.rz.f32 $0, $1, $2;", nullptr, "nvvm.sub.rz.f"},
    {"sub.rn.ftz.f32 $0, $1, $2;", nullptr, "nvvm.sub.rn.ftz.f"},
    {"sub.rm.ftz.f32 $0, $1, $2;", nullptr, "nvvm.sub.rm.ftz.f"},
    {"sub.rp.ftz.f32 $0, $1, $2;", nullptr, "nvvm.sub.rp.ftz.f"},
    {"sub.rz.ftz.f32 $0, $1, $2;", nullptr, "nvvm.sub.rz.ftz.f"},
    {"sub.rn.f64 $0, $1, $2;", nullptr, "nvvm.sub.rn.d"},
    {"sub.rm.f64 $0, $1, $2;", nullptr, "nvvm.sub.rm.d"},
    {"sub.rp.f64 $0, $1, $2;", nullptr, "nvvm.sub.rp.d"},
    {"sub.rz.f64 $0, $1, $2;", nullptr, "nvvm.sub.rz.d"}};

/// Single spaces between words.
static std::string normalize(StringRef text) {
  SmallVector<StringRef> words;
  SplitString(text, words, " \t\n\r");
  return join(words, " ");
}

Error adaptInlineAsm(CallInst &call) {
  auto *assembly = cast<InlineAsm>(call.getCalledOperand());
  std::string text = normalize(assembly->getAsmString());
  for (const KnownAsm &known : knownAsm) {
    if (text != known.text)
      continue;
    IRBuilder<> builder(&call);
    Value *value = nullptr;
    if (known.make) {
      value = known.make(builder, call);
    } else {
      SmallVector<Value *> arguments(call.args());
      value = builder.CreateCall(call.getModule()->getOrInsertFunction(
                                     known.function, call.getFunctionType()),
                                 arguments);
    }
    call.replaceAllUsesWith(value);
    call.eraseFromParent();
    return Error::success();
  }
  return createStringError(inconvertibleErrorCode(),
                           "the simulator does not know the inline PTX '" +
                               text + "'");
}

} // namespace kfuse::sim
