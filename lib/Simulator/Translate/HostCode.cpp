//===- HostCode.cpp - what differs between PTX and the host ---------------===//

#include "HostCode.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/AttributeMask.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;

namespace kfuse::sim {

static Error makeError(const Twine &text) {
  return createStringError(inconvertibleErrorCode(), text);
}

//===----------------------------------------------------------------------===//
// libdevice
//===----------------------------------------------------------------------===//

static bool needsLibdevice(const Module &module) {
  return any_of(module, [](const Function &function) {
    return function.isDeclaration() && function.getName().starts_with("__nv_");
  });
}

/// Answers `__nvvm_reflect` as the compiler's own settings would.
static void resolveReflection(Module &module) {
  Function *reflect = module.getFunction("__nvvm_reflect");
  if (!reflect)
    return;
  for (User *user : make_early_inc_range(reflect->users())) {
    auto *call = cast<CallInst>(user);
    StringRef name;
    getConstantStringInfo(call->getArgOperand(0), name);
    // No flushing to zero, divisions and roots correctly rounded.
    uint64_t value = name == "__CUDA_ARCH"             ? 900
                     : name.starts_with("__CUDA_PREC") ? 1
                                                       : 0;
    call->replaceAllUsesWith(ConstantInt::get(call->getType(), value));
    call->eraseFromParent();
  }
  reflect->eraseFromParent();
}

Error linkLibdevice(Module &module, const std::string &path) {
  if (!needsLibdevice(module))
    return Error::success();
  if (path.empty())
    return makeError("kernels call libdevice, and the path of libdevice.10.bc "
                     "is not given");
  auto buffer = MemoryBuffer::getFile(path);
  if (!buffer)
    return makeError("kernels call libdevice, but '" + path +
                     "' cannot be read: " + buffer.getError().message());
  auto library =
      getOwningLazyBitcodeModule(std::move(*buffer), module.getContext());
  if (!library)
    return joinErrors(makeError("'" + path + "'"), library.takeError());
  (*library)->setDataLayout(module.getDataLayout());
  (*library)->setTargetTriple(module.getTargetTriple());
  if (Linker::linkModules(module, std::move(*library), Linker::LinkOnlyNeeded))
    return makeError("'" + path + "' cannot be linked");
  for (Function &function : module)
    if (function.getName().starts_with("__nv_") && !function.isDeclaration())
      function.setLinkage(GlobalValue::InternalLinkage);
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

/// bf16 from f32, to nearest even, as cvt.rn.bf16.f32 does: no conversion of
/// the host's, which may flush denormals.
static Value *roundToBrain(IRBuilder<> &builder, Value *value, Type *to) {
  Type *i32 = builder.getInt32Ty(), *i16 = builder.getInt16Ty();
  if (auto *vector = dyn_cast<VectorType>(to)) {
    i32 = VectorType::get(i32, vector->getElementCount());
    i16 = VectorType::get(i16, vector->getElementCount());
  }
  auto number = [&](uint64_t n) { return ConstantInt::get(i32, n); };
  Value *bits = builder.CreateBitCast(value, i32);
  Value *odd =
      builder.CreateAnd(builder.CreateLShr(bits, number(16)), number(1));
  Value *rounded =
      builder.CreateAdd(builder.CreateAdd(bits, number(0x7FFF)), odd);
  Value *high = builder.CreateLShr(rounded, number(16));
  Value *isNan = builder.CreateFCmpUNO(value, value);
  high = builder.CreateSelect(isNan, number(0x7FFF), high);
  return builder.CreateBitCast(builder.CreateTrunc(high, i16), to);
}

/// A value in f64 as an f32 from which rounding again gives what rounding once
/// would: towards zero, with the last bit set when that was not exact.
static Value *roundToOdd(IRBuilder<> &builder, Value *value, Type *f32) {
  Type *f64 = value->getType();
  Type *i32 = builder.getInt32Ty();
  if (auto *vector = dyn_cast<VectorType>(f32))
    i32 = VectorType::get(i32, vector->getElementCount());
  auto one = ConstantInt::get(i32, 1);
  Value *near = builder.CreateFPTrunc(value, f32);
  Value *back = builder.CreateFPExt(near, f64);
  Value *isExact = builder.CreateFCmpOEQ(back, value);
  Value *size = builder.CreateUnaryIntrinsic(Intrinsic::fabs, value);
  Value *backSize = builder.CreateUnaryIntrinsic(Intrinsic::fabs, back);
  Value *bits = builder.CreateBitCast(near, i32);
  // Rounded away from zero: one less in magnitude is the truncated value.
  Value *isAway = builder.CreateFCmpOGT(backSize, size);
  bits = builder.CreateSelect(isAway, builder.CreateSub(bits, one), bits);
  Value *odd = builder.CreateBitCast(builder.CreateOr(bits, one), f32);
  Value *isNan = builder.CreateFCmpUNO(value, value);
  return builder.CreateSelect(builder.CreateOr(isExact, isNan), near, odd);
}

static void replace(Instruction *old, Value *value) {
  old->replaceAllUsesWith(value);
  old->eraseFromParent();
}

static bool adaptTruncation(FPTruncInst *truncation) {
  if (!truncation->getType()->getScalarType()->isBFloatTy())
    return false;
  IRBuilder<> builder(truncation);
  Value *value = truncation->getOperand(0);
  if (value->getType()->getScalarType()->isDoubleTy()) {
    Type *f32 = builder.getFloatTy();
    if (auto *vector = dyn_cast<VectorType>(value->getType()))
      f32 = VectorType::get(f32, vector->getElementCount());
    value = roundToOdd(builder, value, f32);
  }
  if (value->getType()->getScalarType()->isHalfTy())
    value = builder.CreateFPExt(
        value, truncation->getType()->getWithNewType(builder.getFloatTy()));
  replace(truncation, roundToBrain(builder, value, truncation->getType()));
  return true;
}

/// cvt.rzi: saturates; NaN becomes 0, or the sign bit when either side has 64
/// bits (PTX ISA 9.7.9.21).
static bool adaptToInteger(CastInst *conversion) {
  bool isSigned = isa<FPToSIInst>(conversion);
  if (!isSigned && !isa<FPToUIInst>(conversion))
    return false;
  IRBuilder<> builder(conversion);
  Value *value = conversion->getOperand(0);
  Type *type = conversion->getType();
  Value *result = builder.CreateIntrinsic(isSigned ? Intrinsic::fptosi_sat
                                                   : Intrinsic::fptoui_sat,
                                          {type, value->getType()}, {value});
  unsigned width = type->getScalarSizeInBits();
  if (width >= 32 &&
      (width == 64 || value->getType()->getScalarType()->isDoubleTy())) {
    Value *isNan = builder.CreateFCmpUNO(value, value);
    Constant *sign = ConstantInt::get(type, uint64_t(1) << (width - 1));
    result = builder.CreateSelect(isNan, sign, result);
  }
  replace(conversion, result);
  return true;
}

/// Division by zero, and of the least integer by -1, give something on a GPU.
static bool adaptDivision(BinaryOperator *division) {
  unsigned opcode = division->getOpcode();
  bool isSigned = opcode == Instruction::SDiv || opcode == Instruction::SRem;
  bool isQuotient = opcode == Instruction::SDiv || opcode == Instruction::UDiv;
  if (!isSigned && opcode != Instruction::UDiv && opcode != Instruction::URem)
    return false;
  // Other constants divide on any machine.
  const APInt *divisor = nullptr;
  if (match(division->getOperand(1), PatternMatch::m_APInt(divisor)) &&
      !divisor->isZero() && !divisor->isAllOnes())
    return false;
  IRBuilder<> builder(division);
  Type *type = division->getType();
  Value *lhs = division->getOperand(0), *rhs = division->getOperand(1);
  Constant *one = ConstantInt::get(type, 1), *zero = ConstantInt::get(type, 0);
  Value *isZero = builder.CreateICmpEQ(rhs, zero);
  Value *isBad = isZero;
  Value *isOverflow = nullptr;
  if (isSigned) {
    Constant *least = ConstantInt::get(
        type, APInt::getSignedMinValue(type->getScalarSizeInBits()));
    isOverflow = builder.CreateAnd(
        builder.CreateICmpEQ(rhs, Constant::getAllOnesValue(type)),
        builder.CreateICmpEQ(lhs, least));
    isBad = builder.CreateOr(isBad, isOverflow);
  }
  Value *safe = builder.CreateSelect(isBad, one, rhs);
  Value *result = builder.CreateBinOp(
      static_cast<Instruction::BinaryOps>(opcode), lhs, safe);
  // The overflow's quotient is lhs / 1, its remainder 0.
  Value *ofZero = isQuotient ? Constant::getAllOnesValue(type) : lhs;
  replace(division, builder.CreateSelect(isZero, ofZero, result));
  return true;
}

//===----------------------------------------------------------------------===//
// Intrinsics
//===----------------------------------------------------------------------===//

/// The generic intrinsic that does the same; 0 when there is none.
static Intrinsic::ID getGeneric(StringRef name) {
  return StringSwitch<Intrinsic::ID>(name)
      .Cases({"fma.rn.f", "fma.rn.d"}, Intrinsic::fma)
      .Cases({"sqrt.rn.f", "sqrt.rn.d"}, Intrinsic::sqrt)
      .Cases({"fabs.f", "fabs.d"}, Intrinsic::fabs)
      .Cases({"floor.f", "floor.d"}, Intrinsic::floor)
      .Cases({"ceil.f", "ceil.d"}, Intrinsic::ceil)
      .Cases({"trunc.f", "trunc.d"}, Intrinsic::trunc)
      .Cases({"round.f", "round.d"}, Intrinsic::roundeven)
      .Cases({"fmax.f", "fmax.d"}, Intrinsic::maximumnum)
      .Cases({"fmin.f", "fmin.d"}, Intrinsic::minimumnum)
      .Default(Intrinsic::not_intrinsic);
}

static unsigned getBinary(StringRef name) {
  return StringSwitch<unsigned>(name)
      .Cases({"add.rn.f", "add.rn.d"}, Instruction::FAdd)
      .Cases({"mul.rn.f", "mul.rn.d"}, Instruction::FMul)
      .Cases({"div.rn.f", "div.rn.d"}, Instruction::FDiv)
      .Default(0);
}

static Value *makeGeneric(IRBuilder<> &builder, CallInst *call,
                          StringRef name) {
  SmallVector<Value *> arguments(call->args());
  if (Intrinsic::ID id = getGeneric(name))
    return builder.CreateIntrinsic(id, {call->getType()}, arguments);
  if (unsigned opcode = getBinary(name))
    return builder.CreateBinOp(static_cast<Instruction::BinaryOps>(opcode),
                               arguments[0], arguments[1]);
  if (name == "rcp.rn.f" || name == "rcp.rn.d")
    return builder.CreateFDiv(ConstantFP::get(call->getType(), 1.0),
                              arguments[0]);
  return nullptr;
}

static void adaptIntrinsic(Function &intrinsic) {
  StringRef name = intrinsic.getName();
  name.consume_front("llvm.nvvm.");
  // Old names end in the letter of the type, new ones in its name.
  std::string shortName = name.str();
  if (name.consume_back(".f32"))
    shortName = (name + ".f").str();
  else if (name.consume_back(".f64"))
    shortName = (name + ".d").str();
  name = shortName;
  FunctionCallee external;
  for (User *user : make_early_inc_range(intrinsic.users())) {
    auto *call = cast<CallInst>(user);
    IRBuilder<> builder(call);
    if (Value *value = makeGeneric(builder, call, name)) {
      replace(call, value);
      continue;
    }
    if (!external)
      external = intrinsic.getParent()->getOrInsertFunction(
          ("nvvm." + name).str(), intrinsic.getFunctionType());
    call->setCalledFunction(external);
    call->setAttributes({});
  }
}

static Error adaptFunction(Function &function) {
  // Kernels round as PTX does: no contraction beyond the fma that is there.
  for (BasicBlock &block : function)
    for (Instruction &instruction : make_early_inc_range(block)) {
      if (isa<FPMathOperator>(instruction))
        instruction.setFastMathFlags(FastMathFlags());
      auto *call = dyn_cast<CallInst>(&instruction);
      if (call && call->isInlineAsm()) {
        if (Error error = adaptInlineAsm(*call))
          return error;
      } else if (auto *truncation = dyn_cast<FPTruncInst>(&instruction))
        adaptTruncation(truncation);
      else if (auto *conversion = dyn_cast<CastInst>(&instruction))
        adaptToInteger(conversion);
      else if (auto *binary = dyn_cast<BinaryOperator>(&instruction))
        adaptDivision(binary);
    }
  return Error::success();
}

Error adaptToHost(Module &module) {
  resolveReflection(module);
  for (Function &function : make_early_inc_range(module)) {
    if (function.getName().starts_with("llvm.nvvm.")) {
      adaptIntrinsic(function);
      if (function.use_empty())
        function.eraseFromParent();
    }
  }
  for (Function &function : module) {
    // A frame too large meets the unmapped page below its stack.
    if (!function.isDeclaration())
      function.addFnAttr("probe-stack", "inline-asm");
    function.removeFnAttrs(AttributeMask()
                               .addAttribute("target-cpu")
                               .addAttribute("target-features"));
    if (Error error = adaptFunction(function))
      return error;
  }
  return Error::success();
}

} // namespace kfuse::sim
