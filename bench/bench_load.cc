// SPDX-License-Identifier: Apache-2.0
// How long a model takes to load from a file in the page cache, and how much memory it then holds:
//   bench_load [model, calfvo-l]
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>

#include "nn/architecture/model_file.h"
#include "nn/backend/backends.h"
#include "nn/model/network.h"

namespace calfvo {
namespace {

double ResidentMegabytes() {
  std::ifstream stream("/proc/self/statm");
  double all_pages = 0.0;
  double resident_pages = 0.0;
  stream >> all_pages >> resident_pages;
  return resident_pages * static_cast<double>(::sysconf(_SC_PAGESIZE)) * 1e-6;
}

int Main(const std::string& name) {
  const auto path =
      std::filesystem::temp_directory_path() / fmt::format("calfvo-bench-load-{}.safetensors", ::getpid());
  {
    const ModelFile random = RandomModel(NamedConfig(name), 1);
    SaveModelFile(random.config, *random.weights, DType::kBF16, path);
  }
  const double before = ResidentMegabytes();
  const auto start = std::chrono::steady_clock::now();
  const auto backend = MakeBackend(ChooseBackend("auto", "auto"), 2);
  ModelFile model = LoadModelFile(path);
  const Network network(model.config, *model.weights, *backend);
  model.weights.reset();
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  fmt::print("{} on {}: loaded in {:.2f} s, {:.0f} MB resident\n", name, backend->Description(),
             seconds.count(), ResidentMegabytes() - before);
  std::filesystem::remove(path);
  return 0;
}

}  // namespace
}  // namespace calfvo

int main(int argc, char** argv) {
  return calfvo::Main(argc > 1 ? argv[1] : "calfvo-l");
}
