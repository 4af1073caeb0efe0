// SPDX-License-Identifier: Apache-2.0
// An interpreter of the opcodes that torch.save writes; Python's Lib/pickletools.py describes them.
#include "nn/weights/pickle.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cstring>
#include <unordered_map>
#include <utility>

#include "calfvo/error.h"
#include "core/base/quoted.h"

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
      const auto code = Number<uint8_t>();
      if (code == kStop) break;
      const Action action = ActionOf(code);
      if (action == nullptr) Fail(fmt::format("opcode 0x{:02x} is not one that torch.save writes", code));
      (this->*action)();
    }
    if (stack_.size() != 1 || !marks_.empty()) {
      Fail(fmt::format("the pickle ends with {} values; expected one", stack_.size()));
    }
    if (position_ != bytes_.size()) Fail(fmt::format("{} bytes follow the end", bytes_.size() - position_));
    return stack_[0];
  }

 private:
  using Action = void (PickleMachine::*)();
  static constexpr uint8_t kStop = '.';

  // Null for an opcode that torch.save does not write.
  static Action ActionOf(uint8_t code);

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

  std::string_view Line() {
    const size_t end = bytes_.find('\n', position_);
    if (end == std::string_view::npos) Fail("the pickle is cut short");
    const std::string_view line = Take(end - position_);
    ++position_;
    return line;
  }

  void Push(PickleId id) {
    if (stack_.size() == Pickle::kMaxStack)
      Fail(fmt::format("the stack has more than {} values", Pickle::kMaxStack));
    stack_.push_back(id);
  }

  PickleNode& PushNew(Kind kind) {
    if (nodes_.size() == Pickle::kMaxNodes)
      Fail(fmt::format("the pickle has more than {} values", Pickle::kMaxNodes));
    Push(static_cast<PickleId>(nodes_.size()));
    PickleNode& node = nodes_.emplace_back();
    node.kind = kind;
    return node;
  }

  // Values may be taken only from above the last mark.
  void Require(size_t count) const {
    const size_t floor = marks_.empty() ? 0 : marks_.back();
    if (stack_.size() - floor < count) Fail("an opcode needs more values than the stack has");
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

  void AddItems(Kind wanted, const std::vector<PickleId>& items) {
    PickleNode& target = Top();
    if (target.kind != wanted && target.kind != Kind::kObject)
      Fail("items are added to a value that cannot hold them");
    if (wanted == Kind::kDict && items.size() % 2 != 0) Fail("a dict gets a key without a value");
    target.items.insert(target.items.end(), items.begin(), items.end());
  }

  // The actions of the opcodes, in the order of the table below.

  void CheckProtocol() {
    const auto protocol = Number<uint8_t>();
    if (protocol != 2) Fail(fmt::format("pickle protocol {}; expected 2, torch.save's default", protocol));
  }

  void Mark() {
    if (marks_.size() == Pickle::kMaxMarks) {
      Fail(fmt::format("more than {} marks are open", Pickle::kMaxMarks));
    }
    marks_.push_back(stack_.size());
  }

  template <Kind kind>
  void PushEmpty() {
    PushNew(kind);
  }

  template <bool value>
  void PushBool() {
    PushNew(Kind::kBool).integer = value;
  }

  template <typename Integer>
  void PushInteger() {
    const auto value = Number<Integer>();
    PushNew(Kind::kInt).integer = value;
  }

  void PushLong() {
    const std::string_view digits = Take(Number<uint8_t>());
    if (digits.size() > sizeof(int64_t)) {
      PushNew(Kind::kBigInt);
      return;
    }
    // Two's complement. Plain char is unsigned on ARM.
    const bool negative = !digits.empty() && static_cast<signed char>(digits.back()) < 0;
    uint64_t value = negative ? ~uint64_t{0} : 0;
    std::memcpy(&value, digits.data(), digits.size());
    PushNew(Kind::kInt).integer = static_cast<int64_t>(value);
  }

  void PushBigEndianDouble() {
    const auto value = std::bit_cast<double>(__builtin_bswap64(Number<uint64_t>()));
    PushNew(Kind::kFloat).number = value;
  }

  template <typename Size>
  void PushText() {
    const std::string_view text = Take(Number<Size>());
    PushNew(Kind::kText).text = text;
  }

  template <size_t size>
  void PushTuple() {
    Require(size);
    std::vector<PickleId> items(stack_.end() - static_cast<ptrdiff_t>(size), stack_.end());
    stack_.resize(stack_.size() - size);
    PushNew(Kind::kTuple).items = std::move(items);
  }

  void PushMarkedTuple() {
    std::vector<PickleId> items = PopToMark();
    PushNew(Kind::kTuple).items = std::move(items);
  }

  void Append() { AddItems(Kind::kList, {Pop()}); }

  void SetItem() {
    const PickleId value = Pop();
    const PickleId key = Pop();
    AddItems(Kind::kDict, {key, value});
  }

  template <Kind kind>
  void AddMarkedItems() {
    AddItems(kind, PopToMark());
  }

  template <typename Index>
  void Put() {
    const auto index = Number<Index>();
    Require(1);
    memo_[index] = stack_.back();
    if (memo_.size() > Pickle::kMaxMemo) {
      Fail(fmt::format("the memo has more than {} values", Pickle::kMaxMemo));
    }
  }

  template <typename Index>
  void Get() {
    const auto index = Number<Index>();
    const auto found = memo_.find(index);
    if (found == memo_.end()) Fail(fmt::format("memo {} is used before it is set", index));
    Push(found->second);
  }

  void PushGlobal() {
    const std::string_view module = Line();
    const std::string_view name = Line();
    PickleNode& node = PushNew(Kind::kGlobal);
    node.module = module;
    node.text = name;
  }

  // Records a call without making it. An OrderedDict without arguments is a dict.
  void PushObject() {
    const PickleId arguments = Pop();
    const PickleId callable = Pop();
    const bool is_dict = Pickle::IsGlobal(nodes_[callable], "collections", "OrderedDict") &&
                         nodes_[arguments].kind == Kind::kTuple && nodes_[arguments].items.empty();
    PickleNode& node = PushNew(is_dict ? Kind::kDict : Kind::kObject);
    node.callable = callable;
    node.arguments = arguments;
  }

  void SetState() {
    const PickleId state = Pop();
    Top().state = state;
  }

  void PushPersistent() {
    const PickleId value = Pop();
    PushNew(Kind::kPersistent).items = {value};
  }

  std::vector<PickleNode>& nodes_;
  const std::string_view bytes_;
  const std::string& where_;
  size_t position_ = 0;
  size_t opcode_at_ = 0;
  std::vector<PickleId> stack_;
  std::vector<size_t> marks_;  // sizes of the stack
  std::unordered_map<uint32_t, PickleId> memo_;
};

