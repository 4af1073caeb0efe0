// SPDX-License-Identifier: Apache-2.0
// Feeds text to the reader of a suite's result.json.
#include "eval/tables/suite_result.h"
#include "memory_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string path = calfvo::MemoryFile({reinterpret_cast<const char*>(data), size});
  calfvo::ExpectErrorsToName(path, [&] {
    const calfvo::SuiteResult result = calfvo::ReadSuiteResult(path);
    calfvo::Check(calfvo::HaveSameSettings(result, result), "settings equal themselves");
  });
  return 0;
}
