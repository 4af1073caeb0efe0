// SPDX-License-Identifier: Apache-2.0
// A machine of the opcodes of Python's Lib/pickletools.py that torch.save uses.
#include "weights/pickle.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <unordered_map>
#include <utility>

#include "calfvo/error.h"
#include "weights/quoted.h"

namespace calfvo {

using Kind = PickleNode::Kind;

class PickleMachine {
 public:
  PickleMachine(Pickle& pickle, std::string_view bytes, const std::string& where)
      : nodes_(pickle.nodes_), bytes_(bytes), where_(where) {}

  PickleId Run() {
    if (bytes_.size() > Pickle::kMaxBytes) {
      Fail(fmt::format("the pickle has {} bytes; expected at most {}", bytes_.size(), Pickle::kMaxBytes));
    }
    while (true) {
      opcode_at_ = position_;
      const uint8_t opcode = Number<uint8_t>();
      if (opcode == '.') break;
      Step(opcode);
    }
    if (stack_.size() != 1 || !marks_.empty()) {
      Fail(fmt::format("the pickle ends with {} values; expected one", stack_.size()));
    }
    if (position_ != bytes_.size()) Fail(fmt::format("{} bytes follow the end", bytes_.size() - position_));
    return stack_[0];
  }

 private:
  [[noreturn]] void Fail(std::string_view problem) const {
    throw Error(fmt::format("{}: byte {}: {}", where_, opcode_at_, problem));
  }

  std::string_view Take(uint64_t size) {
    if (size > bytes_.size() - position_) Fail("the pickle is cut short");
    const std::string_view taken = bytes_.substr(position_, size);
    position_ += size;
    return taken;
  }

  template <typename Value>
  Value Number() {
    Value value = 0;
    std::memcpy(&value, Take(sizeof(value)).data(), sizeof(value));
    return value;
  }

  double BigEndianDouble() { return std::bit_cast<double>(__builtin_bswap64(Number<uint64_t>())); }

  std::string_view Line() {
    const size_t end = bytes_.find('\n', position_);
    if (end == std::string_view::npos) Fail("the pickle is cut short");
    const std::string_view line = Take(end - position_);
    ++position_;
    return line;
  }

  void Push(PickleId id) {
    if (stack_.size() == Pickle::kMaxStack) Fail(fmt::format("more than {} values wait", Pickle::kMaxStack));
    stack_.push_back(id);
  }

  PickleNode& PushNew(Kind kind) {
    if (nodes_.size() == Pickle::kMaxNodes)
      Fail(fmt::format("there are more than {} values", Pickle::kMaxNodes));
    Push(static_cast<PickleId>(nodes_.size()));
    PickleNode& node = nodes_.emplace_back();
    node.kind = kind;
    return node;
  }

  void PushInt(Kind kind, int64_t value) { PushNew(kind).integer = value; }
  void PushText(std::string_view text) { PushNew(Kind::kText).text = text; }

  // Values may be taken only from above the last mark.
  void Require(size_t count) const {
    const size_t floor = marks_.empty() ? 0 : marks_.back();
    if (stack_.size() - floor < count) Fail("an opcode finds too few values to work on");
  }

  PickleId Pop() {
    Require(1);
    const PickleId id = stack_.back();
    stack_.pop_back();
    return id;
  }

  PickleNode& Top() {
    Require(1);
    return nodes_[stack_.back()];
  }

  std::vector<PickleId> PopToMark() {
    if (marks_.empty()) Fail("an opcode finds no mark");
    const auto begin = stack_.begin() + static_cast<ptrdiff_t>(marks_.back());
    std::vector<PickleId> items(begin, stack_.end());
    stack_.erase(begin, stack_.end());
    marks_.pop_back();
    return items;
  }

  void PushTuple(size_t size) {
    Require(size);
    std::vector<PickleId> items(stack_.end() - static_cast<ptrdiff_t>(size), stack_.end());
    stack_.resize(stack_.size() - size);
    PushNew(Kind::kTuple).items = std::move(items);
  }

