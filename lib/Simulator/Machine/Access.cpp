//===- Access.cpp - loads and stores --------------------------------------===//
///
/// \file
/// What each access to memory is checked for.
///
#include "Machine.h"
#include "Operations.h"

namespace kfuse::sim {

namespace {
/// One access on its way.
class Check {
public:
  Check(Machine &machine, void *address, uint32_t mode, SiteId id)
      : machine(machine), site(machine.getSite(id)), id(id), mode(mode),
        at(static_cast<char *>(address)) {}

  void *run();

private:
  void *checkShared(Block &block);
  void *checkGlobal();
  void *checkGranule(const Region &region);
  bool isInStack() const;
  /// Bounds within a shadow; `first` is the offset of its first byte there.
  void follow(Shadow &shadow, uint64_t first, uint64_t bytes, uint64_t address,
              int32_t argument);
  void reportAt(KfuseSimKind kind, std::string message, uint64_t address,
                int32_t argument);
  bool isAtomic() const { return mode >= AtomicMode; }
  bool isWrite() const { return mode != ReadMode && mode != AtomicReadMode; }
  bool isRead() const { return mode != WriteMode && mode != AtomicWriteMode; }
  const char *verb() const {
    return mode == AtomicMode ? "updates" : isWrite() ? "writes" : "reads";
  }

