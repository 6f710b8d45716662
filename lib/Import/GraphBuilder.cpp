//===- GraphBuilder.cpp - inputs, results and symbols of the program ------===//
/// \file
/// The function around the nodes, and what the module says about it.

#include "GraphBuilder.h"

#include "kfuse/Import/Import.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;
using namespace mlir::kfuse;

using pt2::ArgKind;
using InputKind = pt2::InputSpec::Kind;
using OutputKind = pt2::OutputSpec::Kind;

/// A constant as an attribute; null when it is not one.
static Attribute getConstant(const pt2::Argument &argument, Builder &builder) {
  switch (argument.kind) {
  case ArgKind::None:
    return builder.getUnitAttr();
  case ArgKind::Int:
    return builder.getI64IntegerAttr(argument.intValue);
  case ArgKind::Float:
    return builder.getF64FloatAttr(argument.floatValue);
  case ArgKind::Bool:
    return builder.getBoolAttr(argument.intValue != 0);
  case ArgKind::String:
    return builder.getStringAttr(argument.names.front());
  default:
    return {};
  }
}

//===----------------------------------------------------------------------===//
// Arguments of the function
//===----------------------------------------------------------------------===//

DictionaryAttr GraphBuilder::getWeightAttributes(const pt2::InputSpec &spec,
                                                 StringRef kind) {
  SmallVector<NamedAttribute> attrs;
  auto set = [&](StringRef name, Attribute value) {
    attrs.push_back(builder.getNamedAttr(name, value));
  };
  set("kfuse.kind", builder.getStringAttr(kind));
  set("kfuse.name", builder.getStringAttr(spec.target));
  if (!spec.persistent)
    set("kfuse.persistent", builder.getBoolAttr(false));
  auto it = program.payloads.find(spec.target);
  if (it == program.payloads.end()) {
    set("kfuse.missing", builder.getUnitAttr());
    return builder.getDictionaryAttr(attrs);
  }
  const pt2::Payload &payload = it->second;
  set("kfuse.record", builder.getStringAttr(payload.path));
  if (!payload.member)
    set("kfuse.missing", builder.getUnitAttr());
  return builder.getDictionaryAttr(attrs);
}

LogicalResult GraphBuilder::buildTensorArgument(const pt2::InputSpec &spec,
                                                StringRef name, Scope &scope) {
  auto loc = NameLoc::get(builder.getStringAttr(name));
  auto it = program.graph.tensors.find(name.str());
  if (it == program.graph.tensors.end())
    return emitError(loc) << "input has no type in the program; export it "
                             "again";
  const pt2::TensorMeta *meta = &it->second;
  // Where a weight lies in its record is what the archive says, not the graph.
  auto payload = program.payloads.find(spec.target);
  if (spec.kind != InputKind::User && payload != program.payloads.end() &&
      payload->second.meta)
    meta = &*payload->second.meta;
  FailureOr<RankedTensorType> type = getType(*meta, loc);
  if (failed(type))
    return failure();
  DictionaryAttr attrs;
  switch (spec.kind) {
  case InputKind::Parameter:
    attrs = getWeightAttributes(spec, "parameter");
    break;
  case InputKind::Buffer:
    attrs = getWeightAttributes(spec, "buffer");
    break;
  case InputKind::TensorConstant:
    attrs = getWeightAttributes(spec, "constant");
    break;
  default:
    attrs = builder.getDictionaryAttr(
        {builder.getNamedAttr("kfuse.kind", builder.getStringAttr("input")),
         builder.getNamedAttr("kfuse.name", builder.getStringAttr(name))});
    defineSymbols(getLayout(*type).getSizes(), /*backed=*/true);
    break;
  }
  unsigned number = function.getNumArguments();
  (void)function.insertArgument(number, *type, attrs, loc);
  return defineName(scope, name, {function.getArgument(number), {}}, loc);
}

