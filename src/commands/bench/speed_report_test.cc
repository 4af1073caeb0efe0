// SPDX-License-Identifier: Apache-2.0
#include "commands/bench/speed_report.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace calfvo {
namespace {

// 200 GFLOP a frame.
SpeedReport Example() {
  return {.model = "some",
          .backend = "cpu f32, 1 thread",
          .precision = "f32",
          .parameters = 12'340'000,
          .window = 8,
          .overlap = 5,
          .flops = {.encode_frame = 100e9, .decode_window = 300e9},
          .schedules = {{"live", 1, 3, 40, 0.025, 0.05}, {"offline", 16, 48, 7, 0.1, 0.125}},
          .precisions = {{"int8", "cpu int8, 1 thread", {"live", 1, 3, 40, 0.025, 0.05}, 96e12},
                         {"f32", "cpu f32, 1 thread", {"live", 1, 3, 40, 0.1, 0.2}, 0.0}},
          .device_bytes = 1'234'000'000};
}

TEST(SpeedReport, Text) {
  EXPECT_EQ(SpeedText(Example()), R"(some on cpu f32, 1 thread
12.3 M parameters, windows of 8 frames that share 5, 200.0 GFLOP per frame

schedule  windows  frames  ms/step   95 %  frames/s  TFLOP/s
live            1       3    25.00  50.00     120.0    24.00
offline        16      48    100.0  125.0     480.0    96.00

live, in each precision of this CPU
precision  ms/step  frames/s  TFLOP/s   peak  of peak
int8         25.00     120.0    24.00  96.00   0.2500
f32          100.0     30.00    6.000      0        0

1234 MB of the device's memory
)");
}

TEST(SpeedReport, Json) {
  const auto json = nlohmann::json::parse(SpeedJson(Example()));
  EXPECT_EQ(json["precision"], "f32");
  EXPECT_EQ(json["parameters"], 12'340'000);
  EXPECT_DOUBLE_EQ(json["gflop_per_frame"], 200.0);
  EXPECT_DOUBLE_EQ(json["gflop_decode_window"], 300.0);
  EXPECT_EQ(json["device_bytes"], 1'234'000'000);
  const auto& offline = json["schedules"]["offline"];
  EXPECT_EQ(offline["windows"], 16);
  EXPECT_EQ(offline["steps"], 7);
  EXPECT_DOUBLE_EQ(offline["median_ms"], 100.0);
  EXPECT_DOUBLE_EQ(offline["p95_ms"], 125.0);
  EXPECT_DOUBLE_EQ(offline["frames_per_s"], 480.0);
  EXPECT_DOUBLE_EQ(offline["tflops"], 96.0);
  const auto& int8 = json["precisions"]["int8"];
  EXPECT_DOUBLE_EQ(int8["tflops"], 24.0);
  EXPECT_DOUBLE_EQ(int8["peak_tflops"], 96.0);
  EXPECT_DOUBLE_EQ(int8["share_of_peak"], 0.25);
}

}  // namespace
}  // namespace calfvo
