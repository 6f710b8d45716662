//===- MmaTest.cpp - matrices of a warp -----------------------------------===//
#include "Encode.h"
#include "SimulatorFixture.h"

#include <cstring>

using namespace kfuse::sim::test;

//===----------------------------------------------------------------------===//
// ldmatrix and stmatrix
//===----------------------------------------------------------------------===//

namespace {
class Ldmatrix : public SimulatorFixture {
protected:
  /// Lane i names row i of shared memory, in which element j of row i is
  /// 100 * i + j; each lane stores its four registers.
  void load(const std::string &layout);
};
} // namespace

static std::string setUpRows() {
  return "  %s = llvm.mlir.addressof @s : !llvm.ptr<3>\n"
         "  %first = llvm.shl %tid, %c2 : i32\n" +
         wordAddress("%row", "%s", "%first", 3);
}

static std::string matrixAttributes(const std::string &layout) {
  return "layout = #nvvm.mma_layout<" + layout +
         ">, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = "
         "#nvvm.ld_st_matrix_elt_type<b16>";
}

/// Copies four words of `%tid`'s row.
static std::string copyRow(const std::string &from, int fromSpace,
                           const std::string &to, int toSpace) {
  auto type = [](int space) {
    return "!llvm.ptr<" + std::to_string(space) + ">";
  };
  return wordAddress("%f_" + from, "%" + from, "%first", fromSpace) +
         wordAddress("%t_" + to, "%" + to, "%first", toSpace) + "  %v_" + to +
         " = llvm.load %f_" + from +
         " {alignment = 16 : i64} : " + type(fromSpace) +
         " -> vector<4xi32>\n  llvm.store %v_" + to + ", %t_" + to +
         " {alignment = 16 : i64} : vector<4xi32>, " + type(toSpace) + "\n";
}

static std::vector<uint32_t> makeRows() {
  std::vector<uint32_t> words(128);
  for (uint32_t i = 0; i < 32; ++i)
    for (uint32_t j = 0; j < 8; ++j)
      words[i * 4 + j / 2] |= (100 * i + j) << 16 * (j % 2);
  return words;
}

void Ldmatrix::load(const std::string &layout) {
  buffers = {Buffer::output(128), Buffer(makeRows(), KFUSE_ACCESS_READ)};
  std::string stores;
  for (int i = 0; i < 4; ++i) {
    std::string id = std::to_string(i);
    stores += "  %r" + id + " = llvm.extractvalue %d[" + id +
              "] : !llvm.struct<(i32, i32, i32, i32)>\n  %i" + id +
              " = llvm.or %first, %c" + id + " : i32\n" +
              wordAddress("%at" + id, "%p0", "%i" + id) + "  llvm.store %r" +
              id + ", %at" + id + " : i32, !llvm.ptr<1>\n";
  }
  run(setUpRows() + copyRow("p1", 1, "s", 3) +
          "  nvvm.bar.warp.sync %all : i32\n"
          "  %d = nvvm.ldmatrix %row {num = 4 : i32, " +
          matrixAttributes(layout) +
          "} : (!llvm.ptr<3>) -> !llvm.struct<(i32, i32, i32, i32)>\n" + stores,
      {}, sharedWords(128));
}

TEST_F(Ldmatrix, GivesTwoNeighboursOfARow) {
  load("row");
  EXPECT_EQ(kinds(), "");
  for (uint32_t lane = 0; lane < 32; ++lane)
    for (uint32_t i = 0; i < 4; ++i) {
      uint32_t low = 100 * (8 * i + lane / 4) + lane % 4 * 2;
      EXPECT_EQ(buffers[0].words[lane * 4 + i], low | (low + 1) << 16);
    }
}

TEST_F(Ldmatrix, Transposes) {
  load("col");
  EXPECT_EQ(kinds(), "");
  for (uint32_t lane = 0; lane < 32; ++lane)
    for (uint32_t i = 0; i < 4; ++i) {
      uint32_t low = 100 * (8 * i + lane % 4 * 2) + lane / 4;
      EXPECT_EQ(buffers[0].words[lane * 4 + i], low | (low + 100) << 16);
    }
}

