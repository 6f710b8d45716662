//===- Matrix.cpp - matrices of a warp ------------------------------------===//
///
/// \file
/// ldmatrix and stmatrix (PTX ISA 9.7.14.5.15 and .16), and mma.sync
/// (9.7.14.5.14). The lanes meet, and the last one acts for all.
///
#include "Access.h"
#include "MatrixNumbers.h"

#include <algorithm>

namespace kfuse::sim {

/// What a lane brings along.
template <typename T>
static T &ownOf(const Meeting &meeting, uint32_t lane) {
  return *reinterpret_cast<T *>(meeting.values[lane]);
}

static bool isWhole(Machine &machine, const Meeting &meeting) {
  if (meeting.arrived == 0xFFFFFFFF)
    return true;
  machine.report(KFUSE_SIM_DIVERGENCE, meeting.site,
                 "a matrix operation needs all 32 lanes of its warp");
  return false;
}

//===----------------------------------------------------------------------===//
// ldmatrix and stmatrix
//===----------------------------------------------------------------------===//

namespace {
/// Eight by eight elements of 16 bits, in memory and in registers.
struct MatrixLane {
  char *at;
  uint32_t *values;
  uint32_t count;
  bool isTransposed;
};
} // namespace

/// Where a row lies that lane `row` of the matrix names.
static char *checkRow(Machine &machine, Warp &warp, const Meeting &meeting,
                      uint32_t lane, uint32_t mode) {
  Touch touch;
  touch.at = ownOf<MatrixLane>(meeting, lane).at;
  touch.bytes = touch.alignment = 16;
  touch.mode = mode;
  touch.site = meeting.site;
  touch.space = Space::Shared;
  return static_cast<char *>(checkAccess(machine, *warp.lanes[lane], touch));
}

/// The place of half `half` of a lane's register in a matrix: row, then column.
static std::pair<uint32_t, uint32_t> getPlace(uint32_t lane, uint32_t half,
                                              bool isTransposed) {
  uint32_t row = lane / 4, column = lane % 4 * 2 + half;
  return isTransposed ? std::make_pair(column, row)
                      : std::make_pair(row, column);
}

template <typename Move>
static void forEachHalf(bool isTransposed, Move move) {
  for (uint32_t lane = 0; lane < 32; ++lane)
    for (uint32_t half = 0; half < 2; ++half) {
      auto [row, column] = getPlace(lane, half, isTransposed);
      move(lane, half, row, column);
    }
}

static void loadMatrices(Machine &machine, Warp &warp, Meeting &meeting) {
  if (!isWhole(machine, meeting))
    return;
  const auto &first = ownOf<MatrixLane>(meeting, 0);
  for (uint32_t i = 0; i < first.count; ++i) {
    uint16_t elements[8][8];
    for (uint32_t row = 0; row < 8; ++row)
      memcpy(elements[row],
             checkRow(machine, warp, meeting, 8 * i + row, ReadMode), 16);
    forEachHalf(first.isTransposed, [&](uint32_t lane, uint32_t half,
                                        uint32_t row, uint32_t column) {
      uint32_t &to = ownOf<MatrixLane>(meeting, lane).values[i];
      uint32_t value = elements[row][column];
      to = half ? to | value << 16 : value;
    });
  }
}

static void storeMatrices(Machine &machine, Warp &warp, Meeting &meeting) {
  if (!isWhole(machine, meeting))
    return;
  const auto &first = ownOf<MatrixLane>(meeting, 0);
  for (uint32_t i = 0; i < first.count; ++i) {
    uint16_t elements[8][8];
    forEachHalf(first.isTransposed, [&](uint32_t lane, uint32_t half,
                                        uint32_t row, uint32_t column) {
      elements[row][column] = static_cast<uint16_t>(
          ownOf<MatrixLane>(meeting, lane).values[i] >> 16 * half);
    });
    for (uint32_t row = 0; row < 8; ++row)
      memcpy(checkRow(machine, warp, meeting, 8 * i + row, WriteMode),
             elements[row], 16);
  }
}

extern "C" void kfuse_sim_ldmatrix(void *at, uint32_t *result, uint32_t count,
                                   uint32_t isTransposed, uint32_t site) {
  MatrixLane own = {static_cast<char *>(at), result, count, isTransposed != 0};
  meetWarp(Machine::get(), loadMatrices, &own, site);
}

extern "C" void kfuse_sim_stmatrix(void *at, uint32_t *values, uint32_t count,
                                   uint32_t isTransposed, uint32_t site) {
  MatrixLane own = {static_cast<char *>(at), values, count, isTransposed != 0};
  meetWarp(Machine::get(), storeMatrices, &own, site);
}

//===----------------------------------------------------------------------===//
// mma.sync
//===----------------------------------------------------------------------===//

namespace {
struct MmaLane {
  const uint32_t *a, *b, *c;
  uint32_t *d;
  ProductKind kind;
};

/// The operands as whole matrices.
template <typename T>
struct MmaMatrices {
  T a[16][32], b[32][8], d[16][8];
};
} // namespace

/// Elements of a register, and columns of K that one register of all four lanes
/// of a row covers.
static uint32_t perRegister(MatrixType type) {
  return std::max(4 / getMatrixBytes(type), 1u);
}

/// Calls `act(lane, register, byte in the operand, row, k)` for the elements of
/// A, or of B with its column as row: each register holds neighbours in K;
/// registers go through the rows by eight, then through K.
template <typename Act>
static void forEachElement(MatrixType type, uint32_t rowBlocks,
                           uint32_t kBlocks, Act act) {
  uint32_t each = perRegister(type), width = getMatrixBytes(type);
  for (uint32_t lane = 0; lane < 32; ++lane)
    for (uint32_t block = 0; block < kBlocks; ++block)
      for (uint32_t half = 0; half < rowBlocks; ++half)
        for (uint32_t i = 0; i < each; ++i) {
          uint32_t number = block * rowBlocks + half;
          act(lane, number * std::max(4u, width) + i * width,
              lane / 4 + 8 * half, (block * 4 + lane % 4) * each + i);
        }
}

template <typename T>
static void gatherOperands(const Meeting &meeting, ProductKind kind,
                           MmaMatrices<T> &all) {
  uint32_t rowBlocks = kind.isTall ? 2 : 1;
  auto element = [&](const uint32_t *words, uint32_t byte, MatrixType type) {
    return toNumber<T>(reinterpret_cast<const char *>(words) + byte, type);
  };
  forEachElement(kind.a(), rowBlocks, kind.kRegisters,
                 [&](uint32_t lane, uint32_t byte, uint32_t row, uint32_t k) {
                   all.a[row][k] =
                       element(ownOf<MmaLane>(meeting, lane).a, byte, kind.a());
                 });
  forEachElement(
      kind.b(), 1, kind.kRegisters,
      [&](uint32_t lane, uint32_t byte, uint32_t column, uint32_t k) {
        all.b[k][column] =
            element(ownOf<MmaLane>(meeting, lane).b, byte, kind.b());
      });
}

/// Calls `act(lane, byte, row, column)` for the elements of C and D, two
/// neighbours of a row each.
template <typename Act>
static void forEachResult(ProductKind kind, Act act) {
  uint32_t width = getMatrixBytes(kind.d());
  for (uint32_t lane = 0; lane < 32; ++lane)
    for (uint32_t half = 0; half < (kind.isTall ? 2u : 1u); ++half)
      for (uint32_t i = 0; i < 2; ++i)
        act(lane, (2 * half + i) * width, lane / 4 + 8 * half,
            lane % 4 * 2 + i);
}

template <typename T>
static void storeResult(char *at, T value, MatrixType type) {
  if (type == MatrixType::F16) {
    uint16_t bits = toHalf(static_cast<float>(value));
    memcpy(at, &bits, sizeof(bits));
  } else if (type == MatrixType::F64) {
    auto number = static_cast<double>(value);
    memcpy(at, &number, sizeof(number));
  } else if (type == MatrixType::S32) {
    auto number = static_cast<int32_t>(static_cast<int64_t>(value));
    memcpy(at, &number, sizeof(number));
  } else {
    auto number = static_cast<float>(value);
    memcpy(at, &number, sizeof(number));
  }
}

/// Sums are exact, or of f64, and rounded once.
template <typename T>
static void multiplyWarp(const Meeting &meeting, ProductKind kind) {
  MmaMatrices<T> all;
  gatherOperands(meeting, kind, all);
  uint32_t depth = kind.kRegisters * 4 * perRegister(kind.a());
  forEachResult(kind, [&](uint32_t lane, uint32_t byte, uint32_t row,
                          uint32_t column) {
    auto &own = ownOf<MmaLane>(meeting, lane);
    T sum = toNumber<T>(reinterpret_cast<const char *>(own.c) + byte, kind.d());
    for (uint32_t k = 0; k < depth; ++k)
      sum += all.a[row][k] * all.b[k][column];
    if (kind.saturates)
      sum = std::clamp<T>(sum, INT32_MIN, INT32_MAX);
    storeResult(reinterpret_cast<char *>(own.d) + byte, sum, kind.d());
  });
}

static void multiplyLanes(Machine &machine, Warp &, Meeting &meeting) {
  if (!isWhole(machine, meeting))
    return;
  ProductKind kind = ownOf<MmaLane>(meeting, 0).kind;
  if (kind.d() == MatrixType::S32)
    multiplyWarp<int64_t>(meeting, kind);
  else
    multiplyWarp<double>(meeting, kind);
}

extern "C" void kfuse_sim_mma(uint32_t *a, uint32_t *b, uint32_t *c,
                              uint32_t *d, uint32_t kind, uint32_t site) {
  MmaLane own = {a, b, c, d, {}};
  memcpy(&own.kind, &kind, sizeof(kind));
  meetWarp(Machine::get(), multiplyLanes, &own, site);
}

} // namespace kfuse::sim
