//===- main.cpp - a project that uses an installed kfuse ------------------===//

#include "kfuse/Runtime/kfuse.h"
#include <cstdio>

int main() {
  KfusePackage *package = nullptr;
  KfuseStatus status = kfuse_package_open("no-such-file.kfuse", &package);
  std::printf("%s: %s\n", kfuse_status_name(status), kfuse_last_error());
  return status == KFUSE_IO_ERROR ? 0 : 1;
}
