// SPDX-License-Identifier: Apache-2.0
// What every reader of weights promises, for the fuzz targets.
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "calfvo/error.h"
#include "core/base/testing.h"
#include "memory_file.h"
#include "nn/weights/safetensors_writer.h"
#include "nn/weights/weight_source.h"

namespace calfvo {

// Messages name the file and are short, printable lines.
inline void CheckMessage(const Error& error) {
  const std::string_view message = error.what();
  Check(message.starts_with("fuzz: "), "the message names the file");
  Check(message.size() < 1000, "the message is short");
  Check(std::none_of(message.begin(), message.end(), [](char c) { return c >= 0 && c < ' '; }),
        "the message is one line without control codes");
}

// A file of this process, removed at its end.
inline std::filesystem::path ScratchPath() {
  static const TempFolder folder;
  return folder.path() / "weights";
}

inline bool IsAscii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= 0; });
}

// Every tensor can be read to its last byte, and all of them survive being written and read again.
inline void CheckWeights(const WeightSource& source) {
  std::vector<NamedTensor> tensors;
  for (const std::string& name : source.names()) {
    const TensorView* view = source.Find(name);
    Check(view != nullptr, "every name is found");
    Check(view->byte_size() == static_cast<size_t>(view->shape().element_count()) * DTypeSize(view->dtype()),
          "sizes agree");
    // A name that is not UTF-8, which pickles may have, cannot be written.
    if (IsAscii(name) && name != "__metadata__") tensors.push_back({name, *view});
  }
  WriteSafetensors(ScratchPath(), tensors, {});
  const auto again = OpenWeights(ScratchPath());
  Check(again->names().size() == tensors.size(), "as many tensors after a round trip");
  for (const NamedTensor& tensor : tensors) {
    const TensorView& view = again->Get(tensor.name);
    Check(view.dtype() == tensor.view.dtype() && view.shape() == tensor.view.shape(),
          "the same types and shapes");
    Check(std::ranges::equal(view.bytes(), tensor.view.bytes()), "the same bytes");
  }
}

}  // namespace calfvo
