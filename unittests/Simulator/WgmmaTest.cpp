//===- WgmmaTest.cpp - matrix products of warpgroups ----------------------===//
#include "Encode.h"
#include "SimulatorFixture.h"

#include <cmath>
#include <cstring>

using namespace kfuse::sim::test;

namespace {
/// How an operand lies in shared memory.
enum class Form { Plain, Swizzle32, Swizzle64, Swizzle128, Transposed };

/// A type of elements.
struct Type {
  const char *name, *result;
  int bytes;
  uint32_t (*encode)(int value);
};

class Wgmma : public SimulatorFixture {
protected:
  static constexpr int n = 16;
  /// Multiplies 64 by K and K by 16 for one step of K, and compares.
  void multiply(const Type &type, Form a, Form b,
                const std::string &scale = "");
  /// A kernel of bf16 with `body` between the loads and the stores, where %d0
  /// is zero and %d is to be stored.
  void runProduct(const Type &type, Form a, Form b, const std::string &body,
                  KfuseSimTiming timing = KFUSE_SIM_LATE);
  std::string product(const std::string &to, const std::string &from) const;
  float result(int row, int column) const;

  std::string shape, attributes;
  int depth = 16;
  bool isTied = true; ///< registers go through inline assembly after the wait
};
} // namespace

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

/// The pattern with `mantissa` bits that means a small integer.
static uint32_t encodeSmall(int value, int mantissa, int bias) {
  for (uint32_t bits = 0; bits < 128; ++bits) {
    int exponent = static_cast<int>(bits >> mantissa);
    double part = bits & ((1u << mantissa) - 1);
    double scale = std::ldexp(1.0, -mantissa);
    double number = exponent ? std::ldexp(1 + part * scale, exponent - bias)
                             : std::ldexp(part * scale, 1 - bias);
    if (number == std::abs(value))
      return bits | (value < 0 ? 128 : 0);
  }
  return 0;
}
static uint32_t encodeE4M3(int value) { return encodeSmall(value, 3, 7); }
static uint32_t encodeE5M2(int value) { return encodeSmall(value, 2, 15); }
static uint32_t encodeByte(int value) { return value & 255; }

static const Type bf16 = {"bf16", "f32", 2, encodeBrain};
static const Type types[] = {
    {"bf16", "f32", 2, encodeBrain}, {"f16", "f32", 2, encodeHalf},
    {"tf32", "f32", 4, encodeFloat}, {"e4m3", "f32", 1, encodeE4M3},
    {"e5m2", "f32", 1, encodeE5M2},  {"s8", "s32", 1, encodeByte}};

static int valueOfA(int row, int k) { return (row * 3 + k * 5) % 7 - 3; }
static int valueOfB(int column, int k) { return (column * 2 + k * 3) % 5 - 2; }

