//===- Access.cpp - loads and stores --------------------------------------===//
///
/// \file
/// What each access to memory is checked for.
///
#include "Access.h"

namespace kfuse::sim {

namespace {
/// One access on its way.
class Check {
public:
  Check(Machine &machine, const Thread &thread, const Touch &touch)
      : machine(machine), thread(thread), touch(touch), at(touch.at) {}

  void *run();
  /// Bounds within a shadow; `first` is the offset of its first byte there.
  void follow(Shadow &shadow, uint64_t first, uint64_t bytes, uint64_t address,
              int32_t argument);

private:
  void *checkShared(Block &block);
  void *checkGlobal();
  void *checkGranule(const Region &region);
  bool isInStack() const;
  void checkProxy(Shadow &shadow, uint64_t first, uint64_t bytes,
                  uint64_t address, int32_t argument);
  Finding makeFinding(KfuseSimKind kind, std::string message, uint64_t address,
                      int32_t argument) const;
  void reportAt(KfuseSimKind kind, std::string message, uint64_t address,
                int32_t argument);
  Access getAccess() const {
    return touch.agent ? *touch.agent
                       : machine.makeAccess(thread, touch.site, isAtomic());
  }
  bool isAtomic() const { return touch.mode >= AtomicMode; }
  bool isWrite() const {
    return touch.mode != ReadMode && touch.mode != AtomicReadMode;
  }
  bool isRead() const {
    return touch.mode != WriteMode && touch.mode != AtomicWriteMode;
  }
  std::string verb() const {
    return std::string(touch.agent ? "asynchronously " : "") +
           (touch.mode == AtomicMode ? "updates"
            : isWrite()              ? "writes"
                                     : "reads");
  }