TEST_F(Ldmatrix, IsUndoneByStmatrix) {
  for (const char *layout : {"row", "col"}) {
    buffers = {Buffer::output(128), Buffer(makeRows(), KFUSE_ACCESS_READ)};
    run(setUpRows() + copyRow("p1", 1, "s", 3) +
            "  nvvm.bar.warp.sync %all : i32\n"
            "  %d = nvvm.ldmatrix %row {num = 2 : i32, " +
            matrixAttributes(layout) +
            "} : (!llvm.ptr<3>) -> !llvm.struct<(i32, i32)>\n"
            "  %r0 = llvm.extractvalue %d[0] : !llvm.struct<(i32, i32)>\n"
            "  %r1 = llvm.extractvalue %d[1] : !llvm.struct<(i32, i32)>\n"
            "  nvvm.bar.warp.sync %all : i32\n"
            "  nvvm.stmatrix %row, %r1, %r0 {" +
            matrixAttributes(layout) +
            "} : !llvm.ptr<3>, i32, i32\n"
            "  nvvm.bar.warp.sync %all : i32\n" +
            wordAddress("%mine", "%s", "%first", 3) +
            wordAddress("%to", "%p0", "%first") +
            "  %w = llvm.load %mine {alignment = 16 : i64} : !llvm.ptr<3> -> "
            "vector<4xi32>\n"
            "  llvm.store %w, %to {alignment = 16 : i64} : vector<4xi32>, "
            "!llvm.ptr<1>\n",
        {}, sharedWords(128));
    EXPECT_EQ(kinds(), "");
    // The two matrices have changed places.
    EXPECT_EQ(buffers[0].words[0], makeRows()[32]);
    EXPECT_EQ(buffers[0].words[63], makeRows()[31]);
    EXPECT_EQ(buffers[0].words[64], makeRows()[64]);
  }
}

TEST_F(Ldmatrix, ReadsRowsThatNobodyWrote) {
  buffers = {Buffer::output(32)};
  run(setUpRows() + "  %v = nvvm.ldmatrix %row {num = 1 : i32, " +
          matrixAttributes("row") + "} : (!llvm.ptr<3>) -> i32\n" +
          storeByThread,
      {}, sharedWords(128));
  EXPECT_EQ(kinds(), "uninitialized-read");
}

//===----------------------------------------------------------------------===//
// mma.sync
//===----------------------------------------------------------------------===//

namespace {
struct MmaCase {
  const char *type, *element, *result, *attribute;
  int m, k, perWord, registersA, registersB, registersC;
  uint32_t (*encode)(int value);
};

class Mma : public SimulatorFixture {
protected:
  void multiply(const MmaCase &one);
};
} // namespace

static uint32_t encodeByte(int value) { return value & 255; }

static const char *const bf16Types =
    "multiplicandAPtxType = #nvvm.mma_type<bf16>, multiplicandBPtxType = "
    "#nvvm.mma_type<bf16>, ";
static const char *const tf32Types =
    "multiplicandAPtxType = #nvvm.mma_type<tf32>, multiplicandBPtxType = "
    "#nvvm.mma_type<tf32>, ";
static const char *const s8Types =
    "multiplicandAPtxType = #nvvm.mma_type<s8>, multiplicandBPtxType = "
    "#nvvm.mma_type<s8>, intOverflowBehavior = "
    "#nvvm.mma_int_overflow<wrapped>, ";
static const MmaCase cases[] = {
    {"f16", "vector<2xf16>", "f32", "", 16, 16, 2, 4, 2, 4, encodeHalf},
    {"f16 k8", "vector<2xf16>", "f32", "", 16, 8, 2, 2, 1, 4, encodeHalf},
    {"bf16", "i32", "f32", bf16Types, 16, 16, 2, 4, 2, 4, encodeBrain},
    {"bf16 k8", "i32", "f32", bf16Types, 16, 8, 2, 2, 1, 4, encodeBrain},
    {"tf32", "i32", "f32", tf32Types, 16, 8, 1, 4, 2, 4, encodeFloat},
    {"tf32 k4", "i32", "f32", tf32Types, 16, 4, 1, 2, 1, 4, encodeFloat},
    {"s8", "i32", "i32", s8Types, 16, 32, 4, 4, 2, 4, encodeByte},
    {"s8 k16", "i32", "i32", s8Types, 16, 16, 4, 2, 1, 4, encodeByte},
    {"s8 m8", "i32", "i32", s8Types, 8, 16, 4, 1, 1, 2, encodeByte}};

static int valueOfA(int row, int k) { return (row * 3 + k * 5) % 7 - 3; }
static int valueOfB(int k, int column) { return (column * 2 + k * 3) % 5 - 2; }

/// Lane by lane, the registers of A (isA) or B.
static Buffer makeFragments(const MmaCase &one, bool isA) {
  int count = isA ? one.registersA : one.registersB, width = 32 / one.perWord;
  int rowBlocks = isA && one.m == 16 ? 2 : 1;
  std::vector<uint32_t> words(32 * count);
  for (int lane = 0; lane < 32; ++lane)
    for (int i = 0; i < count; ++i)
      for (int j = 0; j < one.perWord; ++j) {
        int row = lane / 4 + i % rowBlocks * 8;
        int k = (i / rowBlocks * 4 + lane % 4) * one.perWord + j;
        int value = isA ? valueOfA(row, k) : valueOfB(k, row);
        words[lane * count + i] |= one.encode(value) << width * j;
      }
  return Buffer(words, KFUSE_ACCESS_READ);
}

