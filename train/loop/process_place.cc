// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <charconv>
#include <cstdlib>

#include "calfvo/error.h"
#include "loop/processes.h"

namespace calfvo::train {
namespace {

using Lookup = std::function<std::optional<std::string>(const char*)>;

std::optional<int> Number(const Lookup& lookup, const char* name, int high) {
  const auto text = lookup(name);
  if (!text) return {};
  int value = 0;
  const auto result = std::from_chars(text->data(), text->data() + text->size(), value);
  if (result.ec != std::errc() || result.ptr != text->data() + text->size() || value < 0 || value > high) {
    throw Error(fmt::format("variable {} is '{}'; expected a number from 0 to {}", name, *text, high));
  }
  return value;
}

struct Launcher {
  const char* size;
  const char* rank;
  const char* local_rank;
};
constexpr Launcher kLaunchers[] = {
    {"WORLD_SIZE", "RANK", "LOCAL_RANK"},
    {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_LOCAL_RANK"},
    {"SLURM_NTASKS", "SLURM_PROCID", "SLURM_LOCALID"},
};

}  // namespace

ProcessPlace PlaceFromVariables(const Lookup& lookup) {
  constexpr int kMaxProcesses = 1 << 20;
  for (const Launcher& launcher : kLaunchers) {
    const auto size = Number(lookup, launcher.size, kMaxProcesses);
    if (!size) continue;
    if (*size <= 1) return {};
    const auto rank = Number(lookup, launcher.rank, *size - 1);
    const auto address = lookup("MASTER_ADDR");
    if (!rank)
      throw Error(fmt::format("variable {} is {}, but {} is not set", launcher.size, *size, launcher.rank));
    if (!address || address->empty()) {
      throw Error(
          fmt::format("variable {} is {}, but MASTER_ADDR is not set; set it to the machine of rank 0, or "
                      "WORLD_SIZE to 1 to train with one process",
                      launcher.size, *size));
    }
    ProcessPlace place{.rank = *rank, .size = *size, .address = *address};
    place.local_rank = Number(lookup, launcher.local_rank, kMaxProcesses).value_or(0);
    place.port = Number(lookup, "MASTER_PORT", 65'535).value_or(place.port);
    return place;
  }
  return {};
}

ProcessPlace PlaceFromEnvironment() {
  return PlaceFromVariables([](const char* name) -> std::optional<std::string> {
    const char* value = std::getenv(name);
    if (value == nullptr) return {};
    return value;
  });
}

}  // namespace calfvo::train
