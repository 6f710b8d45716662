//===- WgmmaMath.cpp - what products of warpgroups compute ----------------===//
///
/// \file
/// Matrix descriptors and layouts (PTX ISA 9.7.15.5.1), and the product itself:
/// exact products, summed in f32 in the order of K. Hardware sums in another
/// order and with fewer bits.
///
#include "MatrixNumbers.h"
#include "TensorMap.h"
#include "Wgmma.h"

namespace kfuse::sim {

//===----------------------------------------------------------------------===//
// Descriptors
//===----------------------------------------------------------------------===//

static uint32_t getSwizzle(uint64_t descriptor) {
  static const uint32_t swizzles[] = {0, 3, 2, 1};
  return swizzles[descriptor >> 62];
}

MatrixView::MatrixView(uint64_t descriptor, bool isTransposed)
    : start((descriptor & 0x3FFF) << 4),
      leading((descriptor >> 16 & 0x3FFF) << 4),
      stride((descriptor >> 32 & 0x3FFF) << 4), swizzle(getSwizzle(descriptor)),
      isTransposed(isTransposed) {}

// Pieces of 16 bytes: a swizzled row has 2, 4 or 8 of them, eight rows make an
// atom. Between atoms lie the stride and, along the row, the leading offset.
uint32_t MatrixView::getOffset(uint32_t line, uint32_t piece) const {
  uint32_t row = 1u << swizzle;
  uint32_t offset = start + line % 8 * (row * 16);
  if (!isTransposed)
    offset += line / 8 * stride + (swizzle ? piece * 16 : piece * leading);
  else if (swizzle)
    offset += line / 8 * stride + piece / row * leading + piece % row * 16;
  else
    offset += line / 8 * leading + piece * stride;
  return static_cast<uint32_t>(swizzleAddress(offset, swizzle));
}

const char *checkDescriptor(uint64_t descriptor, bool isTransposed) {
  constexpr uint64_t reserved = 0x3FF1C000C000C000;
  if (descriptor & reserved)
    return "reserved bits of a matrix descriptor are set; in a cluster the "
           "address must be masked with 0x3FFFF before";
  if (descriptor >> 49 & 7)
    return "the simulator knows no base offset in matrix descriptors";
  if (!isTransposed && getSwizzle(descriptor) &&
      (descriptor >> 16 & 0x3FFF) > 1)
    return "the swizzle makes the leading offset of a matrix descriptor void, "
           "expected 0 or 1";
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

static constexpr uint32_t mostRows = 256, mostK = 32;

/// An operand as to[k][row].
template <typename T>
static uint32_t loadOperand(const MatrixView &view, const char *window,
                            uint32_t rows, MatrixType type, T *to) {
  uint32_t width = getMatrixBytes(type), each = 16 / width;
  for (uint32_t line = 0; line < Product::lines(view.isTransposed, rows);
       ++line)
    for (uint32_t i = 0; i < Product::pieces(view.isTransposed, rows); ++i) {
      const char *at = window + view.getOffset(line, i);
      for (uint32_t j = 0; j < each; ++j) {
        uint32_t k = view.isTransposed ? line : i * each + j;
        uint32_t row = view.isTransposed ? i * each + j : line;
        to[k * rows + row] = toNumber<T>(at + j * width, type);
      }
    }
  return 32 / width;
}

/// d[64][n] += a[k][64] * b[k][n]
template <typename T>
[[gnu::always_inline]] inline void
multiplyAdd(const T *__restrict a, const T *__restrict b, T *__restrict d,
            uint32_t n, uint32_t depth) {
  for (uint32_t row = 0; row < 64; ++row)
    for (uint32_t k = 0; k < depth; k += 4) {
      const T *bk = b + k * n;
      T a0 = a[k * 64 + row], a1 = a[(k + 1) * 64 + row],
        a2 = a[(k + 2) * 64 + row], a3 = a[(k + 3) * 64 + row];
      for (uint32_t i = 0; i < n; ++i)
        d[row * n + i] = d[row * n + i] + a0 * bk[i] + a1 * bk[n + i] +
                         a2 * bk[2 * n + i] + a3 * bk[3 * n + i];
    }
}

#define KFUSE_CLONES                                                           \
  __attribute__((target_clones("default", "avx2", "avx512f")))
KFUSE_CLONES void multiplyFloats(const float *a, const float *b, float *d,
                                 uint32_t n, uint32_t depth) {
  multiplyAdd(a, b, d, n, depth);
}
/// Signed numbers as well: sums wrap.
KFUSE_CLONES void multiplyIntegers(const uint32_t *a, const uint32_t *b,
                                   uint32_t *d, uint32_t n, uint32_t depth) {
  multiplyAdd(a, b, d, n, depth);
}

template <typename T, typename Multiply>
static void multiplyAs(const Product &product, const char *window, T *d,
                       Multiply multiply) {
  static thread_local T a[64 * mostK], b[mostRows * mostK];
  ProductKind kind = product.kind;
  uint32_t depth = loadOperand(MatrixView(product.a, kind.isATransposed),
                               window, 64, kind.a(), a);
  loadOperand(MatrixView(product.b, kind.isBTransposed), window, kind.n,
              kind.b(), b);
  if (kind.negatesA != kind.negatesB)
    for (uint32_t i = 0; i < depth * 64; ++i)
      a[i] = -a[i];
  if (!kind.accumulates)
    std::fill_n(d, 64 * kind.n, T(0));
  multiply(a, b, d, kind.n, depth);
}

void multiply(const Product &product, const char *window, uint32_t *d) {
  if (product.kind.d() == MatrixType::S32)
    return multiplyAs<uint32_t>(product, window, d, multiplyIntegers);
  auto *floats = reinterpret_cast<float *>(d);
  multiplyAs<float>(product, window, floats, multiplyFloats);
  if (product.kind.d() == MatrixType::F16)
    for (uint32_t i = 0; i < 64 * product.kind.n; ++i)
      floats[i] = fromHalf(toHalf(floats[i]));
}

} // namespace kfuse::sim
