//===- Pickle.cpp - the plain part of Python's pickles --------------------===//
///
/// \file
/// Opcodes after the comments in CPython's Lib/pickletools.py. A value is
/// never moved once made, so that memo and stack are lists of positions.
///
#include "Pickle.h"

#include "Tensor.h"

#include <cstring>
#include <unordered_map>

namespace kfuse {

/// Sample inputs have a few hundred.
static constexpr size_t maxValues = 1 << 20;

class PickleReader {
public:
  PickleReader(Pickle &pickle, std::string_view bytes, const std::string &what)
      : values(pickle.values), bytes(bytes), what(what) {}

  int32_t read() {
    while (true) {
      auto opcode = static_cast<unsigned char>(take(1)[0]);
      if (opcode == '.')
        return pop();
      if (!readConstant(opcode) && !readCollection(opcode) && !readMemo(opcode))
        refuse("has the opcode " + std::to_string(opcode) +
               ", which plain tensors do not need");
    }
  }

private:
  using Kind = PickleValue::Kind;

  [[noreturn]] void refuse(const std::string &problem) const {
    fail(what + " " + problem, KFUSE_IO_ERROR);
  }

  std::string_view take(size_t count) {
    if (bytes.size() < count)
      refuse("ends too early");
    std::string_view result = bytes.substr(0, count);
    bytes.remove_prefix(count);
    return result;
  }
  /// A little-endian unsigned number.
  uint64_t takeNumber(size_t width) {
    uint64_t number = 0;
    std::string_view text = take(width);
    for (size_t i = 0; i < width; ++i)
      number |= uint64_t(static_cast<unsigned char>(text[i])) << (8 * i);
    return number;
  }
  std::string takeLine() {
    size_t end = bytes.find('\n');
    if (end == std::string_view::npos)
      refuse("ends too early");
    std::string line(take(end));
    take(1);
    return line;
  }

  PickleValue &push(Kind kind) {
    if (values.size() >= maxValues)
      refuse("has more than " + std::to_string(maxValues) + " values");
    values.emplace_back();
    values.back().kind = kind;
    stack.push_back(static_cast<int32_t>(values.size()) - 1);
    return values.back();
  }
  void pushInt(int64_t value) { push(Kind::Int).integer = value; }
  int32_t pop() {
    // What lies below a mark belongs to somebody else.
    if (stack.size() <= (marks.empty() ? 0 : marks.back()))
      refuse("takes a value that is not there");
    int32_t value = stack.back();
    stack.pop_back();
    return value;
  }
  std::vector<int32_t> popMany(size_t count) {
    std::vector<int32_t> items(count);
    for (size_t i = count; i-- > 0;)
      items[i] = pop();
    return items;
  }
  std::vector<int32_t> popToMark() {
    if (marks.empty())
      refuse("takes values up to a mark that is not there");
    std::vector<int32_t> items(stack.begin() + marks.back(), stack.end());
    stack.resize(marks.back());
    marks.pop_back();
    return items;
  }
  void pushItems(Kind kind, std::vector<int32_t> items) {
    push(kind).items = std::move(items);
  }
  /// The same values again and again would take memory without bound.
  void countItems(size_t count) {
    copied += count;
    if (copied > maxValues)
      refuse("has more than " + std::to_string(maxValues) + " items");
  }
  void append(Kind kind, const std::vector<int32_t> &items) {
    int32_t target = pop();
    stack.push_back(target);
    PickleValue &to = values[target];
    if (to.kind != kind || (kind == Kind::Dict && items.size() % 2))
      refuse("adds items to what is no list or dict");
    countItems(items.size());
    to.items.insert(to.items.end(), items.begin(), items.end());
  }

