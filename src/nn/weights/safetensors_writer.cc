// SPDX-License-Identifier: Apache-2.0
#include "nn/weights/safetensors_writer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <tuple>
#include <utility>

#include "calfvo/error.h"
#include "core/base/quoted.h"
#include "nn/weights/safetensors_header.h"

namespace calfvo {
namespace {

constexpr size_t kDataAlignment = 64;

std::string JsonString(const std::string& path, const std::string& text) {
  try {
    return nlohmann::json(text).dump();
  } catch (const nlohmann::json::exception&) {
    throw Error(fmt::format("{}: cannot write {}, which is not UTF-8", path, Quoted(text)));
  }
}

std::vector<SafetensorsWriter::Entry> Sorted(const std::string& path,
                                             std::vector<SafetensorsWriter::Entry> entries) {
  std::sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) {
    const size_t a_alignment = DTypeAlignment(a.dtype);
    const size_t b_alignment = DTypeAlignment(b.dtype);
    return std::tie(b_alignment, a.name) < std::tie(a_alignment, b.name);
  });
  std::vector<std::string_view> names = {"__metadata__"};
  for (const auto& entry : entries) names.push_back(entry.name);
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  if (twice != names.end()) {
    throw Error(fmt::format("{}: cannot write two tensors named {}{}", path, Quoted(*twice),
                            *twice == "__metadata__" ? ", a reserved name" : ""));
  }
  return entries;
}

std::string Header(const std::string& path, const std::vector<SafetensorsWriter::Entry>& entries,
                   const std::map<std::string, std::string>& metadata) {
  std::vector<std::string> items;
  if (!metadata.empty()) {
    std::vector<std::string> pairs;
    for (const auto& [key, value] : metadata) {
      pairs.push_back(JsonString(path, key) + ":" + JsonString(path, value));
    }
    items.push_back(fmt::format("\"__metadata__\":{{{}}}", fmt::join(pairs, ",")));
  }
  uint64_t begin = 0;
  for (const auto& entry : entries) {
    const uint64_t end = begin + TensorView(nullptr, entry.dtype, entry.shape).byte_size();
    items.push_back(fmt::format(R"({}:{{"dtype":"{}","shape":[{}],"data_offsets":[{},{}]}})",
                                JsonString(path, entry.name), DTypeName(entry.dtype),
                                fmt::join(entry.shape.sizes(), ","), begin, end));
    begin = end;
  }
  std::string header = fmt::format("{{{}}}", fmt::join(items, ","));
  header.resize((8 + header.size() + kDataAlignment - 1) / kDataAlignment * kDataAlignment - 8, ' ');
  if (header.size() > kMaxSafetensorsHeaderSize || entries.size() > kMaxSafetensorsEntries ||
      metadata.size() > kMaxSafetensorsEntries) {
    throw Error(
        fmt::format("{}: cannot write {} tensors and {} metadata keys, a header of {} bytes; the limits "
                    "are {}, {} and {}",
                    path, entries.size(), metadata.size(), header.size(), kMaxSafetensorsEntries,
                    kMaxSafetensorsEntries, kMaxSafetensorsHeaderSize));
  }
  return header;
}

}  // namespace

SafetensorsWriter::SafetensorsWriter(const std::filesystem::path& path, std::vector<Entry> entries,
                                     const std::map<std::string, std::string>& metadata)
    : path_(path.string()), entries_(Sorted(path_, std::move(entries))), file_(path) {
  const std::string header = Header(path_, entries_, metadata);
  const uint64_t length = header.size();
  file_.Write({reinterpret_cast<const char*>(&length), sizeof(length)});
  file_.Write(header);
}

void SafetensorsWriter::Append(const TensorView& view) {
  if (next_ == entries_.size()) {
    throw Error(fmt::format("{}: all {} tensors are written already", path_, entries_.size()));
  }
  const Entry& entry = entries_[next_];
  if (view.dtype() != entry.dtype || view.shape() != entry.shape) {
    throw Error(fmt::format("{}: tensor {} is {} {}; {} {} was announced", path_, Quoted(entry.name),
                            DTypeName(view.dtype()), view.shape().ToString(), DTypeName(entry.dtype),
                            entry.shape.ToString()));
  }
  const auto bytes = view.bytes();
  if (!bytes.empty()) file_.Write({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  ++next_;
}

void SafetensorsWriter::Commit() {
  if (next_ != entries_.size()) {
    throw Error(
        fmt::format("{}: tensor {} was announced but not written", path_, Quoted(entries_[next_].name)));
  }
  file_.Commit();
}

void WriteSafetensors(const std::filesystem::path& path, std::span<const NamedTensor> tensors,
                      const std::map<std::string, std::string>& metadata) {
  std::vector<SafetensorsWriter::Entry> entries;
  std::map<std::string_view, const TensorView*> views;
  for (const NamedTensor& tensor : tensors) {
    entries.push_back({tensor.name, tensor.view.dtype(), tensor.view.shape()});
    views.emplace(tensor.name, &tensor.view);
  }
  SafetensorsWriter writer(path, std::move(entries), metadata);
  for (const auto& entry : writer.entries()) writer.Append(*views.at(entry.name));
  writer.Commit();
}

}  // namespace calfvo
