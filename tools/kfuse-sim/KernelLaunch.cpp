//===- KernelLaunch.cpp - one kernel of an .mlir file ---------------------===//
#include "KernelLaunch.h"

#include <algorithm>
#include <cstring>

namespace kfuse {

static std::string trim(const std::string &text) {
  size_t begin = text.find_first_not_of(" \t\n");
  size_t end = text.find_last_not_of(" \t\n");
  return begin == std::string::npos ? "" : text.substr(begin, end - begin + 1);
}

/// Between the commas that no parenthesis holds.
static std::vector<std::string> splitList(const std::string &text) {
  std::vector<std::string> parts;
  int depth = 0;
  std::string part;
  for (char c : text) {
    depth += (c == '(') - (c == ')');
    if (c == ',' && depth == 0) {
      parts.push_back(trim(part));
      part.clear();
      continue;
    }
    part += c;
  }
  if (!trim(part).empty() || !parts.empty())
    parts.push_back(trim(part));
  return parts;
}

static uint64_t parseNumber(const std::string &text, const std::string &what) {
  char *end = nullptr;
  uint64_t number = strtoull(text.c_str(), &end, 10);
  if (text.empty() || *end || text[0] == '-')
    fail("'" + text + "' is no number, expected " + what);
  return number;
}

/// "2x3x4"
static std::vector<uint64_t> parseExtents(const std::string &text,
                                          const std::string &what) {
  std::vector<uint64_t> extents;
  for (size_t at = 0; at <= text.size();) {
    size_t end = std::min(text.find('x', at), text.size());
    extents.push_back(parseNumber(trim(text.substr(at, end - at)), what));
    at = end + 1;
  }
  return extents;
}

static void parseTriple(const std::string &text, uint32_t (&to)[3],
                        const std::string &what) {
  std::vector<uint64_t> extents = parseExtents(text, what);
  if (extents.size() > 3)
    fail("'" + text + "' has more than three extents");
  for (uint64_t extent : extents)
    if (extent > UINT32_MAX)
      fail("'" + text + "' is more than a launch can have of " + what);
  std::copy(extents.begin(), extents.end(), to);
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

static uint64_t floatBits(const std::string &text, const std::string &dtype) {
  char *end = nullptr;
  double value = strtod(text.c_str(), &end);
  if (text.empty() || *end)
    fail("'" + text + "' is no number");
  uint64_t bits = 0;
  if (dtype == "f64") {
    memcpy(&bits, &value, sizeof(value));
  } else if (dtype.empty() || dtype == "f32") {
    auto single = static_cast<float>(value);
    memcpy(&bits, &single, sizeof(single));
  } else {
    fail("expected a number of type f32, f64, i32 or i64, found '" + dtype +
         "'");
  }
  return bits;
}

/// 42, -1, 1.5, 2:f64
static uint64_t parseScalar(const std::string &text) {
  size_t colon = text.find(':');
  std::string number = text.substr(0, colon);
  std::string dtype = colon == std::string::npos ? "" : text.substr(colon + 1);
  bool isInteger = dtype == "i32" || dtype == "i64" ||
                   (dtype.empty() && number.find('.') == std::string::npos);
  if (!isInteger)
    return floatBits(number, dtype);
  char *end = nullptr;
  long long value = strtoll(number.c_str(), &end, 0);
  if (number.empty() || *end)
    fail("'" + text + "' is no number");
  return static_cast<uint64_t>(value);
}

static void parseMapOption(const std::string &text, MapArgument &map) {
  size_t equal = text.find('=');
  std::string key = trim(text.substr(0, equal));
  std::string value =
      equal == std::string::npos ? "" : trim(text.substr(equal + 1));
  if (key == "fill" && (value == "nan" || value == "zero")) {
    map.isNanFill = value == "nan";
    return;
  }
  if (key != "swizzle")
    fail("'" + text +
         "' is no option of a map, expected swizzle=32|64|128 or fill=nan");
  map.swizzle = value == "128"  ? KFUSE_SIM_SWIZZLE_128
                : value == "64" ? KFUSE_SIM_SWIZZLE_64
                : value == "32" ? KFUSE_SIM_SWIZZLE_32
                : value == "0"  ? KFUSE_SIM_SWIZZLE_NONE
                                : -1;
  if (map.swizzle < 0)
    fail("expected a swizzle of 0, 32, 64 or 128, found '" + value + "'");
}

static LaunchArgument parseArgument(const std::string &text) {
  LaunchArgument argument;
  if (text.rfind("map(", 0) == 0 && text.back() == ')') {
    std::vector<std::string> parts = splitList(text.substr(4, text.size() - 5));
    if (parts.size() < 2)
      fail("'" + text + "' needs a tensor and a box: map(NAME, 64x32)");
    argument.isMap = true;
    argument.tensor = parts[0];
    for (uint64_t extent : parseExtents(parts[1], "the extents of a box"))
      argument.map.box.push_back(static_cast<uint32_t>(extent));
    for (size_t i = 2; i < parts.size(); ++i)
      parseMapOption(parts[i], argument.map);
    return argument;
  }
  if (!text.empty() && (isalpha(text[0]) || text[0] == '_'))
    argument.tensor = text;
  else
    argument.bits = parseScalar(text);
  return argument;
}

KernelLaunch parseLaunch(const std::string &text) {
  size_t open = text.find("<<<"), close = text.find(">>>");
  size_t begin = text.find('(', close), end = text.rfind(')');
  if (open == std::string::npos || close == std::string::npos ||
      begin == std::string::npos || end == std::string::npos || end < begin ||
      close < open)
    fail("'" + text +
         "' is no launch, expected NAME<<<GRID, BLOCK, SHARED>>>(ARGUMENTS)");
  KernelLaunch launch;
  launch.kernel = trim(text.substr(0, open));
  std::vector<std::string> shape =
      splitList(text.substr(open + 3, close - open - 3));
  if (shape.size() < 2 || shape.size() > 3)
    fail("expected <<<GRID, BLOCK>>> or <<<GRID, BLOCK, SHARED>>>");
  parseTriple(shape[0], launch.grid, "the blocks of the grid");
  parseTriple(shape[1], launch.block, "the threads of a block");
  if (shape.size() == 3)
    launch.sharedBytes = static_cast<uint32_t>(
        parseNumber(shape[2], "the bytes of dynamic shared memory"));
  for (const std::string &part :
       splitList(text.substr(begin + 1, end - begin - 1)))
    launch.arguments.push_back(parseArgument(part));
  return launch;
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

static KfuseDtype parseDtype(const std::string &text) {
  KfuseDtype dtype = kfuse_dtype_from_name(text.c_str());
  if (dtype == KFUSE_DTYPE_INVALID)
    fail("unknown dtype '" + text + "'");
  return dtype;
}

static void readFile(NamedTensor &named, const std::string &dtype,
                     const std::string &path) {
  named.tensor = readNpy(path);
  if (dtype.empty())
    return;
  KfuseDtype wanted = parseDtype(dtype);
  if (kfuse_dtype_size(wanted) != kfuse_dtype_size(named.tensor.dtype))
    fail("'" + path + "' cannot be read as " + dtype);
  named.tensor.dtype = wanted;
}

std::pair<std::string, NamedTensor> parseTensor(const std::string &text) {
  size_t equal = text.find('=');
  if (equal == std::string::npos || !equal)
    fail("'" + text +
         "' is no tensor, expected NAME=DTYPE[2x3]:FILL or "
         "NAME=FILE.npy");
  std::pair<std::string, NamedTensor> result;
  result.first = trim(text.substr(0, equal));
  NamedTensor &named = result.second;
  std::string rest = trim(text.substr(equal + 1));
  size_t open = rest.find('['), close = rest.find(']');
  if (open == std::string::npos || close == std::string::npos) {
    size_t colon = rest.find(':');
    readFile(named, colon == std::string::npos ? "" : rest.substr(0, colon),
             colon == std::string::npos ? rest : rest.substr(colon + 1));
    return result;
  }
  named.tensor.dtype = parseDtype(trim(rest.substr(0, open)));
  for (uint64_t size :
       parseExtents(rest.substr(open + 1, close - open - 1), "sizes"))
    named.tensor.sizes.push_back(static_cast<int64_t>(size));
  named.tensor.setRowMajor();
  named.fill = close + 2 < rest.size() ? rest.substr(close + 2) : "random";
  static const char *const fills[] = {"out",  "scratch", "zeros",
                                      "ones", "iota",    "random"};
  std::string kind = named.fill.substr(0, named.fill.find('@'));
  if (std::find(std::begin(fills), std::end(fills), kind) == std::end(fills))
    fail("'" + named.fill +
         "' is no fill, expected out, scratch, zeros, ones, "
         "iota, random or random@SEED");
  if (kind == "out")
    named.access = KFUSE_ACCESS_WRITE;
  if (kind == "scratch")
    named.access = KFUSE_ACCESS_SCRATCH;
  return result;
}

} // namespace kfuse
