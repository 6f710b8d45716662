//===- Npy.cpp - .npy files of the evaluator ------------------------------===//

#include "Npy.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::kfuse;
using namespace mlir::kfuse::reference;

static llvm::Error fail(StringRef path, const llvm::Twine &what) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                 "'" + path + "': " + what);
}

static unsigned getBytes(Type type) {
  return std::max(1u, type.getIntOrFloatBitWidth() / 8);
}

static Element decode(uint64_t bits, Type type) {
  Element result{};
  if (auto floatType = dyn_cast<FloatType>(type)) {
    APFloat value(floatType.getFloatSemantics(),
                  APInt(64, bits).trunc(floatType.getWidth()));
    bool lossy;
    value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &lossy);
    result.real = value.convertToDouble();
  } else {
    result.integer = type.isInteger(1)
                         ? bits != 0
                         : wrapToType(static_cast<int64_t>(bits), type);
  }
  return result;
}

static uint64_t encode(Element element, Type type) {
  auto floatType = dyn_cast<FloatType>(type);
  if (!floatType)
    return static_cast<uint64_t>(element.integer);
  APFloat value(element.real);
  bool lossy;
  value.convert(floatType.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                &lossy);
  return value.bitcastToAPInt().getZExtValue();
}

/// The sizes in the header's `'shape': (2, 3)`.
static bool parseShape(StringRef header, SmallVectorImpl<int64_t> &shape) {
  StringRef text = header.split("'shape':").second.split('(').second;
  if (text.empty())
    return false;
  SmallVector<StringRef> parts;
  text.split(')').first.split(parts, ',');
  for (StringRef part : parts) {
    int64_t size;
    if (part.trim().empty())
      continue;
    if (part.trim().getAsInteger(10, size) || size < 0)
      return false;
    shape.push_back(size);
  }
  return true;
}

llvm::Expected<DenseTensor> kfuse::readNpy(StringRef path, Type elementType) {
  auto file = llvm::MemoryBuffer::getFile(path);
  if (!file)
    return fail(path, file.getError().message());
  StringRef bytes = (*file)->getBuffer();
  if (!bytes.starts_with("\x93NUMPY") || bytes.size() < 12 || bytes[6] != 1)
    return fail(path, "expected an .npy file of version 1");
  size_t length = llvm::support::endian::read16le(bytes.data() + 8);
  if (bytes.size() < 10 + length)
    return fail(path, "the header is cut off");
  StringRef header = bytes.substr(10, length);
  DenseTensor result;
  result.elementType = elementType;
  if (!header.contains("'fortran_order': False") ||
      !parseShape(header, result.shape))
    return fail(path, "expected a row-major array");
  StringRef data = bytes.substr(10 + length);
  size_t width = getBytes(elementType), count = result.getNumElements();
  if (data.size() != width * count)
    return fail(path, "expected " + llvm::Twine(width * count) +
                          " bytes of data, found " + llvm::Twine(data.size()));
  for (size_t i = 0; i < count; ++i) {
    uint64_t bits = 0;
    std::memcpy(&bits, data.data() + i * width, width);
    result.data.push_back(decode(bits, elementType));
  }
  return result;
}

llvm::Error kfuse::writeNpy(StringRef path, const DenseTensor &tensor) {
  unsigned width = getBytes(tensor.elementType);
  bool isNative = tensor.elementType.isF16() || tensor.elementType.isF32() ||
                  tensor.elementType.isF64();
  std::string kind = tensor.elementType.isInteger(1)      ? "|b"
                     : isNative                           ? "<f"
                     : isa<FloatType>(tensor.elementType) ? "<u"
                                                          : "<i";
  std::string header = "{'descr': '" + kind + std::to_string(width) +
                       "', 'fortran_order': False, 'shape': (";
  for (int64_t size : tensor.shape)
    header += std::to_string(size) + ",";
  header += "), }";
  header.resize((header.size() + 1 + 10 + 63) / 64 * 64 - 11, ' ');
  header += '\n';
  std::error_code error;
  llvm::raw_fd_ostream os(path, error);
  if (error)
    return fail(path, error.message());
  char length[2];
  llvm::support::endian::write16le(length, header.size());
  os << StringRef("\x93NUMPY\x01\x00", 8) << StringRef(length, 2) << header;
  for (Element element : tensor.data) {
    uint64_t bits = encode(element, tensor.elementType);
    os.write(reinterpret_cast<const char *>(&bits), width);
  }
  os.close();
  return os.has_error() ? fail(path, os.error().message())
                        : llvm::Error::success();
}
