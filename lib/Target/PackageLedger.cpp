//===- PackageLedger.cpp - what the compiler decided ----------------------===//

#include "PackageLedger.h"
#include "PackageJson.h"
#include "kfuse/Runtime/ABI.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace mlir::kfuse;
namespace json = llvm::json;

/// Innermost name of a location: the node of the exported graph.
static std::string getNodeName(Location location) {
  if (auto named = dyn_cast<NameLoc>(location))
    return named.getName().str();
  if (auto fused = dyn_cast<FusedLoc>(location)) {
    for (Location part : fused.getLocations())
      if (std::string name = getNodeName(part); !name.empty())
        return name;
  }
  if (auto call = dyn_cast<CallSiteLoc>(location))
    return getNodeName(call.getCallee());
  return "";
}

/// Bytes of the distinct elements of a tensor: expanded dimensions repeat.
static ExprAttr getDistinctBytes(RankedTensorType type) {
  MLIRContext *context = type.getContext();
  LayoutAttr layout = getLayout(type);
  Type element = type.getElementType();
  int64_t count = 1;
  if (auto complex = dyn_cast<ComplexType>(element)) {
    element = complex.getElementType();
    count = 2;
  }
  int64_t bytes = llvm::divideCeil(element.getIntOrFloatBitWidth(), 8) * count;
  ExprAttr result = ExprAttr::constant(context, bytes);
  for (auto [size, stride] : llvm::zip(layout.getSizes(), layout.getStrides()))
    if (!stride.isConstant(0))
      result = ExprAttr::mul(result, size);
  return result;
}

static json::Value makeLaunch(LaunchOp launch) {
  json::Array ops;
  launch.getGeneric().walk([&](AtenOp op) {
    ops.push_back(json::Object{{"op", op.getTarget()},
                               {"node", getNodeName(op.getLoc())}});
  });
  auto sum = [&](TypeRange types) {
    ExprAttr bytes = ExprAttr::constant(launch.getContext(), 0);
    for (Type type : types)
      bytes =
          ExprAttr::add(bytes, getDistinctBytes(cast<RankedTensorType>(type)));
    return toJson(bytes);
  };
  json::Object object{{"id", launch.getName()},
                      {"ops", std::move(ops)},
                      {"bytes_read", sum(launch.getOperandTypes())},
                      {"bytes_written", sum(launch.getResultTypes())}};
  if (launch.getKind())
    object["kind"] = stringifyFusionKind(*launch.getKind());
  // Numbers of the cost model, where a pass left them.
  if (auto cost = launch->getAttrOfType<DictionaryAttr>("kfuse.cost"))
    for (NamedAttribute entry : cost) {
      if (auto number = dyn_cast<FloatAttr>(entry.getValue()))
        object[entry.getName().getValue()] = number.getValueAsDouble();
      else if (auto number = dyn_cast<IntegerAttr>(entry.getValue()))
        object[entry.getName().getValue()] = number.getInt();
    }
  return object;
}

static json::Value makeDecision(const Decision &decision) {
  json::Object details;
  for (const auto &[key, value] : decision.details)
    details[key] = value;
  return json::Object{{"outcome", decision.outcome},
                      {"category", decision.category},
                      {"name", decision.name},
                      {"location", decision.location},
                      {"details", std::move(details)}};
}

/// Sizes that stand for a typical call where a symbol has no value.
static json::Object makeHints(ModuleOp module) {
  json::Object hints;
  auto symbols = module->getAttrOfType<ArrayAttr>("kfuse.symbols");
  if (!symbols)
    return hints;
  for (auto symbol : symbols.getAsRange<DictionaryAttr>()) {
    auto name = symbol.getAs<StringAttr>("name");
    if (!name)
      continue;
    int64_t hint = 512;
    if (auto max = symbol.getAs<IntegerAttr>("max"))
      hint = std::min(hint, max.getInt());
    if (auto min = symbol.getAs<IntegerAttr>("min"))
      hint = std::max(hint, min.getInt());
    hints[name.getValue()] = hint;
  }
  return hints;
}

/// Resources by kernel and architecture.
static json::Object makeResources(ArrayRef<DeviceCode> codes) {
  json::Object kernels;
  for (const DeviceCode &code : codes)
    for (const auto &[entry, used] : code.resources) {
      json::Object *archs = kernels.getObject(entry);
      if (!archs) {
        kernels[entry] = json::Object{};
        archs = kernels.getObject(entry);
      }
      (*archs)[code.arch] = json::Object{{"registers", used.registers},
                                         {"spilled_bytes", used.spilledBytes},
                                         {"shared_bytes", used.sharedBytes}};
    }
  return kernels;
}

json::Object kfuse::makeLedger(const PackageContents &contents) {
  json::Array launches, decisions;
  ModuleOp program = contents.program, exported = contents.exported;
  program.walk(
      [&](LaunchOp launch) { launches.push_back(makeLaunch(launch)); });
  for (const Decision &decision : contents.decisions)
    decisions.push_back(makeDecision(decision));
  json::Object ledger{{"version", KFUSE_PACKAGE_VERSION},
                      {"numerics", contents.numerics},
                      {"hints", makeHints(contents.program)},
                      {"launches", std::move(launches)},
                      {"kernels", makeResources(contents.code)},
                      {"decisions", std::move(decisions)}};
  if (exported) {
    int64_t nodes = 0;
    exported.walk([&](AtenOp) { ++nodes; });
    ledger["exported_nodes"] = nodes;
  }
  return ledger;
}
