//===- LaunchChecks.cpp - agreement of launches with operators ------------===//
#include "LaunchChecks.h"

#include <algorithm>
#include <cmath>

namespace kfuse {

using Json = nlohmann::ordered_json;

Json jsonNumber(double value) {
  if (std::isnan(value))
    return "nan";
  if (std::isinf(value))
    return value < 0 ? "-inf" : "inf";
  return value;
}

std::string printJson(const Json &json) {
  return json.dump(2, ' ', /*ensure_ascii=*/false,
                   Json::error_handler_t::replace);
}

LaunchChecks::LaunchChecks(const ContextHandle &context, double tolerance) {
  KfuseLaunchChecker checker = {};
  checker.checked = take;
  checker.user = this;
  checker.tolerance = tolerance;
  context.checkLaunches(checker);
}

void LaunchChecks::take(void *user, const KfuseLaunchCheck *check) {
  auto &list = static_cast<LaunchChecks *>(user)->list;
  auto entry = std::find_if(list.begin(), list.end(), [&](auto &other) {
    return other.kernel == check->kernel && other.output == check->output;
  });
  if (entry == list.end()) {
    entry = list.emplace(list.end());
    entry->kernel = check->kernel;
    entry->launch = check->launch;
    entry->output = check->output;
    entry->dtype = check->dtype;
    entry->isExact = check->isExact;
    entry->tolerance = check->tolerance;
  }
  ++entry->checks;
  entry->elements += check->elements;
  entry->different += check->different;
  entry->maxAbs = std::max(entry->maxAbs, check->maxAbs);
  entry->maxRel = std::max(entry->maxRel, check->maxRel);
  entry->maxUlp = std::max(entry->maxUlp, check->maxUlp);
  bool isFinite = check->mismatches == 0 ||
                  check->maxAbs > check->tolerance * check->largest;
  if (check->maxAbs > 0 || !isFinite)
    entry->error = std::max(
        entry->error, isFinite ? check->maxAbs / check->largest : INFINITY);
  if (check->mismatches && entry->mismatches == 0) {
    entry->sizes.assign(check->sizes, check->sizes + check->rank);
    entry->position = check->firstMismatch;
    entry->found = check->found;
    entry->expected = check->expected;
  }
  entry->mismatches += check->mismatches;
}

bool LaunchChecks::ok() const {
  return std::all_of(list.begin(), list.end(),
                     [](const OutputCheck &output) { return output.ok(); });
}

std::string OutputCheck::place() const {
  std::string index = "]", extents = "]";
  int64_t rest = position;
  for (size_t d = sizes.size(); d-- > 0; rest /= sizes[d]) {
    index = (d ? ", " : "") + std::to_string(rest % sizes[d]) + index;
    extents = (d ? ", " : "") + std::to_string(sizes[d]) + extents;
  }
  return "[" + index + " of [" + extents;
}

Json OutputCheck::json() const {
  Json row = {{"kernel", kernel},
              {"launch", launch},
              {"output", output},
              {"dtype", kfuse_dtype_name(dtype)},
              {"exact", isExact},
              {"checks", checks},
              {"elements", elements},
              {"different", different},
              {"mismatches", mismatches},
              {"max_abs", jsonNumber(maxAbs)},
              {"max_rel", jsonNumber(maxRel)},
              {"max_ulp", jsonNumber(maxUlp)},
              {"error", jsonNumber(error)},
              {"tolerance", tolerance},
              {"ok", ok()}};
  if (!ok())
    row["first_mismatch"] = {{"sizes", sizes},
                             {"position", position},
                             {"found", jsonNumber(found)},
                             {"expected", jsonNumber(expected)}};
  return row;
}

} // namespace kfuse
