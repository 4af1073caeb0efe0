// SPDX-License-Identifier: Apache-2.0
#include "nn/weights/weight_source.h"

#include <fmt/format.h>

#include <utility>

#include "calfvo/error.h"
#include "core/base/quoted.h"
#include "nn/weights/mapped_file.h"
#include "nn/weights/pth.h"
#include "nn/weights/safetensors.h"

namespace calfvo {

std::string WeightSource::WhyMissing(std::string_view) const {
  return "";
}

const TensorView& WeightSource::Get(std::string_view name) const {
  if (const TensorView* view = Find(name)) return *view;
  const std::string reason = WhyMissing(name);
  throw Error(reason.empty() ? fmt::format("{}: no tensor {}", file_name(), Quoted(name))
                             : fmt::format("{}: tensor {} {}", file_name(), Quoted(name), reason));
}

std::unique_ptr<WeightSource> OpenWeights(const std::filesystem::path& path) {
  MappedFile file(path);
  const std::string_view text = file.text();
  // In a zip archive this byte is the compression method, of which there are fewer.
  if (text.size() > 8 && text[8] == '{') return std::make_unique<SafetensorsFile>(std::move(file));
  if (IsPth(text)) return std::make_unique<PthFile>(std::move(file));

  std::string_view advice = "expected a safetensors or a PyTorch file";
  if (text.empty()) {
    advice = "the file is empty; expected a safetensors or a PyTorch file";
  } else if (text.starts_with("version https://git-lfs")) {
    advice = "this is a Git LFS pointer and not the file itself; fetch it with 'git lfs pull'";
  } else if (text.starts_with("<!DOCTYPE") || text.starts_with("<!doctype") || text.starts_with("<html")) {
    advice = "this is a web page and not the file itself; download the file it leads to";
  }
  throw Error(fmt::format("{}: {}", path.string(), advice));
}

}  // namespace calfvo
