// SPDX-License-Identifier: Apache-2.0
// Where this code lies on disk, to find what is installed beside it.
#pragma once

#include <filesystem>

namespace calfvo {

// The program or shared library that this code is in, as an absolute path without links: prefix/bin/calfvo,
// prefix/lib/libcalfvo.so or a folder below, however it was started. Empty if that is unknown.
std::filesystem::path OwnFile();

}  // namespace calfvo
