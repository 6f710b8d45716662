//===- OpContext.h - one ATen operation while it is captured ----*- C++ -*-===//
/// \file
/// Access to the arguments and results of a `kfuse.aten` for the code that
/// builds its body. A getter that finds something unexpected records why and
/// returns a harmless value: builders need no checks of their own, and what
/// they built is thrown away.
#ifndef KFUSE_CONVERSION_ATENTOKFUSE_OPCONTEXT_H
#define KFUSE_CONVERSION_ATENTOKFUSE_OPCONTEXT_H

#include "BodyBuilder.h"
#include "llvm/ADT/StringSet.h"

namespace mlir::kfuse {

/// What a symbolic integer argument or value is in terms of the program's
/// size symbols; null when it cannot be told.
ExprAttr getExpr(Value value);

class OpContext {
public:
  /// `operands` are the body's arguments for the operands of `op`; those that
  /// are not tensors are null.
  OpContext(AtenOp op, OpBuilder &builder, ArrayRef<Value> operands);

  AtenOp op;
  BodyBuilder b;

  // Arguments. Each access marks the argument as understood.
  bool has(StringRef name);
  bool isTensor(StringRef name);
  Tensor tensor(StringRef name);
  std::optional<Tensor> optionalTensor(StringRef name);
  SmallVector<Tensor> tensors(StringRef name);
  /// A list of tensors in which some may be missing.
  SmallVector<std::optional<Tensor>> optionalTensors(StringRef name);
  std::optional<Scalar> optionalScalar(StringRef name);
  Scalar scalar(StringRef name, std::optional<Scalar> missing = std::nullopt);
  double real(StringRef name, std::optional<double> missing = std::nullopt);
  int64_t integer(StringRef name,
                  std::optional<int64_t> missing = std::nullopt);
  bool flag(StringRef name, bool missing);
  std::string string(StringRef name, StringRef missing);
  SmallVector<int64_t> integers(StringRef name);
  ExprAttr expr(StringRef name, std::optional<int64_t> missing = std::nullopt);
  Sizes exprs(StringRef name);
  std::optional<DType> dtype(StringRef name);
  /// Dimension argument in [0, rank), or [0, 1) for rank 0.
  int64_t dim(StringRef name, int64_t rank,
              std::optional<int64_t> missing = std::nullopt);
  /// Sorted list of dimensions; all of them when the list is missing or empty
  /// and `emptyMeansAll`.
  SmallVector<int64_t> dims(StringRef name, int64_t rank, bool emptyMeansAll);
  int64_t wrapDim(int64_t dim, int64_t rank);
  /// Marks arguments that change nothing in a body.
  void ignore(std::initializer_list<StringRef> names);

  // Results as the program recorded them.
  unsigned getNumResults() { return op.getNumResults(); }
  DType resultDType(unsigned index = 0);
  Sizes resultSizes(unsigned index = 0);

  /// Gives the next result. Elementwise values are broadcast to its sizes.
  void yield(const Tensor &value) { results.push_back(value); }
  /// Gives the only result, which is the operand's storage where its layout
  /// allows; `strides` and `offset` are what it is as a view, if it is one.
  void yieldView(const Tensor &value, std::optional<Sizes> strides,
                 ExprAttr offset);

  LogicalResult fail(const Twine &why);
  bool failed() const { return !reason.empty(); }
  StringRef getReason() const { return reason; }
  /// Arguments that nothing has asked for.
  std::string getUnreadArgument();
  ArrayRef<Tensor> getResults() const { return results; }
  bool isView() const { return view; }

private:
  Attribute find(StringRef name);
  std::optional<Tensor> toTensor(Attribute attr);
  std::optional<Scalar> toScalar(Attribute attr);
  ExprAttr toExpr(Attribute attr);

  SmallVector<Value> operands;
  SmallVector<Tensor> results;
  llvm::StringSet<> read;
  std::string reason;
  bool view = false;
};

} // namespace mlir::kfuse

#endif
