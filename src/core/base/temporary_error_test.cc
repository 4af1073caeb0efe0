// SPDX-License-Identifier: Apache-2.0
#include "core/base/temporary_error.h"

#include <gtest/gtest.h>

#include <cerrno>

#include "core/base/atomic_file.h"
#include "core/base/testing.h"

namespace calfvo {
namespace {

TEST(TemporaryError, IsALackOfResources) {
  EXPECT_THROW(ThrowSystemError("a", ENOSPC), TemporaryError);
  EXPECT_THROW(ThrowSystemError("a", ENOMEM), TemporaryError);
  EXPECT_EQ(ErrorFrom([] { ThrowSystemError("out: cannot write", ENOSPC); }),
            "out: cannot write: No space left on device");
  for (const int code : {ENOENT, EACCES, EROFS, ENOTDIR}) {
    try {
      ThrowSystemError("a", code);
    } catch (const TemporaryError&) {
      ADD_FAILURE() << code;
    } catch (const Error&) {
    }
  }
}

TEST(TemporaryError, AFullDiskIsOneAndAMissingFolderIsNot) {
  EXPECT_THROW(WriteFileAtomically("/dev/full", "x"), TemporaryError);
  try {
    WriteFileAtomically("/nowhere/file", "x");
    ADD_FAILURE();
  } catch (const TemporaryError&) {
    ADD_FAILURE();
  } catch (const Error&) {
  }
}

}  // namespace
}  // namespace calfvo