/// Loads `count` registers of the lane, `%A0` and so on.
static std::string loadRegisters(const std::string &name,
                                 const std::string &from, int count,
                                 const std::string &type) {
  std::string text = "  %n" + name + " = llvm.mlir.constant(" +
                     std::to_string(count) + " : i32) : i32\n  %base" + name +
                     " = llvm.mul %tid, %n" + name + " : i32\n";
  for (int i = 0; i < count; ++i) {
    std::string id = name + std::to_string(i);
    text += "  %x" + id + " = llvm.add %base" + name + ", %c" +
            std::to_string(i) + " : i32\n" +
            wordAddress("%at" + id, from, "%x" + id) + "  %" + id +
            " = llvm.load %at" + id + " : !llvm.ptr<1> -> " + type + "\n";
  }
  return text;
}

static std::string list(const std::string &name, int count) {
  std::string text;
  for (int i = 0; i < count; ++i)
    text += (i ? ", " : "") + name + std::to_string(i);
  return text;
}

void Mma::multiply(const MmaCase &one) {
  buffers = {Buffer::output(32 * one.registersC), makeFragments(one, true),
             makeFragments(one, false)};
  std::string result = one.result, registers = "!llvm.struct<(";
  std::string text =
      loadRegisters("A", "%p1", one.registersA, one.element) +
      loadRegisters("B", "%p2", one.registersB, one.element) +
      "  %ten = llvm.mlir.constant(" +
      (result == "f32" ? "1.0e+01 : f32) : f32\n" : "10 : i32) : i32\n");
  std::string ten;
  for (int i = 0; i < one.registersC; ++i) {
    registers += (i ? ", " : "") + result;
    ten += i ? ", %ten" : "%ten";
  }
  registers += ")>";
  text += "  %d = nvvm.mma.sync A[" + list("%A", one.registersA) + "] B[" +
          list("%B", one.registersB) + "] C[" + ten + "] {" + one.attribute +
          "layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, "
          "shape = #nvvm.shape<m = " +
          std::to_string(one.m) + ", n = 8, k = " + std::to_string(one.k) +
          ">} : (" + one.element + ", " + one.element + ", " + result +
          ") -> " + registers + "\n  %nC = llvm.mlir.constant(" +
          std::to_string(one.registersC) +
          " : i32) : i32\n  %baseC = llvm.mul %tid, %nC : i32\n";
  for (int i = 0; i < one.registersC; ++i) {
    std::string id = std::to_string(i);
    text += "  %D" + id + " = llvm.extractvalue %d[" + id + "] : " + registers +
            "\n  %xD" + id + " = llvm.add %baseC, %c" + id + " : i32\n" +
            wordAddress("%atD" + id, "%p0", "%xD" + id) + "  llvm.store %D" +
            id + ", %atD" + id + " : " + result + ", !llvm.ptr<1>\n";
  }
  run(text);
  EXPECT_EQ(kinds(), "") << one.type;
  int wrong = 0;
  for (int lane = 0; lane < 32; ++lane)
    for (int i = 0; i < one.registersC; ++i) {
      int row = lane / 4 + i / 2 * 8, column = lane % 4 * 2 + i % 2, sum = 10;
      for (int k = 0; k < one.k; ++k)
        sum += valueOfA(row, k) * valueOfB(k, column);
      uint32_t got = buffers[0].words[lane * one.registersC + i];
      wrong += got != (result == "f32" ? encodeFloat(sum)
                                       : static_cast<uint32_t>(sum));
    }
  EXPECT_EQ(wrong, 0) << one.type;
}

TEST_F(Mma, MultipliesEveryType) {
  for (const MmaCase &one : cases)
    multiply(one);
}

TEST_F(Mma, NeedsAWholeWarp) {
  buffers = {Buffer::output(32)};
  std::string message;
  run("  %v = llvm.bitcast %tid : i32 to i32\n" + std::string(storeByThread) +
          "  %s = llvm.mlir.addressof @s : !llvm.ptr<3>\n"
          "  %lead = llvm.icmp \"eq\" %tid, %c0 : i32\n"
          "  llvm.cond_br %lead, ^one, ^done\n^one:\n"
          "  nvvm.stmatrix %s, %tid {" +
          matrixAttributes("row") +
          "} : !llvm.ptr<3>, i32\n"
          "  llvm.br ^done\n^done:\n",
      {}, sharedWords(128));
  EXPECT_EQ(kinds(), "divergence");
}

TEST_F(Mma, OtherShapesAreErrors) {
  std::string text =
      "gpu.module @m { llvm.func @k(%a: i32, %c: i32) attributes "
      "{nvvm.kernel} { %d = nvvm.mma.sync A[%a] B[%a] C[%c, %c] {layoutA = "
      "#nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, "
      "multiplicandAPtxType = #nvvm.mma_type<s4>, multiplicandBPtxType = "
      "#nvvm.mma_type<s4>, intOverflowBehavior = "
      "#nvvm.mma_int_overflow<wrapped>, shape = #nvvm.shape<m = 8, n = 8, k = "
      "32>} : (i32, i32, i32) -> !llvm.struct<(i32, i32)> llvm.return } }";
  EXPECT_NE(tryRun(text, {}).find("the simulator has no mma of s4"),
            std::string::npos)
      << tryRun(text, {});
}
