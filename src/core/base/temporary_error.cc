// SPDX-License-Identifier: Apache-2.0
#include "core/base/temporary_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>

namespace calfvo {
namespace {

// Limits count as resources (EFBIG: ulimit -f). EIO, ESTALE and ETIMEDOUT come from network file systems.
constexpr std::array kTemporary = {EAGAIN, EBUSY,  EDQUOT, EFBIG,  EINTR,  EIO,
                                   EMFILE, ENFILE, ENOMEM, ENOSPC, ESTALE, ETIMEDOUT};

}  // namespace

void ThrowSystemError(const std::string& what, int code) {
  const std::string message = fmt::format("{}: {}", what, std::generic_category().message(code));
  if (std::find(kTemporary.begin(), kTemporary.end(), code) != kTemporary.end()) {
    throw TemporaryError(message);
  }
  throw Error(message);
}

}  // namespace calfvo
