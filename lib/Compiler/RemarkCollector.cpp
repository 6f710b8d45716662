//===- RemarkCollector.cpp - keeps remarks for the ledger -----------------===//

#include "RemarkCollector.h"
#include "mlir/IR/Location.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace mlir::kfuse;

/// The node of the exported graph, else file and line.
static std::string getLocationName(Location location) {
  if (auto named = dyn_cast<NameLoc>(location))
    return named.getName().str();
  if (auto file = dyn_cast<FileLineColLoc>(location))
    return (file.getFilename().getValue() + ":" + Twine(file.getLine())).str();
  if (auto fused = dyn_cast<FusedLoc>(location))
    for (Location part : fused.getLocations())
      if (std::string name = getLocationName(part); !name.empty())
        return name;
  if (auto call = dyn_cast<CallSiteLoc>(location))
    return getLocationName(call.getCallee());
  return "";
}

static StringRef getOutcome(const remark::detail::Remark &remark) {
  switch (remark.getRemarkType()) {
  case llvm::remarks::Type::Passed:
    return "passed";
  case llvm::remarks::Type::Missed:
    return "missed";
  case llvm::remarks::Type::Failure:
    return "failed";
  default:
    return "analysis";
  }
}

namespace {
class Collector : public remark::detail::MLIRRemarkStreamerBase {
public:
  explicit Collector(std::shared_ptr<CollectedRemarks> remarks)
      : remarks(std::move(remarks)) {}

  void streamOptimizationRemark(const remark::detail::Remark &remark) override {
    Decision decision;
    decision.outcome = getOutcome(remark).str();
    decision.category = remark.getCombinedCategoryName().str();
    decision.name = remark.getRemarkName().str();
    decision.location = getLocationName(remark.getLocation());
    for (const remark::detail::Remark::Arg &arg : remark.getArgs())
      decision.details.push_back({arg.key, arg.val});
    std::lock_guard<std::mutex> lock(remarks->mutex);
    remarks->decisions.push_back(std::move(decision));
  }

private:
  std::shared_ptr<CollectedRemarks> remarks;
};
} // namespace

LogicalResult kfuse::collectRemarks(MLIRContext &context,
                                    std::shared_ptr<CollectedRemarks> remarks) {
  remark::RemarkCategories categories;
  categories.all = categories.passed = categories.missed = categories.analysis =
      categories.failed = "kfuse-.*";
  return remark::enableOptimizationRemarks(
      context, std::make_unique<Collector>(std::move(remarks)),
      std::make_unique<remark::RemarkEmittingPolicyAll>(), categories);
}

void kfuse::printRemarks(ArrayRef<Decision> decisions, raw_ostream &os) {
  auto quote = [](StringRef text) {
    std::string result = "'";
    for (char c : text)
      result +=
          c == '\'' ? std::string("''") : std::string(1, c == '\n' ? ' ' : c);
    return result + "'";
  };
  for (const Decision &decision : decisions) {
    os << "--- !" << decision.outcome << "\n"
       << "category: " << quote(decision.category) << "\n"
       << "name: " << quote(decision.name) << "\n"
       << "location: " << quote(decision.location) << "\n";
    if (!decision.details.empty())
      os << "details:\n";
    for (const auto &[key, value] : decision.details)
      os << "  " << quote(key) << ": " << quote(value) << "\n";
    os << "...\n";
  }
}