  Machine &machine;
  const Thread &thread;
  const Touch &touch;
  char *at;
};
} // namespace

Finding Check::makeFinding(KfuseSimKind kind, std::string message,
                           uint64_t address, int32_t argument) const {
  Finding finding;
  finding.kind = kind;
  finding.site = touch.site;
  finding.message = std::move(message);
  finding.thread = machine.nameOf(thread);
  finding.address = address;
  finding.argument = argument;
  finding.bytes = static_cast<int32_t>(touch.bytes);
  return finding;
}

void Check::reportAt(KfuseSimKind kind, std::string message, uint64_t address,
                     int32_t argument) {
  machine.report(makeFinding(kind, std::move(message), address, argument));
}

/// Ordinary writes reach the async proxy through a fence only (PTX ISA
/// 9.7.13.4, fence.proxy).
void Check::checkProxy(Shadow &shadow, uint64_t first, uint64_t bytes,
                       uint64_t address, int32_t argument) {
  Conflict write = shadow.findUnfenced(first, bytes, *touch.agent);
  if (!write.exists)
    return;
  Finding finding = makeFinding(
      KFUSE_SIM_ASYNC,
      verb() + " through the async proxy what was written by an ordinary "
               "store, with no fence.proxy.async after the store",
      address + write.offset - first, argument);
  finding.otherSite = write.site;
  finding.otherThread = machine.nameOf(write.agent);
  machine.report(std::move(finding));
}

void Check::follow(Shadow &shadow, uint64_t first, uint64_t bytes,
                   uint64_t address, int32_t argument) {
  int64_t unwritten = isRead() ? shadow.findUnwritten(first, bytes) : -1;
  if (unwritten >= 0)
    reportAt(KFUSE_SIM_UNINITIALIZED, verb() + " memory that nobody wrote",
             address + unwritten - first, argument);
  Access access = getAccess();
  if (access.isProxy)
    checkProxy(shadow, first, bytes, address, argument);
  Conflict conflict = isWrite() ? shadow.write(first, bytes, access)
                                : shadow.read(first, bytes, access);
  if (!conflict.exists)
    return;
  Finding finding = makeFinding(KFUSE_SIM_RACE,
                                verb() + " what " +
                                    (machine.isThread(conflict.agent)
                                         ? "another thread "
                                         : "asynchronous work ") +
                                    (conflict.isWrite ? "writes" : "reads") +
                                    ", with nothing that orders the two",
                                address + conflict.offset - first, argument);
  finding.otherSite = conflict.site;
  finding.otherThread = machine.nameOf(conflict.agent);
  machine.report(std::move(finding));
}

void *Check::checkShared(Block &block) {
  uint64_t offset = at - block.shared;
  uint64_t low = 0, high = block.sharedBytes;
  // The variable that the address was made of, when that is known.
  if (touch.object < 0 && touch.object != Site::noObject) {
    const SharedVariable &variable =
        machine.getKernel().shared[-1 - touch.object];
    low = variable.offset;
    high = variable.bytes ? low + variable.bytes : high;
  }
  if (at < block.shared || offset < low || offset + touch.bytes > high) {
    reportAt(KFUSE_SIM_OUT_OF_BOUNDS,
             verb() + " " + std::to_string(touch.bytes) +
                 " bytes outside of shared memory, expected bytes " +
                 std::to_string(low) + " to " + std::to_string(high),
             offset, -1);
    return machine.getTrash();
  }
  if (machine.hasShadows()) {
    follow(block.shadow, offset, touch.bytes, offset, -1);
    if (&block != thread.block)
      machine.noteRemote(block, getAccess());
  }
  return at;
}

/// A granule may reach beyond the tensor as long as it holds one element.
void *Check::checkGranule(const Region &region) {
  uint64_t first = at < region.begin ? region.begin - at : 0;
  bool holds = false;
  for (uint64_t i = first; i < touch.bytes && !holds; ++i)
    holds =
        region.contains(at + i, 1) && region.isElement(at + i - region.begin);
  if (!holds) {
    reportAt(KFUSE_SIM_OUT_OF_BOUNDS,
             "reads a granule of " + std::to_string(touch.bytes) +
                 " bytes that holds no element",
             at - region.begin, region.argument);
    return machine.getTrash();
  }
  Shadow *shadow = machine.getMemory().getShadow(region);
  for (uint64_t i = first; shadow && i < touch.bytes; ++i) {
    uint64_t offset = at + i - region.begin;
    if (region.contains(at + i, 1) && region.isElement(offset))
      follow(*shadow, region.shadowOffset + offset, 1, offset, region.argument);
  }
  return at;
}

bool Check::isInStack() const {
  const char *top = thread.stack;
  return at < top && at >= top - StackPool::stackBytes;
}

void *Check::checkGlobal() {
  Memory &memory = machine.getMemory();
  const Region *region = memory.find(touch.object, at, touch.bytes);
  if (!region) {
    if (touch.space != Space::Global && isInStack())
      return at;
    reportAt(KFUSE_SIM_OUT_OF_BOUNDS,
             verb() + " " + std::to_string(touch.bytes) +
                 " bytes of no tensor of the launch",
             reinterpret_cast<uint64_t>(at), -2);
    return machine.getTrash();
  }
  if (touch.isGranule && touch.mode == ReadMode)
    return checkGranule(*region);
  uint64_t offset = at - region->begin;
  if (!region->contains(at, touch.bytes)) {
    reportAt(KFUSE_SIM_OUT_OF_BOUNDS,
             verb() + " " + std::to_string(touch.bytes) +
                 " bytes outside of a tensor of " +
                 std::to_string(region->bytes) + " bytes",
             offset, region->argument);
    return machine.getTrash();
  }
  uint64_t checked = region->elements.empty() ? 0 : touch.bytes;
  for (uint64_t i = 0; i < checked; ++i)
    if (!region->isElement(offset + i)) {
      reportAt(KFUSE_SIM_OUT_OF_BOUNDS,
               verb() + " memory between the elements of a tensor", offset + i,
               region->argument);
      return machine.getTrash();
    }
  if (isWrite() && region->access == KFUSE_ACCESS_READ) {
    reportAt(KFUSE_SIM_OUT_OF_BOUNDS,
             verb() + " a tensor that the launch only reads", offset,
             region->argument);
    return machine.getTrash();
  }
  if (Shadow *shadow = memory.getShadow(*region))
    follow(*shadow, region->shadowOffset + offset, touch.bytes, offset,
           region->argument);
  return at;
}

void *Check::run() {
  if (reinterpret_cast<uintptr_t>(at) % touch.alignment)
    reportAt(KFUSE_SIM_MISALIGNED,
             verb() + " " + std::to_string(touch.bytes) +
                 " bytes at an address that is no multiple of " +
                 std::to_string(touch.alignment),
             reinterpret_cast<uint64_t>(at), -2);
  bool isWindow = machine.isShared(at);
  if (touch.space == Space::Shared ||
      (isWindow && touch.space == Space::Generic)) {
    if (Block *block = machine.findBlock(at))
      return checkShared(*block);
    reportAt(KFUSE_SIM_OUT_OF_BOUNDS,
             verb() + " shared memory of no block of the cluster",
             reinterpret_cast<uint64_t>(at), -1);
    return machine.getTrash();
  }
  return checkGlobal();
}

void *checkAccess(Machine &machine, const Thread &thread, const Touch &touch) {
  return Check(machine, thread, touch).run();
}

void follow(Machine &machine, const Thread &thread, Shadow &shadow,
            uint64_t first, const Touch &touch, uint64_t address,
            int32_t argument) {
  Check(machine, thread, touch)
      .follow(shadow, first, touch.bytes, address, argument);
}

extern "C" void *kfuse_sim_access(void *address, uint32_t mode, uint32_t id) {
  Machine &machine = Machine::get();
  const Site &site = machine.getSite(id);
  machine.countAccess(id);
  if (site.isVolatile)
    machine.yield(id);
  if (mode == WriteMode || mode == AtomicWriteMode)
    machine.noteProgress();
  Touch touch;
  touch.at = static_cast<char *>(address);
  touch.bytes = site.bytes;
  touch.alignment = site.alignment;
  touch.mode = mode;
  touch.site = id;
  touch.space = site.space;
  touch.object = site.object;
  touch.isGranule = site.isGranule;
  return checkAccess(machine, machine.self(), touch);
}

} // namespace kfuse::sim
