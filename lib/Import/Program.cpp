//===- Program.cpp - facts about element types ----------------------------===//
/// \file
/// Tables for the archive's element types.

#include "kfuse/Import/Program.h"

using namespace mlir;
using namespace mlir::kfuse;
using namespace mlir::kfuse::pt2;

namespace {

struct DTypeEntry {
  DType dtype;
  const char *name;
  unsigned bytes;
};

} // namespace

static constexpr DTypeEntry kDTypes[] = {
    {DType::U8, "u8", 1},
    {DType::I8, "i8", 1},
    {DType::I16, "i16", 2},
    {DType::I32, "i32", 4},
    {DType::I64, "i64", 8},
    {DType::F16, "f16", 2},
    {DType::F32, "f32", 4},
    {DType::F64, "f64", 8},
    {DType::C32, "c32", 4},
    {DType::C64, "c64", 8},
    {DType::C128, "c128", 16},
    {DType::Bool, "bool", 1},
    {DType::BF16, "bf16", 2},
    {DType::U16, "u16", 2},
    {DType::F8E4M3FN, "f8e4m3fn", 1},
    {DType::F8E5M2, "f8e5m2", 1},
    {DType::F8E4M3FNUZ, "f8e4m3fnuz", 1},
    {DType::F8E5M2FNUZ, "f8e5m2fnuz", 1},
    {DType::F8E8M0FNU, "f8e8m0fnu", 1},
    {DType::U32, "u32", 4},
    {DType::U64, "u64", 8},
};

static const DTypeEntry *find(int64_t number) {
  for (const DTypeEntry &entry : kDTypes)
    if (static_cast<int64_t>(entry.dtype) == number)
      return &entry;
  return nullptr;
}

unsigned pt2::getByteSize(DType dtype) {
  return find(static_cast<int64_t>(dtype))->bytes;
}

const char *pt2::getName(DType dtype) {
  return find(static_cast<int64_t>(dtype))->name;
}

std::optional<DType> pt2::getDType(int64_t archiveNumber) {
  const DTypeEntry *entry = find(archiveNumber);
  if (!entry)
    return std::nullopt;
  return entry->dtype;
}
