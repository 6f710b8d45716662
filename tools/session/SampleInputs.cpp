//===- SampleInputs.cpp - sample inputs in a .pt2 file --------------------===//
#include "SampleInputs.h"

#include "Pickle.h"
#include "Zip.h"

#include <cstring>
#include <optional>

namespace kfuse {

namespace {
using Kind = PickleValue::Kind;

struct NamedDtype {
  const char *name;
  KfuseDtype dtype;
};

class SampleReader {
public:
  SampleReader(const ZipArchive &archive, const Pickle &pickle,
               const std::string &folder, const std::string &what)
      : archive(archive), pickle(pickle), folder(folder), what(what) {}

  std::vector<SampleInput> read() {
    const PickleValue &root = pickle.root();
    if (root.kind != Kind::Tuple || root.items.size() != 2)
      refuse("holds no pair of positional and keyword arguments");
    flatten(root, 0);
    return std::move(leaves);
  }

private:
  [[noreturn]] void refuse(const std::string &problem) const {
    fail(what + " " + problem, KFUSE_IO_ERROR);
  }

  void flatten(const PickleValue &value, int depth);
  SampleInput &addLeaf(SampleInput::Kind kind);
  HostTensor readTensor(const PickleValue &call, int depth) const;
  std::string_view readStorage(const PickleValue &stored,
                               std::string &type) const;
  int64_t readInt(int32_t index) const;
  std::vector<int64_t> readInts(int32_t index) const;
  void takeSpan(HostTensor &tensor, std::string_view storage,
                int64_t offset) const;