  Machine &machine;
  const Site &site;
  SiteId id;
  uint32_t mode;
  char *at;
};
} // namespace

void Check::reportAt(KfuseSimKind kind, std::string message, uint64_t address,
                     int32_t argument) {
  Finding finding;
  finding.kind = kind;
  finding.site = id;
  finding.message = std::move(message);
  finding.thread = machine.nameOf(machine.self());
  finding.address = address;
  finding.argument = argument;
  finding.bytes = static_cast<int32_t>(site.bytes);
  machine.report(std::move(finding));
}

void Check::follow(Shadow &shadow, uint64_t first, uint64_t bytes,
                   uint64_t address, int32_t argument) {
  if (isRead() && shadow.findUnwritten(first, bytes) >= 0)
    reportAt(KFUSE_SIM_UNINITIALIZED, "reads memory that nobody wrote",
             address + shadow.findUnwritten(first, bytes) - first, argument);
  Access access = machine.makeAccess(id, isAtomic());
  Conflict conflict = isWrite() ? shadow.write(first, bytes, access)
                                : shadow.read(first, bytes, access);
  if (!conflict.exists)
    return;
  Finding finding;
  finding.kind = KFUSE_SIM_RACE;
  finding.site = id;
  finding.otherSite = conflict.site;
  finding.message = std::string(verb()) + " what another thread " +
                    (conflict.isWrite ? "writes" : "reads") +
                    ", with nothing that orders the two";
  finding.thread = machine.nameOf(machine.self());
  finding.otherThread = machine.nameOf(conflict.agent);
  finding.address = address + conflict.offset - first;
  finding.argument = argument;
  finding.bytes = static_cast<int32_t>(site.bytes);
  machine.report(std::move(finding));
}

void *Check::checkShared(Block &block) {
  uint64_t offset = at - block.shared;
  uint64_t low = 0, high = block.sharedBytes;
  // The variable that the address was made of, when that is known.
  if (site.object < 0 && site.object != Site::noObject) {
    const SharedVariable &variable =
        machine.getKernel().shared[-1 - site.object];
    low = variable.offset;
    high = variable.bytes ? low + variable.bytes : high;
  }
  if (at < block.shared || offset < low || offset + site.bytes > high) {
    reportAt(KFUSE_SIM_OUT_OF_BOUNDS,
             std::string(verb()) + " " + std::to_string(site.bytes) +
                 " bytes outside of shared memory, expected bytes " +
                 std::to_string(low) + " to " + std::to_string(high),
             offset, -1);
    return machine.getTrash();
  }
  if (machine.hasShadows())
    follow(block.shadow, offset, site.bytes, offset, -1);
  return at;
}

/// A granule may reach beyond the tensor as long as it holds one element.
void *Check::checkGranule(const Region &region) {
  uint64_t first = at < region.begin ? region.begin - at : 0;
  bool holds = false;
  for (uint64_t i = first; i < site.bytes && !holds; ++i)
    holds =
        region.contains(at + i, 1) && region.isElement(at + i - region.begin);
  if (!holds) {
    reportAt(KFUSE_SIM_OUT_OF_BOUNDS,
             "reads a granule of " + std::to_string(site.bytes) +
                 " bytes that holds no element",
             at - region.begin, region.argument);
    return machine.getTrash();
  }
  Shadow *shadow = machine.getMemory().getShadow(region);
  for (uint64_t i = first; shadow && i < site.bytes; ++i) {
    uint64_t offset = at + i - region.begin;
    if (region.contains(at + i, 1) && region.isElement(offset))
      follow(*shadow, region.shadowOffset + offset, 1, offset, region.argument);
  }
  return at;
}

bool Check::isInStack() const {
  const char *top = machine.self().stack;
  return at < top && at >= top - StackPool::stackBytes;
}

void *Check::checkGlobal() {
  Memory &memory = machine.getMemory();
  const Region *region = memory.find(site.object, at, site.bytes);
  if (!region) {
    if (site.space != Space::Global && isInStack())
      return at;
    reportAt(KFUSE_SIM_OUT_OF_BOUNDS,
             std::string(verb()) + " " + std::to_string(site.bytes) +
                 " bytes of no tensor of the launch",
             reinterpret_cast<uint64_t>(at), -2);
    return machine.getTrash();
  }
  if (site.isGranule && mode == ReadMode)
    return checkGranule(*region);
  uint64_t offset = at - region->begin;
  if (!region->contains(at, site.bytes)) {
    reportAt(KFUSE_SIM_OUT_OF_BOUNDS,
             std::string(verb()) + " " + std::to_string(site.bytes) +
                 " bytes outside of a tensor of " +
                 std::to_string(region->bytes) + " bytes",
             offset, region->argument);
    return machine.getTrash();
  }
  for (uint64_t i = 0; i < site.bytes; ++i)
    if (!region->isElement(offset + i)) {
      reportAt(KFUSE_SIM_OUT_OF_BOUNDS,
               std::string(verb()) + " memory between the elements of a tensor",
               offset + i, region->argument);
      return machine.getTrash();
    }
  if (isWrite() && region->access == KFUSE_ACCESS_READ) {
    reportAt(KFUSE_SIM_OUT_OF_BOUNDS,
             std::string(verb()) + " a tensor that the launch only reads",
             offset, region->argument);
    return machine.getTrash();
  }
  if (Shadow *shadow = memory.getShadow(*region))
    follow(*shadow, region->shadowOffset + offset, site.bytes, offset,
           region->argument);
  return at;
}

void *Check::run() {
  if (reinterpret_cast<uintptr_t>(at) % site.alignment)
    reportAt(KFUSE_SIM_MISALIGNED,
             std::string(verb()) + " " + std::to_string(site.bytes) +
                 " bytes at an address that is no multiple of " +
                 std::to_string(site.alignment),
             reinterpret_cast<uint64_t>(at), -2);
  bool isWindow = machine.isShared(at);
  if (site.space == Space::Shared ||
      (isWindow && site.space == Space::Generic)) {
    if (Block *block = machine.findBlock(at))
      return checkShared(*block);
    reportAt(KFUSE_SIM_OUT_OF_BOUNDS,
             std::string(verb()) + " shared memory of no block of the cluster",
             reinterpret_cast<uint64_t>(at), -1);
    return machine.getTrash();
  }
  return checkGlobal();
}

extern "C" void *kfuse_sim_access(void *address, uint32_t mode, uint32_t site) {
  Machine &machine = Machine::get();
  if (machine.getSite(site).isVolatile)
    machine.yield();
  return Check(machine, address, mode, site).run();
}

} // namespace kfuse::sim