  bool readConstant(unsigned char opcode) {
    switch (opcode) {
    case 'N':
      push(Kind::None);
      return true;
    case 0x88:
    case 0x89:
      push(Kind::Bool).integer = opcode == 0x88;
      return true;
    case 'K':
      pushInt(static_cast<int64_t>(takeNumber(1)));
      return true;
    case 'M':
      pushInt(static_cast<int64_t>(takeNumber(2)));
      return true;
    case 'J':
      pushInt(static_cast<int32_t>(takeNumber(4)));
      return true;
    case 0x8a:
      pushInt(takeLong());
      return true;
    case 'G': {
      // The one big-endian number.
      uint64_t bits = __builtin_bswap64(takeNumber(8));
      memcpy(&push(Kind::Float).real, &bits, sizeof(bits));
      return true;
    }
    case 'X': {
      std::string_view text = take(takeNumber(4));
      push(Kind::Text).text = text;
      return true;
    }
    case 'c': {
      std::string module = takeLine();
      std::string name = takeLine();
      push(Kind::Global).text = module + " " + name;
      return true;
    }
    default:
      return false;
    }
  }

  /// Two's complement of as many bytes as needed.
  int64_t takeLong() {
    auto width = static_cast<size_t>(takeNumber(1));
    if (width > 8)
      refuse("has an integer of more than 64 bits");
    uint64_t number = takeNumber(width);
    if (width == 0 || width == 8)
      return static_cast<int64_t>(number);
    uint64_t sign = uint64_t(1) << (8 * width - 1);
    return static_cast<int64_t>((number ^ sign) - sign);
  }

  bool readCollection(unsigned char opcode) {
    switch (opcode) {
    case '(':
      marks.push_back(stack.size());
      return true;
    case ')':
      push(Kind::Tuple);
      return true;
    case ']':
      push(Kind::List);
      return true;
    case '}':
      push(Kind::Dict);
      return true;
    case 't':
      pushItems(Kind::Tuple, popToMark());
      return true;
    case 0x85:
    case 0x86:
    case 0x87:
      pushItems(Kind::Tuple, popMany(opcode - 0x84));
      return true;
    case 'a':
      append(Kind::List, popMany(1));
      return true;
    case 'e':
      append(Kind::List, popToMark());
      return true;
    case 's':
      append(Kind::Dict, popMany(2));
      return true;
    case 'u':
      append(Kind::Dict, popToMark());
      return true;
    case 'R':
      call();
      return true;
    case 'Q':
      store();
      return true;
    default:
      return false;
    }
  }

  void call() {
    int32_t arguments = pop(), callee = pop();
    if (values[callee].kind != Kind::Global ||
        values[arguments].kind != Kind::Tuple)
      refuse("calls what is no function of a module");
    countItems(values[arguments].items.size());
    std::string name = values[callee].text;
    std::vector<int32_t> items = values[arguments].items;
    if (name == "collections OrderedDict" && items.empty()) {
      push(Kind::Dict);
      return;
    }
    PickleValue &result = push(Kind::Call);
    result.text = std::move(name);
    result.items = std::move(items);
  }

  void store() {
    int32_t id = pop();
    if (values[id].kind != Kind::Tuple)
      refuse("names an outside object by what is no tuple");
    countItems(values[id].items.size());
    std::vector<int32_t> items = values[id].items;
    pushItems(Kind::Stored, std::move(items));
  }

  bool readMemo(unsigned char opcode) {
    switch (opcode) {
    case 0x80:
      if (uint64_t protocol = takeNumber(1); protocol != 2)
        refuse("is of pickle protocol " + std::to_string(protocol) +
               ", expected 2");
      return true;
    case 'q':
    case 'r': {
      uint64_t slot = takeNumber(opcode == 'q' ? 1 : 4);
      int32_t value = pop();
      stack.push_back(value);
      memo[slot] = value;
      return true;
    }
    case 'h':
    case 'j': {
      auto it = memo.find(takeNumber(opcode == 'h' ? 1 : 4));
      if (it == memo.end())
        refuse("takes a value from an empty slot");
      // Positions on the stack are bounded as values are.
      if (stack.size() >= maxValues)
        refuse("has more than " + std::to_string(maxValues) + " values");
      stack.push_back(it->second);
      return true;
    }
    default:
      return false;
    }
  }

  std::vector<PickleValue> &values;
  std::string_view bytes;
  const std::string &what;
  std::vector<int32_t> stack;
  std::vector<size_t> marks;
  std::unordered_map<uint64_t, int32_t> memo;
  size_t copied = 0;
};

Pickle::Pickle(std::string_view bytes, const std::string &what) {
  rootIndex = PickleReader(*this, bytes, what).read();
}

} // namespace kfuse
