//===- AtenSchema.cpp - schemas of PyTorch operators ----------------------===//
/// \file
/// A sorted table of schema texts and a parser for one of them.

#include "kfuse/Import/AtenSchema.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <iterator>

using namespace mlir;
using namespace mlir::kfuse;

static const char *const kSchemas[] = {
#include "AtenSchemas.inc"
};

static std::string_view nameOf(std::string_view schema) {
  return schema.substr(0, schema.find('('));
}

namespace {

/// Reads `name(arguments) -> returns`.
class SchemaParser {
public:
  explicit SchemaParser(std::string_view text) : text(text) {}

  bool parse(AtenSchema &schema);

private:
  bool parseArguments(AtenSchema &schema);
  bool parseReturns(AtenSchema &schema);
  bool parseType(AtenType &type, std::string_view &aliasSet, bool &isWritten);
  bool parseAlias(std::string_view &aliasSet, bool &isWritten);
  bool parseDefault(const AtenType &type, AtenDefault &value);
  bool parseString(std::string &value);
  bool parseNumber(bool &isFloat, int64_t &intValue, double &floatValue);

  bool consume(std::string_view token) {
    while (position < text.size() && text[position] == ' ')
      ++position;
    if (text.substr(position, token.size()) != token)
      return false;
    position += token.size();
    return true;
  }
  std::string_view identifier() {
    while (position < text.size() && text[position] == ' ')
      ++position;
    size_t begin = position;
    while (position < text.size() &&
           (std::isalnum(static_cast<unsigned char>(text[position])) ||
            text[position] == '_'))
      ++position;
    return text.substr(begin, position - begin);
  }

  std::string_view text;
  size_t position = 0;
};

} // namespace

static AtenType::Kind getKind(std::string_view name) {
  using Kind = AtenType::Kind;
  static constexpr std::pair<std::string_view, Kind> kinds[] = {
      {"Tensor", Kind::Tensor},
      {"int", Kind::Int},
      {"SymInt", Kind::SymInt},
      {"float", Kind::Float},
      {"complex", Kind::Complex},
      {"Scalar", Kind::Scalar},
      {"bool", Kind::Bool},
      {"str", Kind::String},
      {"ScalarType", Kind::ScalarType},
      {"MemoryFormat", Kind::MemoryFormat},
      {"Layout", Kind::Layout},
      {"Device", Kind::Device},
      {"Generator", Kind::Generator},
  };
  for (const auto &[text, kind] : kinds)
    if (text == name)
      return kind;
  return Kind::Other;
}

bool SchemaParser::parseAlias(std::string_view &aliasSet, bool &isWritten) {
  if (!consume("("))
    return true;
  size_t end = text.find(')', position);
  if (end == std::string_view::npos)
    return false;
  std::string_view inner = text.substr(position, end - position);
  position = end + 1;
  aliasSet = inner.substr(0, inner.find_first_of("! "));
  isWritten = inner.find('!') != std::string_view::npos;
  return true;
}

bool SchemaParser::parseType(AtenType &type, std::string_view &aliasSet,
                             bool &isWritten) {
  std::string_view name = identifier();
  if (name.empty())
    return false;
  type.kind = getKind(name);
  if (!parseAlias(aliasSet, isWritten))
    return false;
  bool optional = consume("?");
  while (consume("[")) {
    type.isList = true;
    type.isElementOptional = optional;
    optional = false;
    std::string_view size = identifier();
    if (!size.empty())
      type.listSize = std::atoi(std::string(size).c_str());
    if (!consume("]") || !parseAlias(aliasSet, isWritten))
      return false;
    optional = consume("?");
  }
  type.isOptional = optional;
  return true;
}

bool SchemaParser::parseString(std::string &value) {
  while (position < text.size() && text[position] != '"') {
    char c = text[position++];
    if (c == '\\' && position < text.size()) {
      c = text[position++];
      if (c == 'n')
        c = '\n';
      else if (c == 't')
        c = '\t';
      else if (c == 'f')
        c = '\f';
      else if (c == 'v')
        c = '\v';
    }
    value += c;
  }
  return consume("\"");
}

bool SchemaParser::parseNumber(bool &isFloat, int64_t &intValue,
                               double &floatValue) {
  size_t begin = position;
  while (position < text.size() &&
         std::string_view("0123456789+-.einf").find(text[position]) !=
             std::string_view::npos)
    ++position;
  std::string number(text.substr(begin, position - begin));
  isFloat = number.find_first_of(".einf") != std::string::npos;
  if (number.empty())
    return false;
  floatValue = std::strtod(number.c_str(), nullptr);
  intValue = isFloat ? 0 : std::strtoll(number.c_str(), nullptr, 10);
  return true;
}

