//===- SymExpr.cpp - symbolic sizes of exported programs ------------------===//
/// \file
/// A recursive-descent parser of the part of `sympy.srepr` that sizes use.

#include "kfuse/Import/SymExpr.h"

#include <cctype>

using namespace mlir;
using namespace mlir::kfuse;
using namespace mlir::kfuse::pt2;

using Kind = SymExpr::Kind;

SymExpr SymExpr::integer(int64_t value) {
  SymExpr expr;
  expr.value = value;
  return expr;
}

SymExpr SymExpr::symbol(std::string name) {
  SymExpr expr;
  expr.kind = Kind::Symbol;
  expr.name = std::move(name);
  return expr;
}

bool SymExpr::isInteger() const {
  if (kind == Kind::Other)
    return false;
  for (const SymExpr &operand : operands)
    if (!operand.isInteger())
      return false;
  return true;
}

bool SymExpr::operator==(const SymExpr &other) const {
  return kind == other.kind && value == other.value && name == other.name &&
         operands == other.operands;
}

static std::string join(const std::vector<SymExpr> &operands,
                        const char *separator) {
  std::string text;
  for (const SymExpr &operand : operands) {
    if (!text.empty())
      text += separator;
    text += operand.str();
  }
  return text;
}

std::string SymExpr::str() const {
  switch (kind) {
  case Kind::Integer:
    return std::to_string(value);
  case Kind::Symbol:
    return name;
  case Kind::Add:
    return "(" + join(operands, " + ") + ")";
  case Kind::Mul:
    return "(" + join(operands, " * ") + ")";
  case Kind::FloorDiv:
    return "(" + join(operands, " // ") + ")";
  case Kind::Mod:
    return "(" + join(operands, " % ") + ")";
  case Kind::Min:
    return "min(" + join(operands, ", ") + ")";
  case Kind::Max:
    return "max(" + join(operands, ", ") + ")";
  case Kind::Other:
    return operands.empty() ? name : name + "(" + join(operands, ", ") + ")";
  }
  return "";
}

//===----------------------------------------------------------------------===//
// Parser
//===----------------------------------------------------------------------===//

namespace {

class Parser {
public:
  explicit Parser(std::string_view text) : text(text) {}

  Result<SymExpr> parse() {
    SymExpr expr;
    if (!parseExpr(expr, 0))
      return Error{message + " in expression '" + shorten() + "'"};
    skipSpace();
    if (position != text.size())
      return Error{"unexpected text after expression '" + shorten() + "'"};
    return expr;
  }

private:
  bool parseExpr(SymExpr &expr, unsigned depth);
  bool parseCall(std::string name, SymExpr &expr, unsigned depth);
  bool parseOperands(SymExpr &expr, unsigned depth);
  bool parseSymbol(SymExpr &expr);
  bool parseKeyword();
  bool parseQuoted(std::string &value);
  bool parseNumber(SymExpr &expr);
  bool finish(const std::string &name, SymExpr &expr);

  void skipSpace() {
    while (position < text.size() && text[position] == ' ')
      ++position;
  }
  bool consume(char c) {
    skipSpace();
    if (position == text.size() || text[position] != c)
      return false;
    ++position;
    return true;
  }
  bool expect(char c) {
    return consume(c) || fail(std::string("expected '") + c + "'");
  }
  std::string parseIdentifier() {
    skipSpace();
    size_t begin = position;
    while (position < text.size() &&
           (std::isalnum(static_cast<unsigned char>(text[position])) ||
            text[position] == '_' || text[position] == '.'))
      ++position;
    return std::string(text.substr(begin, position - begin));
  }
  bool fail(std::string what) {
    message = what + " at column " + std::to_string(position + 1);
    return false;
  }
  std::string shorten() const {
    return std::string(text.substr(0, 120)) + (text.size() > 120 ? "..." : "");
  }

  std::string_view text;
  size_t position = 0;
  std::string message;
};

} // namespace

/// Deep enough for any real size, shallow enough for any stack.
static constexpr unsigned kMaxDepth = 200;

bool Parser::parseExpr(SymExpr &expr, unsigned depth) {
  if (depth > kMaxDepth)
    return fail("nesting deeper than 200");
  skipSpace();
  if (position == text.size())
    return fail("expected an expression");
  char c = text[position];
  if (c == '-' || std::isdigit(static_cast<unsigned char>(c)))
    return parseNumber(expr);
  if (c == '\'' || c == '"') {
    // Digits of a Float, kept as a name.
    expr.kind = Kind::Other;
    return parseQuoted(expr.name);
  }
  std::string name = parseIdentifier();
  if (name.empty())
    return fail("expected a name");
  if (!consume('(')) {
    // Constants such as `true`, `oo` and `int_oo`.
    expr.kind = Kind::Other;
    expr.name = std::move(name);
    return true;
  }
  return parseCall(std::move(name), expr, depth);
}

