//===- GraphBuilder.h - builds the import form ------------------*- C++ -*-===//
/// \file
/// Private to the importer: the state of building one module.

#ifndef KFUSE_LIB_IMPORT_GRAPHBUILDER_H
#define KFUSE_LIB_IMPORT_GRAPHBUILDER_H

#include "kfuse/Dialect/Kfuse/IR/Kfuse.h"
#include "kfuse/Import/Program.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace mlir::kfuse {

/// The element type of `dtype` outside of fusion bodies.
Type getElementType(MLIRContext *context, pt2::DType dtype);

/// What a name of a graph stands for: an SSA value, or a symbolic integer.
struct ImportedValue {
  Value value;
  ExprAttr expr;
};

/// The names of one graph. Inlined sub-graphs have their own.
struct Scope {
  const pt2::Graph *graph = nullptr;
  llvm::StringMap<ImportedValue> values;
};

/// Collects what one node's arguments need.
struct ArgumentList {
  SmallVector<Value> operands;
  SmallVector<Attribute> names;
  SmallVector<Attribute> values;
};

class GraphBuilder {
public:
  GraphBuilder(const pt2::Program &program, MLIRContext *context)
      : program(program), context(context), builder(context) {}

  OwningOpRef<ModuleOp> build();

private:
  // Program: GraphBuilder.cpp.
  LogicalResult buildArguments(Scope &scope);
  LogicalResult buildArgument(const pt2::InputSpec &spec,
                              const pt2::Argument &input, Scope &scope);
  LogicalResult buildTensorArgument(const pt2::InputSpec &spec, StringRef name,
                                    Scope &scope);
  LogicalResult buildNumberArgument(const pt2::Argument &arg, Scope &scope);
  LogicalResult buildResults(Scope &scope);
  LogicalResult buildUserResult(const pt2::Argument &output, Scope &scope);
  LogicalResult buildMutation(const pt2::OutputSpec &spec, Scope &scope);
  std::optional<unsigned> findWrittenArgument(const pt2::OutputSpec &spec);
  LogicalResult checkSymbols(Location loc);
  void setModuleAttributes(ModuleOp module);
  DictionaryAttr getWeightAttributes(const pt2::InputSpec &spec,
                                     StringRef kind);

  // Nodes: GraphBuilderNodes.cpp.
  LogicalResult buildNodes(Scope &scope);
  LogicalResult buildNode(const pt2::Node &node, Scope &scope);
  LogicalResult buildOperator(const pt2::Node &node, Scope &scope);
  LogicalResult buildResultTypes(const pt2::Node &node, Scope &scope,
                                 SmallVectorImpl<Type> &types,
                                 SmallVectorImpl<int64_t> &groups);
  LogicalResult addResultType(const pt2::Node &node, StringRef name,
                              Scope &scope, SmallVectorImpl<Type> &types);
  LogicalResult bindResults(const pt2::Node &node, AtenOp op, Scope &scope);
  LogicalResult inlineGraph(const pt2::Node &node, unsigned graphIndex,
                            Scope &scope);
  LogicalResult buildHigherOrder(const pt2::Node &node, Scope &scope);
  bool isKnownArithmetic(const pt2::Node &node, Scope &scope);
  Location getLocation(const pt2::Node &node);

  // Arguments: GraphBuilderArguments.cpp.
  LogicalResult buildValue(const pt2::Argument &argument, Location loc,
                           Scope &scope, ArgumentList &list, Attribute &attr);
  LogicalResult buildList(const pt2::Argument &argument, Location loc,
                          Scope &scope, ArgumentList &list, Attribute &attr);
  LogicalResult buildOperand(StringRef name, Location loc, Scope &scope,
                             ArgumentList &list, Attribute &attr);
  LogicalResult buildSymbolic(const pt2::SymArg &sym, pt2::ArgKind kind,
                              Location loc, Scope &scope, ArgumentList &list,
                              Attribute &attr);

  // Types and expressions: GraphBuilderTypes.cpp.
  FailureOr<RankedTensorType> getType(const pt2::TensorMeta &meta,
                                      Location loc);
  FailureOr<ExprAttr> getExpr(const pt2::SymExpr &expr, Location loc);
  FailureOr<ExprAttr> getOperandsExpr(const pt2::SymExpr &expr, Location loc);
  /// Makes the symbols that stand alone (up to a factor and a summand) in a
  /// size known; `backed` when the size is that of an input.
  void defineSymbols(ArrayRef<ExprAttr> sizes, bool backed);
  bool areSymbolsKnown(ExprAttr expr) const;
  /// Binds a name to a symbolic integer whose symbols are known.
  LogicalResult defineName(Scope &scope, StringRef name, ImportedValue value,
                           Location loc);

  const pt2::Program &program;
  MLIRContext *context;
  OpBuilder builder;
  func::FuncOp function;

  /// Symbols with a value at the current point, in order of definition; the
  /// flag says whether the value depends on data.
  llvm::MapVector<StringAttr, bool> known;
  /// Every symbol of any type or expression.
  llvm::SetVector<StringAttr> used;
  /// Symbols made up for sizes that have no integer expression.
  llvm::StringMap<StringAttr> opaque;

  SmallVector<Attribute> inputs, outputs, mutations;
  SmallVector<Value> results;
  llvm::StringMap<unsigned> argumentOfTarget, argumentOfInput;
};

} // namespace mlir::kfuse

#endif // KFUSE_LIB_IMPORT_GRAPHBUILDER_H