bool SchemaParser::parseDefault(const AtenType &type, AtenDefault &value) {
  using Kind = AtenDefault::Kind;
  if (consume("None"))
    return true;
  if (consume("True") || consume("False")) {
    value.kind = Kind::Bool;
    value.intValue = text[position - 2] == 'u';
    return true;
  }
  if (consume("\"")) {
    value.kind = Kind::String;
    return parseString(value.text);
  }
  bool isFloat = false;
  if (!consume("[")) {
    if (!parseNumber(isFloat, value.intValue, value.floatValue))
      return false;
    value.kind = isFloat ? Kind::Float : Kind::Int;
    // `int[2] padding=0` means a zero for each.
    if (type.isList && !isFloat) {
      value.kind = Kind::Ints;
      value.ints.assign(std::max(type.listSize, 1u), value.intValue);
    }
    return true;
  }
  value.kind = type.kind == AtenType::Kind::Float ? Kind::Floats : Kind::Ints;
  while (!consume("]")) {
    consume(",");
    consume(" ");
    int64_t intValue = 0;
    double floatValue = 0;
    if (consume("True") || consume("False"))
      intValue = text[position - 2] == 'u';
    else if (!parseNumber(isFloat, intValue, floatValue))
      return false;
    value.ints.push_back(intValue);
    value.floats.push_back(floatValue);
  }
  return true;
}

bool SchemaParser::parseArguments(AtenSchema &schema) {
  bool isKeywordOnly = false;
  while (!consume(")")) {
    consume(",");
    if (consume("*")) {
      isKeywordOnly = true;
      continue;
    }
    AtenArgument argument;
    argument.isKeywordOnly = isKeywordOnly;
    if (!parseType(argument.type, argument.aliasSet, argument.isWritten))
      return false;
    argument.name = identifier();
    if (argument.name.empty())
      return false;
    if (consume("=")) {
      argument.defaultValue.emplace();
      if (!parseDefault(argument.type, *argument.defaultValue))
        return false;
    }
    schema.arguments.push_back(std::move(argument));
  }
  return true;
}

bool SchemaParser::parseReturns(AtenSchema &schema) {
  bool isTuple = consume("(");
  if (isTuple && consume(")"))
    return true;
  do {
    AtenReturn result;
    if (!parseType(result.type, result.aliasSet, result.isWritten))
      return false;
    result.name = identifier();
    schema.returns.push_back(result);
  } while (isTuple && consume(","));
  return !isTuple || consume(")");
}

bool SchemaParser::parse(AtenSchema &schema) {
  schema.name = nameOf(text);
  position = schema.name.size();
  return consume("(") && parseArguments(schema) && consume("->") &&
         parseReturns(schema) && position == text.size();
}

int AtenSchema::findArgument(std::string_view argument) const {
  for (size_t i = 0; i < arguments.size(); ++i)
    if (arguments[i].name == argument)
      return static_cast<int>(i);
  return -1;
}

bool AtenSchema::mutates() const {
  return std::any_of(arguments.begin(), arguments.end(),
                     [](const AtenArgument &a) { return a.isWritten; });
}

bool AtenSchema::isView() const {
  return std::any_of(returns.begin(), returns.end(), [](const AtenReturn &r) {
    return !r.aliasSet.empty() && !r.isWritten;
  });
}

std::optional<AtenSchema> kfuse::lookupAtenSchema(std::string_view name) {
  // `add.default` is how Python spells the overload without a name.
  constexpr std::string_view suffix = ".default";
  if (name.size() > suffix.size() &&
      name.substr(name.size() - suffix.size()) == suffix)
    name.remove_suffix(suffix.size());
  const char *const *it = std::lower_bound(
      std::begin(kSchemas), std::end(kSchemas), name,
      [](const char *a, std::string_view b) { return nameOf(a) < b; });
  if (it == std::end(kSchemas) || nameOf(*it) != name)
    return std::nullopt;
  AtenSchema schema;
  if (!SchemaParser(*it).parse(schema))
    return std::nullopt;
  return schema;
}

unsigned kfuse::getAtenSchemaCount() { return std::size(kSchemas); }

std::string_view kfuse::getAtenSchemaName(unsigned index) {
  return nameOf(kSchemas[index]);
}
