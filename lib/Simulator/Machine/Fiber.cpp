//===- Fiber.cpp - stacks that threads run on -----------------------------===//
#include "Fiber.h"

#include <sys/mman.h>

namespace kfuse::sim {

static constexpr size_t pageBytes = 4096, stacksOfSlab = 64;
static constexpr size_t slotBytes = StackPool::stackBytes + pageBytes;

StackPool::~StackPool() {
  for (char *slab : slabs)
    munmap(slab, slotBytes * stacksOfSlab);
}

char *StackPool::take() {
  if (unused.empty()) {
    void *slab = mmap(nullptr, slotBytes * stacksOfSlab, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (slab == MAP_FAILED)
      return nullptr;
    slabs.push_back(static_cast<char *>(slab));
    for (size_t i = stacksOfSlab; i-- > 0;) {
      char *slot = slabs.back() + i * slotBytes;
      mprotect(slot, pageBytes, PROT_NONE);
      all.push_back(slot + slotBytes);
      unused.push_back(slot + slotBytes);
    }
  }
  char *top = unused.back();
  unused.pop_back();
  return top;
}

} // namespace kfuse::sim
