// SPDX-License-Identifier: Apache-2.0
// Ctrl-C as a request to finish what is under way.
#pragma once

#include <atomic>

namespace calfvo {

// From the first call on, SIGINT, SIGTERM and SIGHUP (unless ignored, as under nohup) set the flag that is
// returned instead of ending the process. A second signal ends it at once.
const std::atomic<bool>& StopRequested();

}  // namespace calfvo
