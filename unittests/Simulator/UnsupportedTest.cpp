//===- UnsupportedTest.cpp - what the simulator refuses -------------------===//
///
/// \file
/// Kernels that would do harm in the process, or be run wrongly, are refused
/// with what is in the way.
///
#include "SimulatorFixture.h"

using namespace kfuse::sim::test;

namespace {
struct Unsupported : SimulatorFixture {
  std::string refusal(const std::string &body, const std::string &globals = "",
                      const std::string &parameters = "") {
    return tryRun("gpu.module @m {\n" + globals + "llvm.func @k(" + parameters +
                      ") attributes {gpu.kernel, nvvm.kernel} {\n"
                      "  %c1 = llvm.mlir.constant(1 : i32) : i32\n" +
                      body + "  llvm.return\n}\n}\n",
                  {1, 1});
  }
  void expect(const std::string &message, const std::string &part) {
    EXPECT_NE(message.find(part), std::string::npos) << message;
  }
};
} // namespace

TEST_F(Unsupported, OperationsThatItDoesNotKnow) {
  expect(refusal("  \"no.such\"() : () -> ()\n"), "'no.such'");
  expect(refusal("  %t = nvvm.read.ptx.sreg.globaltimer : i64\n"),
         "'nvvm.read.ptx.sreg.globaltimer'");
}

TEST_F(Unsupported, MemoryThatIsTouchedWithoutItsChecks) {
  buffers = {Buffer({1})};
  expect(refusal("  %n = llvm.mlir.constant(64 : i64) : i64\n"
                 "  %v = llvm.mlir.constant(1 : i8) : i8\n"
                 "  \"llvm.intr.memset\"(%p, %v, %n) <{isVolatile = false}> : "
                 "(!llvm.ptr<1>, i8, i64) -> ()\n",
                 "", "%p: !llvm.ptr<1>"),
         "'llvm.intr.memset'");
}

TEST_F(Unsupported, AccessesOfManyBytes) {
  buffers = {Buffer({1})};
  expect(refusal("  %v = llvm.load %p : !llvm.ptr<1> -> !llvm.array<1025 x "
                 "i32>\n",
                 "", "%p: !llvm.ptr<1>"),
         "4096 bytes, found one of 4100");
}

TEST_F(Unsupported, FunctionsOfTheProcess) {
  expect(refusal("  llvm.call @abort() : () -> ()\n", "llvm.func @abort()\n"),
         "'abort'");
}

TEST_F(Unsupported, StacksWithoutEnd) {
  expect(refusal("  llvm.call @f() : () -> ()\n",
                 "llvm.func internal @g() {\n  llvm.call @f() : () -> ()\n  "
                 "llvm.return\n}\n"
                 "llvm.func internal @f() {\n  llvm.call @g() : () -> ()\n  "
                 "llvm.return\n}\n"),
         "recursion");
  expect(refusal("  %n = llvm.mlir.constant(10000 : i32) : i32\n"
                 "  %a = llvm.alloca %n x i32 : (i32) -> !llvm.ptr<5>\n"),
         "on the stack");
}

TEST_F(Unsupported, VariablesThatAreNotSharedByAKernel) {
  expect(refusal("  %a = llvm.mlir.addressof @t : !llvm.ptr<4>\n",
                 "llvm.mlir.global internal constant @t(1 : i32) {addr_space = "
                 "4 : i32} : i32\n"),
         "'t' in other memory");
  expect(refusal("  llvm.call @f() : () -> ()\n",
                 sharedWords(1) +
                     "llvm.func internal @f() {\n  %s = llvm.mlir.addressof "
                     "@s : !llvm.ptr<3>\n  llvm.return\n}\n"),
         "in a function that is none");
}
