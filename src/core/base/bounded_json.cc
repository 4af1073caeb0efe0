// SPDX-License-Identifier: Apache-2.0
#include "core/base/bounded_json.h"

#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <system_error>

namespace calfvo {
namespace {

// Parsing ends where one of these returns false.
class LimitedEvents : public nlohmann::json_sax<nlohmann::json> {
 public:
  const std::string& excess() const { return excess_; }

  bool start_object(std::size_t) override { return Enter(); }
  bool end_object() override { return Leave(); }
  bool start_array(std::size_t) override { return Enter(); }
  bool end_array() override { return Leave(); }
  bool key(string_t&) override {
    if (++keys_ > kMaxJsonKeys) excess_ = fmt::format("has over {} keys", kMaxJsonKeys);
    return excess_.empty();
  }
  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool parse_error(std::size_t, const std::string&, const nlohmann::json::exception&) override {
    return false;
  }

 private:
  bool Enter() {
    if (++depth_ > kMaxJsonDepth) excess_ = fmt::format("is nested over {} deep", kMaxJsonDepth);
    return excess_.empty();
  }
  bool Leave() {
    --depth_;
    return true;
  }

  int keys_ = 0;
  int depth_ = 0;
  std::string excess_;
};

}  // namespace

BoundedJson ReadBoundedJson(const std::filesystem::path& path) {
  std::error_code error;
  const uintmax_t bytes = std::filesystem::file_size(path, error);
  if (error) return {};  // none, or no file
  if (bytes > kMaxJsonBytes) return {.excess = fmt::format("has over {} MiB", kMaxJsonBytes >> 20)};
  std::string text(bytes, '\0');
  std::ifstream stream(path, std::ios::binary);
  stream.read(text.data(), static_cast<std::streamsize>(bytes));
  text.resize(static_cast<size_t>(stream.gcount()));
  LimitedEvents events;
  if (!nlohmann::json::sax_parse(text, &events)) return {.excess = events.excess()};
  return {.text = std::move(text)};
}

}  // namespace calfvo
