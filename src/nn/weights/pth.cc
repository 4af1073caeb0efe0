// SPDX-License-Identifier: Apache-2.0
#include "nn/weights/pth.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cstring>
#include <set>
#include <utility>

#include "calfvo/error.h"
#include "core/base/quoted.h"
#include "nn/weights/pickle.h"
#include "nn/weights/torch_tensor.h"
#include "nn/weights/zip_directory.h"

namespace calfvo {
namespace {

static_assert(std::endian::native == std::endian::little, "tensors are used as they lie in the file");

using Kind = PickleNode::Kind;

// The old format begins with the pickle of a number that no other format has.
constexpr std::string_view kLegacyStart = "\x80\x02\x8a\x0al\xfc\x9c\x46\xf9 j\xa8P\x19";

// The records of the archive's one folder, each compared with its checksum the first time it is asked for.
class Records {
 public:
  Records(const ZipDirectory& zip, const std::string& file_name, const PthOptions& options)
      : zip_(zip), file_name_(file_name), options_(options) {
    if (zip.entries().empty()) {
      throw Error(file_name + ": the zip archive is empty; expected a file written by torch.save");
    }
    const std::string_view first = zip.entries()[0].name;
    folder_ = first.substr(0, first.find('/'));
  }

  const ZipEntry* Find(std::string_view record) {
    const ZipEntry* entry = zip_.Find(FullName(record));
    if (entry != nullptr && options_.check_crc32 && checked_.insert(entry).second) {
      CheckCrc32(*entry, file_name_);
    }
    return entry;
  }

  const ZipEntry& Get(std::string_view record) {
    if (const ZipEntry* entry = Find(record)) return *entry;
    throw Error(fmt::format("{}: no record {}; was this written by torch.save?", file_name_,
                            Quoted(FullName(record))));
  }

 private:
  std::string FullName(std::string_view record) const { return fmt::format("{}/{}", folder_, record); }

  const ZipDirectory& zip_;
  const std::string& file_name_;
  const PthOptions& options_;
  std::string_view folder_;
  std::set<const ZipEntry*> checked_;
};

// Copies row-major what `tensor` selects from `storage`.
void CopyStrided(const TorchTensor& tensor, const std::byte* storage, std::byte* to) {
  const size_t element = DTypeSize(tensor.dtype);
  const size_t rank = tensor.shape.rank();
  const int64_t row = rank == 0 ? 1 : tensor.shape[rank - 1];
  const size_t step = rank == 0 ? 0 : static_cast<size_t>(tensor.strides[rank - 1]) * element;
  std::array<int64_t, Shape::kMaxRank> index{};
  for (int64_t done = 0; done < tensor.shape.element_count(); done += row) {
    int64_t offset = tensor.offset;
    for (size_t i = 0; i + 1 < rank; ++i) offset += index[i] * tensor.strides[i];
    const std::byte* from = storage + static_cast<size_t>(offset) * element;
    for (int64_t i = 0; i < row; ++i) {
      std::memcpy(to, from + static_cast<size_t>(i) * step, element);
      to += element;
    }
    for (size_t i = rank - (rank > 0 ? 1 : 0); i-- > 0;) {
      if (++index[i] < tensor.shape[i]) break;
      index[i] = 0;
    }
  }
}

// A number or a string as text; nothing for other values and for strings too long to be a description.
std::optional<std::string> ScalarText(const PickleNode& node) {
  constexpr size_t kMaxLength = 4096;
  if (node.kind == Kind::kText && node.text.size() <= kMaxLength) return std::string(node.text);
  if (node.kind == Kind::kBool) return node.integer != 0 ? "true" : "false";
  if (node.kind == Kind::kInt) return std::to_string(node.integer);
  if (node.kind == Kind::kFloat) return fmt::format("{}", node.number);
  return std::nullopt;
}

}  // namespace

bool IsPth(std::string_view text) {
  return text.starts_with("PK\x03\x04") || text.starts_with("PK\x05\x06") || text.starts_with(kLegacyStart);
}

PthFile::PthFile(MappedFile file, const PthOptions& options) : file_(std::move(file)), name_(file_->name()) {
  Load(file_->bytes(), options);
}

PthFile::PthFile(std::span<const std::byte> bytes, std::string name, const PthOptions& options)
    : name_(std::move(name)) {
  Load(bytes, options);
}

void PthFile::Fail(std::string_view problem) const {
  throw Error(fmt::format("{}: {}", name_, problem));
}

std::string PthFile::WhyMissing(std::string_view name) const {
  const auto found = reasons_.find(name);
  return found == reasons_.end() ? "" : found->second;
}

void PthFile::Load(std::span<const std::byte> bytes, const PthOptions& options) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (text.starts_with(kLegacyStart)) {
    Fail(
        "this is PyTorch's format from before version 1.6; load it there and re-save it with torch.save in "
        "PyTorch 1.6 or later");
  }
  const ZipDirectory zip(bytes, name_);
  Records records(zip, name_, options);
  if (const ZipEntry* order = records.Find("byteorder"); order != nullptr && order->text() != "little") {
    Fail(fmt::format("byteorder is {}; expected 'little'", Quoted(order->text())));
  }
  const Pickle pickle(records.Get("data.pkl").text(), name_ + ": data.pkl");