LogicalResult GraphBuilder::buildNumberArgument(const pt2::Argument &arg,
                                                Scope &scope) {
  unsigned number = function.getNumArguments();
  auto loc = function.getLoc();
  bool isNumber = arg.kind == ArgKind::SymInt ||
                  arg.kind == ArgKind::SymFloat || arg.kind == ArgKind::SymBool;
  if (!isNumber || arg.syms.front().name.empty())
    return emitError(loc) << "input of kind '" << pt2::getTag(arg.kind)
                          << "' is not supported; export the model with tensor "
                             "and number inputs";
  StringRef name = arg.syms.front().name;
  Type type = arg.kind == ArgKind::SymInt     ? Type(builder.getI64Type())
              : arg.kind == ArgKind::SymFloat ? Type(builder.getF64Type())
                                              : Type(builder.getI1Type());
  SmallVector<NamedAttribute> attrs = {
      builder.getNamedAttr("kfuse.kind", builder.getStringAttr("input")),
      builder.getNamedAttr("kfuse.name", builder.getStringAttr(name))};
  ImportedValue value;
  if (arg.kind == ArgKind::SymInt) {
    auto it = program.graph.symInts.find(name.str());
    if (it == program.graph.symInts.end() ||
        it->second.expr.kind != pt2::SymExpr::Kind::Symbol)
      return emitError(loc) << "integer input '" << name
                            << "' is not a symbol of its own; export it as a "
                               "dynamic integer";
    FailureOr<ExprAttr> expr = getExpr(it->second.expr, loc);
    if (failed(expr))
      return failure();
    value.expr = *expr;
    auto symbol = builder.getStringAttr(it->second.expr.name);
    known.try_emplace(symbol, false);
    attrs.push_back(builder.getNamedAttr("kfuse.symbol", symbol));
  }
  (void)function.insertArgument(number, type, builder.getDictionaryAttr(attrs),
                                NameLoc::get(builder.getStringAttr(name)));
  value.value = function.getArgument(number);
  return defineName(scope, name, value, loc);
}

LogicalResult GraphBuilder::buildArgument(const pt2::InputSpec &spec,
                                          const pt2::Argument &input,
                                          Scope &scope) {
  unsigned number = function.getNumArguments();
  if (spec.kind == InputKind::CustomObj || spec.kind == InputKind::Token)
    return emitError(function.getLoc())
           << "input '" << spec.target << "' is not a tensor but a "
           << "custom object; replace it by tensors before exporting";
  const pt2::Argument &arg = spec.kind == InputKind::User ? input : spec.arg;
  if (Attribute constant = getConstant(arg, builder)) {
    StringRef name = spec.target;
    if (name.empty() && inputs.size() < program.argNames.size())
      name = program.argNames[inputs.size()];
    inputs.push_back(builder.getDictionaryAttr(
        {builder.getNamedAttr("name", builder.getStringAttr(name)),
         builder.getNamedAttr("value", constant)}));
    return success();
  }
  if (spec.kind == InputKind::User)
    inputs.push_back(builder.getI64IntegerAttr(number));
  if (!spec.target.empty())
    argumentOfTarget[spec.target] = number;
  if (arg.kind == ArgKind::Tensor) {
    argumentOfInput[arg.names.front()] = number;
    return buildTensorArgument(spec, arg.names.front(), scope);
  }
  return buildNumberArgument(arg, scope);
}

