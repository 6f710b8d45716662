//===- FusionLegality.cpp - may these operations be one kernel? -----------===//

#include "kfuse/Analysis/FusionLegality.h"
#include "kfuse/Analysis/BodyShapes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::kfuse;

namespace {
/// How the elements of a value lie in the (row, column) domain.
enum class Form {
  /// Depends on no reduction: can be computed at any index.
  Free,
  /// One element a row, in row order; unit dimensions besides.
  Row,
  /// One element for each row and column; `labels` says which dimension counts
  /// what, or it is empty and the row-major position is row * columns + column.
  Full,
};

enum class Label : char { Row, Column };

struct Placement {
  Form form = Form::Free;
  SmallVector<Label> labels;
};

class LegalityCheck {
public:
  LegalityCheck(const FusionGroup &group, std::string &reason)
      : group(group), reason(reason) {}

  FailureOr<FusionDomain> run();

private:
  LogicalResult fail(const Twine &why) {
    reason = why.str();
    return failure();
  }

  LogicalResult visitMember(FusionOp fusion);
  LogicalResult visitBody(FusionOp fusion);
  FailureOr<Placement> place(Operation &op);
  FailureOr<Placement> placeElementwise(Operation &op);
  FailureOr<Placement> placeReduction(Value source, ArrayRef<int64_t> dims);
  FailureOr<Placement> placeBroadcast(BroadcastOp op);
  FailureOr<Placement> placeReshape(ReshapeOp op);
  FailureOr<Placement> placePermute(PermuteOp op);
  LogicalResult checkOutput(Value value);
  LogicalResult checkPointwiseOutput(Value value);

  /// Placement of an operand of `fusion`'s body that a member produces.
  LogicalResult bindArguments(FusionOp fusion);
  /// Instructions for one element: each once, and with the repetitions for
  /// users that each look at another place.
  std::pair<size_t, size_t> countInstructions();

  ArrayRef<ExprAttr> getSizes(Value value) {
    return shapes.at(value.getParentBlock()->getParentOp()).getSizes(value);
  }
  ExprAttr multiply(ArrayRef<ExprAttr> sizes, ArrayRef<Label> labels,
                    Label which);
  bool isRowsFirst(ArrayRef<ExprAttr> sizes, ArrayRef<Label> labels);
  /// The labels that a value of this shape has when row * columns + column is
  /// its row-major position; fails when a dimension mixes both.
  FailureOr<SmallVector<Label>> splitFlat(ArrayRef<ExprAttr> sizes);

  const FusionGroup &group;
  std::string &reason;
  std::map<Operation *, BodyShapes> shapes;
  DenseMap<Value, Placement> placements;
  std::optional<FusionDomain> domain;
  /// Labels of the first reduction's source, and its sizes: the pattern for
  /// free outputs when rows do not come first.
  SmallVector<Label> pattern;
  SmallVector<ExprAttr> patternSizes;
  bool rowsFirst = true;
  /// Members and views between them, each behind what it reads.
  SmallVector<FusionOp> visited;
};
} // namespace

/// Size of the code for one element: a call of libdevice is inlined, and the
/// trigonometric functions bring their argument reduction along.
static size_t getInstructions(Operation *op) {
  if (isa<math::SinOp, math::CosOp, math::TanOp, math::PowFOp>(op))
    return 30;
  if (isa<math::ErfOp, math::ErfcOp, math::TanhOp, arith::RemFOp>(op))
    return 12;
  // Comparisons of positions, and a branch around each load.
  if (isa<PadOp, ConcatOp, TakeOp, GatherOp>(op))
    return 4;
  return 1;
}

/// What the body of the fusion with this result yields for it.
static Value getYielded(Value result) {
  auto producer = cast<FusionOp>(result.getDefiningOp());
  return producer.getBody().front().getTerminator()->getOperand(
      cast<OpResult>(result).getResultNumber());
}

ExprAttr LegalityCheck::multiply(ArrayRef<ExprAttr> sizes,
                                 ArrayRef<Label> labels, Label which) {
  MLIRContext *context = group.getMembers().front()->getContext();
  ExprAttr result = ExprAttr::constant(context, 1);
  for (auto [size, label] : llvm::zip_equal(sizes, labels))
    if (label == which)
      result = ExprAttr::mul(result, size);
  return result;
}

