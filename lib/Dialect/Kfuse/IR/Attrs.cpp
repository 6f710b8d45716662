//===- Attrs.cpp - attributes of the kfuse dialect ------------------------===//

#include "kfuse/Dialect/Kfuse/IR/Kfuse.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::kfuse;

#define GET_ATTRDEF_CLASSES
#include "kfuse/Dialect/Kfuse/IR/KfuseAttrs.cpp.inc"

void KfuseDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "kfuse/Dialect/Kfuse/IR/KfuseAttrs.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// LayoutAttr
//===----------------------------------------------------------------------===//

LayoutAttr LayoutAttr::contiguous(MLIRContext *context,
                                  ArrayRef<ExprAttr> sizes) {
  SmallVector<ExprAttr> strides(sizes.size());
  ExprAttr stride = ExprAttr::constant(context, 1);
  for (size_t i = sizes.size(); i-- > 0;) {
    strides[i] = stride;
    // As PyTorch counts: an empty dimension does not make strides zero.
    stride = ExprAttr::mul(stride, sizes[i].isConstant(0)
                                       ? ExprAttr::constant(context, 1)
                                       : sizes[i]);
  }
  return get(context, sizes, strides, ExprAttr::constant(context, 0));
}

bool LayoutAttr::isContiguous() const {
  ExprAttr expected = ExprAttr::constant(getContext(), 1);
  for (size_t i = getSizes().size(); i-- > 0;) {
    if (getSizes()[i].isConstant(1))
      continue;
    if (getStrides()[i] != expected)
      return false;
    expected = ExprAttr::mul(expected, getSizes()[i]);
  }
  return true;
}

ExprAttr LayoutAttr::getNumElements() const {
  return ExprAttr::product(getContext(), getSizes());
}

LogicalResult
LayoutAttr::verifyEncoding(ArrayRef<int64_t> shape, Type elementType,
                           function_ref<InFlightDiagnostic()> emitError) const {
  if (getSizes().size() != shape.size() || getStrides().size() != shape.size())
    return emitError() << "expected a layout of rank " << shape.size()
                       << ", found " << getSizes().size() << " sizes and "
                       << getStrides().size() << " strides";
  for (auto [dim, size] : llvm::zip(shape, getSizes())) {
    int64_t expected = size.getConstant().value_or(ShapedType::kDynamic);
    if (dim != expected)
      return emitError() << "expected the type's sizes to be the layout's "
                            "constant sizes, found "
                         << dim << " for " << size;
  }
  return success();
}

static FailureOr<SmallVector<ExprAttr>> parseExprList(AsmParser &parser) {
  SmallVector<ExprAttr> exprs;
  auto parseOne = [&]() -> ParseResult {
    FailureOr<ExprAttr> expr = ExprAttr::parseInfix(parser);
    if (failed(expr))
      return failure();
    exprs.push_back(*expr);
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseOne))
    return failure();
  return exprs;
}

static void printExprList(AsmPrinter &printer, ArrayRef<ExprAttr> exprs) {
  printer << '[';
  llvm::interleaveComma(exprs, printer.getStream(), [&](ExprAttr expr) {
    expr.printInfix(printer.getStream());
  });
  printer << ']';
}

Attribute LayoutAttr::parse(AsmParser &parser, Type) {
  if (parser.parseLess())
    return {};
  FailureOr<SmallVector<ExprAttr>> sizes = parseExprList(parser);
  if (failed(sizes) || parser.parseComma())
    return {};
  FailureOr<SmallVector<ExprAttr>> strides = parseExprList(parser);
  if (failed(strides))
    return {};
  ExprAttr offset = ExprAttr::constant(parser.getContext(), 0);
  if (succeeded(parser.parseOptionalComma())) {
    FailureOr<ExprAttr> parsed = ExprAttr::parseInfix(parser);
    if (failed(parsed))
      return {};
    offset = *parsed;
  }
  if (parser.parseGreater())
    return {};
  return get(parser.getContext(), *sizes, *strides, offset);
}

void LayoutAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printExprList(printer, getSizes());
  printer << ", ";
  printExprList(printer, getStrides());
  if (!getOffset().isConstant(0)) {
    printer << ", ";
    getOffset().printInfix(printer.getStream());
  }
  printer << '>';
}

//===----------------------------------------------------------------------===//
// GuardAttr
//===----------------------------------------------------------------------===//

GuardAttr GuardAttr::aligned(MLIRContext *context, int64_t tensor,
                             int64_t bytes) {
  ExprAttr zero = ExprAttr::constant(context, 0);
  return get(context, "aligned", tensor, bytes, zero, zero);
}

GuardAttr GuardAttr::divisible(ExprAttr expr, int64_t by) {
  return get(expr.getContext(), "divisible", 0, by, expr,
             ExprAttr::constant(expr.getContext(), 0));
}

GuardAttr GuardAttr::le(ExprAttr lhs, ExprAttr rhs) {
  return get(lhs.getContext(), "le", 0, 0, lhs, rhs);
}

Attribute GuardAttr::parse(AsmParser &parser, Type) {
  std::string kind;
  if (parser.parseLess() || parser.parseString(&kind) || parser.parseComma())
    return {};
  GuardAttr result;
  if (kind == "aligned") {
    int64_t tensor, bytes;
    if (parser.parseInteger(tensor) || parser.parseComma() ||
        parser.parseInteger(bytes))
      return {};
    result = aligned(parser.getContext(), tensor, bytes);
  } else {
    FailureOr<ExprAttr> lhs = ExprAttr::parseInfix(parser);
    if (failed(lhs) || parser.parseComma())
      return {};
    if (kind == "divisible") {
      int64_t by;
      if (parser.parseInteger(by))
        return {};
      result = divisible(*lhs, by);
    } else if (kind == "le") {
      FailureOr<ExprAttr> rhs = ExprAttr::parseInfix(parser);
      if (failed(rhs))
        return {};
      result = le(*lhs, *rhs);
    } else {
      parser.emitError(parser.getNameLoc())
          << "expected guard kind aligned, divisible or le, found '" << kind
          << "'";
      return {};
    }
  }
  return parser.parseGreater() ? Attribute() : result;
}

void GuardAttr::print(AsmPrinter &printer) const {
  printer << "<\"" << getKind() << "\", ";
  if (isAligned()) {
    printer << getTensor() << ", " << getBytes();
  } else {
    getLhs().printInfix(printer.getStream());
    printer << ", ";
    if (isDivisible())
      printer << getBytes();
    else
      getRhs().printInfix(printer.getStream());
  }
  printer << '>';
}
