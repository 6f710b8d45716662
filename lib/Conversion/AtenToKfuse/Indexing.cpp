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
  Sizes sizes(source.sizes.begin(), source.sizes.begin() + dim);
  sizes.append(indices.sizes);
  sizes.append(source.sizes.begin() + dim + 1, source.sizes.end());
  Value result = TakeOp::create(c.b.builder(), c.b.location(),
                                c.b.type(source.dtype, sizes), source.value,
                                indices.value, dim);
  c.yield({result, source.dtype, sizes});
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

/// One index tensor among full slices.
void buildIndex(OpContext &c) {
  Tensor source = c.tensor("self");
  std::optional<Tensor> index;
  int64_t dim = 0;
  for (auto [i, element] : llvm::enumerate(c.optionalTensors("indices"))) {
    if (!element)
      continue;
    if (index)
      return (void)c.fail("more than one index tensor has no kernel");
    index = element;
    dim = i;
  }
  if (!index || c.failed())
    return (void)c.fail("expected an index tensor");
  if (index->dtype == DType::Bool || index->dtype == DType::U8)
    return (void)c.fail("the size of the result depends on a mask");
  buildTake(c, source, *index, dim);
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
