// SPDX-License-Identifier: Apache-2.0
// Python pickles of protocol 2, read as inert data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace calfvo {

using PickleId = uint32_t;
inline constexpr PickleId kNoPickleId = std::numeric_limits<PickleId>::max();

// One value. Which members mean something depends on `kind`.
struct PickleNode {
  enum class Kind : uint8_t {
    kNone,
    kBool,        // integer: 0 or 1
    kInt,         // integer
    kBigInt,      // beyond 64 bits; its value is not kept
    kFloat,       // number
    kText,        // text
    kList,        // items
    kTuple,       // items
    kDict,        // items: key, value, key, value, …; OrderedDict too
    kSet,         // items
    kGlobal,      // module, text: a name that Python would import. It is never looked up
    kPersistent,  // items[0]: what Python would hand to persistent_load
    kObject,      // callable, arguments: a call that Python would make. It is never made
  };

  Kind kind = Kind::kNone;
  PickleId callable = kNoPickleId;
  PickleId arguments = kNoPickleId;
  PickleId state = kNoPickleId;  // what Python would hand to __setstate__, or put into __dict__
  int64_t integer = 0;
  double number = 0;
  std::string_view text;
  std::string_view module;
  std::vector<PickleId> items;  // kObject too: what was appended or set on it
};

// The values of a pickle in one table, referring to each other by index, so that cycles cost nothing and
// freeing is not recursive. Texts borrow from `bytes`. Executes nothing: the opcodes are an allow-list, the
// ones that torch.save emits, and those that would import, call or build leave inert nodes behind.
// Throws Error for other opcodes, for anything malformed and beyond the limits.
class Pickle {
 public:
  static constexpr size_t kMaxBytes = 16 << 20;
  static constexpr size_t kMaxNodes = 1 << 20;
  static constexpr size_t kMaxStack = 1 << 20;
  static constexpr size_t kMaxMemo = 1 << 20;
  static constexpr size_t kMaxMarks = 1'000;

  // `where` stands for the file in messages.
  Pickle(std::string_view bytes, const std::string& where);

  const PickleNode& root() const { return nodes_[root_]; }
  const PickleNode& operator[](PickleId id) const { return nodes_[id]; }

  // The value that the dict has under the text `key` (the last one if several), or null.
  const PickleNode* FindInDict(const PickleNode& dict, std::string_view key) const;

  // Whether it is the global name `module`.`name`.
  static bool IsGlobal(const PickleNode& node, std::string_view module, std::string_view name);

  // "a list", "an object of 'argparse.Namespace'", for messages.
  std::string Describe(const PickleNode& node) const;

 private:
  friend class PickleMachine;

  std::vector<PickleNode> nodes_;
  PickleId root_ = 0;
};

}  // namespace calfvo
