//===- FakeProviderLibrary.cpp - the fake provider as a library -----------===//
#include "FakeProvider.h"

extern "C" __attribute__((visibility("default"))) const KfuseProviderTable *
kfuse_provider_get(uint32_t version) {
  return version == KFUSE_PROVIDER_VERSION ? kfuse::test::getFakeProvider()
                                           : nullptr;
}