  void AddItems(Kind wanted, const std::vector<PickleId>& items) {
    PickleNode& target = Top();
    if (target.kind != wanted && target.kind != Kind::kObject)
      Fail("items are added to what cannot hold them");
    if (wanted == Kind::kDict && items.size() % 2 != 0) Fail("a dict gets a key without a value");
    target.items.insert(target.items.end(), items.begin(), items.end());
  }

  void PushLong() {
    const std::string_view digits = Take(Number<uint8_t>());
    if (digits.size() > sizeof(int64_t)) {
      PushNew(Kind::kBigInt);
      return;
    }
    uint64_t value = !digits.empty() && digits.back() < 0 ? ~uint64_t{0} : 0;  // two's complement
    std::memcpy(&value, digits.data(), digits.size());
    PushInt(Kind::kInt, static_cast<int64_t>(value));
  }

  void PushGlobal() {
    const std::string_view module = Line();
    const std::string_view name = Line();
    PickleNode& node = PushNew(Kind::kGlobal);
    node.module = module;
    node.text = name;
  }

  // REDUCE and NEWOBJ: a call, which is recorded, not made. An OrderedDict without arguments is a dict.
  void PushObject() {
    const PickleId arguments = Pop();
    const PickleId callable = Pop();
    const bool is_dict = Pickle::IsGlobal(nodes_[callable], "collections", "OrderedDict") &&
                         nodes_[arguments].kind == Kind::kTuple && nodes_[arguments].items.empty();
    PickleNode& node = PushNew(is_dict ? Kind::kDict : Kind::kObject);
    node.callable = callable;
    node.arguments = arguments;
  }

  void Put(uint32_t index) {
    Require(1);
    memo_[index] = stack_.back();
    if (memo_.size() > Pickle::kMaxMemo)
      Fail(fmt::format("more than {} values are memoised", Pickle::kMaxMemo));
  }

  void Get(uint32_t index) {
    const auto found = memo_.find(index);
    if (found == memo_.end()) Fail(fmt::format("memo {} is used before it is set", index));
    Push(found->second);
  }

  void Step(uint8_t opcode);