bool LegalityCheck::isRowsFirst(ArrayRef<ExprAttr> sizes,
                                ArrayRef<Label> labels) {
  bool seenColumn = false;
  for (auto [size, label] : llvm::zip_equal(sizes, labels)) {
    if (size.isConstant(1))
      continue;
    if (label == Label::Column)
      seenColumn = true;
    else if (seenColumn)
      return false;
  }
  return true;
}

FailureOr<SmallVector<Label>>
LegalityCheck::splitFlat(ArrayRef<ExprAttr> sizes) {
  MLIRContext *context = group.getMembers().front()->getContext();
  SmallVector<Label> labels(sizes.size(), Label::Row);
  ExprAttr suffix = ExprAttr::constant(context, 1);
  size_t dim = sizes.size();
  while (dim > 0 && suffix != domain->columns) {
    suffix = ExprAttr::mul(suffix, sizes[--dim]);
    labels[dim] = Label::Column;
  }
  if (suffix != domain->columns)
    return failure();
  return labels;
}

//===----------------------------------------------------------------------===//
// Placement of one operation's result
//===----------------------------------------------------------------------===//

FailureOr<Placement> LegalityCheck::placeElementwise(Operation &op) {
  Placement result;
  for (Value operand : op.getOperands()) {
    const Placement &placement = placements[operand];
    if (placement.form == Form::Free)
      continue;
    if (result.form == Form::Free) {
      result = placement;
      continue;
    }
    if (result.form != placement.form)
      return fail("a value of each row meets a value of each element");
    if (result.labels == placement.labels)
      continue;
    // Different, but the same when both count rows first.
    if (!rowsFirst)
      return fail("two reductions see the elements in different order");
    if (result.labels.empty())
      result.labels = placement.labels;
  }
  return result;
}

FailureOr<Placement> LegalityCheck::placeReduction(Value source,
                                                   ArrayRef<int64_t> dims) {
  ArrayRef<ExprAttr> sizes = getSizes(source);
  SmallVector<Label> labels(sizes.size(), Label::Row);
  for (int64_t dim : dims)
    labels[dim] = Label::Column;
  ExprAttr rows = multiply(sizes, labels, Label::Row);
  ExprAttr columns = multiply(sizes, labels, Label::Column);
  const Placement &placement = placements[source];
  if (placement.form == Form::Row)
    return fail("a reduction of the results of a reduction");
  if (!domain) {
    domain = FusionDomain{FusionKind::Row, rows, columns};
    rowsFirst = isRowsFirst(sizes, labels);
    pattern = labels;
    patternSizes.assign(sizes.begin(), sizes.end());
    // The innermost dimension that counts decides what consecutive threads
    // take.
    for (auto [size, label] : llvm::zip_equal(sizes, labels))
      if (!size.isConstant(1))
        domain->kind =
            label == Label::Column ? FusionKind::Row : FusionKind::Column;
  }
  if (rows != domain->rows || columns != domain->columns)
    return fail("reductions over different extents");
  if (isRowsFirst(sizes, labels) != rowsFirst)
    return fail("reductions over dimensions in different order");
  if (placement.form == Form::Full && !placement.labels.empty()) {
    for (auto [size, before, now] :
         llvm::zip_equal(sizes, placement.labels, labels))
      if (before != now && !size.isConstant(1))
        return fail("reductions over different dimensions");
  } else if (!rowsFirst && (patternSizes != SmallVector<ExprAttr>(sizes) ||
                            pattern != labels)) {
    return fail("reductions of differently shaped values");
  }
  return Placement{Form::Row, {}};
}

