//===- Memory.h - the memory that a launch may touch -----------*- C++ -*-===//
///
/// \file
/// The tensors behind a launch's pointers: their bounds, which of their bytes
/// are elements, and what happened to each byte.
///
#ifndef KFUSE_LIB_SIMULATOR_MACHINE_MEMORY_H
#define KFUSE_LIB_SIMULATOR_MACHINE_MEMORY_H

#include "Findings.h"
#include "Shadow.h"
#include "kfuse/Runtime/Device.h"

namespace kfuse::sim {

/// Memory that one pointer stands for: a tensor, or a whole allocation when the
/// launch does not say more.
struct Region {
  char *begin = nullptr;
  uint64_t bytes = 0;
  int32_t argument = -1;
  KfuseAccess access = KFUSE_ACCESS_READ_WRITE;
  /// One bit for each byte; empty: all are elements.
  std::vector<bool> elements;
  /// Index in the shadows; -1: nobody writes here.
  int32_t shadow = -1;
  uint64_t shadowOffset = 0;

  bool contains(const char *at, uint64_t size) const {
    return at >= begin && static_cast<uint64_t>(at - begin) + size <= bytes;
  }
  bool isElement(uint64_t offset) const {
    return elements.empty() || elements[offset];
  }
};

class Memory {
public:
  /// Takes the tensors of a launch; `isFast`: without shadows. Memory that is
  /// to be written is poisoned. False when there is no memory for shadows.
  bool begin(const std::vector<Region> &regions, bool isFast);
  /// Reports elements that were to be written and were not.
  void finish(Findings &findings) const;

  /// The region of parameter `argument`, or the one that holds the address.
  const Region *find(int32_t argument, const char *at, uint64_t bytes) const;
  Shadow *getShadow(const Region &region);

  /// The region of a tensor at a pointer.
  static Region makeRegion(const KfuseLaunchTensor &tensor, int32_t argument);

private:
  bool assignShadows();
  void poison();

  std::vector<Region> regions;
  std::vector<Shadow> shadows;
};

} // namespace kfuse::sim

#endif // KFUSE_LIB_SIMULATOR_MACHINE_MEMORY_H
