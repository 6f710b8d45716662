//===- FakeNvtx.cpp - an NVTX library that prints -------------------------===//
#include <cstdio>

extern "C" __attribute__((visibility("default"))) int
nvtxRangePushA(const char *message) {
  fprintf(stderr, "push %s\n", message);
  return 0;
}

extern "C" __attribute__((visibility("default"))) int nvtxRangePop() {
  fprintf(stderr, "pop\n");
  return 0;
}