  std::vector<PickleNode>& nodes_;
  const std::string_view bytes_;
  const std::string& where_;
  size_t position_ = 0;
  size_t opcode_at_ = 0;
  std::vector<PickleId> stack_;
  std::vector<size_t> marks_;  // sizes of the stack
  std::unordered_map<uint32_t, PickleId> memo_;
};

void PickleMachine::Step(uint8_t opcode) {
  switch (opcode) {
    case 0x80: {  // PROTO
      const auto protocol = Number<uint8_t>();
      if (protocol != 2) Fail(fmt::format("pickle protocol {}; expected 2, torch.save's default", protocol));
      return;
    }
    case '(':  // MARK
      if (marks_.size() == Pickle::kMaxMarks)
        Fail(fmt::format("more than {} marks are open", Pickle::kMaxMarks));
      marks_.push_back(stack_.size());
      return;
    case 'N':  // NONE
      PushNew(Kind::kNone);
      return;
    case 0x88:  // NEWTRUE
    case 0x89:  // NEWFALSE
      return PushInt(Kind::kBool, opcode == 0x88 ? 1 : 0);
    case 'J':  // BININT
      return PushInt(Kind::kInt, Number<int32_t>());
    case 'K':  // BININT1
      return PushInt(Kind::kInt, Number<uint8_t>());
    case 'M':  // BININT2
      return PushInt(Kind::kInt, Number<uint16_t>());
    case 0x8a:  // LONG1
      return PushLong();
    case 'G': {  // BINFLOAT
      const double value = BigEndianDouble();
      PushNew(Kind::kFloat).number = value;
      return;
    }
    case 'X':  // BINUNICODE
    case 'T':  // BINSTRING, from Python 2
      return PushText(Take(Number<uint32_t>()));
    case 'U':  // SHORT_BINSTRING, from Python 2
      return PushText(Take(Number<uint8_t>()));
    case '}':  // EMPTY_DICT
      PushNew(Kind::kDict);
      return;
    case ']':  // EMPTY_LIST
      PushNew(Kind::kList);
      return;
    case 0x8f:  // EMPTY_SET
      PushNew(Kind::kSet);
      return;
    case ')':  // EMPTY_TUPLE
      return PushTuple(0);
    case 0x85:  // TUPLE1
    case 0x86:  // TUPLE2
    case 0x87:  // TUPLE3
      return PushTuple(opcode - 0x84);
    case 't': {  // TUPLE
      std::vector<PickleId> items = PopToMark();
      PushNew(Kind::kTuple).items = std::move(items);
      return;
    }
    case 'a':  // APPEND
      return AddItems(Kind::kList, {Pop()});
    case 'e':  // APPENDS
      return AddItems(Kind::kList, PopToMark());
    case 's': {  // SETITEM
      const PickleId value = Pop();
      const PickleId key = Pop();
      return AddItems(Kind::kDict, {key, value});
    }
    case 'u':  // SETITEMS
      return AddItems(Kind::kDict, PopToMark());
    case 'q':  // BINPUT
      return Put(Number<uint8_t>());
    case 'r':  // LONG_BINPUT
      return Put(Number<uint32_t>());
    case 'h':  // BINGET
      return Get(Number<uint8_t>());
    case 'j':  // LONG_BINGET
      return Get(Number<uint32_t>());
    case 'c':  // GLOBAL
      return PushGlobal();
    case 'R':   // REDUCE
    case 0x81:  // NEWOBJ
      return PushObject();
    case 'b': {  // BUILD
      const PickleId state = Pop();
      Top().state = state;
      return;
    }
    case 'Q': {  // BINPERSID
      const PickleId value = Pop();
      PushNew(Kind::kPersistent).items = {value};
      return;
    }
    default:
      Fail(fmt::format("opcode 0x{:02x} is not one that torch.save writes", opcode));
  }
}

Pickle::Pickle(std::string_view bytes, const std::string& where) {
  root_ = PickleMachine(*this, bytes, where).Run();
}

const PickleNode* Pickle::FindInDict(const PickleNode& dict, std::string_view key) const {
  for (size_t i = dict.items.size(); i >= 2; i -= 2) {
    const PickleNode& node = nodes_[dict.items[i - 2]];
    if (node.kind == Kind::kText && node.text == key) return &nodes_[dict.items[i - 1]];
  }
  return nullptr;
}

bool Pickle::IsGlobal(const PickleNode& node, std::string_view module, std::string_view name) {
  return node.kind == Kind::kGlobal && node.module == module && node.text == name;
}

std::string Pickle::Describe(const PickleNode& node) const {
  const auto global_name = [](const PickleNode& global) {
    return Quoted(fmt::format("{}.{}", global.module.substr(0, 80), global.text.substr(0, 80)));
  };
  switch (node.kind) {
    case Kind::kNone:
      return "None";
    case Kind::kBool:
      return node.integer != 0 ? "True" : "False";
    case Kind::kInt:
      return fmt::format("the number {}", node.integer);
    case Kind::kBigInt:
      return "a number beyond 64 bits";
    case Kind::kFloat:
      return fmt::format("the number {}", node.number);
    case Kind::kText:
      return "the text " + Quoted(node.text);
    case Kind::kList:
      return "a list";
    case Kind::kTuple:
      return "a tuple";
    case Kind::kDict:
      return "a dict";
    case Kind::kSet:
      return "a set";
    case Kind::kGlobal:
      return "the name " + global_name(node);
    case Kind::kPersistent:
      return "a storage";
    case Kind::kObject: {
      const PickleNode& callable = nodes_[node.callable];
      return callable.kind == Kind::kGlobal ? "an object of " + global_name(callable) : "an object";
    }
  }
  return "nothing";
}

}  // namespace calfvo
