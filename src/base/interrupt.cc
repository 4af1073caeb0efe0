// SPDX-License-Identifier: Apache-2.0
#include "base/interrupt.h"

#include <signal.h>

#include <initializer_list>

namespace calfvo {
namespace {

// A signal handler can reach nothing but globals.
std::atomic<bool> stop_requested = false;

void Request(int) {
  stop_requested.store(true);
}

}  // namespace

const std::atomic<bool>& StopRequested() {
  static const bool installed = [] {
    struct sigaction action = {};
    action.sa_handler = Request;
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    for (const int signal : {SIGINT, SIGTERM}) sigaction(signal, &action, nullptr);
    return true;
  }();
  static_cast<void>(installed);
  return stop_requested;
}

}  // namespace calfvo
