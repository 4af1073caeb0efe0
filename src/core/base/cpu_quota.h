// SPDX-License-Identifier: Apache-2.0
// How much time on cores a container or a service may take.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace calfvo {

// The cores that the quota of the process's control groups (docker run --cpus, systemd's CPUQuota) is worth:
// the smallest of its own group and those above, of versions 1 and 2, rounded up. Nothing where there is
// none, or none that can be read. `root` is where proc/self/cgroup and proc/self/mountinfo are looked for,
// and the folders that they name.
std::optional<int64_t> CpuQuota(const std::filesystem::path& root);

}  // namespace calfvo