/// Words of a matrix whose rows are `columns` elements.
template <typename Value>
static Buffer makeMatrix(const Type &type, int rows, int columns, Value value) {
  std::vector<uint8_t> bytes(rows * columns * type.bytes);
  for (int row = 0; row < rows; ++row)
    for (int column = 0; column < columns; ++column) {
      uint32_t bits = type.encode(value(row, column));
      memcpy(&bytes[(row * columns + column) * type.bytes], &bits, type.bytes);
    }
  std::vector<uint32_t> words(bytes.size() / 4);
  memcpy(words.data(), bytes.data(), bytes.size());
  return Buffer(words, KFUSE_ACCESS_READ);
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

namespace {
/// Where an operand lies, and how it comes there.
struct Operand {
  Operand(Form form, const Type &type, int rows, int depth, int buffer);
  KfuseSimTensorMap map = {};
  int copies = 1, copyBytes = 0, coordinate = 0;
  uint64_t descriptor = 0; ///< without the address
};
} // namespace

static uint64_t describe(uint64_t leading, uint64_t stride, uint64_t swizzle) {
  return leading >> 4 << 16 | stride >> 4 << 32 | swizzle << 62;
}

Operand::Operand(Form form, const Type &type, int rows, int depth, int buffer) {
  static const KfuseDtype dtypes[] = {0, KFUSE_U8, KFUSE_U16, 0, KFUSE_U32};
  bool isTransposed = form == Form::Transposed;
  int columns = isTransposed ? rows : depth,
      lines = isTransposed ? depth : rows;
  map.dtype = dtypes[type.bytes];
  map.rank = 2;
  map.sizes[0] = columns;
  map.sizes[1] = lines;
  map.strides[0] = columns * type.bytes;
  map.box[1] = lines;
  map.reserved = buffer;
  switch (form) {
  case Form::Plain:
    // Columns of eight-row cores, one for each 16 bytes.
    map.box[0] = 16 / type.bytes;
    copies = 2;
    descriptor = describe(rows * 16, 128, 0);
    break;
  case Form::Transposed:
    // Rows of 64 elements of 16 bits, further ones behind all of K.
    map.box[0] = 64;
    map.swizzle = KFUSE_SIM_SWIZZLE_128;
    copies = (rows + 63) / 64;
    descriptor = describe(depth * 128, 1024, 1);
    break;
  default:
    map.swizzle = static_cast<int>(form);
    map.box[0] = (16 << map.swizzle) / type.bytes;
    descriptor = describe(16, 128 << map.swizzle, 4 - map.swizzle);
  }
  coordinate = static_cast<int>(map.box[0]);
  copyBytes = static_cast<int>(map.box[0] * map.box[1]) * type.bytes;
}

static std::string constant(const std::string &name, int64_t value,
                            const std::string &type = "i32") {
  return "  %" + name + " = llvm.mlir.constant(" + std::to_string(value) +
         " : " + type + ") : " + type + "\n";
}

static std::string repeat(const std::string &text, int count) {
  std::string all;
  for (int i = 0; i < count; ++i)
    all += (i ? ", " : "") + text;
  return all;
}

static std::string structType(const Type &type, int count) {
  return "!llvm.struct<(" +
         repeat(std::string(type.result) == "f32" ? "f32" : "i32", count) +
         ")>";
}

/// Copies of an operand to `offset` in shared memory, and its descriptor.
static std::string load(const Operand &operand, const std::string &name,
                        int map, int offset) {
  std::string text;
  for (int i = 0; i < operand.copies; ++i) {
    std::string id = name + std::to_string(i);
    text += constant("at" + id, offset + i * operand.copyBytes) +
            constant("x" + id, i * operand.coordinate) + "  %to" + id +
            " = llvm.getelementptr %s[%at" + id +
            "] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8\n"
            "  nvvm.cp.async.bulk.tensor.shared.cluster.global %to" +
            id + ", %m" + std::to_string(map) + ", %b, box [%x" + id +
            ", %c0] {isCTAOnly = true} : !llvm.ptr<3>, !llvm.ptr\n";
  }
  return text;
}

static std::string makeDescriptor(const Operand &operand,
                                  const std::string &name, int offset) {
  return constant("form" + name,
                  static_cast<int64_t>(operand.descriptor + (offset >> 4)),
                  "i64") +
         "  %" + name + " = llvm.add %start, %form" + name + " : i64\n";
}

/// Passes the registers of %d through inline assembly, as %tied.
static std::string tieRegisters(const Type &type, int count) {
  std::string element = std::string(type.result) == "f32" ? "f32" : "i32";
  std::string registers = structType(type, count), parts, ties, constraints;
  for (int i = 0; i < count; ++i) {
    std::string id = std::to_string(i);
    parts += "  %r" + id + " = llvm.extractvalue %d[" + id +
             "] : " + registers + "\n";
    ties += (i ? ", %r" : "%r") + id;
    constraints += element == "f32" ? "=f," : "=r,";
  }
  for (int i = 0; i < count; ++i)
    constraints += (i ? "," : "") + std::to_string(i);
  return parts +
         "  %tied = llvm.inline_asm has_side_effects asm_dialect = att \"\", "
         "\"" +
         constraints + "\" " + ties + " : (" + repeat(element, count) +
         ") -> " + registers + "\n";
}

/// Stores the registers of `from` behind those of the threads before.
static std::string storeRegisters(const Type &type, int count,
                                  const std::string &from) {
  std::string element = std::string(type.result) == "f32" ? "f32" : "i32";
  std::string text =
      constant("per", count) + "  %first = llvm.mul %tid, %per : i32\n";
  for (int i = 0; i < count; ++i) {
    std::string id = std::to_string(i);
    text += constant("i" + id, i) + "  %w" + id + " = llvm.extractvalue " +
            from + "[" + id + "] : " + structType(type, count) + "\n  %at" +
            id + " = llvm.add %first, %i" + id + " : i32\n" +
            wordAddress("%p" + id + "x", "%p0", "%at" + id) +
            "  llvm.store %w" + id + ", %p" + id + "x : " + element +
            ", !llvm.ptr<1>\n";
  }
  return text;
}

std::string Wgmma::product(const std::string &to,
                           const std::string &from) const {
  return "  %" + to + " = nvvm.wgmma.mma_async %descA, %descB, %" + from +
         ", " + shape + ", " + attributes;
}

void Wgmma::runProduct(const Type &type, Form formA, Form formB,
                       const std::string &body, KfuseSimTiming timing) {
  Operand a(formA, type, 64, depth, 1), b(formB, type, n, depth, 2);
  bool isSwapped = formB == Form::Transposed;
  buffers = {Buffer::output(64 * n),
             formA == Form::Transposed
                 ? makeMatrix(type, depth, 64,
                              [](int k, int row) { return valueOfA(row, k); })
                 : makeMatrix(type, 64, depth, valueOfA),
             isSwapped ? makeMatrix(type, depth, n,
                                    [](int k, int column) {
                                      return valueOfB(column, k);
                                    })
                       : makeMatrix(type, n, depth, valueOfB)};
  Shape launch = {1, 128};
  launch.maps = {a.map, b.map};
  launch.timing = timing;
  int placeB = 16384, bytes = a.copies * a.copyBytes + b.copies * b.copyBytes;
  run("  %s = llvm.mlir.addressof @s : !llvm.ptr<3>\n"
      "  %b = llvm.mlir.addressof @b : !llvm.ptr<3>\n"
      "  %isFirst = llvm.icmp \"eq\" %tid, %c0 : i32\n"
      "  llvm.cond_br %isFirst, ^load, ^ready\n"
      "^load:\n" +
          constant("bytes", bytes) +
          "  nvvm.mbarrier.init %b, %c1 : !llvm.ptr<3>, i32\n"
          "  nvvm.fence.mbarrier.init\n"
          "  nvvm.mbarrier.arrive.expect_tx %b, %bytes : !llvm.ptr<3>, i32\n" +
          load(a, "a", 0, 0) + load(b, "b", 1, placeB) +
          "  llvm.br ^ready\n"
          "^ready:\n"
          "  nvvm.barrier\n"
          "  nvvm.mbarrier.try_wait.parity %b, %c0, %all : !llvm.ptr<3>, i32, "
          "i32\n"
          "  %whole = llvm.ptrtoint %s : !llvm.ptr<3> to i32\n" +
          constant("mask", 0x3FFFF) +
          "  %low = llvm.and %whole, %mask : i32\n"
          "  %pieces = llvm.lshr %low, %c4 : i32\n"
          "  %start = llvm.zext %pieces : i32 to i64\n" +
          makeDescriptor(a, "descA", 0) + makeDescriptor(b, "descB", placeB) +
          "  %d0 = llvm.mlir.zero : " + structType(type, n / 2) + "\n" + body +
          (isTied ? tieRegisters(type, n / 2) : "") +
          storeRegisters(type, n / 2, isTied ? "%tied" : "%d"),
      launch,
      sharedWords(8192, 1024) +
          "llvm.mlir.global internal @b() {addr_space = 3 : i32, alignment = "
          "8 : i64} : i64\n");
}

/// The element, wherever a thread has it.
float Wgmma::result(int row, int column) const {
  int thread = row / 16 * 32 + row % 8 * 4 + column % 8 / 2;
  int i = column / 8 * 4 + row / 8 % 2 * 2 + column % 2;
  uint32_t bits = buffers[0].words[thread * (n / 2) + i];
  float number;
  memcpy(&number, &bits, 4);
  return number;
}

static const std::string fence = "  nvvm.wgmma.fence.aligned\n";
static const std::string commit = "  nvvm.wgmma.commit.group.sync.aligned\n";
static const std::string waitForAll =
    "  nvvm.wgmma.wait.group.sync.aligned 0\n";

void Wgmma::multiply(const Type &type, Form a, Form b,
                     const std::string &scale) {
  depth = 32 / type.bytes;
  shape = "#nvvm.shape<m = 64, n = 16, k = " + std::to_string(depth) + ">";
  std::string in = std::string("[<") + type.name + ">, #nvvm.wgmma_scale_in<";
  attributes = std::string("D [<") + type.result +
               ">, #nvvm.wgmma_scale_out<one>], A " + in +
               (scale.empty() ? "one" : scale) + ">, <" +
               (a == Form::Transposed ? "col" : "row") + ">], B " + in +
               "one>, <" + (b == Form::Transposed ? "row" : "col") +
               ">] : " + structType(type, n / 2) + " -> " +
               structType(type, n / 2) + "\n";
  runProduct(type, a, b,
             fence + product("d1", "d0") + product("d", "d1") + commit +
                 waitForAll);
  EXPECT_EQ(kinds(), "") << type.name
                         << (found.empty() ? "" : found[0].message);
  int sign = scale == "neg" ? -1 : 1, wrong = 0;
  for (int row = 0; row < 64; ++row)
    for (int column = 0; column < n; ++column) {
      int sum = 0;
      for (int k = 0; k < depth; ++k)
        sum += valueOfA(row, k) * valueOfB(column, k);
      float got = result(row, column);
      int32_t whole;
      memcpy(&whole, &got, 4);
      bool isInteger = std::string(type.result) == "s32";
      wrong += isInteger ? whole != 2 * sign * sum
                         : got != static_cast<float>(2 * sign * sum);
    }
  EXPECT_EQ(wrong, 0) << type.name << " forms " << static_cast<int>(a) << " "
                      << static_cast<int>(b);
}

//===----------------------------------------------------------------------===//
// Tests
//===----------------------------------------------------------------------===//

TEST_F(Wgmma, MultipliesEveryType) {
  for (const Type &type : types)
    multiply(type, Form::Swizzle128, Form::Swizzle128);
}

TEST_F(Wgmma, ReadsEveryForm) {
  for (Form a : {Form::Plain, Form::Swizzle32, Form::Swizzle64,
                 Form::Swizzle128, Form::Transposed})
    for (Form b : {Form::Plain, Form::Swizzle32, Form::Swizzle64,
                   Form::Swizzle128, Form::Transposed})
      multiply(bf16, a, b);
  multiply(types[3], Form::Plain, Form::Swizzle32);
}

TEST_F(Wgmma, Negates) { multiply(bf16, Form::Swizzle32, Form::Plain, "neg"); }

namespace {
/// Faults in the order of operations, in bf16.
class WgmmaOrder : public Wgmma {
protected:
  WgmmaOrder() { multiply(bf16, Form::Plain, Form::Plain); }
  /// Kinds found in late and in early timing.
  std::string find(const std::string &body) {
    runProduct(bf16, Form::Plain, Form::Plain, body, KFUSE_SIM_EARLY);
    std::string early = kinds();
    runProduct(bf16, Form::Plain, Form::Plain, body, KFUSE_SIM_LATE);
    EXPECT_EQ(early, kinds());
    return kinds();
  }
};
} // namespace

TEST_F(WgmmaOrder, RegistersAreUsedBeforeTheWait) {
  EXPECT_EQ(find(fence + product("d", "d0") + commit), "async");
  EXPECT_EQ(of(KFUSE_SIM_ASYNC)[0].message,
            "uses registers of a wgmma that the thread has not waited for");
  EXPECT_EQ(find(fence + product("d", "d0") + commit +
                 "  nvvm.wgmma.wait.group.sync.aligned 1\n"),
            "async");
}

TEST_F(WgmmaOrder, GroupIsNeverCommitted) {
  EXPECT_EQ(find(fence + product("d", "d0") + waitForAll), "async");
}

TEST_F(WgmmaOrder, NothingFencesTheRegisters) {
  EXPECT_EQ(find(product("d", "d0") + commit + waitForAll), "async");
}

TEST_F(WgmmaOrder, OlderRegistersAreUsed) {
  EXPECT_EQ(find(fence + product("d", "d0") + product("d2", "d") + commit +
                 waitForAll),
            "async");
  EXPECT_EQ(of(KFUSE_SIM_ASYNC)[0].message,
            "uses registers of a wgmma that a later one has taken");
}

TEST_F(WgmmaOrder, OperandIsOverwritten) {
  const std::string store = "  llvm.store %all, %s : i32, !llvm.ptr<3>\n";
  const std::string only = "  llvm.cond_br %isFirst, ^over, ^go\n^over:\n" +
                           store + "  llvm.br ^go\n^go:\n";
  // Thread 0 stores before the last thread issues the product.
  EXPECT_EQ(find(fence + product("d", "d0") + commit + only + waitForAll),
            "async, race");
  EXPECT_EQ(find(fence + product("d", "d0") + commit + waitForAll +
                 "  nvvm.barrier\n" + only),
            "");
  // Written by an ordinary store, and then multiplied.
  EXPECT_EQ(find(only + "  nvvm.barrier\n" + fence + product("d", "d0") +
                 commit + waitForAll),
            "async");
  EXPECT_EQ(find(only +
                 "  nvvm.fence.proxy {kind = #nvvm.proxy_kind<async>}\n"
                 "  nvvm.barrier\n" +
                 fence + product("d", "d0") + commit + waitForAll),
            "");
}

TEST_F(WgmmaOrder, OperandsDiffer) {
  // What is beside the operand, nobody has written.
  EXPECT_EQ(find("  %second = llvm.zext %isFirst : i1 to i64\n"
                 "  %moved = llvm.add %descA, %second : i64\n" +
                 fence + "  %d = nvvm.wgmma.mma_async %moved, %descB, %d0, " +
                 shape + ", " + attributes + commit + waitForAll),
            "divergence, uninitialized-read");
}

TEST_F(WgmmaOrder, WarpDoesNotTakePart) {
  runProduct(bf16, Form::Plain, Form::Plain,
             "  %warp = nvvm.read.ptx.sreg.warpid : i32\n"
             "  %isLast = llvm.icmp \"eq\" %warp, %c3 : i32\n"
             "  llvm.cond_br %isLast, ^skip(%d0 : " +
                 structType(bf16, n / 2) + "), ^multiply\n^multiply:\n" +
                 fence + product("d1", "d0") + commit + waitForAll +
                 "  llvm.br ^skip(%d1 : " + structType(bf16, n / 2) +
                 ")\n^skip(%d : " + structType(bf16, n / 2) + "):\n");
  ASSERT_FALSE(of(KFUSE_SIM_DEADLOCK).empty());
  EXPECT_EQ(of(KFUSE_SIM_DEADLOCK)[0].message,
            "96 of 128 threads wait for ever for the other warps of its "
            "warpgroup");
}

TEST_F(WgmmaOrder, DescriptorIsWrong) {
  EXPECT_EQ(find(constant("bit", 1 << 14, "i64") +
                 "  %moved = llvm.or %descA, %bit : i64\n" + fence +
                 "  %d = nvvm.wgmma.mma_async %moved, %descB, %d0, " + shape +
                 ", " + attributes + commit + waitForAll),
            "lint");
}

TEST_F(WgmmaOrder, NothingTiesTheRegistersToTheWait) {
  isTied = false;
  EXPECT_EQ(find(fence + product("d", "d0") + commit + waitForAll), "lint");
}