  const ZipArchive &archive;
  const Pickle &pickle;
  const std::string &folder;
  const std::string &what;
  std::vector<SampleInput> leaves;
  size_t visits = 0;
};
} // namespace

/// More than any program takes.
static constexpr size_t maxLeaves = 1 << 12;
static constexpr size_t maxVisits = 1 << 16;
static constexpr int maxDepth = 64;

static std::optional<KfuseDtype> findDtype(const std::string &name) {
  static const NamedDtype names[] = {
      {"torch DoubleStorage", KFUSE_F64},
      {"torch FloatStorage", KFUSE_F32},
      {"torch HalfStorage", KFUSE_F16},
      {"torch BFloat16Storage", KFUSE_BF16},
      {"torch LongStorage", KFUSE_I64},
      {"torch IntStorage", KFUSE_I32},
      {"torch ShortStorage", KFUSE_I16},
      {"torch CharStorage", KFUSE_I8},
      {"torch ByteStorage", KFUSE_U8},
      {"torch BoolStorage", KFUSE_BOOL},
      {"torch ComplexFloatStorage", KFUSE_C64},
      {"torch ComplexDoubleStorage", KFUSE_C128},
      {"torch uint16", KFUSE_U16},
      {"torch uint32", KFUSE_U32},
      {"torch uint64", KFUSE_U64},
      {"torch complex32", KFUSE_C32},
      {"torch float8_e4m3fn", KFUSE_F8E4M3FN},
      {"torch float8_e5m2", KFUSE_F8E5M2},
      {"torch float8_e4m3fnuz", KFUSE_F8E4M3FNUZ},
      {"torch float8_e5m2fnuz", KFUSE_F8E5M2FNUZ},
      {"torch float8_e8m0fnu", KFUSE_F8E8M0FNU}};
  for (const NamedDtype &row : names)
    if (name == row.name)
      return row.dtype;
  return std::nullopt;
}

SampleInput &SampleReader::addLeaf(SampleInput::Kind kind) {
  if (leaves.size() >= maxLeaves)
    refuse("holds more than " + std::to_string(maxLeaves) + " inputs");
  leaves.emplace_back();
  leaves.back().kind = kind;
  return leaves.back();
}

void SampleReader::flatten(const PickleValue &value, int depth) {
  // Tuples may share their items, so that few of them can hold very many.
  if (++visits > maxVisits)
    refuse("holds more than " + std::to_string(maxVisits) + " values");
  if (depth > maxDepth)
    refuse("is nested more than " + std::to_string(maxDepth) + " deep");
  switch (value.kind) {
  case Kind::Tuple:
  case Kind::List:
    for (int32_t item : value.items)
      flatten(pickle[item], depth + 1);
    return;
  case Kind::Dict:
    for (size_t i = 1; i < value.items.size(); i += 2)
      flatten(pickle[value.items[i]], depth + 1);
    return;
  case Kind::Call:
    addLeaf(SampleInput::Kind::Tensor).tensor = readTensor(value, depth);
    return;
  case Kind::Int:
    addLeaf(SampleInput::Kind::Int).integer = value.integer;
    return;
  case Kind::Bool:
    addLeaf(SampleInput::Kind::Bool).integer = value.integer;
    return;
  case Kind::Float:
    addLeaf(SampleInput::Kind::Float).real = value.real;
    return;
  case Kind::None:
  case Kind::Text:
  case Kind::Global: // a dtype or a device: fixed by the export
    addLeaf(SampleInput::Kind::Other);
    return;
  case Kind::Stored:
    refuse("holds a storage without a tensor");
  }
}

int64_t SampleReader::readInt(int32_t index) const {
  if (pickle[index].kind != Kind::Int)
    refuse("holds a tensor with a size that is no integer");
  return pickle[index].integer;
}

std::vector<int64_t> SampleReader::readInts(int32_t index) const {
  const PickleValue &tuple = pickle[index];
  if (tuple.kind != Kind::Tuple || tuple.items.size() > KFUSE_MAX_RANK)
    refuse("holds a tensor whose sizes are no tuple of at most " +
           std::to_string(KFUSE_MAX_RANK) + " integers");
  std::vector<int64_t> result;
  for (int32_t item : tuple.items) {
    result.push_back(readInt(item));
    if (result.back() < 0)
      refuse("holds a tensor with a negative size or stride");
  }
  return result;
}

/// The bytes of ('storage', type, key, location, size).
std::string_view SampleReader::readStorage(const PickleValue &stored,
                                           std::string &type) const {
  if (stored.kind != Kind::Stored || stored.items.size() != 5 ||
      pickle[stored.items[1]].kind != Kind::Global ||
      pickle[stored.items[2]].kind != Kind::Text)
    refuse("holds a tensor without a storage");
  type = pickle[stored.items[1]].text;
  std::string name = folder + "data/" + pickle[stored.items[2]].text;
  const ZipMember *member = archive.find(name);
  if (!member)
    refuse("has no member '" + name + "'");
  return member->data;
}

/// Copies from element 0 to the last element; strides stay as they are.
void SampleReader::takeSpan(HostTensor &tensor, std::string_view storage,
                            int64_t offset) const {
  int64_t bytes = kfuse_dtype_size(tensor.dtype), last = 0;
  bool isEmpty = false;
  for (int64_t size : tensor.sizes)
    isEmpty |= size == 0;
  if (isEmpty)
    return;
  auto outside = [&] { refuse("holds a tensor that exceeds its storage"); };
  auto have = static_cast<int64_t>(storage.size()) / bytes;
  for (size_t d = 0; d < tensor.sizes.size(); ++d) {
    int64_t step;
    if (__builtin_mul_overflow(tensor.sizes[d] - 1, tensor.strides[d], &step) ||
        __builtin_add_overflow(last, step, &last))
      outside();
  }
  if (offset < 0 || offset >= have || last >= have - offset)
    outside();
  std::string_view span = storage.substr(offset * bytes, (last + 1) * bytes);
  tensor.data.assign(span.begin(), span.end());
}

HostTensor SampleReader::readTensor(const PickleValue &call, int depth) const {
  const std::vector<int32_t> &args = call.items;
  if (call.text == "torch._utils _rebuild_parameter" && !args.empty() &&
      pickle[args[0]].kind == Kind::Call && depth < maxDepth)
    return readTensor(pickle[args[0]], depth + 1);
  bool hasDtype = call.text == "torch._utils _rebuild_tensor_v3";
  if (!hasDtype && call.text != "torch._utils _rebuild_tensor_v2")
    refuse("holds an object of '" + call.text +
           "', expected tensors and numbers in tuples, lists and dicts; give "
           "the inputs one by one with --input");
  // Storage, offset, sizes, strides, requires_grad, hooks, then the dtype in
  // version 3, then what is set for conjugated and negated views.
  size_t expected = hasDtype ? 7 : 6;
  if (args.size() != expected && args.size() != expected + 1)
    refuse("holds a tensor of " + std::to_string(args.size()) +
           " parts, expected " + std::to_string(expected));
  if (args.size() > expected && !pickle[args.back()].items.empty())
    refuse("holds a conjugated or negated view, expected plain tensors; call "
           "resolve_conj() and resolve_neg() on it before the export");
  std::string type;
  std::string_view storage = readStorage(pickle[args[0]], type);
  if (hasDtype)
    type = pickle[args[6]].text;
  auto dtype = findDtype(type);
  if (!dtype)
    refuse("holds a tensor of '" + type + "', which kfuse does not have");
  HostTensor tensor;
  tensor.dtype = *dtype;
  tensor.sizes = readInts(args[2]);
  tensor.strides = readInts(args[3]);
  if (tensor.sizes.size() != tensor.strides.size())
    refuse("holds a tensor with more sizes than strides, or fewer");
  takeSpan(tensor, storage, readInt(args[1]));
  return tensor;
}

/// The archive in `file`, or an Error that names `what`.
static std::shared_ptr<ZipArchive> readZip(std::shared_ptr<MappedFile> file,
                                           const std::string &what) {
  auto archive = ZipArchive::read(std::move(file));
  if (!archive.ok())
    fail(what + ": " + archive.takeStatus().message(), KFUSE_IO_ERROR);
  return *archive;
}

/// "name/" of the one member "name/<rest>".
static std::string findFolder(const ZipArchive &archive,
                              const std::string &rest) {
  std::string found;
  for (const std::string &name : archive.names())
    if (name.size() > rest.size() &&
        name.compare(name.size() - rest.size(), rest.size(), rest) == 0 &&
        name.find('/') == name.size() - rest.size() - 1)
      found = name.substr(0, name.size() - rest.size());
  return found;
}

static std::vector<SampleInput> readArchive(std::shared_ptr<MappedFile> file,
                                            const std::string &path) {
  std::string what = "'" + path + "'";
  auto outer = readZip(std::move(file), what);
  const ZipMember *samples = nullptr;
  for (const std::string &name : outer->names())
    if (name.find("/data/sample_inputs/") != std::string::npos) {
      if (samples)
        fail(what + " holds several programs, expected one");
      samples = outer->find(name);
    }
  if (!samples)
    fail(what + " has no sample inputs (data/sample_inputs), expected a file "
                "of torch.export.save of torch 2.9 or later");
  // What torch writes for a program whose sample inputs were taken away.
  if (samples->data.empty())
    fail(what + " was saved without sample inputs; give the inputs with "
                "--input or --random-inputs");
  auto inner = readZip(
      MappedFile::borrow(samples->data.data(), samples->data.size()), what);
  std::string folder = findFolder(*inner, "data.pkl");
  const ZipMember *pickled = inner->find(folder + "data.pkl");
  if (!pickled)
    fail(what + " has sample inputs without a data.pkl", KFUSE_IO_ERROR);
  const ZipMember *order = inner->find(folder + "byteorder");
  if (order && order->data != "little")
    fail(what + " has sample inputs of byte order '" +
             std::string(order->data.substr(0, 16)) + "', expected little",
         KFUSE_IO_ERROR);
  Pickle pickle(pickled->data, what);
  return SampleReader(*inner, pickle, folder, what).read();
}

std::vector<SampleInput> readSampleInputs(const std::string &path) {
  auto file = MappedFile::open(path);
  if (!file.ok())
    fail(file.takeStatus().message(), KFUSE_IO_ERROR);
  return readArchive(*file, path);
}

std::vector<SampleInput> readSampleInputs(const void *data, uint64_t bytes,
                                          const std::string &path) {
  return readArchive(MappedFile::borrow(data, bytes), path);
}

} // namespace kfuse
