// SPDX-License-Identifier: Apache-2.0
#include "commands/run/run_outputs.h"

#include <fmt/format.h>

#include <numbers>
#include <optional>

#include "core/base/atomic_file.h"
#include "core/base/growing_file.h"
#include "core/base/number_text.h"
#include "core/trajectory/formats.h"

namespace calfvo {
namespace {

std::string Flags(const FrameRecord& frame) {
  std::string flags = frame.damage.empty() ? "" : "damaged";
  if (frame.dropped_before > 0) {
    flags += fmt::format("{}dropped_before:{}", flags.empty() ? "" : "|", frame.dropped_before);
  }
  return flags;
}

}  // namespace

// Whole at the end, or growing.
class RunOutputs::LineFile {
 public:
  LineFile(const std::filesystem::path& path, bool live) {
    if (live) {
      growing_.emplace(path);
    } else {
      atomic_.emplace(path);
    }
  }
  void Write(std::string_view bytes) {
    if (growing_) {
      growing_->Write(bytes);
    } else {
      atomic_->Write(bytes);
    }
  }
  void Finish() {
    if (atomic_) atomic_->Commit();
  }

 private:
  std::optional<AtomicFile> atomic_;
  std::optional<GrowingFile> growing_;
};

std::vector<std::string> RunOutputs::Files(const Options& options) {
  std::vector<std::string> files = {"trajectory.tum", "trajectory.kitti", "poses.csv", "path.png",
                                    "path.svg"};
  if (options.has_confidence) files.insert(files.end(), {"uncertainty.png", "uncertainty.svg"});
  return files;
}

RunOutputs::RunOutputs(const std::filesystem::path& folder, const Options& options)
    : folder_(folder), options_(options) {
  tum_ = std::make_unique<LineFile>(folder / "trajectory.tum", options.live);
  kitti_ = std::make_unique<LineFile>(folder / "trajectory.kitti", options.live);
  csv_ = std::make_unique<LineFile>(folder / "poses.csv", options.live);
  tum_->Write(kTumHeader);
  csv_->Write(CsvHeader(/*has_time=*/true, options.has_confidence) +
              ",frame,windows,sigma_translation_m,sigma_rotation_rad,flags" +
              (options.refined ? ",refine_weight\n" : "\n"));
}

RunOutputs::~RunOutputs() = default;

void RunOutputs::Add(const FrameRecord& frame, const TrackedPose& pose, double refine_weight) {
  const auto write = [this](LineFile& file) {
    file.Write(line_);
    line_.clear();
  };
  AppendTumLine(frame.timestamp_ns, pose.world_from_camera, &line_);
  write(*tum_);
  AppendKittiLine(pose.world_from_camera, &line_);
  write(*kitti_);
  AppendCsvRow(frame.timestamp_ns, pose.world_from_camera,
               options_.has_confidence ? &pose.covariance : nullptr, &line_);
  AppendInteger(frame.index, &(line_ += ','));
  AppendInteger(pose.edge.windows, &(line_ += ','));
  if (options_.has_confidence) {
    AppendNumber(pose.edge.sigma_translation_m, &(line_ += ','));
    AppendNumber(pose.edge.sigma_rotation_rad, &(line_ += ','));
  } else {
    line_ += ",,";
  }
  line_ += ',' + Flags(frame);
  if (options_.refined) AppendNumber(refine_weight, &(line_ += ','));
  line_ += '\n';
  write(*csv_);

  if (options_.keep_poses) poses_.Add(frame, pose, options_.has_confidence);
  sketch_.Add(frame.timestamp_ns, pose);
  if (tally_.poses++ == 0) {
    first_timestamp_ns_ = frame.timestamp_ns;
    tally_.width = frame.width;
    tally_.height = frame.height;
  }
  tally_.duration_s = 1e-9 * static_cast<double>(frame.timestamp_ns - first_timestamp_ns_);
  sigma_translation_sum_ += pose.edge.sigma_translation_m;
  sigma_rotation_sum_ += pose.edge.sigma_rotation_rad;
  if (!frame.damage.empty()) NoteDamage(frame);
}

void RunOutputs::NoteDamage(const FrameRecord& frame) {
  ++tally_.damaged;
  if (tally_.damages.size() < RunReport::kMaxDamages) tally_.damages.emplace_back(frame.index, frame.damage);
}

void RunOutputs::Finish(const std::string& title, RunReport& report) {
  for (LineFile* file : {tum_.get(), kitti_.get(), csv_.get()}) file->Finish();
  report.poses = tally_.poses;
  report.damaged = tally_.damaged;
  report.damages = tally_.damages;
  report.duration_s = tally_.duration_s;
  report.width = tally_.width;
  report.height = tally_.height;
  report.path_length_m = sketch_.length_m();
  report.outputs = {{"tum", (folder_ / "trajectory.tum").string()},
                    {"kitti", (folder_ / "trajectory.kitti").string()},
                    {"csv", (folder_ / "poses.csv").string()},
                    {"path", (folder_ / "path.png").string()}};
  WriteFigure(sketch_.PathFigure(title, options_.has_confidence), folder_ / "path");
  if (options_.has_confidence && report.poses > 1) {
    const auto edges = static_cast<double>(report.poses - 1);
    report.mean_sigma_translation_m = sigma_translation_sum_ / edges;
    report.mean_sigma_rotation_deg = sigma_rotation_sum_ / edges * 180.0 / std::numbers::pi;
    WriteFigure(sketch_.UncertaintyFigure(title), folder_ / "uncertainty");
    report.outputs["uncertainty"] = (folder_ / "uncertainty.png").string();
  }
}

}  // namespace calfvo
