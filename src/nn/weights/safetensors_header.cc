// SPDX-License-Identifier: Apache-2.0
// The header is read as a stream of events, not as a tree: a tree would have lost duplicate keys, and would
// hold a hostile nesting of brackets before anyone could object.
#include "nn/weights/safetensors_header.h"

#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "calfvo/error.h"
#include "core/base/quoted.h"

namespace calfvo {
namespace {

class HeaderEvents : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit HeaderEvents(const std::string& file_name) : file_name_(file_name) {}

  SafetensorsHeader Take() { return std::move(header_); }

  bool start_object(std::size_t) override {
    switch (place_) {
      case Place::kStart:
        place_ = Place::kTop;
        return true;
      case Place::kTop:
        if (key_ == "__metadata__") {
          place_ = Place::kMetadata;
        } else {
          place_ = Place::kTensor;
          StartTensor();
        }
        return true;
      default:
        Unexpected("an object");
    }
  }

  bool end_object() override {
    if (place_ == Place::kTensor) FinishTensor();
    place_ = Place::kTop;
    return true;
  }

  bool key(string_t& key) override {
    key_ = key;
    if (place_ == Place::kTop) {
      if (!names_.insert(key).second) Fail(fmt::format("the name {} occurs twice", Quoted(key)));
    } else if (place_ == Place::kMetadata) {
      if (header_.metadata.contains(key)) Fail(fmt::format("the metadata key {} occurs twice", Quoted(key)));
      if (header_.metadata.size() == kMaxSafetensorsEntries) {
        Fail(fmt::format("there are more than {} metadata keys", kMaxSafetensorsEntries));
      }
    } else if (key != "dtype" && key != "shape" && key != "data_offsets") {
      FailTensor(fmt::format("has a field {}; expected dtype, shape and data_offsets", Quoted(key)));
    } else if (key == "dtype" ? dtype_.has_value() : key == "shape" ? has_shape_ : has_offsets_) {
      FailTensor(fmt::format("has the field {} twice", Quoted(key)));
    }
    return true;
  }

  bool start_array(std::size_t) override {
    if (place_ != Place::kTensor || key_ == "dtype") Unexpected("an array");
    place_ = Place::kNumbers;
    (key_ == "shape" ? has_shape_ : has_offsets_) = true;
    return true;
  }

  bool end_array() override {
    place_ = Place::kTensor;
    return true;
  }

  bool number_unsigned(number_unsigned_t value) override {
    if (place_ != Place::kNumbers) Unexpected("a number");
    if (key_ == "shape") {
      if (value > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
        FailTensor(fmt::format("has a size of {} in its shape; expected at most 2^63 - 1", value));
      }
      if (sizes_.size() == Shape::kMaxRank) {
        FailTensor(fmt::format("has more than {} dimensions", Shape::kMaxRank));
      }
      sizes_.push_back(static_cast<int64_t>(value));
    } else {
      if (offsets_.size() == 2) FailTensor("has more than two data_offsets; expected [begin, end]");
      offsets_.push_back(value);
    }
    return true;
  }

  bool number_integer(number_integer_t value) override { FailNumber(std::to_string(value)); }
  bool number_float(number_float_t, const string_t& text) override { FailNumber(text); }

  bool string(string_t& text) override {
    if (place_ == Place::kMetadata) {
      header_.metadata.emplace(key_, text);
    } else if (place_ == Place::kTensor && key_ == "dtype") {
      dtype_ = DTypeFromName(text);
      if (!dtype_) FailTensor(fmt::format("has the dtype {}, which is not supported", Quoted(text)));
    } else {
      Unexpected("a string");
    }
    return true;
  }

  bool null() override { Unexpected("null"); }
  bool boolean(bool) override { Unexpected("true or false"); }
  bool binary(binary_t&) override { Unexpected("binary data"); }

