//===- kfuse-opt.cpp - runs kfuse and MLIR passes on IR -------------------===//
/// Registration and MlirOptMain, nothing else.

#include "kfuse/Compiler/Registration.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::kfuse::registerDialects(registry);
  mlir::kfuse::registerPasses();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "kfuse optimizer driver\n", registry));
}
