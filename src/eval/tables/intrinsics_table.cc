// SPDX-License-Identifier: Apache-2.0
#include "eval/tables/intrinsics_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <optional>
#include <vector>

#include "calfvo/error.h"
#include "eval/metrics/statistics.h"
#include "io/datasets/pose_text.h"

namespace calfvo {
namespace {

using Estimate = std::function<std::optional<CameraIntrinsics>(const SuiteSequence&)>;

std::vector<TableCell> Row(const std::string& label, double n, double mean, double median, double max,
                           double principal_px, double axis_deg) {
  const auto percent = [](double value) { return NumberCell(value, 1); };
  return {{label},
          NumberCell(n, 0),
          percent(mean),
          percent(median),
          percent(max),
          NumberCell(principal_px, 1),
          NumberCell(axis_deg, 2)};
}

// Over the sequences whose true and estimated intrinsics are known; empty where there are none.
std::vector<TableCell> ScoredRow(const std::string& label, const BenchmarkResults& benchmark,
                                 const Estimate& estimate) {
  std::vector<double> focal, principal, axis;
  for (const SuiteSequence* sequence : benchmark.sequences) {
    const auto estimated = estimate(*sequence);
    if (!estimated || !sequence->intrinsics) continue;
    const IntrinsicsErrors errors = CompareIntrinsics(*sequence->intrinsics, *estimated);
    focal.push_back(100.0 * errors.focal);
    principal.push_back(errors.principal_px);
    axis.push_back(errors.axis_deg);
  }
  if (focal.empty()) return {};
  const Statistics f = Summarise(focal);
  return Row(label, static_cast<double>(focal.size()), f.mean, f.median, f.max, Summarise(principal).mean,
             Summarise(axis).mean);
}

}  // namespace

IntrinsicsErrors CompareIntrinsics(const CameraIntrinsics& truth, const CameraIntrinsics& estimate) {
  const double f = 0.5 * (truth.fx + truth.fy);
  const double estimated = 0.5 * (estimate.fx + estimate.fy);
  const double distance = std::hypot(estimate.cx - truth.cx, estimate.cy - truth.cy);
  return {.focal = std::abs(estimated - f) / f,
          .principal_px = distance,
          .axis_deg = 180.0 / std::numbers::pi * std::atan2(distance, f)};
}

IntrinsicsFile ReadIntrinsicsFile(const std::filesystem::path& path) {
  IntrinsicsFile result{.name = path.stem().string(), .sequences = {}};
  TextFile file(path);
  const std::vector<std::string> kinds = DatasetKinds();
  for (auto line = file.reader().Next(); line.data() != nullptr; line = file.reader().Next()) {
    FieldReader fields(file.reader(), line, ' ', "kind name fx fy cx cy");
    const std::string kind(fields.Text());
    const std::string name(fields.Text());
    if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end()) {
      file.reader().Fail(fmt::format("no dataset '{}'; expected one of {}", kind, fmt::join(kinds, ", ")));
    }
    CameraIntrinsics intrinsics;
    for (double* value : {&intrinsics.fx, &intrinsics.fy, &intrinsics.cx, &intrinsics.cy}) {
      *value = fields.Number();
      const bool is_focal = value == &intrinsics.fx || value == &intrinsics.fy;
      if (!std::isfinite(*value) || std::abs(*value) > 1e9 || (is_focal && *value <= 0.0)) {
        file.reader().Fail(fmt::format("{} is {}; expected {} to 1e9 pixels",
                                       is_focal ? "a focal length" : "cx or cy", *value,
                                       is_focal ? "above 0" : "-1e9"));
      }
    }
    fields.ExpectEnd();
    if (!result.sequences.emplace(std::pair(kind, name), intrinsics).second) {
      file.reader().Fail(
          fmt::format("{} {} has been there before; expected one line per sequence", kind, name));
    }
  }
  return result;
}

ResultTable IntrinsicsTable(const SuiteNumbers& numbers) {
  ResultTable table{
      .name = "intrinsics",
      .title = "Errors of estimated intrinsics (Table S3 of the paper)",
      .note =
          "|Δf|/f in %, f the mean of fx and fy; the principal point's error in pixels and the angle by "
          "which it turns the optical axis in °, means over n sequences.",
      .heading = {"benchmark", "n", "f mean", "f median", "f max", "principal point", "axis"}};
  const auto& paper = numbers.paper.intrinsics;
  for (const BenchmarkResults& benchmark : numbers.benchmarks) {
    const auto add = [&](const std::string& name, const Estimate& estimate) {
      auto row = ScoredRow(fmt::format("{}: {}", benchmark.name, name), benchmark, estimate);
      if (!row.empty()) table.rows.push_back(std::move(row));
    };
    if (benchmark.paper_index >= 0) {
      table.rows.push_back(Row(fmt::format("{}: {}, paper", benchmark.name, paper.method),
                               benchmark.Paper(paper.sequences), benchmark.Paper(paper.focal_mean),
                               benchmark.Paper(paper.focal_median), benchmark.Paper(paper.focal_max),
                               benchmark.Paper(paper.principal_px), benchmark.Paper(paper.axis_deg)));
    }
    for (const IntrinsicsFile& file : numbers.intrinsics_files) {
      add(file.name, [&](const SuiteSequence& sequence) -> std::optional<CameraIntrinsics> {
        const auto found = file.sequences.find({sequence.found.kind, sequence.found.name});
        if (found == file.sequences.end()) return {};
        return found->second;
      });
    }
    add(numbers.method + ", this run", [&](const SuiteSequence& sequence) -> std::optional<CameraIntrinsics> {
      const auto result = sequence.results.find(numbers.overlap);
      if (result == sequence.results.end()) return {};
      return result->second.camera;
    });
  }
  return table;
}

}  // namespace calfvo
