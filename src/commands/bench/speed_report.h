// SPDX-License-Identifier: Apache-2.0
// What `calfvo bench` prints.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "commands/bench/network_speed.h"
#include "nn/architecture/model_flops.h"

namespace calfvo {

struct SpeedReport {
  std::string model;    // as the user named it
  std::string backend;  // as it describes itself
  std::string precision;
  int64_t parameters = 0;
  int window = 0;
  int overlap = 0;
  ModelFlops flops;
  std::vector<ScheduleSpeed> schedules;
  std::vector<PrecisionSpeed> precisions;  // of the CPU; empty if not measured
  size_t device_bytes = 0;                 // that the backend holds on a device after all of them

  double gflop_per_frame() const { return 1e-9 * flops.PerFrame(window - overlap); }
  double Tflops(const ScheduleSpeed& schedule) const {
    return 1e-3 * gflop_per_frame() * schedule.frames_per_s();
  }
  double ShareOfPeak(const PrecisionSpeed& speed) const {
    return speed.peak > 0.0 ? 1e12 * Tflops(speed.live) / speed.peak : 0.0;
  }
};

// A table for people.
std::string SpeedText(const SpeedReport& report);

// One JSON object; keys as docs/bench.md lists them.
std::string SpeedJson(const SpeedReport& report);

}  // namespace calfvo
