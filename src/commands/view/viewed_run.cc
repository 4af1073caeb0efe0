// SPDX-License-Identifier: Apache-2.0
#include "commands/view/viewed_run.h"

#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "calfvo/error.h"
#include "commands/page/page_template.h"
#include "commands/page/run_document.h"
#include "commands/run/evaluated_run.h"
#include "commands/run/run_input.h"
#include "core/base/bounded_json.h"
#include "core/image/jpeg.h"
#include "core/image/png.h"

namespace calfvo {
namespace {

using Json = nlohmann::json;

constexpr int kFrameQuality = 90;

Json Member(const Json& json, const char* name) {
  return json.is_object() ? json.value(name, Json()) : Json();
}

// The part of the options in run.json that decides which frames there are. Their times do not matter here.
SourceOptions OptionsOf(const Json& run) {
  SourceOptions options;
  const Json stream = Member(Member(run, "options"), "stream");
  if (stream.is_number_integer()) options.stream = stream.get<int>();
  const Json topic = Member(Member(run, "options"), "topic");
  if (topic.is_string()) options.topic = topic;
  return options;
}

}  // namespace

ViewedRun::ViewedRun(std::filesystem::path folder, bool under_way) : folder_(std::move(folder)) {
  if (under_way) return;
  const Json run = Json::parse(RunJsonText(), nullptr, /*allow_exceptions=*/false);
  const Json input = Member(run, "input");
  if (input.is_string() && CanBeReadAgain(input)) input_ = input;
  options_ = OptionsOf(run);
}

std::string ViewedRun::RunJsonText() const {
  const BoundedJson run = ReadBoundedJson(folder_ / "run.json");
  if (!run.text.empty()) return run.text;
  throw Error(fmt::format("{}: {}; expected the folder of a complete `calfvo run`", folder_.string(),
                          run.excess.empty() ? "holds no valid run.json" : "its run.json " + run.excess));
}

std::string ViewedRun::DocumentJson() const {
  std::filesystem::path named = std::filesystem::absolute(folder_).lexically_normal();
  if (named.filename().empty()) named = named.parent_path();
  return RunDocumentJson(
      folder_, RunJsonText(), named.filename().string(),
      {.max_points = std::numeric_limits<size_t>::max() - 1, .full_frames = !input_.empty()});
}

std::string ViewedRun::FramesJson() const {
  return FramesOfPage(folder_ / "view.html");
}

std::optional<ViewedRun::Image> ViewedRun::FrameImage(int64_t frame) {
  if (input_.empty() || frame < 0) return {};
  const int64_t call = ++calls_;
  const std::lock_guard lock(mutex_);
  const auto overtaken = [&] { return calls_ != call; };
  try {
    if (!source_ || frame_.index > frame) {
      source_ = OpenInput(input_, options_);
      if (!source_->Advance(frame_)) source_.reset();
      is_read_ = false;
    }
    while (source_ && frame_.index < frame) {
      if (overtaken()) return {};
      if (!source_->Advance(frame_)) source_.reset();
      is_read_ = false;
    }
    if (source_ && !is_read_) source_->Read(frame_);
    is_read_ = true;
  } catch (const Error&) {  // the video has gone, or is another one now: there are still key frames
    source_.reset();
  }
  if (!source_ || frame_.index != frame) return {};
  if (CanEncodeJpeg()) return Image{EncodeJpeg(frame_.view(), kFrameQuality), "image/jpeg"};
  return Image{EncodePng(frame_.view()), "image/png"};
}

}  // namespace calfvo
