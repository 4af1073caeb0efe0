// SPDX-License-Identifier: Apache-2.0
// Which processors timed threads run on.
#pragma once

#include <sched.h>

#include <fstream>
#include <set>
#include <string>
#include <vector>

namespace calfvo {

// Keeps this thread, and those it starts from now on, to `count` processors that do not share a core: threads
// that move between siblings are timed at anything from one to two times their speed. Returns the processors,
// none where there are too few cores to choose from.
inline std::vector<int> KeepToCores(int count) {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0) return {};
  std::set<std::string> cores;
  std::vector<int> chosen;
  cpu_set_t kept;
  CPU_ZERO(&kept);
  for (int cpu = 0; cpu < CPU_SETSIZE && static_cast<int>(chosen.size()) < count; ++cpu) {
    if (!CPU_ISSET(cpu, &allowed)) continue;
    std::ifstream file("/sys/devices/system/cpu/cpu" + std::to_string(cpu) +
                       "/topology/thread_siblings_list");
    std::string siblings;
    std::getline(file, siblings);
    if (siblings.empty() || !cores.insert(siblings).second) continue;
    chosen.push_back(cpu);
    CPU_SET(cpu, &kept);
  }
  if (static_cast<int>(chosen.size()) < count || sched_setaffinity(0, sizeof(kept), &kept) != 0) return {};
  return chosen;
}

}  // namespace calfvo
