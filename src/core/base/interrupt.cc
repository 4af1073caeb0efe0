// SPDX-License-Identifier: Apache-2.0
#include "core/base/interrupt.h"

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
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
      struct sigaction before = {};
      sigaction(signal, nullptr, &before);
      if (signal == SIGHUP && before.sa_handler == SIG_IGN) continue;  // nohup
      sigaction(signal, &action, nullptr);
    }
    return true;
  }();
  static_cast<void>(installed);
  return stop_requested;
}

}  // namespace calfvo
