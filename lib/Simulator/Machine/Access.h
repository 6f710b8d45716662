//===- Access.h - what is checked of each access ---------------*- C++ -*-===//
#ifndef KFUSE_LIB_SIMULATOR_MACHINE_ACCESS_H
#define KFUSE_LIB_SIMULATOR_MACHINE_ACCESS_H

#include "Machine.h"
#include "Operations.h"

namespace kfuse::sim {

/// Memory that an operation touches.
struct Touch {
  char *at = nullptr;
  uint32_t bytes = 0;
  uint32_t alignment = 1;
  uint32_t mode = ReadMode; ///< AccessMode
  SiteId site = noSite;
  Space space = Space::Generic;
  int32_t object = Site::noObject;
  bool isGranule = false;
  /// The access of the asynchronous agent that makes it; null: its thread does.
  const Access *agent = nullptr;
};

/// Checks what a thread touches, or has touched for it. Returns where the
/// access may take place.
void *checkAccess(Machine &machine, const Thread &thread, const Touch &touch);

/// Reports what `access` is not ordered after, and what it reads through the
/// async proxy that no fence lets it see. `first` is the offset in the shadow
/// of the byte that reports call `address` of `argument`.
void follow(Machine &machine, const Thread &thread, Shadow &shadow,
            uint64_t first, const Touch &touch, uint64_t address,
            int32_t argument);

} // namespace kfuse::sim

#endif // KFUSE_LIB_SIMULATOR_MACHINE_ACCESS_H
