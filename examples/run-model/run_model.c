/*===- run_model.c - runs a package from C --------------------------------===*/
/* Runs a package on the first GPU, or on the CPU when there is none (that    */
/* needs libkfuse_torch.so, see KFUSE_PROVIDER). Every input is zero, every   */
/* open size is 4; prints the first elements of the f32 outputs.              */
/*                                                                            */
/*   run_model model.kfuse                                                    */

#include <kfuse/Runtime/kfuse.h>

#include <stdio.h>
#include <stdlib.h>

enum { maxValues = 64, openSize = 4 };

static void check(KfuseStatus status, const char *what) {
  if (status == KFUSE_OK)
    return;
  fprintf(stderr, "run_model: %s: %s (%s)\n", what, kfuse_last_error(),
          kfuse_status_name(status));
  exit(1);
}

static void checkDevice(int32_t code, const KfuseDeviceError *error) {
  if (code == 0)
    return;
  fprintf(stderr, "run_model: %s\n", error->message);
  exit(1);
}

/* Memory of a device, through the runtime's own table; a program that uses
   CUDA anyway passes its own pointers and streams. */
static const KfuseDeviceTable *table;
static void *device;

static void *allocateZeros(int64_t bytes) {
  KfuseDeviceError error;
  void *data = NULL;
  checkDevice(table->allocate(device, bytes ? bytes : 1, &data, &error),
              &error);
  checkDevice(table->fill(device, data, 0, bytes, NULL, &error), &error);
  return data;
}

/* Fills in a row-major tensor of zeros; `sizes` and `strides` have room. */
static void makeInput(const KfusePackage *package, int32_t index,
                      KfuseDevice where, int64_t *sizes, int64_t *strides,
                      KfuseArg *arg) {
  KfuseValueInfo info;
  int64_t symbols[maxValues], count = 1;
  check(kfuse_package_input(package, index, &info), "input");
  if (!info.isTensor) {
    arg->scalar.kind = info.scalarKind;
    arg->scalar.value.i = info.scalarKind == KFUSE_SCALAR_INT ? openSize : 0;
    return;
  }
  for (int i = 0; i < maxValues; ++i)
    symbols[i] = openSize;
  check(kfuse_package_input_sizes(package, index, symbols, sizes), "sizes");
  for (int32_t d = info.rank - 1; d >= 0; --d) {
    strides[d] = count;
    count *= sizes[d];
  }
  arg->tensor.data = allocateZeros(count * kfuse_dtype_size(info.dtype));
  arg->tensor.sizes = sizes;
  arg->tensor.strides = strides;
  arg->tensor.dtype = info.dtype;
  arg->tensor.rank = info.rank;
  arg->tensor.device = where;
}

static void printOutput(int32_t index, const KfuseArg *arg) {
  const KfuseTensor *tensor = &arg->tensor;
  int64_t count = 1;
  printf("output %d: %s [", index, kfuse_dtype_name(tensor->dtype));
  for (int32_t d = 0; d < tensor->rank; ++d) {
    printf("%s%lld", d ? ", " : "", (long long)tensor->sizes[d]);
    count *= tensor->sizes[d];
  }
  printf("]");
  if (tensor->dtype == KFUSE_F32 && count > 0) {
    float first = 0;
    KfuseDeviceError error;
    checkDevice(
        table->copy(device, &first, tensor->data, sizeof(first), NULL, &error),
        &error);
    checkDevice(table->synchronize(device, NULL, &error), &error);
    printf(", first element %g", first);
  }
  printf("\n");
}

int main(int argc, char **argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: run_model model.kfuse\n");
    return 1;
  }
  KfuseDevice where = {kfuse_cuda_device_count() ? KFUSE_CUDA : KFUSE_CPU, 0};
  KfuseDeviceInfo deviceInfo;
  KfuseDeviceError error;
  void *previous = NULL;
  table = kfuse_device_table(where.kind);
  checkDevice(table->open(0, &device, &deviceInfo, &error), &error);
  checkDevice(table->enter(device, &previous, &error), &error);

  KfusePackage *package = NULL;
  KfuseWeights *weights = NULL;
  KfuseModel *model = NULL;
  KfuseContext *context = NULL;
  KfuseWeightsOptions options = {where, NULL, NULL};
  check(kfuse_package_open(argv[1], &package), "package");
  check(kfuse_weights_create(package, &options, &weights), "weights");
  check(kfuse_model_create(package, weights, NULL, &model), "model");
  check(kfuse_context_create(model, NULL, &context), "context");

  int32_t inputs = kfuse_package_input_count(package);
  int32_t outputs = kfuse_package_output_count(package);
  if (inputs > maxValues || outputs > maxValues ||
      kfuse_package_symbol_count(package) > maxValues) {
    fprintf(stderr, "run_model: more than %d inputs, outputs or symbols\n",
            maxValues);
    return 1;
  }
  static KfuseArg in[maxValues], out[maxValues];
  static int64_t sizes[maxValues][KFUSE_MAX_RANK];
  static int64_t strides[maxValues][KFUSE_MAX_RANK];
  for (int32_t i = 0; i < inputs; ++i)
    makeInput(package, i, where, sizes[i], strides[i], &in[i]);

  /* Outputs have no data yet, so the context lends its own memory. */
  check(kfuse_run(context, in, inputs, out, outputs, NULL), "run");
  for (int32_t i = 0; i < outputs; ++i) {
    KfuseValueInfo info;
    check(kfuse_package_output(package, i, &info), "output");
    if (info.isTensor)
      printOutput(i, &out[i]);
  }
  KfuseCounters counters;
  check(kfuse_context_counters(context, &counters), "counters");
  printf("%s: %lld kernels launched\n", deviceInfo.name,
         (long long)counters.launches);

  for (int32_t i = 0; i < inputs; ++i)
    if (in[i].tensor.data)
      table->release(device, in[i].tensor.data);
  kfuse_context_release(context);
  kfuse_model_release(model);
  kfuse_weights_release(weights);
  kfuse_package_release(package);
  table->leave(device, previous);
  table->close(device);
  return 0;
}
