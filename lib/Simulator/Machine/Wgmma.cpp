//===- Wgmma.cpp - the order of products of warpgroups --------------------===//
///
/// \file
/// wgmma (PTX ISA 9.7.15). Products run in order, at the wait that covers them
/// or before. Until a thread has waited, the registers of an accumulator hold
/// tokens: signalling NaNs that name it. Translated code asks for their values
/// where they are used.
///
#include "Wgmma.h"
#include "Access.h"
#include "Numbers.h"

#include <algorithm>

namespace kfuse::sim {

static constexpr uint32_t groupThreads = 128;
/// Accumulators of a warpgroup that are kept; more only while they are in use.
static constexpr size_t mostAccumulators = 16;

static uint32_t numberOf(const Thread &thread) {
  return thread.linear % groupThreads;
}

static WarpGroup &groupOf(Machine &machine, const Thread &thread) {
  AsyncState &async = machine.getAsync();
  size_t groups =
      (thread.block->threads.size() + groupThreads - 1) / groupThreads;
  async.warpGroups.resize(groups * machine.getBlocks().size());
  auto &group = async.warpGroups[thread.block->rank * groups +
                                 thread.linear / groupThreads];
  if (!group) {
    group = std::make_unique<WarpGroup>();
    group->block = thread.block;
    group->agent = machine.addAgent(thread.block->rank);
  }
  return *group;
}

//===----------------------------------------------------------------------===//
// Accumulators
//===----------------------------------------------------------------------===//

// 0xFF800000 | token << 8 | register: a NaN whose quiet bit is clear.
static constexpr uint32_t tokenBits = 14;
static bool isToken(uint32_t bits) {
  return (bits & 0xFFC00000) == 0xFF800000 && (bits & 0x3FFFFF) >= 256;
}
static uint32_t makeToken(uint32_t token, uint32_t number) {
  return 0xFF800000 | token << 8 | number;
}

static Accumulator *findAccumulator(WarpGroup &group, uint32_t bits) {
  for (auto &one : group.accumulators)
    if (isToken(bits) && one->token == (bits >> 8 & ((1 << tokenBits) - 1)))
      return one.get();
  return nullptr;
}

static void nameAnew(WarpGroup &group, Accumulator &accumulator) {
  accumulator.token = group.nextToken;
  group.nextToken = group.nextToken % ((1 << tokenBits) - 1) + 1;
}

/// In the place of the one that was written longest ago, when there are many.
static Accumulator &addAccumulator(WarpGroup &group, ProductKind kind) {
  auto &all = group.accumulators;
  auto oldest = std::min_element(all.begin(), all.end(),
                                 [](const auto &a, const auto &b) {
                                   return a->lastProduct < b->lastProduct;
                                 });
  if (all.size() < mostAccumulators || (*oldest)->lastProduct > group.done) {
    all.push_back(std::make_unique<Accumulator>());
    oldest = all.end() - 1;
  }
  Accumulator *chosen = oldest->get();
  chosen->values.assign(64 * kind.n, 0);
  chosen->kind = kind;
  chosen->fencesNeeded.assign(groupThreads, 1);
  return *chosen;
}

namespace {
/// An element of an accumulator.
struct Element {
  uint32_t row, column;
};
} // namespace

/// Where register `i` of a thread lies (PTX ISA 9.7.15.5.2, figure of D).
static Element getElement(uint32_t thread, uint32_t i) {
  return {thread / 32 * 16 + thread % 32 / 4 + 8 * (i >> 1 & 1),
          8 * (i >> 2) + thread % 4 * 2 + (i & 1)};
}

static uint32_t packHalves(uint32_t low, uint32_t high) {
  return toHalf(bitsToFloat(low)) |
         static_cast<uint32_t>(toHalf(bitsToFloat(high))) << 16;
}

static bool isPacked(ProductKind kind) { return kind.d() == MatrixType::F16; }

static uint32_t readRegister(const Accumulator &accumulator, uint32_t thread,
                             uint32_t i) {
  auto read = [&](uint32_t element) {
    Element at = getElement(thread, element);
    return accumulator.values[at.row * accumulator.kind.n + at.column];
  };
  if (!isPacked(accumulator.kind))
    return read(i);
  return packHalves(read(2 * i), read(2 * i + 1));
}

static void writeRegister(Accumulator &accumulator, uint32_t thread, uint32_t i,
                          uint32_t bits) {
  auto write = [&](uint32_t element, uint32_t value) {
    Element at = getElement(thread, element);
    accumulator.values[at.row * accumulator.kind.n + at.column] = value;
  };
  if (!isPacked(accumulator.kind))
    return write(i, bits);
  write(2 * i, floatToBits(fromHalf(static_cast<uint16_t>(bits))));
  write(2 * i + 1, floatToBits(fromHalf(static_cast<uint16_t>(bits >> 16))));
}

//===----------------------------------------------------------------------===//
// Reading operands
//===----------------------------------------------------------------------===//

/// Follows what a product reads; false when it may not run.
static bool followOperand(Machine &machine, WarpGroup &group,
                          const PendingProduct &product, uint64_t descriptor,
                          bool isTransposed, uint32_t rows,
                          const Access &access) {
  MatrixView view(descriptor, isTransposed);
  Block &block = *group.block;
  const char *window = machine.getSharedWindow(block.rank);
  Touch touch;
  touch.bytes = 16;
  touch.site = product.site;
  touch.agent = &access;
  for (uint32_t line = 0; line < Product::lines(isTransposed, rows); ++line)
    for (uint32_t i = 0; i < Product::pieces(isTransposed, rows); ++i) {
      const char *at = window + view.getOffset(line, i);
      uint64_t offset = at - block.shared;
      if (at < block.shared || offset + 16 > block.sharedBytes) {
        Finding finding;
        finding.kind = KFUSE_SIM_OUT_OF_BOUNDS;
        finding.site = product.site;
        finding.thread = machine.nameOf(machine.self());
        finding.argument = -1;
        finding.address = offset;
        finding.bytes = 16;
        finding.message =
            "a matrix descriptor reaches outside of the block's " +
            std::to_string(block.sharedBytes) + " bytes of shared memory";
        machine.report(std::move(finding));
        return false;
      }
      if (machine.hasShadows())
        follow(machine, machine.self(), block.shadow, offset, touch, offset,
               -1);
    }
  return true;
}

static void runTo(Machine &machine, WarpGroup &group, uint64_t end) {
  for (; group.done < end; ++group.done, group.pending.pop_front()) {
    PendingProduct &product = group.pending.front();
    if (product.accumulator)
      multiply(product.what, machine.getSharedWindow(group.block->rank),
               product.accumulator->values.data());
  }
}

/// When all threads have arrived.
static void issue(Machine &machine, WarpGroup &group, PendingProduct &product) {
  Time time = group.firstTime + static_cast<Time>(group.issued);
  std::vector<const Clock *> clocks;
  for (const Clock &clock : product.clocks)
    clocks.push_back(&clock);
  // Reading is ordered after what all warps know.
  Clock clock = Clock::common(clocks);
  Access access;
  access.agent = machine.agentOf(group.agent);
  access.time = time;
  access.clock = &clock;
  access.site = product.site;
  access.isProxy = true;
  ProductKind kind = product.what.kind;
  bool isGood = followOperand(machine, group, product, product.what.a,
                              kind.isATransposed, 64, access) &&
                followOperand(machine, group, product, product.what.b,
                              kind.isBTransposed, kind.n, access);
  if (!isGood)
    product.accumulator = nullptr;
  uint64_t end = ++group.issued;
  for (Thread *thread : std::exchange(group.waiting, {}))
    machine.wake(*thread);
  if (machine.getConfig().timing != KFUSE_SIM_LATE)
    machine.later([&machine, &group, end] { runTo(machine, group, end); });
}

//===----------------------------------------------------------------------===//
// Issuing
//===----------------------------------------------------------------------===//

static void reportProduct(Machine &machine, KfuseSimKind kind, SiteId site,
                          const char *message) {
  machine.report(kind, site, message);
}

static void checkDescriptors(Machine &machine, const Product &product,
                             SiteId site) {
  const char *wrong = checkDescriptor(product.a, product.kind.isATransposed);
  if (!wrong)
    wrong = checkDescriptor(product.b, product.kind.isBTransposed);
  if (wrong)
    reportProduct(machine, KFUSE_SIM_LINT, site, wrong);
}

/// The product that the thread takes part in; the first thread makes it.
static PendingProduct &join(Machine &machine, WarpGroup &group,
                            const Product &what, uint32_t first, SiteId site) {
  ThreadWork &work = machine.workOf(machine.self());
  uint64_t index = work.products++ - group.done;
  if (index < group.pending.size()) {
    PendingProduct &found = group.pending[index];
    if (found.what.a != what.a || found.what.b != what.b ||
        memcmp(&found.what.kind, &what.kind, sizeof(what.kind)) != 0)
      reportProduct(machine, KFUSE_SIM_DIVERGENCE, site,
                    "threads of a warpgroup differ in the operands of a wgmma");
    return found;
  }
  Time time = machine.tick(group.agent);
  if (work.products == 1)
    group.firstTime = time;
  group.pending.emplace_back();
  PendingProduct &made = group.pending.back();
  made.what = what;
  made.site = site;
  made.before = first;
  made.accumulator = findAccumulator(group, first);
  if (!made.accumulator && isToken(first) && what.kind.accumulates)
    reportProduct(
        machine, KFUSE_SIM_ASYNC, site,
        "accumulates on registers that another wgmma has taken since");
  if (!made.accumulator || made.accumulator->kind.n != what.kind.n ||
      made.accumulator->kind.typeD != what.kind.typeD)
    made.accumulator = &addAccumulator(group, what.kind);
  made.accumulator->lastProduct = work.products;
  nameAnew(group, *made.accumulator);
  made.token = made.accumulator->token;
  checkDescriptors(machine, what, site);
  return made;
}

/// What a thread's registers hold before the product.
static void takeRegisters(Machine &machine, PendingProduct &product,
                          const uint32_t *registers, uint32_t count,
                          SiteId site) {
  uint32_t thread = numberOf(machine.self());
  Accumulator &accumulator = *product.accumulator;
  ThreadWork &work = machine.workOf(machine.self());
  if (work.fences < accumulator.fencesNeeded[thread])
    reportProduct(machine, KFUSE_SIM_ASYNC, site,
                  "no wgmma.fence orders the registers of a wgmma after what "
                  "the thread did with them before");
  if (!product.what.kind.accumulates)
    return;
  if (isToken(registers[0])) {
    if (registers[0] != product.before)
      reportProduct(machine, KFUSE_SIM_DIVERGENCE, site,
                    "threads of a warpgroup accumulate on different registers");
    return;
  }
  for (uint32_t i = 0; i < count; ++i)
    writeRegister(accumulator, thread, i, registers[i]);
}

extern "C" void kfuse_sim_wgmma(uint64_t a, uint64_t b, uint32_t *registers,
                                uint32_t count, uint32_t kindBits,
                                uint32_t site) {
  Machine &machine = Machine::get();
  Thread &thread = machine.self();
  WarpGroup &group = groupOf(machine, thread);
  Product what;
  what.a = a;
  what.b = b;
  memcpy(&what.kind, &kindBits, sizeof(kindBits));
  PendingProduct &product = join(machine, group, what, registers[0], site);
  takeRegisters(machine, product, registers, count, site);
  for (uint32_t i = 0; i < count; ++i)
    registers[i] = makeToken(product.token, i);
  if (thread.lane == 0)
    product.clocks.push_back(machine.release());
  if (++product.arrived == groupThreads)
    issue(machine, group, product);
}

extern "C" void kfuse_sim_wgmma_fence(uint32_t) {
  Machine &machine = Machine::get();
  ++machine.workOf(machine.self()).fences;
}

extern "C" void kfuse_sim_wgmma_commit(uint32_t) {
  Machine &machine = Machine::get();
  ThreadWork &work = machine.workOf(machine.self());
  work.productGroups.push_back(work.products);
}

//===----------------------------------------------------------------------===//
// Waiting
//===----------------------------------------------------------------------===//

extern "C" void kfuse_sim_wgmma_wait(uint32_t count, uint32_t site) {
  Machine &machine = Machine::get();
  Thread &thread = machine.self();
  ThreadWork &work = machine.workOf(thread);
  if (work.productGroups.size() <= count)
    return;
  size_t groups = work.productGroups.size() - count;
  uint64_t end = work.productGroups[groups - 1];
  work.productGroups.erase(work.productGroups.begin(),
                           work.productGroups.begin() +
                               static_cast<ptrdiff_t>(groups));
  if (!end)
    return;
  WarpGroup &group = groupOf(machine, thread);
  while (group.issued < end) {
    group.waiting.push_back(&thread);
    machine.wait("the other warps of its warpgroup", site);
  }
  runTo(machine, group, end);
  work.productsWaited = std::max(work.productsWaited, end);
  thread.clock.set(group.agent, group.firstTime + static_cast<Time>(end) - 1);
}

static uint32_t resolve(Machine &machine, WarpGroup &group, uint32_t bits,
                        SiteId site) {
  constexpr uint32_t poison = 0xFFFFFFFF;
  Thread &thread = machine.self();
  ThreadWork &work = machine.workOf(thread);
  Accumulator *accumulator = findAccumulator(group, bits);
  if (!accumulator) {
    reportProduct(machine, KFUSE_SIM_ASYNC, site,
                  "uses registers of a wgmma that a later one has taken");
    return poison;
  }
  accumulator->fencesNeeded[numberOf(thread)] = work.fences + 1;
  if (accumulator->lastProduct > work.productsWaited) {
    reportProduct(machine, KFUSE_SIM_ASYNC, site,
                  "uses registers of a wgmma that the thread has not waited "
                  "for");
    return poison;
  }
  return readRegister(*accumulator, numberOf(thread), bits & 0xFF);
}

extern "C" void kfuse_sim_wgmma_registers(uint32_t *registers, uint32_t count,
                                          uint32_t isTied, uint32_t site) {
  Machine &machine = Machine::get();
  WarpGroup &group = groupOf(machine, machine.self());
  bool hasTokens = false;
  for (uint32_t i = 0; i < count; ++i)
    if (isToken(registers[i])) {
      hasTokens = true;
      registers[i] = resolve(machine, group, registers[i], site);
    }
  // LLVM and ptxas see no reason to keep such a use behind the wait.
  if (hasTokens && !isTied)
    reportProduct(machine, KFUSE_SIM_LINT, site,
                  "uses registers of a wgmma that do not go through inline "
                  "assembly with side effects after the wait");
}

extern "C" uint32_t kfuse_sim_wgmma_register(uint32_t bits, uint32_t site) {
  if (isToken(bits))
    kfuse_sim_wgmma_registers(&bits, 1, false, site);
  return bits;
}

void checkProductsOnExit(Machine &machine, Thread &thread) {
  ThreadWork &work = machine.workOf(thread);
  if (work.products <= work.productsWaited)
    return;
  WarpGroup &group = groupOf(machine, thread);
  SiteId site = group.pending.empty() ? noSite : group.pending.back().site;
  reportProduct(machine, KFUSE_SIM_ASYNC, site,
                "the thread exits with products of its warpgroup that it has "
                "not waited for");
}

} // namespace kfuse::sim
