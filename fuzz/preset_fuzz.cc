// SPDX-License-Identifier: Apache-2.0
// Feeds bytes to the parser of presets. What it accepts must be valid, and its messages must name file and
// line.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "calfvo/error.h"
#include "synth/clip/preset.h"

namespace {

void Check(bool condition, const std::string& what) {
  if (condition) return;
  std::fprintf(stderr, "broken promise: %s\n", what.c_str());
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  calfvo::Preset preset;
  try {
    preset = calfvo::ParsePreset({reinterpret_cast<const char*>(data), size}, "fuzz.toml");
  } catch (const calfvo::Error& error) {
    const std::string_view message = error.what();
    Check(message.starts_with("fuzz.toml:"), "a message that names the file: " + std::string(message));
    return 0;
  }
  try {
    preset.options.Validate();
  } catch (const calfvo::Error& error) {
    Check(false, std::string("what was accepted is valid: ") + error.what());
  }
  return 0;
}
