// SPDX-License-Identifier: Apache-2.0
// The oracle: every operation as plain loops in f32. Never fast, always right.
#pragma once

#include <memory>

#include "backend/backend.h"

namespace calfvo {

// `threads` as in ThreadPool.
std::unique_ptr<Backend> MakeRefBackend(int threads = 0);

}  // namespace calfvo
