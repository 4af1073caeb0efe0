// SPDX-License-Identifier: Apache-2.0
#include "commands/bench/speed_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "calfvo/version.h"
#include "core/base/quoted.h"
#include "eval/metrics/table.h"

namespace calfvo {

std::string SpeedText(const SpeedReport& report) {
  std::vector<std::vector<std::string>> rows = {
      {"schedule", "windows", "frames", "ms/step", "95 %", "frames/s", "TFLOP/s"}};
  for (const ScheduleSpeed& schedule : report.schedules) {
    rows.push_back({schedule.name, fmt::format("{}", schedule.windows), fmt::format("{}", schedule.frames),
                    FormatValue(1e3 * schedule.median_s), FormatValue(1e3 * schedule.p95_s),
                    FormatValue(schedule.frames_per_s()), FormatValue(report.Tflops(schedule))});
  }
  std::string precisions;
  if (!report.precisions.empty()) {
    std::vector<std::vector<std::string>> lines = {
        {"precision", "ms/step", "frames/s", "TFLOP/s", "peak", "of peak"}};
    for (const PrecisionSpeed& speed : report.precisions) {
      lines.push_back({speed.precision, FormatValue(1e3 * speed.live.median_s),
                       FormatValue(speed.live.frames_per_s()), FormatValue(report.Tflops(speed.live)),
                       FormatValue(1e-12 * speed.peak), FormatValue(report.ShareOfPeak(speed))});
    }
    precisions = fmt::format("\nlive, in each precision of this CPU\n{}", FormatTable(lines));
  }
  const std::string memory = report.device_bytes == 0 ? ""
                                                      : fmt::format("\n{} MB of the device's memory\n",
                                                                    report.device_bytes / 1'000'000);
  return fmt::format(
      "{} on {}\n{:.1f} M parameters, windows of {} frames that share {}, {} GFLOP per frame\n\n{}{}{}",
      Printable(report.model), report.backend, 1e-6 * static_cast<double>(report.parameters), report.window,
      report.overlap, FormatValue(report.gflop_per_frame()), FormatTable(rows), precisions, memory);
}

std::string SpeedJson(const SpeedReport& report) {
  using Json = nlohmann::ordered_json;
  Json schedules = Json::object();
  for (const ScheduleSpeed& schedule : report.schedules) {
    schedules[schedule.name] = {{"windows", schedule.windows},      {"frames", schedule.frames},
                                {"steps", schedule.steps},          {"median_ms", 1e3 * schedule.median_s},
                                {"p95_ms", 1e3 * schedule.p95_s},   {"frames_per_s", schedule.frames_per_s()},
                                {"tflops", report.Tflops(schedule)}};
  }
  Json precisions = Json::object();
  for (const PrecisionSpeed& speed : report.precisions) {
    precisions[speed.precision] = {{"backend", speed.backend},
                                   {"median_ms", 1e3 * speed.live.median_s},
                                   {"frames_per_s", speed.live.frames_per_s()},
                                   {"tflops", report.Tflops(speed.live)},
                                   {"peak_tflops", 1e-12 * speed.peak},
                                   {"share_of_peak", report.ShareOfPeak(speed)}};
  }
  const Json json = {{"version", CALFVO_VERSION},
                     {"model", report.model},
                     {"backend", report.backend},
                     {"precision", report.precision},
                     {"parameters", report.parameters},
                     {"window", report.window},
                     {"overlap", report.overlap},
                     {"gflop_encode_frame", 1e-9 * report.flops.encode_frame},
                     {"gflop_decode_window", 1e-9 * report.flops.decode_window},
                     {"gflop_per_frame", report.gflop_per_frame()},
                     {"device_bytes", report.device_bytes},
                     {"schedules", schedules},
                     {"precisions", precisions}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace calfvo
