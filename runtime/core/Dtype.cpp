//===- Dtype.cpp - element types ------------------------------------------===//
#include "Dtype.h"

namespace kfuse {

namespace {
struct DtypeRow {
  const char *name;
  int32_t bytes;
};
} // namespace

/// By code; row 0 stands for the invalid type.
static const DtypeRow dtypeRows[KFUSE_DTYPE_COUNT] = {
    {nullptr, 0},      {"f64", 8},        {"f32", 4},       {"bf16", 2},
    {"f16", 2},        {"i64", 8},        {"i32", 4},       {"i16", 2},
    {"i8", 1},         {"u8", 1},         {"bool", 1},      {"u16", 2},
    {"u32", 4},        {"u64", 8},        {"f8e4m3fn", 1},  {"f8e5m2", 1},
    {"f8e4m3fnuz", 1}, {"f8e5m2fnuz", 1}, {"f8e8m0fnu", 1}, {"c32", 4},
    {"c64", 8},        {"c128", 16}};

const char *getDtypeName(KfuseDtype dtype) {
  return dtype > 0 && dtype < KFUSE_DTYPE_COUNT ? dtypeRows[dtype].name
                                                : nullptr;
}

KfuseDtype parseDtype(std::string_view name) {
  for (KfuseDtype i = 1; i < KFUSE_DTYPE_COUNT; ++i)
    if (name == dtypeRows[i].name)
      return i;
  return KFUSE_DTYPE_INVALID;
}

int32_t getDtypeSize(KfuseDtype dtype) {
  return dtype > 0 && dtype < KFUSE_DTYPE_COUNT ? dtypeRows[dtype].bytes : 0;
}

} // namespace kfuse