PickleMachine::Action PickleMachine::ActionOf(uint8_t code) {
  using M = PickleMachine;
  static constexpr auto kActions = [] {
    std::array<Action, 256> table{};
    table[0x80] = &M::CheckProtocol;               // PROTO
    table['('] = &M::Mark;                         // MARK
    table['N'] = &M::PushEmpty<Kind::kNone>;       // NONE
    table[0x88] = &M::PushBool<true>;              // NEWTRUE
    table[0x89] = &M::PushBool<false>;             // NEWFALSE
    table['J'] = &M::PushInteger<int32_t>;         // BININT
    table['K'] = &M::PushInteger<uint8_t>;         // BININT1
    table['M'] = &M::PushInteger<uint16_t>;        // BININT2
    table[0x8a] = &M::PushLong;                    // LONG1
    table['G'] = &M::PushBigEndianDouble;          // BINFLOAT
    table['X'] = &M::PushText<uint32_t>;           // BINUNICODE
    table['T'] = &M::PushText<uint32_t>;           // BINSTRING, of Python 2
    table['U'] = &M::PushText<uint8_t>;            // SHORT_BINSTRING, of Python 2
    table['}'] = &M::PushEmpty<Kind::kDict>;       // EMPTY_DICT
    table[']'] = &M::PushEmpty<Kind::kList>;       // EMPTY_LIST
    table[0x8f] = &M::PushEmpty<Kind::kSet>;       // EMPTY_SET
    table[')'] = &M::PushTuple<0>;                 // EMPTY_TUPLE
    table[0x85] = &M::PushTuple<1>;                // TUPLE1
    table[0x86] = &M::PushTuple<2>;                // TUPLE2
    table[0x87] = &M::PushTuple<3>;                // TUPLE3
    table['t'] = &M::PushMarkedTuple;              // TUPLE
    table['a'] = &M::Append;                       // APPEND
    table['e'] = &M::AddMarkedItems<Kind::kList>;  // APPENDS
    table['s'] = &M::SetItem;                      // SETITEM
    table['u'] = &M::AddMarkedItems<Kind::kDict>;  // SETITEMS
    table['q'] = &M::Put<uint8_t>;                 // BINPUT
    table['r'] = &M::Put<uint32_t>;                // LONG_BINPUT
    table['h'] = &M::Get<uint8_t>;                 // BINGET
    table['j'] = &M::Get<uint32_t>;                // LONG_BINGET
    table['c'] = &M::PushGlobal;                   // GLOBAL
    table['R'] = &M::PushObject;                   // REDUCE
    table[0x81] = &M::PushObject;                  // NEWOBJ
    table['b'] = &M::SetState;                     // BUILD
    table['Q'] = &M::PushPersistent;               // BINPERSID
    return table;
  }();
  return kActions[code];
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
