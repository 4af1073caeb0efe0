// SPDX-License-Identifier: Apache-2.0
// camera.json from anyone: what is accepted survives being written and read again.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "calfvo/error.h"
#include "core/trajectory/camera_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    const calfvo::Camera camera =
        calfvo::ParseCamera({reinterpret_cast<const char*>(data), size}, "camera.json");
    const std::string text = calfvo::CameraJson(camera);
    if (calfvo::CameraJson(calfvo::ParseCamera(text, "again")) != text) std::abort();
  } catch (const calfvo::Error&) {
  }
  return 0;
}
