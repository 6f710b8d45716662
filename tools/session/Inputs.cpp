//===- Inputs.cpp - inputs from files, numbers or chance ------------------===//
#include "SampleInputs.h"
#include "Session.h"

#include <cerrno>
#include <cstring>

namespace kfuse {

namespace {
struct Given {
  std::string dtype; ///< empty: the file's
  std::string value;
};
} // namespace

static std::map<std::string, Given>
parseGiven(const std::vector<std::string> &list, const char *what) {
  std::map<std::string, Given> result;
  for (const std::string &text : list) {
    size_t equal = text.find('=');
    if (equal == std::string::npos || equal == 0)
      fail(std::string(what) + " '" + text + "' is not of the form name=value");
    std::string name = text.substr(0, equal);
    Given given;
    given.value = text.substr(equal + 1);
    size_t colon = name.rfind(':');
    if (colon != std::string::npos) {
      given.dtype = name.substr(colon + 1);
      name = name.substr(0, colon);
    }
    if (!result.emplace(name, given).second)
      fail(std::string(what) + " '" + name + "' is given twice");
  }
  return result;
}

static int64_t parseInt(const std::string &text) {
  char *end = nullptr;
  errno = 0;
  long long value = strtoll(text.c_str(), &end, 10);
  if (text.empty() || *end || errno)
    fail("'" + text + "' is not a 64-bit integer");
  return value;
}

static KfuseScalar parseScalar(const std::string &text, KfuseScalarKind kind) {
  KfuseScalar scalar = {};
  scalar.kind = kind;
  if (kind == KFUSE_SCALAR_FLOAT) {
    char *end = nullptr;
    scalar.value.f = strtod(text.c_str(), &end);
    if (text.empty() || *end)
      fail("'" + text + "' is not a number");
  } else if (kind == KFUSE_SCALAR_BOOL) {
    if (text != "0" && text != "1" && text != "true" && text != "false")
      fail("'" + text + "' is not a boolean, expected true or false");
    scalar.value.i = text == "1" || text == "true";
  } else {
    scalar.value.i = parseInt(text);
  }
  return scalar;
}

/// The file's tensor under the dtype that the model or the user wants: NumPy
/// has no bf16 and no 8-bit floats, so their bits come as unsigned integers.
static HostTensor readTensor(const Given &given, const KfuseValueInfo &info) {
  HostTensor tensor = readNpy(given.value);
  KfuseDtype wanted = tensor.dtype;
  if (!given.dtype.empty()) {
    wanted = kfuse_dtype_from_name(given.dtype.c_str());
    if (wanted == KFUSE_DTYPE_INVALID)
      fail("unknown dtype '" + given.dtype + "' of input '" + info.name + "'");
  } else if ((tensor.dtype == KFUSE_U16 && info.dtype == KFUSE_BF16) ||
             (tensor.dtype == KFUSE_U8 && info.dtype >= KFUSE_F8E4M3FN &&
              info.dtype <= KFUSE_F8E8M0FNU)) {
    wanted = info.dtype;
  }
  if (kfuse_dtype_size(wanted) != kfuse_dtype_size(tensor.dtype))
    fail(std::string("input '") + info.name + "' is " +
         kfuse_dtype_name(tensor.dtype) +
         " in the file and cannot be read as " + kfuse_dtype_name(wanted));
  tensor.dtype = wanted;
  return tensor;
}

/// A value for each symbol of the package: given, or a small one in range.
static std::vector<int64_t> chooseSymbols(const Options &options,
                                          const KfusePackage *package) {
  auto given = parseGiven(options.symbols, "symbol");
  std::vector<int64_t> values;
  for (int32_t i = 0; i < kfuse_package_symbol_count(package); ++i) {
    KfuseSymbolInfo info;
    check(kfuse_package_symbol(package, i, &info));
    auto it = given.find(info.name);
    int64_t value = std::min<int64_t>(std::max<int64_t>(info.min, 8), info.max);
    if (it != given.end()) {
      value = parseInt(it->second.value);
      given.erase(it);
    }
    values.push_back(value);
  }
  if (!given.empty())
    fail("the package has no symbol '" + given.begin()->first + "'");
  return values;
}

std::vector<int64_t> symbolLimits(const Options &options,
                                  const KfusePackage *package) {
  auto given = parseGiven(options.symbols, "symbol");
  std::vector<int64_t> limits;
  for (int32_t i = 0; i < kfuse_package_symbol_count(package); ++i) {
    KfuseSymbolInfo info;
    check(kfuse_package_symbol(package, i, &info));
    auto it = given.find(info.name);
    limits.push_back(it == given.end() ? info.max : parseInt(it->second.value));
  }
  return limits;
}

/// The value of the symbol that is bound to scalar input `index`, or 1.
static int64_t scalarFromSymbols(const KfusePackage *package, int32_t index,
                                 const std::vector<int64_t> &values) {
  for (int32_t i = 0; i < kfuse_package_symbol_count(package); ++i) {
    KfuseSymbolInfo info;
    check(kfuse_package_symbol(package, i, &info));
    if (info.input == index && info.dim < 0)
      return values[i];
  }
  return 1;
}

static std::string describe(const KfuseValueInfo &info) {
  if (!info.isTensor)
    return "a number";
  std::string text = std::string(kfuse_dtype_name(info.dtype)) + "[";
  for (int32_t d = 0; d < info.rank; ++d)
    text += (d ? ", " : "") +
            (info.sizes[d] < 0 ? "?" : std::to_string(info.sizes[d]));
  return text + "]";
}

/// By name of the program's inputs; constants, which are not passed, are left
/// out.
static std::map<std::string, SampleInput>
readSamples(const std::string &path, const KfusePackage *package) {
  const void *text = nullptr;
  uint64_t bytes = 0;
  check(kfuse_package_member(package, "manifest.json", &text, &bytes));
  auto *begin = static_cast<const char *>(text);
  auto manifest = nlohmann::json::parse(begin, begin + bytes);
  const auto &inputs = manifest.at("inputs");
  std::vector<SampleInput> samples = readSampleInputs(path);
  if (samples.size() != inputs.size())
    fail("'" + path + "' has " + std::to_string(samples.size()) +
         " sample inputs, the package " + std::to_string(inputs.size()) +
         "; expected the file that the package was compiled from");
  std::map<std::string, SampleInput> result;
  for (size_t i = 0; i < samples.size(); ++i)
    if (inputs[i].at("kind") != "constant")
      result.emplace(inputs[i].at("name"), std::move(samples[i]));
  return result;
}

static void takeSample(SampleInput &sample, const KfuseValueInfo &info,
                       HostValue &value) {
  using Kind = SampleInput::Kind;
  bool isNumber =
      sample.kind == Kind::Int || sample.kind == Kind::Bool ||
      (sample.kind == Kind::Float && info.scalarKind == KFUSE_SCALAR_FLOAT);
  if (info.isTensor ? sample.kind != Kind::Tensor : !isNumber)
    fail(std::string("sample input '") + info.name + "' is not " +
         (info.isTensor ? "a tensor" : "a number of the expected kind"));
  if (info.isTensor) {
    value.tensor = std::move(sample.tensor);
    return;
  }
  value.scalar.kind = info.scalarKind;
  if (info.scalarKind == KFUSE_SCALAR_FLOAT)
    value.scalar.value.f = sample.kind == Kind::Float
                               ? sample.real
                               : static_cast<double>(sample.integer);
  else
    value.scalar.value.i = sample.integer;
}

std::vector<HostValue> makeInputs(const Options &options,
                                  const KfusePackage *package) {
  auto given = parseGiven(options.inputs, "input");
  std::vector<int64_t> symbols = chooseSymbols(options, package);
  std::map<std::string, SampleInput> samples;
  if (!options.sampleInputs.empty())
    samples = readSamples(options.sampleInputs, package);
  std::mt19937_64 random(options.randomSeed.value_or(0));
  std::vector<HostValue> values;
  for (int32_t i = 0; i < kfuse_package_input_count(package); ++i) {
    KfuseValueInfo info;
    check(kfuse_package_input(package, i, &info));
    HostValue value;
    value.name = info.name;
    value.isTensor = info.isTensor;
    auto it = given.find(value.name);
    if (it != given.end()) {
      if (info.isTensor)
        value.tensor = readTensor(it->second, info);
      else
        value.scalar = parseScalar(it->second.value, info.scalarKind);
      given.erase(it);
    } else if (samples.count(value.name)) {
      takeSample(samples[value.name], info, value);
    } else if (!options.randomSeed) {
      fail("input '" + value.name + "' (" + describe(info) +
           ") is not given; use --input " + value.name + "=" +
           (info.isTensor ? "file.npy" : "number") +
           ", --sample-inputs or --random-inputs");
    } else if (info.isTensor) {
      value.tensor.dtype = info.dtype;
      value.tensor.sizes.resize(info.rank);
      check(kfuse_package_input_sizes(package, i, symbols.data(),
                                      value.tensor.sizes.data()));
      for (int64_t size : value.tensor.sizes)
        if (size < 0)
          fail("input '" + value.name + "' would have " + std::to_string(size) +
               " elements along a dimension with these symbols");
      value.tensor.setRowMajor();
      fillRandom(value.tensor, random, options.randomIntLimit);
    } else {
      value.scalar.kind = info.scalarKind;
      if (info.scalarKind == KFUSE_SCALAR_FLOAT)
        value.scalar.value.f = 1;
      else
        value.scalar.value.i = scalarFromSymbols(package, i, symbols);
    }
    values.push_back(std::move(value));
  }
  if (!given.empty())
    fail("the package has no input '" + given.begin()->first + "'");
  return values;
}

} // namespace kfuse
