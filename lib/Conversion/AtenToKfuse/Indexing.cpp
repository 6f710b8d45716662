//===- Indexing.cpp - reads through an index tensor -----------------------===//

#include "Registry.h"

using namespace mlir;
using namespace mlir::kfuse;

namespace {

bool isIndexType(DType dtype) {
  return dtype == DType::I64 || dtype == DType::I32;
}

/// Replaces dimension `dim` of `source` by the dimensions of `indices`.
void buildTake(OpContext &c, const Tensor &source, Tensor indices,
               int64_t dim) {
  if (c.failed() || source.getRank() == 0)
    return (void)c.fail("expected a source with dimensions");
  if (!isIndexType(indices.dtype))
    return (void)c.fail("expected indices of 32 or 64 bits");
  c.yield(c.b.take(source, indices, dim));
}

void buildEmbedding(OpContext &c) {
  c.ignore({"padding_idx", "scale_grad_by_freq", "sparse"});
  buildTake(c, c.tensor("weight"), c.tensor("indices"), 0);
}

void buildIndexSelect(OpContext &c) {
  Tensor source = c.tensor("self"), index = c.tensor("index");
  if (index.getRank() != 1)
    return (void)c.fail("expected a vector of indices");
  buildTake(c, source, index, c.dim("dim", source.getRank()));
}

/// The positions that `index` names in a dimension of `size` elements, from
/// the start, and where there are none.
struct Positions {
  Tensor value, isBad;

  Positions(BodyBuilder &b, Tensor index, ExprAttr size) {
    using C = BodyBuilder::Compare;
    index = b.cast(index, DType::I64);
    Tensor count = b.size(size, index.sizes);
    Tensor isNegative = b.compare(C::Lt, index, 0.0);
    value = b.select(isNegative, b.add(index, count), index);
    isBad =
        b.bitOr(b.compare(C::Lt, value, 0.0), b.compare(C::Ge, value, count));
  }
};

/// NumPy broadcasting of several shapes.
Sizes broadcastSizes(OpContext &c, ArrayRef<Tensor> tensors) {
  Sizes sizes;
  for (const Tensor &tensor : tensors) {
    if (tensor.sizes.size() > sizes.size())
      sizes.insert(sizes.begin(), tensor.sizes.size() - sizes.size(),
                   c.b.expr(1));
    size_t added = sizes.size() - tensor.sizes.size();
    for (auto [i, size] : llvm::enumerate(tensor.sizes))
      if (sizes[added + i].isConstant(1))
        sizes[added + i] = size;
  }
  return sizes;
}

/// One position in the merged dimensions for each combination of `indices`;
/// past the end where one of them is out of range, so that the read fails.
Tensor combinePositions(OpContext &c, ArrayRef<Tensor> indices,
                        ArrayRef<ExprAttr> extents) {
  BodyBuilder &b = c.b;
  Sizes sizes = broadcastSizes(c, indices);
  Tensor linear = b.full(0.0, DType::I64, sizes),
         isBad = b.full(0.0, DType::Bool, sizes);
  for (auto [index, extent] : llvm::zip_equal(indices, extents)) {
    Positions at(b, b.broadcast(index, sizes), extent);
    linear = b.add(b.mul(linear, b.size(extent, sizes)), at.value);
    isBad = b.bitOr(isBad, at.isBad);
  }
  ExprAttr total = ExprAttr::product(b.context(), extents);
  return b.select(isBad, b.size(total, sizes), linear);
}

/// Several index tensors: what they index becomes one dimension, in front
/// unless the indexed dimensions follow one another.
void buildMultiIndex(OpContext &c, Tensor source, ArrayRef<Tensor> indices,
                     ArrayRef<int64_t> dims) {
  int64_t count = dims.size(), first = dims.front();
  Sizes extents;
  for (int64_t dim : dims)
    extents.push_back(source.sizes[dim]);
  if (dims.back() - first != count - 1) {
    SmallVector<int64_t> order(dims);
    for (int64_t dim = 0; dim < source.getRank(); ++dim)
      if (!llvm::is_contained(dims, dim))
        order.push_back(dim);
    source = c.b.permute(source, order);
    first = 0;
  }
  Sizes merged(source.sizes.begin(), source.sizes.begin() + first);
  merged.push_back(ExprAttr::product(c.b.context(), extents));
  merged.append(source.sizes.begin() + first + count, source.sizes.end());
  buildTake(c, c.b.reshape(source, merged),
            combinePositions(c, indices, extents), first);
}

/// Index tensors among full slices.
void buildIndex(OpContext &c) {
  Tensor source = c.tensor("self");
  SmallVector<Tensor> indices;
  SmallVector<int64_t> dims;
  for (auto [dim, element] : llvm::enumerate(c.optionalTensors("indices"))) {
    if (!element)
      continue;
    if (element->dtype == DType::Bool || element->dtype == DType::U8)
      return (void)c.fail("the size of the result depends on a mask");
    if (!isIndexType(element->dtype))
      return (void)c.fail("expected indices of 32 or 64 bits");
    indices.push_back(*element);
    dims.push_back(dim);
  }
  if (indices.empty() || c.failed() || dims.back() >= source.getRank())
    return (void)c.fail("expected an index tensor");
  if (indices.size() == 1)
    return buildTake(c, source, indices[0], dims[0]);
  buildMultiIndex(c, source, indices, dims);
}

void buildGather(OpContext &c, StringRef indexName) {
  c.ignore({"sparse_grad"});
  Tensor source = c.tensor("self"), index = c.tensor(indexName);
  int64_t dim = c.dim("dim", source.getRank());
  if (c.failed() || source.getRank() == 0 ||
      source.getRank() != index.getRank() || !isIndexType(index.dtype))
    return (void)c.fail("expected 64-bit indices of the source's rank");
  Value result = GatherOp::create(c.b.builder(), c.b.location(),
                                  c.b.type(source.dtype, index.sizes),
                                  source.value, index.value, dim);
  c.yield({result, source.dtype, index.sizes});
}
} // namespace

void kfuse::registerIndexing(Registry &registry) {
  registry.add("embedding", buildEmbedding);
  registry.add("index_select", buildIndexSelect);
  registry.add("index", buildIndex);
  registry.add("gather", [](OpContext &c) { buildGather(c, "index"); });
}
