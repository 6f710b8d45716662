//===- TargetInfo.cpp - facts about GPU architectures ---------------------===//

#include "kfuse/Analysis/TargetInfo.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir::kfuse;

static constexpr int64_t kib = 1024;
static constexpr int64_t mib = 1024 * kib;

static constexpr TargetInfo targets[] = {
    {"sm_80", "A100-SXM4-80GB", "+ptx80", 108, 65536, 2048, 32, 164 * kib,
     163 * kib, 40 * mib, 1'750'000, 32 * kib, 1800, 19'500'000},
    {"sm_86", "A40", "+ptx80", 84, 65536, 1536, 16, 100 * kib, 99 * kib,
     6 * mib, 600'000, 20 * kib, 1800, 37'400'000},
    {"sm_89", "L40S", "+ptx80", 142, 65536, 1536, 24, 100 * kib, 99 * kib,
     96 * mib, 760'000, 20 * kib, 1800, 91'600'000},
    {"sm_90a", "H200-SXM", "+ptx80", 132, 65536, 2048, 32, 228 * kib, 227 * kib,
     50 * mib, 4'200'000, 48 * kib, 1500, 67'000'000},
    {"sm_100", "B200", "+ptx86", 148, 65536, 2048, 32, 228 * kib, 227 * kib,
     126 * mib, 6'800'000, 64 * kib, 1500, 80'000'000},
};

llvm::ArrayRef<TargetInfo> TargetInfo::getAll() { return targets; }

const TargetInfo *TargetInfo::lookup(llvm::StringRef arch) {
  const TargetInfo *it = llvm::find_if(
      targets, [&](const TargetInfo &info) { return info.arch == arch; });
  return it == std::end(targets) ? nullptr : it;
}