  bool parse_error(std::size_t position, const std::string&, const nlohmann::json::exception&) override {
    Fail(fmt::format("the header is not valid JSON at byte {}", position));
  }

 private:
  enum class Place { kStart, kTop, kMetadata, kTensor, kNumbers };

  [[noreturn]] void Fail(std::string_view problem) const {
    throw Error(fmt::format("{}: {}", file_name_, problem));
  }
  [[noreturn]] void FailTensor(std::string_view problem) const {
    Fail(fmt::format("tensor {} {}", Quoted(tensor_name_), problem));
  }
  [[noreturn]] void FailNumber(const std::string& text) const {
    if (place_ != Place::kNumbers) Unexpected("a number");
    FailTensor(fmt::format("has {} in its {}; expected whole numbers from 0", Quoted(text), key_));
  }
  [[noreturn]] void Unexpected(std::string_view what) const {
    switch (place_) {
      case Place::kStart:
        Fail(fmt::format("the header is {}; expected an object", what));
      case Place::kTop:
        Fail(fmt::format("{} is {}; expected an object", Quoted(key_), what));
      case Place::kMetadata:
        Fail(fmt::format("metadata {} is {}; expected a string", Quoted(key_), what));
      case Place::kTensor:
        FailTensor(fmt::format("has {} as its {}; expected {}", what, key_,
                               key_ == "dtype" ? "a string" : "an array of whole numbers"));
      case Place::kNumbers:
        FailTensor(fmt::format("has {} in its {}; expected whole numbers from 0", what, key_));
    }
    Fail("impossible");
  }

  void StartTensor() {
    if (header_.entries.size() == kMaxSafetensorsEntries) {
      Fail(fmt::format("there are more than {} tensors", kMaxSafetensorsEntries));
    }
    tensor_name_ = key_;
    dtype_.reset();
    sizes_.clear();
    offsets_.clear();
    has_shape_ = has_offsets_ = false;
  }

  void FinishTensor() {
    if (!dtype_ || !has_shape_ || !has_offsets_) {
      FailTensor(fmt::format("has no {}", !dtype_ ? "dtype" : !has_shape_ ? "shape" : "data_offsets"));
    }
    if (offsets_.size() != 2) {
      FailTensor(fmt::format("has {} data_offsets; expected [begin, end]", offsets_.size()));
    }
    const uint64_t begin = offsets_[0];
    const uint64_t end = offsets_[1];
    if (begin > end)
      FailTensor(fmt::format("has data_offsets [{}, {}], which end before they begin", begin, end));
    if (const auto problem = Shape::Check(sizes_)) {
      FailTensor(fmt::format("has shape {}, which {}", SizesToString(sizes_), *problem));
    }
    const Shape shape(sizes_);
    uint64_t needed = 0;
    if (__builtin_mul_overflow(static_cast<uint64_t>(shape.element_count()), DTypeSize(*dtype_), &needed) ||
        needed != end - begin) {
      FailTensor(fmt::format("has data_offsets [{}, {}], {} bytes, but {} {} does not take that many", begin,
                             end, end - begin, DTypeName(*dtype_), shape.ToString()));
    }
    header_.entries.push_back({tensor_name_, *dtype_, shape, begin, end});
  }

  const std::string& file_name_;
  SafetensorsHeader header_;
  std::set<std::string> names_;
  Place place_ = Place::kStart;
  std::string key_;
  // The tensor being read.
  std::string tensor_name_;
  std::optional<DType> dtype_;
  bool has_shape_ = false;
  bool has_offsets_ = false;
  std::vector<int64_t> sizes_;
  std::vector<uint64_t> offsets_;
};

}  // namespace

SafetensorsHeader ParseSafetensorsHeader(std::string_view json, const std::string& file_name) {
  HeaderEvents events(file_name);
  nlohmann::json::sax_parse(json.begin(), json.end(), &events);
  return events.Take();
}

}  // namespace calfvo
