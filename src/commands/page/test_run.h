// SPDX-License-Identifier: Apache-2.0
// A small run folder and a stand-in for the viewer's page. Included by tests only.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

namespace calfvo {

inline constexpr const char* kTestTemplate =
    "<html><meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; connect-src "
    "calfvo:connect\"><!--calfvo:data--><script>page()</script></html>";

inline void WriteText(const std::filesystem::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

// Three poses at 0, 0.1 and 0.2 s, of frames 0, 1 and 2, without confidence.
inline void WriteTestRun(const std::filesystem::path& folder, const std::string& run_json) {
  std::filesystem::create_directories(folder);
  WriteText(
      folder / "poses.csv",
      "timestamp_ns,tx,ty,tz,qx,qy,qz,qw,frame,windows,sigma_translation_m,sigma_rotation_rad,flags\n"
      "0,0,0,0,0,0,0,1,0,0,,,\n100000000,1,0,0,0,0,0,1,1,1,,,\n200000000,2,0,0,0,0,0,1,2,1,,,damaged\n");
  WriteText(folder / "run.json", run_json);
}

}  // namespace calfvo