FailureOr<Placement> LegalityCheck::placeBroadcast(BroadcastOp op) {
  Placement source = placements[op.getSource()];
  if (source.form == Form::Free)
    return source;
  ArrayRef<ExprAttr> from = getSizes(op.getSource());
  ArrayRef<ExprAttr> to = getSizes(op.getResult());
  SmallVector<bool> expanded(to.size(), true);
  for (auto [i, dim] : llvm::enumerate(op.getDims()))
    expanded[dim] = from[i] != to[dim];
  bool grows = false;
  for (auto [size, isNew] : llvm::zip_equal(to, expanded))
    grows |= isNew && !size.isConstant(1);
  if (source.form == Form::Full) {
    if (grows)
      return fail("a value of each element is repeated");
    if (source.labels.empty() || rowsFirst)
      return Placement{Form::Full, {}};
    SmallVector<Label> labels(to.size(), Label::Row);
    for (auto [i, dim] : llvm::enumerate(op.getDims()))
      labels[dim] = source.labels[i];
    return Placement{Form::Full, labels};
  }
  if (!grows)
    return Placement{Form::Row, {}};
  SmallVector<Label> labels(to.size(), Label::Row);
  for (auto [dim, isNew] : llvm::enumerate(expanded))
    if (isNew)
      labels[dim] = Label::Column;
  if (multiply(to, labels, Label::Row) != domain->rows ||
      multiply(to, labels, Label::Column) != domain->columns)
    return fail("a value of each row is repeated to another extent");
  if (isRowsFirst(to, labels) != rowsFirst)
    return fail("a value of each row is repeated in another order");
  if (!rowsFirst && (SmallVector<ExprAttr>(to) != patternSizes))
    return fail("a value of each row is repeated to another shape");
  return Placement{Form::Full, labels};
}

FailureOr<Placement> LegalityCheck::placeReshape(ReshapeOp op) {
  Placement source = placements[op.getSource()];
  if (source.form != Form::Full)
    return source;
  if (!rowsFirst)
    return fail("a reshape of elements whose rows are not outermost");
  FailureOr<SmallVector<Label>> labels = splitFlat(getSizes(op.getResult()));
  return Placement{Form::Full,
                   succeeded(labels) ? *labels : SmallVector<Label>()};
}

FailureOr<Placement> LegalityCheck::placePermute(PermuteOp op) {
  Placement source = placements[op.getSource()];
  if (source.form == Form::Free)
    return source;
  ArrayRef<ExprAttr> sizes = getSizes(op.getSource());
  SmallVector<int64_t> order;
  for (int64_t dim : op.getPermutation())
    if (!sizes[dim].isConstant(1))
      order.push_back(dim);
  if (llvm::is_sorted(order)) {
    source.labels.clear();
    if (rowsFirst || source.form == Form::Row)
      return source;
    return fail("a permutation of unit dimensions between reductions");
  }
  return fail("a transposition of what a reduction produced");
}

FailureOr<Placement> LegalityCheck::place(Operation &op) {
  return llvm::TypeSwitch<Operation *, FailureOr<Placement>>(&op)
      .Case<ReduceOp>([&](ReduceOp reduce) {
        return placeReduction(reduce.getSource(), reduce.getDims());
      })
      .Case<ArgReduceOp>([&](ArgReduceOp reduce) {
        return placeReduction(reduce.getSource(), reduce.getDims());
      })
      .Case<BroadcastOp>([&](BroadcastOp op) { return placeBroadcast(op); })
      .Case<ReshapeOp>([&](ReshapeOp op) { return placeReshape(op); })
      .Case<PermuteOp>([&](PermuteOp op) { return placePermute(op); })
      .Case<SliceOp, ConcatOp, PadOp, TakeOp, GatherOp>(
          [&](Operation *op) -> FailureOr<Placement> {
            for (Value operand : op->getOperands())
              if (placements[operand].form != Form::Free)
                return fail("'" + op->getName().getStringRef() +
                            "' of what a reduction produced");
            return Placement{};
          })
      .Default([&](Operation *op) { return placeElementwise(*op); });
}

//===----------------------------------------------------------------------===//
// Members and outputs
//===----------------------------------------------------------------------===//

LogicalResult LegalityCheck::bindArguments(FusionOp fusion) {
  Block &body = fusion.getBody().front();
  for (auto [operand, argument] :
       llvm::zip_equal(fusion.getOperands(), body.getArguments())) {
    Operation *op = operand.getDefiningOp();
    if (!op || !group.getProducer(operand))
      continue;
    auto producer = cast<FusionOp>(op);
    // A view between members: place its body first.
    if (!group.contains(op) && !shapes.count(op) &&
        failed(visitMember(producer)))
      return failure();
    placements[argument] = placements[getYielded(operand)];
  }
  return success();
}

LogicalResult LegalityCheck::visitMember(FusionOp fusion) {
  FailureOr<BodyShapes> computed = BodyShapes::compute(fusion);
  if (failed(computed))
    return fail("a body operation without a known shape");
  shapes.emplace(fusion.getOperation(), std::move(*computed));
  if (failed(bindArguments(fusion)))
    return failure();
  for (Operation &op : fusion.getBody().front().without_terminator()) {
    FailureOr<Placement> placement = place(op);
    if (failed(placement))
      return failure();
    for (Value result : op.getResults())
      placements[result] = *placement;
  }
  visited.push_back(fusion);
  return success();
}

