// SPDX-License-Identifier: Apache-2.0
// Checks of hostile files against the table in docs/model-files.md. Included by *_test.cc files only.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/base/testing.h"
#include "nn/weights/test_files.h"

namespace calfvo {

struct HostileFile {
  std::string what;     // as the documentation calls it
  std::string bytes;    // the file
  std::string message;  // all that is printed
};

// Opens each as Source and compares the message; the documentation must have the same row.
template <typename Source>
void ExpectRefused(const std::vector<HostileFile>& files, const std::string& file_name) {
  const std::string documentation = ReadWholeFile(CALFVO_SOURCE_FOLDER "/docs/model-files.md");
  for (const HostileFile& file : files) {
    // A copy on the heap of just this size lets AddressSanitizer see every step beyond the end.
    const std::vector<char> bytes(file.bytes.begin(), file.bytes.end());
    const std::string message = ErrorFrom([&] { Source(std::as_bytes(std::span(bytes)), file_name); });
    EXPECT_EQ(message, file.message) << file.what;
    const std::string row = "| " + file.what + " | `" + message + "` |\n";
    EXPECT_NE(documentation.find(row), std::string::npos)
        << "docs/model-files.md lacks this row:\nROW" << row;
  }
}

// Every proper prefix of a sound file must be refused.
template <typename Source>
void ExpectPrefixesRefused(const std::string& file) {
  for (size_t size = 0; size < file.size(); ++size) {
    const std::vector<char> bytes(file.begin(), file.begin() + static_cast<ptrdiff_t>(size));
    EXPECT_NE(ErrorFrom([&] { Source(std::as_bytes(std::span(bytes)), "file"); }), "no error") << size;
  }
}

}  // namespace calfvo
