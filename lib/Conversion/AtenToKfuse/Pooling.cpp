//===- Pooling.cpp - averages and maxima of windows -----------------------===//
/// A small window is unrolled: one strided part of the padded tensor for each
/// of its positions. Windows that tile the tensor are reductions.

#include "Reductions.h"

using namespace mlir;
using namespace mlir::kfuse;

namespace {

/// Positions of a window up to which it is unrolled.
constexpr int64_t kMaxUnrolled = 64;

/// The windows along one dimension.
struct Window {
  int64_t kernel = 1, stride = 1, padding = 0, dilation = 1;
};

class Pool {
public:
  /// The last `rank` dimensions are pooled.
  Pool(OpContext &c, int64_t rank) : c(c), b(c.b), rank(rank) {
    x = c.tensor("self");
    lead = x.getRank() - rank;
    if (lead < 1 || !isFloat(x.dtype))
      (void)c.fail("expected floats with a channel dimension");
  }

  /// Reads kernel_size and its kin.
  void readWindows();
  /// Sets windows that tile the tensor with the result's sizes.
  void readOutputSize();

  void buildMax();
  void buildAverage();

private:
  int64_t getPositions() {
    int64_t count = 1;
    for (const Window &window : windows)
      count *= window.kernel;
    return count;
  }
  bool isTiled();
  Tensor reduceTiles(ReduceKind kind);
  Tensor padInput(Scalar fill);
  /// Combines the values at all positions of the windows.
  Tensor unroll(Scalar fill,
                llvm::function_ref<Tensor(const Tensor &, const Tensor &)> fn);
  Tensor countElements(const Tensor &like, bool includesPadding);

  OpContext &c;
  BodyBuilder &b;
  int64_t rank, lead = 0;
  Tensor x;
  SmallVector<Window> windows;
  bool isCeil = false, isGlobal = false;
};
} // namespace

/// One number for each dimension; a single one counts for all.
static void readEach(OpContext &c, StringRef name,
                     MutableArrayRef<Window> windows, int64_t Window::*field) {
  SmallVector<int64_t> values = c.integers(name);
  if (values.empty())
    return;
  for (auto [i, window] : llvm::enumerate(windows))
    window.*field = values[std::min(i, values.size() - 1)];
}

void Pool::readWindows() {
  windows.resize(rank);
  readEach(c, "kernel_size", windows, &Window::kernel);
  for (Window &window : windows)
    window.stride = window.kernel;
  readEach(c, "stride", windows, &Window::stride);
  readEach(c, "padding", windows, &Window::padding);
  readEach(c, "dilation", windows, &Window::dilation);
  isCeil = c.flag("ceil_mode", false);
  for (const Window &window : windows)
    if (window.kernel < 1 || window.stride < 1 || window.dilation < 1)
      (void)c.fail("expected windows of at least one element");
}

void Pool::readOutputSize() {
  c.ignore({"output_size"});
  Sizes sizes = c.resultSizes();
  if (c.failed() || static_cast<int64_t>(sizes.size()) != x.getRank())
    return (void)c.fail("expected a result of the operand's rank");
  isGlobal = llvm::all_of(llvm::drop_begin(sizes, lead),
                          [](ExprAttr size) { return size.isConstant(1); });
  if (isGlobal)
    return;
  for (int64_t dim = lead; dim < x.getRank(); ++dim) {
    std::optional<int64_t> from = x.sizes[dim].getConstant(),
                           to = sizes[dim].getConstant();
    if (!from || !to || *to < 1 || *from % *to)
      return (void)c.fail("pooling windows of different sizes have no kernel");
    windows.push_back({*from / *to, *from / *to, 0, 1});
  }
}

/// Does each element belong to exactly one window?
bool Pool::isTiled() {
  Sizes sizes = c.resultSizes();
  for (auto [i, window] : llvm::enumerate(windows))
    if (window.stride != window.kernel || window.padding ||
        window.dilation != 1 ||
        ExprAttr::mul(sizes[lead + i], b.expr(window.kernel)) !=
            x.sizes[lead + i])
      return false;
  return true;
}

Tensor Pool::reduceTiles(ReduceKind kind) {
  Sizes sizes = c.resultSizes(), split(x.sizes.begin(), x.sizes.begin() + lead);
  auto order = llvm::to_vector(llvm::seq<int64_t>(0, lead));
  SmallVector<int64_t> inner, dims;
  for (auto [i, window] : llvm::enumerate(windows)) {
    order.push_back(split.size());
    inner.push_back(split.size() + 1);
    dims.push_back(lead + rank + i);
    split.append({sizes[lead + i], b.expr(window.kernel)});
  }
  order.append(inner);
  Tensor tiles = b.permute(b.reshape(b.toOpMath(x), split), order);
  return b.reduce(kind, tiles, dims);
}

Tensor Pool::padInput(Scalar fill) {
  Sizes sizes = c.resultSizes(), low(x.getRank(), b.expr(0)), padded = x.sizes;
  bool isPadded = false;
  for (auto [i, window] : llvm::enumerate(windows)) {
    ExprAttr &size = padded[lead + i];
    low[lead + i] = b.expr(window.padding);
    size = ExprAttr::add(size, b.expr(2 * window.padding));
    if (isCeil) {
      // The last window may lie beyond the padding.
      std::optional<int64_t> known = size.getConstant(),
                             count = sizes[lead + i].getConstant();
      if (!known || !count) {
        (void)c.fail("rounding up a symbolic size has no kernel");
        return x;
      }
      size = b.expr(std::max(*known, (*count - 1) * window.stride +
                                         (window.kernel - 1) * window.dilation +
                                         1));
    }
    isPadded |= size != x.sizes[lead + i];
  }
  Tensor wide = b.toOpMath(x);
  return isPadded ? b.pad(wide, fill, low, padded) : wide;
}

