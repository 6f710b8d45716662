//===- FakeSimulator.cpp - the fake device as a simulator library ---------===//
///
/// \file
/// Stands in for libkfuse_sim: kernels are the fake device's, and each launch
/// of `add_mul_fast` is said to have a race.
///
#include "FakeDevice.h"

#include "kfuse/Runtime/Simulator.h"

#include <cstdio>

using namespace kfuse::test;

static KfuseSimOptions current = {};
static void *faulty = nullptr;

static int32_t getFunction(void *device, void *module, const char *entry,
                           int64_t sharedBytes, void **function,
                           KfuseDeviceError *error) {
  const KfuseDeviceTable *base = getFakeSimulator();
  int32_t status =
      base->getFunction(device, module, entry, sharedBytes, function, error);
  if (!status &&
      !base->getFunction(device, module, "add_mul_fast", 0, &faulty, error))
    return 0;
  return status;
}

static int32_t launch(void *device, const KfuseLaunch *launch,
                      KfuseDeviceError *error) {
  if (launch->function == faulty && current.sink) {
    char message[64];
    snprintf(message, sizeof(message), "two writes, seed %llu, timing %d",
             static_cast<unsigned long long>(current.seed), current.timing);
    KfuseSimFinding finding = {};
    finding.kind = KFUSE_SIM_RACE;
    finding.kernel = "add_mul_fast";
    finding.message = message;
    finding.place = "llvm.store at add_1";
    finding.other = "llvm.store at mul_1";
    finding.otherThread.thread[0] = 7;
    finding.address = 128;
    finding.argument = -1;
    finding.bytes = 4;
    finding.count = 3;
    current.sink(current.user, &finding);
  }
  return getFakeSimulator()->launch(device, launch, error);
}

#define EXPORTED extern "C" __attribute__((visibility("default")))

EXPORTED int32_t kfuse_sim_configure(const KfuseSimOptions *options,
                                     KfuseDeviceError *error) {
  if (options->structSize != sizeof(KfuseSimOptions)) {
    snprintf(error->message, sizeof(error->message), "other options");
    return error->code = KFUSE_BAD_VERSION;
  }
  current = *options;
  return 0;
}

EXPORTED const KfuseDeviceTable *kfuse_sim_device_table(uint32_t version) {
  static const KfuseDeviceTable table = [] {
    KfuseDeviceTable table = *getFakeSimulator();
    table.getFunction = getFunction;
    table.launch = launch;
    return table;
  }();
  return version == KFUSE_DEVICE_VERSION ? &table : nullptr;
}

EXPORTED const char *kfuse_sim_kind_name(KfuseSimKind kind) {
  return kind == KFUSE_SIM_RACE ? "race" : nullptr;
}