namespace {
/// At how many places a value is computed for one element of the kernel.
struct Evaluations {
  size_t here = 0;  ///< for users that look where they are
  size_t moved = 0; ///< for users that look elsewhere, each at another place

  size_t getCount() const { return here + moved; }
};
} // namespace

/// Does `op` look up its operand at another place than its own?
static bool looksElsewhere(OpOperand &operand) {
  Operation *op = operand.getOwner();
  return isa<SliceOp, PadOp, ConcatOp>(op) ||
         (isa<TakeOp, GatherOp>(op) && operand.getOperandNumber() == 0);
}

std::pair<size_t, size_t> LegalityCheck::countInstructions() {
  DenseMap<Value, Evaluations> evaluations;
  for (Value output : group.getOutputs())
    evaluations[getYielded(output)].here = 1;
  size_t once = 0, all = 0;
  for (FusionOp fusion : llvm::reverse(visited)) {
    Block &body = fusion.getBody().front();
    for (Operation &op : llvm::reverse(body.without_terminator())) {
      size_t count = 0;
      for (Value result : op.getResults())
        count = std::max(count, evaluations[result].getCount());
      once += count ? getInstructions(&op) : 0;
      all += count * getInstructions(&op);
      for (OpOperand &operand : op.getOpOperands()) {
        Evaluations &needed = evaluations[operand.get()];
        if (looksElsewhere(operand))
          needed.moved += count;
        else
          needed.here = std::max(needed.here, count);
      }
    }
    for (auto [operand, argument] :
         llvm::zip_equal(fusion.getOperands(), body.getArguments())) {
      if (!operand.getDefiningOp() || !group.getProducer(operand))
        continue;
      size_t count = evaluations[argument].getCount();
      Evaluations &needed = evaluations[getYielded(operand)];
      needed.here = std::max(needed.here, count);
    }
  }
  return {once, all};
}

LogicalResult LegalityCheck::checkPointwiseOutput(Value value) {
  ExprAttr count = getLayout(value).getNumElements();
  if (!domain)
    domain = FusionDomain{FusionKind::Pointwise,
                          ExprAttr::constant(value.getContext(), 1), count};
  if (count != domain->columns)
    return fail("outputs of different numbers of elements");
  return success();
}

LogicalResult LegalityCheck::checkOutput(Value value) {
  if (!domain || domain->kind == FusionKind::Pointwise)
    return checkPointwiseOutput(value);
  const Placement &placement = placements[getYielded(value)];
  if (placement.form != Form::Free)
    return success();
  ArrayRef<ExprAttr> sizes = getLayout(value).getSizes();
  ExprAttr count = getLayout(value).getNumElements();
  bool isFull = count == ExprAttr::mul(domain->rows, domain->columns);
  if (rowsFirst ? isFull || count == domain->rows
                : SmallVector<ExprAttr>(sizes) == patternSizes)
    return success();
  return fail("an output whose elements are not those of the reduction");
}

FailureOr<FusionDomain> LegalityCheck::run() {
  for (FusionOp member : group.getMembers())
    if (failed(visitMember(member)))
      return failure();
  auto [once, all] = countInstructions();
  if (group.getMembers().size() > 1 && all > once &&
      all > kMaxRepeatedInstructions)
    return fail("windows or parts that repeat more than " +
                Twine(kMaxRepeatedInstructions) + " instructions");
  if (all > kMaxFusionInstructions)
    return fail("more than " + Twine(kMaxFusionInstructions) +
                " instructions for each element");
  size_t tensors = group.getInputs().size() + group.getOutputs().size();
  if (tensors > kMaxFusionTensors)
    return fail("more than " + Twine(kMaxFusionTensors) + " tensors");
  for (Value output : group.getOutputs())
    if (failed(checkOutput(output)))
      return failure();
  if (!domain)
    return fail("nothing outside reads the results");
  return *domain;
}

FailureOr<FusionDomain> kfuse::checkFusion(const FusionGroup &group,
                                           std::string &reason) {
  return LegalityCheck(group, reason).run();
}
