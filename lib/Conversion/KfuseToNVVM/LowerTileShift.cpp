//===- LowerTileShift.cpp - misaligned packets from aligned ones ----------===//

#include "LowerTileOps.h"
#include "kfuse/Dialect/Kfuse/IR/Kfuse.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::kfuse;

/// The 32-bit words of a packet.
static void appendWords(OpBuilder &builder, Location loc, Value packet,
                        int64_t words, SmallVectorImpl<Value> &result) {
  auto type = VectorType::get(words, builder.getI32Type());
  Value cast = LLVM::BitcastOp::create(builder, loc, type, packet);
  for (int64_t i = 0; i < words; ++i)
    result.push_back(vector::ExtractOp::create(builder, loc, cast, i));
}

void kfuse::lowerTileShift(TileShiftOp op) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  auto type = cast<VectorType>(op.getResult().getType());
  int64_t bits = type.getElementTypeBitWidth();
  int64_t count = type.getNumElements() * bits / 32;
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getI32IntegerAttr(value));
  };
  SmallVector<Value> words;
  appendWords(builder, loc, op.getLow(), count, words);
  appendWords(builder, loc, op.getHigh(), count, words);
  // Whole words first, by the binary digits of their number.
  Value distance =
      arith::MulIOp::create(builder, loc, op.getBy(), constant(bits));
  for (int64_t step = count / 2; step > 0; step /= 2) {
    Value digit =
        arith::AndIOp::create(builder, loc, distance, constant(step * 32));
    Value isSet = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne,
                                        digit, constant(0));
    // Later steps look at step - 1 words more, the last one at one more.
    int64_t needed = count + step;
    for (int64_t i = 0; i < needed && i + step < int64_t(words.size()); ++i)
      words[i] = arith::SelectOp::create(builder, loc, isSet, words[i + step],
                                         words[i]);
  }
  if (bits < 32) {
    Value rest = arith::AndIOp::create(builder, loc, distance, constant(31));
    for (int64_t i = 0; i < count; ++i)
      words[i] = LLVM::FshrOp::create(builder, loc, words[i].getType(),
                                      words[i + 1], words[i], rest);
  }
  words.resize(count);
  Value joined = vector::FromElementsOp::create(
      builder, loc, VectorType::get(count, builder.getI32Type()), words);
  op.replaceAllUsesWith(
      LLVM::BitcastOp::create(builder, loc, type, joined).getResult());
  op.erase();
}
