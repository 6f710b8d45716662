//===- Atomics.cpp - atomics and fences -----------------------------------===//
///
/// \file
/// atom, red, fence and atomic loads and stores (PTX ISA 8 and 9.7.13). An
/// atomic releases what its thread's last fence let out, or all when it is a
/// release itself; what it observes counts from the next fence on, or at once
/// when it is an acquire. All of it reaches as far as the scopes on both sides.
///
#include "Machine.h"
#include "Numbers.h"
#include "Operations.h"

#include <cmath>
#include <cstring>
#include <unordered_map>

namespace kfuse::sim {

namespace {
template <typename T>
T fromBits(uint64_t bits) {
  T value;
  memcpy(&value, &bits, sizeof(T));
  return value;
}
template <typename T>
uint64_t toBits(T value) {
  uint64_t bits = 0;
  memcpy(&bits, &value, sizeof(T));
  return bits;
}
} // namespace

static uint32_t getBytes(AtomicType type) {
  static const uint32_t bytes[] = {1, 2, 4, 8, 2, 2, 4, 8};
  return bytes[static_cast<uint32_t>(type)];
}

template <typename Unsigned>
static Unsigned applyInteger(AtomicOp op, Unsigned old, Unsigned value) {
  using Signed = std::make_signed_t<Unsigned>;
  auto x = static_cast<Signed>(old), y = static_cast<Signed>(value);
  switch (op) {
  case AtomicOp::Exchange:
    return value;
  case AtomicOp::Add:
    return old + value;
  case AtomicOp::Sub:
    return old - value;
  case AtomicOp::And:
    return old & value;
  case AtomicOp::Nand:
    return ~(old & value);
  case AtomicOp::Or:
    return old | value;
  case AtomicOp::Xor:
    return old ^ value;
  case AtomicOp::Max:
    return x > y ? old : value;
  case AtomicOp::Min:
    return x < y ? old : value;
  case AtomicOp::UMax:
    return old > value ? old : value;
  case AtomicOp::UMin:
    return old < value ? old : value;
  case AtomicOp::Increment:
    return old >= value ? 0 : old + 1;
  case AtomicOp::Decrement:
    return old == 0 || old > value ? value : old - 1;
  default:
    return value;
  }
}

template <typename Float>
static Float applyFloat(AtomicOp op, Float old, Float value) {
  switch (op) {
  case AtomicOp::FAdd:
    return old + value;
  case AtomicOp::FSub:
    return old - value;
  case AtomicOp::FMax:
    return std::fmax(old, value);
  case AtomicOp::FMin:
    return std::fmin(old, value);
  default:
    return value;
  }
}

static uint64_t apply(AtomicOp op, AtomicType type, uint64_t old,
                      uint64_t value) {
  switch (type) {
  case AtomicType::I8:
    return applyInteger<uint8_t>(op, old, value);
  case AtomicType::I16:
    return applyInteger<uint16_t>(op, old, value);
  case AtomicType::I32:
    return applyInteger<uint32_t>(op, old, value);
  case AtomicType::I64:
    return applyInteger<uint64_t>(op, old, value);
  case AtomicType::F32:
    return toBits(applyFloat(op, fromBits<float>(old), fromBits<float>(value)));
  case AtomicType::F64:
    return toBits(
        applyFloat(op, fromBits<double>(old), fromBits<double>(value)));
  case AtomicType::F16:
    return toBits(static_cast<_Float16>(
        applyFloat(op, static_cast<float>(fromBits<_Float16>(old)),
                   static_cast<float>(fromBits<_Float16>(value)))));
  case AtomicType::BF16:
    return toBrain(applyFloat(op, fromBrain(static_cast<uint16_t>(old)),
                              fromBrain(static_cast<uint16_t>(value))));
  }
  return value;
}

/// What an atomic of a scope, or of a wider one, lets its thread's peers know.
static Clock &knownIn(Machine &machine, Known &known, Scope scope) {
  return scope == Scope::Device    ? known.anyone
         : scope == Scope::Cluster ? known.cluster
                                   : known.blocks[machine.self().block->rank];
}

template <typename Function>
static void forScopesUpTo(Scope last, Function function) {
  for (Scope scope : {Scope::Block, Scope::Cluster, Scope::Device})
    if (scope <= last)
      function(scope);
}

/// Before an atomic's write: what it makes known at its address. A release is
/// worth as much as the narrower scope of fence and atomic.
static void publish(Machine &machine, void *address, uint32_t order,
                    Scope last) {
  if (!machine.hasShadows())
    return;
  Known &known = machine.getKnown(address);
  Clock own;
  if (order & ReleaseOrder)
    own = machine.release();
  forScopesUpTo(last, [&](Scope scope) {
    const Clock &released = machine.self().released[static_cast<size_t>(scope)];
    const Clock &clock = order & ReleaseOrder ? own : released;
    if (!clock.isEmpty())
      knownIn(machine, known, scope).join(clock);
  });
}

/// Before a store: what was known of the value that it replaces is gone.
static void publishAnew(Machine &machine, void *address, uint32_t order,
                        Scope last) {
  if (!machine.hasShadows())
    return;
  Known &known = machine.getKnown(address);
  known.anyone = Clock();
  known.cluster = Clock();
  known.blocks.clear();
  publish(machine, address, order, last);
}

/// After its read: what it learns.
static void learn(Machine &machine, void *address, uint32_t order, Scope last) {
  if (!machine.hasShadows())
    return;
  Known &known = machine.getKnown(address);
  forScopesUpTo(last, [&](Scope scope) {
    const Clock &clock = knownIn(machine, known, scope);
    if (clock.isEmpty())
      return;
    machine.self().observed[static_cast<size_t>(scope)].join(clock);
    if (order & AcquireOrder)
      machine.acquire(clock);
  });
}

extern "C" void kfuse_sim_before_store(void *address, uint32_t order,
                                       uint32_t site) {
  Machine &machine = Machine::get();
  publishAnew(machine, address, order, machine.getSite(site).scope);
}
extern "C" void kfuse_sim_after_load(void *address, uint32_t order,
                                     uint32_t site) {
  Machine &machine = Machine::get();
  learn(machine, address, order, machine.getSite(site).scope);
}

template <typename Update>
static uint64_t update(void *address, uint32_t type, uint32_t order,
                       SiteId site, Update change) {
  Machine &machine = Machine::get();
  machine.yield(site);
  void *at = kfuse_sim_access(address, AtomicMode, site);
  Scope scope = machine.getSite(site).scope;
  learn(machine, address, order, scope);
  uint32_t bytes = getBytes(static_cast<AtomicType>(type));
  uint64_t old = 0;
  memcpy(&old, at, bytes);
  uint64_t value = old;
  if (change(old, value))
    publish(machine, address, order, scope);
  if (value != old)
    machine.noteProgress();
  memcpy(at, &value, bytes);
  return old;
}

extern "C" uint64_t kfuse_sim_atomic(void *address, uint64_t value, uint32_t op,
                                     uint32_t type, uint32_t order,
                                     uint32_t site) {
  return update(address, type, order, site, [&](uint64_t old, uint64_t &to) {
    to = apply(static_cast<AtomicOp>(op), static_cast<AtomicType>(type), old,
               value);
    return true;
  });
}

extern "C" uint64_t kfuse_sim_compare_exchange(void *address, uint64_t compare,
                                               uint64_t value, uint32_t type,
                                               uint32_t order, uint32_t site) {
  return update(address, type, order, site, [&](uint64_t old, uint64_t &to) {
    if (old != compare)
      return false;
    to = value;
    return true;
  });
}

extern "C" void kfuse_sim_fence(uint32_t order, uint32_t site) {
  Machine &machine = Machine::get();
  if (!machine.hasShadows())
    return;
  Thread &thread = machine.self();
  Scope last = machine.getSite(site).scope;
  if (order & AcquireOrder)
    forScopesUpTo(last, [&](Scope scope) {
      Clock &observed = thread.observed[static_cast<size_t>(scope)];
      machine.acquire(observed);
      observed = Clock();
    });
  if (order & ReleaseOrder) {
    Clock clock = machine.release();
    forScopesUpTo(last, [&](Scope scope) {
      thread.released[static_cast<size_t>(scope)] = clock;
    });
  }
}

} // namespace kfuse::sim