LogicalResult GraphBuilder::buildArguments(Scope &scope) {
  for (auto [spec, input] :
       llvm::zip_equal(program.inputs, program.graph.inputs))
    if (failed(buildArgument(spec, input, scope)))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// Results of the function
//===----------------------------------------------------------------------===//

LogicalResult GraphBuilder::buildUserResult(const pt2::Argument &output,
                                            Scope &scope) {
  if (output.kind == ArgKind::Int) {
    outputs.push_back(ExprAttr::constant(context, output.intValue));
    return success();
  }
  if (Attribute constant = getConstant(output, builder)) {
    outputs.push_back(constant);
    return success();
  }
  bool isTensor = output.kind == ArgKind::Tensor;
  if (!isTensor && output.syms.size() != 1)
    return emitError(function.getLoc())
           << "result of kind '" << pt2::getTag(output.kind)
           << "' is not supported; return tensors and numbers";
  StringRef name = isTensor ? output.names.front() : output.syms.front().name;
  if (!isTensor && name.empty()) {
    outputs.push_back(
        ExprAttr::constant(context, output.syms.front().intValue));
    return success();
  }
  auto it = scope.values.find(name);
  if (it == scope.values.end())
    return emitError(function.getLoc())
           << "result '" << name
           << "' is not the result of any node; export the program again";
  if (ExprAttr expr = it->second.expr) {
    outputs.push_back(expr);
    return success();
  }
  outputs.push_back(builder.getI64IntegerAttr(results.size()));
  results.push_back(it->second.value);
  return success();
}

std::optional<unsigned>
GraphBuilder::findWrittenArgument(const pt2::OutputSpec &spec) {
  auto &table = spec.kind == OutputKind::UserInputMutation ? argumentOfInput
                                                           : argumentOfTarget;
  auto it = table.find(spec.target);
  if (it == table.end())
    return std::nullopt;
  return it->second;
}

LogicalResult GraphBuilder::buildMutation(const pt2::OutputSpec &spec,
                                          Scope &scope) {
  std::optional<unsigned> argument = findWrittenArgument(spec);
  auto value = scope.values.find(spec.arg.names.front());
  if (!argument || value == scope.values.end() || !value->second.value)
    return emitError(function.getLoc())
           << "cannot write '" << spec.arg.names.front() << "' back to '"
           << spec.target << "': no such value or input; export the program "
           << "again";
  mutations.push_back(builder.getI64ArrayAttr(
      {static_cast<int64_t>(results.size()), static_cast<int64_t>(*argument)}));
  results.push_back(value->second.value);
  return success();
}

LogicalResult GraphBuilder::buildResults(Scope &scope) {
  // What the user gets comes first, whatever order the archive has.
  for (auto [spec, output] :
       llvm::zip_equal(program.outputs, program.graph.outputs)) {
    bool isUser =
        spec.kind == OutputKind::User || spec.kind == OutputKind::Loss;
    if (isUser && failed(buildUserResult(output, scope)))
      return failure();
  }
  for (const pt2::OutputSpec &spec : program.outputs) {
    switch (spec.kind) {
    case OutputKind::User:
    case OutputKind::Loss:
      break;
    case OutputKind::BufferMutation:
    case OutputKind::ParameterMutation:
    case OutputKind::UserInputMutation:
      if (failed(buildMutation(spec, scope)))
        return failure();
      break;
    default:
      return emitError(function.getLoc())
             << "the program returns gradients or tokens; export the model "
                "for inference";
    }
  }
  func::ReturnOp::create(builder, function.getLoc(), results);
  SmallVector<Type> types(ValueRange(results).getTypes());
  function.setType(builder.getFunctionType(function.getArgumentTypes(), types));
  return success();
}

//===----------------------------------------------------------------------===//
// The module
//===----------------------------------------------------------------------===//

LogicalResult GraphBuilder::checkSymbols(Location loc) {
  for (StringAttr symbol : used)
    if (!known.contains(symbol))
      return emitError(loc)
             << "the value of symbol '" << symbol.getValue()
             << "' does not follow from the size of any input or result; "
                "make the dimension static, or export with another "
                "specification of dynamic shapes";
  return success();
}

/// Device of the first weight or tensor input.
static std::string getExportDevice(const pt2::Program &program) {
  for (const pt2::Argument &input : program.graph.inputs) {
    if (input.kind != ArgKind::Tensor)
      continue;
    auto it = program.graph.tensors.find(input.names.front());
    if (it == program.graph.tensors.end())
      continue;
    const pt2::Device &device = it->second.device;
    return device.index ? device.type + ":" + std::to_string(*device.index)
                        : device.type;
  }
  return "cpu";
}

void GraphBuilder::setModuleAttributes(ModuleOp module) {
  auto set = [&](StringRef name, StringRef value) {
    module->setAttr(name, builder.getStringAttr(value));
  };
  set("kfuse.model", program.modelName);
  set("kfuse.torch_version", program.torchVersion);
  set("kfuse.device", getExportDevice(program));
  set("kfuse.in_spec", program.inSpec);
  set("kfuse.out_spec", program.outSpec);
  SmallVector<StringRef> names(program.argNames.begin(),
                               program.argNames.end());
  module->setAttr("kfuse.arg_names", builder.getStrArrayAttr(names));

  SmallVector<Attribute> symbols;
  for (auto [name, isUnbacked] : known) {
    SmallVector<NamedAttribute> attrs = {builder.getNamedAttr("name", name)};
    auto range = program.ranges.find(name.str());
    auto setBound = [&](StringRef key, std::optional<int64_t> bound) {
      if (bound)
        attrs.push_back(
            builder.getNamedAttr(key, builder.getI64IntegerAttr(*bound)));
    };
    if (range != program.ranges.end()) {
      setBound("min", range->second.min);
      setBound("max", range->second.max);
    }
    if (isUnbacked)
      attrs.push_back(builder.getNamedAttr("unbacked", builder.getUnitAttr()));
    symbols.push_back(builder.getDictionaryAttr(attrs));
  }
  module->setAttr("kfuse.symbols", builder.getArrayAttr(symbols));

  function->setAttr("kfuse.inputs", builder.getArrayAttr(inputs));
  function->setAttr("kfuse.outputs", builder.getArrayAttr(outputs));
  function->setAttr("kfuse.mutates", builder.getArrayAttr(mutations));
}

OwningOpRef<ModuleOp> GraphBuilder::build() {
  auto loc = NameLoc::get(builder.getStringAttr(program.modelName));
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  builder.setInsertionPointToEnd(module->getBody());
  function = func::FuncOp::create(builder, loc, "main",
                                  builder.getFunctionType({}, {}));
  builder.setInsertionPointToEnd(function.addEntryBlock());
  Scope scope{&program.graph, {}};
  if (failed(buildArguments(scope)) || failed(buildNodes(scope)) ||
      failed(buildResults(scope)) || failed(checkSymbols(loc)))
    return nullptr;
  setModuleAttributes(*module);
  if (failed(verify(*module)))
    return nullptr;
  return module;
}

OwningOpRef<ModuleOp> kfuse::importProgram(const pt2::Program &program,
                                           MLIRContext *context) {
  context->loadDialect<KfuseDialect, func::FuncDialect>();
  return GraphBuilder(program, context).build();
}