bool Parser::parseCall(std::string name, SymExpr &expr, unsigned depth) {
  if (name == "Symbol" || name == "Dummy")
    return parseSymbol(expr);
  return parseOperands(expr, depth) && finish(name, expr);
}

bool Parser::parseOperands(SymExpr &expr, unsigned depth) {
  if (consume(')'))
    return true;
  do {
    size_t start = position;
    std::string keyword = parseIdentifier();
    if (!keyword.empty() && consume('=')) {
      // `precision=53` and the like carry no value of ours.
      SymExpr ignored;
      if (!parseExpr(ignored, depth + 1))
        return false;
      continue;
    }
    position = start;
    expr.operands.emplace_back();
    if (!parseExpr(expr.operands.back(), depth + 1))
      return false;
  } while (consume(','));
  return expect(')');
}

bool Parser::parseSymbol(SymExpr &expr) {
  expr.kind = Kind::Symbol;
  skipSpace();
  if (!parseQuoted(expr.name))
    return false;
  while (consume(',')) {
    SymExpr ignored;
    if (parseIdentifier().empty() || !expect('=') ||
        !parseExpr(ignored, kMaxDepth))
      return message.empty() ? fail("expected an assumption") : false;
  }
  return expect(')');
}

bool Parser::parseQuoted(std::string &value) {
  if (position == text.size() ||
      (text[position] != '\'' && text[position] != '"'))
    return fail("expected a quoted name");
  char quote = text[position++];
  size_t end = text.find(quote, position);
  if (end == std::string_view::npos)
    return fail("expected a closing quote");
  value = std::string(text.substr(position, end - position));
  position = end + 1;
  return true;
}

bool Parser::parseNumber(SymExpr &expr) {
  bool negative = consume('-');
  int64_t value = 0;
  size_t begin = position;
  while (position < text.size() &&
         std::isdigit(static_cast<unsigned char>(text[position]))) {
    int64_t digit = text[position] - '0';
    if (__builtin_mul_overflow(value, 10, &value) ||
        __builtin_sub_overflow(value, digit, &value))
      return fail("integer outside of 64 bits");
    ++position;
  }
  if (begin == position)
    return fail("expected a digit");
  // Accumulated negatively, because -2^63 has no positive twin.
  if (!negative && __builtin_sub_overflow(int64_t(0), value, &value))
    return fail("integer outside of 64 bits");
  expr = SymExpr::integer(value);
  return true;
}

static int64_t countNodes(const SymExpr &expr) {
  int64_t count = 1;
  for (const SymExpr &operand : expr.operands)
    count += countNodes(operand);
  return count;
}

/// Turns a call with known meaning into its kind. `expr` has the operands.
bool Parser::finish(const std::string &name, SymExpr &expr) {
  auto &operands = expr.operands;
  size_t count = operands.size();
  if (name == "Integer" || name == "Identity") {
    if (count != 1)
      return fail("expected one operand of " + name);
    SymExpr operand = std::move(operands[0]);
    expr = std::move(operand);
    return true;
  }
  // Nested powers must not grow without bound, hence the limit on the product.
  bool isPower = name == "Pow" && count == 2 &&
                 operands[1].kind == Kind::Integer && operands[1].value >= 1 &&
                 operands[1].value <= 8 &&
                 countNodes(operands[0]) * operands[1].value <= 256;
  if (isPower) {
    expr.kind = Kind::Mul;
    size_t power = static_cast<size_t>(operands[1].value);
    SymExpr base = std::move(operands[0]);
    operands.assign(power, base);
    if (power == 1)
      expr = std::move(base);
    return true;
  }
  struct Known {
    const char *name;
    Kind kind;
    bool binary;
  };
  static const Known known[] = {
      {"Add", Kind::Add, false},          {"Mul", Kind::Mul, false},
      {"FloorDiv", Kind::FloorDiv, true}, {"CleanDiv", Kind::FloorDiv, true},
      {"Mod", Kind::Mod, true},           {"PythonMod", Kind::Mod, true},
      {"Min", Kind::Min, false},          {"Max", Kind::Max, false},
  };
  for (const Known &entry : known) {
    if (name != entry.name)
      continue;
    if (entry.binary ? count != 2 : count < 1)
      return fail("wrong number of operands of " + name);
    expr.kind = entry.kind;
    return true;
  }
  expr.kind = Kind::Other;
  expr.name = name;
  return true;
}

Result<SymExpr> pt2::parseSymExpr(std::string_view text) {
  return Parser(text).parse();
}