Tensor
Pool::unroll(Scalar fill,
             llvm::function_ref<Tensor(const Tensor &, const Tensor &)> fn) {
  Tensor padded = padInput(fill);
  Sizes sizes = c.resultSizes();
  if (c.failed())
    return padded;
  SmallVector<int64_t> steps(x.getRank(), 1), position(rank, 0);
  for (auto [i, window] : llvm::enumerate(windows))
    steps[lead + i] = window.stride;
  std::optional<Tensor> result;
  for (int64_t n = 0, e = getPositions(); n < e; ++n) {
    Sizes starts(x.getRank(), b.expr(0));
    for (auto [i, window] : llvm::enumerate(windows))
      starts[lead + i] = b.expr(position[i] * window.dilation);
    Tensor part = b.slice(padded, starts, steps, sizes);
    result = result ? fn(*result, part) : part;
    // The last dimension first, as ATen's kernels go.
    for (int64_t i = rank - 1; i >= 0; --i) {
      if (++position[i] < windows[i].kernel)
        break;
      position[i] = 0;
    }
  }
  return *result;
}

/// Elements of each window, those of the padding included or not.
Tensor Pool::countElements(const Tensor &like, bool includesPadding) {
  std::optional<Tensor> count;
  for (auto [i, window] : llvm::enumerate(windows)) {
    int64_t dim = lead + i;
    ExprAttr end = ExprAttr::add(x.sizes[dim], b.expr(window.padding));
    Tensor at = b.iota(dim, like.sizes);
    Tensor first = b.sub(b.mul(at, b.constant(at, double(window.stride))),
                         b.constant(at, double(window.padding)));
    Tensor last = b.add(first, b.constant(at, double(window.kernel)));
    last = b.minimum(last,
                     b.size(includesPadding ? end : x.sizes[dim], like.sizes));
    if (!includesPadding)
      first = b.maximum(first, b.constant(at, 0.0));
    Tensor length = b.sub(last, first);
    count = count ? b.mul(*count, length) : length;
  }
  return b.cast(*count, like.dtype);
}

void Pool::buildMax() {
  Scalar lowest = Scalar::of(-std::numeric_limits<double>::infinity());
  Tensor result = x;
  if (isGlobal) {
    auto dims = llvm::to_vector(llvm::seq<int64_t>(lead, x.getRank()));
    result = b.reduce(ReduceKind::Max, b.toOpMath(x), dims);
  } else if (getPositions() <= kMaxUnrolled) {
    result = unroll(lowest, [&](const Tensor &lhs, const Tensor &rhs) {
      return b.maximum(lhs, rhs);
    });
  } else if (isTiled()) {
    result = reduceTiles(ReduceKind::Max);
  } else {
    return (void)c.fail("pooling windows of this size have no kernel");
  }
  c.yield(b.reshape(b.roundTo(result, x.dtype), c.resultSizes()));
  if (c.getNumResults() < 2)
    return;
  // Most programs ask for the positions only to leave them unread.
  if (!c.op.getResult(1).use_empty())
    return (void)c.fail("positions in pooling windows have no kernel");
  c.yield(b.full(0.0, DType::I64, c.resultSizes(1)));
}

void Pool::buildAverage() {
  bool includesPadding = c.flag("count_include_pad", true);
  int64_t divisor = c.integer("divisor_override", 0);
  Tensor sum = x;
  if (c.failed())
    return;
  if (isGlobal) {
    auto dims = llvm::to_vector(llvm::seq<int64_t>(lead, x.getRank()));
    sum = mean(b, b.toOpMath(x), dims);
    return c.yield(b.reshape(b.roundTo(sum, x.dtype), c.resultSizes()));
  }
  if (getPositions() <= kMaxUnrolled) {
    sum = unroll(Scalar::of(0.0), [&](const Tensor &lhs, const Tensor &rhs) {
      return b.add(lhs, rhs);
    });
  } else if (isTiled()) {
    sum = reduceTiles(ReduceKind::Sum);
  } else {
    return (void)c.fail("pooling windows of this size have no kernel");
  }
  if (c.failed())
    return;
  bool isPadded =
      llvm::any_of(windows, [](const Window &w) { return w.padding > 0; });
  bool varies = !divisor && (isCeil || (isPadded && !includesPadding));
  Tensor count =
      varies ? countElements(sum, includesPadding)
             : b.constant(sum, double(divisor ? divisor : getPositions()));
  c.yield(b.roundTo(b.div(sum, count), x.dtype));
}

void kfuse::registerPooling(Registry &registry) {
  for (int64_t rank = 1; rank <= 3; ++rank) {
    std::string suffix = std::to_string(rank) + "d";
    auto average = [rank](OpContext &c) {
      Pool pool(c, rank);
      pool.readWindows();
      pool.buildAverage();
    };
    auto maximum = [rank](OpContext &c) {
      Pool pool(c, rank);
      pool.readWindows();
      if (!c.failed())
        pool.buildMax();
    };
    registry.add("avg_pool" + suffix, average);
    registry.add("max_pool" + suffix, maximum);
    registry.add("max_pool" + suffix + "_with_indices", maximum);
    auto adaptiveAverage = [rank](OpContext &c) {
      Pool pool(c, rank);
      pool.readOutputSize();
      pool.buildAverage();
    };
    registry.add("adaptive_avg_pool" + suffix, adaptiveAverage);
    if (rank > 1)
      registry.add("_adaptive_avg_pool" + suffix, adaptiveAverage);
    registry.add("adaptive_max_pool" + suffix, [rank](OpContext &c) {
      Pool pool(c, rank);
      pool.readOutputSize();
      if (!c.failed())
        pool.buildMax();
    });
  }
}