  const PickleNode& state_dict = StateDict(pickle);
  copy_budget_ = kMaxCopyFactor * bytes.size();
  for (size_t i = 0; i + 1 < state_dict.items.size(); i += 2) {
    const PickleNode& key = pickle[state_dict.items[i]];
    if (key.kind != Kind::kText) continue;
    const std::string where = fmt::format("{}: tensor {}", name_, Quoted(key.text));
    if (tensors_.Find(key.text) != nullptr || reasons_.contains(key.text))
      throw Error(where + " occurs twice");
    TorchTensorOrReason decoded = DecodeTorchTensor(pickle, pickle[state_dict.items[i + 1]], where);
    if (!decoded.tensor) {
      reasons_.emplace(key.text, std::move(decoded.reason));
      continue;
    }
    const ZipEntry& storage = records.Get(fmt::format("data/{}", decoded.tensor->storage_key));
    if (storage.payload.size() != decoded.tensor->storage_bytes) {
      throw Error(fmt::format("{} has a storage of {} bytes, but its record {} has {}", where,
                              decoded.tensor->storage_bytes, Quoted(storage.name), storage.payload.size()));
    }
    AddTensor(key.text, *decoded.tensor, storage.payload);
  }
  if (tensors_.names().empty()) {
    std::string keys;
    for (const auto& [name, reason] : reasons_) {
      if (keys.size() < 200) keys += (keys.empty() ? "" : ", ") + Quoted(name);
    }
    Fail(fmt::format("there are no tensors in the state dict; its keys are: {}",
                     keys.empty() ? "none" : keys));
  }
  AddMetadata(pickle, state_dict);
}

const PickleNode& PthFile::StateDict(const Pickle& pickle) const {
  const PickleNode& root = pickle.root();
  if (root.kind != Kind::kDict) {
    Fail(fmt::format("the file holds {}; expected a dict of tensors, as model.state_dict() gives it",
                     pickle.Describe(root)));
  }
  for (const std::string_view key : {"model", "state_dict"}) {
    const PickleNode* inner = pickle.FindInDict(root, key);
    if (inner == nullptr) continue;
    if (inner->kind != Kind::kDict) {
      Fail(fmt::format("the entry '{}' is {}; expected a dict of tensors, as model.state_dict() gives it",
                       key, pickle.Describe(*inner)));
    }
    return *inner;
  }
  return root;
}

void PthFile::AddTensor(std::string_view name, const TorchTensor& tensor,
                        std::span<const std::byte> storage) {
  const std::byte* place = storage.data() + static_cast<size_t>(tensor.offset) * DTypeSize(tensor.dtype);
  const bool aligned = reinterpret_cast<uintptr_t>(place) % DTypeAlignment(tensor.dtype) == 0;
  if (tensor.IsContiguous() && aligned) {
    tensors_.Add(name, {place, tensor.dtype, tensor.shape});
    return;
  }
  const auto count = static_cast<size_t>(tensor.shape.element_count());
  if (count > copy_budget_ / DTypeSize(tensor.dtype)) {
    Fail(fmt::format(
        "tensor {} and those before it repeat their storages too often: copies would take over {} "
        "times the file's size",
        Quoted(name), kMaxCopyFactor));
  }
  copy_budget_ -= count * DTypeSize(tensor.dtype);
  Tensor& copy = copies_.emplace_back(Tensor::Uninitialized(tensor.dtype, tensor.shape));
  CopyStrided(tensor, storage.data(), copy.mutable_bytes().data());
  tensors_.Add(name, copy.view());
}

void PthFile::AddMetadata(const Pickle& pickle, const PickleNode& state_dict) {
  // A hostile file can make each of many entries refer to one large dict.
  constexpr size_t kMaxEntries = 1024;
  size_t visits_left = 100'000;
  const auto add_items = [&](const PickleNode& dict, const std::string& prefix, auto&& visit_other) {
    for (size_t i = 0; i + 1 < dict.items.size() && metadata_.size() < kMaxEntries; i += 2) {
      if (visits_left == 0) return;
      --visits_left;
      const auto key = ScalarText(pickle[dict.items[i]]);
      const PickleNode& value = pickle[dict.items[i + 1]];
      if (!key) continue;
      if (const auto text = ScalarText(value)) {
        metadata_[prefix + *key] = *text;
      } else {
        visit_other(*key, value);
      }
    }
  };
  const auto ignore = [](const std::string&, const PickleNode&) {};
  add_items(pickle.root(), "", [&](const std::string& key, const PickleNode& value) {
    if (&value == &state_dict) return;
    // An object such as argparse.Namespace keeps its attributes in a dict.
    const bool has_state = value.kind == Kind::kObject && value.state != kNoPickleId;
    const PickleNode& attributes = has_state ? pickle[value.state] : value;
    if (attributes.kind == Kind::kDict) add_items(attributes, key + ".", ignore);
  });
}

}  // namespace calfvo
