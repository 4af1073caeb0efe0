// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "backend/backends.h"
#include "base/thread_pool.h"
#include "calfvo/version.h"
#include "commands.h"
#include "estimator/model_choice.h"

namespace calfvo {
namespace {

void PrintMachine() {
  fmt::print("calfvo {}, {} cores\n\nbackends\n", CALFVO_VERSION, AvailableCores());
  const BackendKind chosen = ChooseBackend("auto", "auto");
  for (const BackendKind& kind : AvailableBackends()) {
    const bool is_chosen = kind.name == chosen.name && kind.precision == chosen.precision;
    fmt::print("  {}{}\n", MakeBackend(kind, 0)->Description(), is_chosen ? "  (auto)" : "");
  }
  if (!BackendWarning().empty()) fmt::print("{}\n", BackendWarning());
}

void PrintModel(const std::string& name) {
  const auto [model, path, _] = OpenModel(name);
  std::map<std::string, int64_t> parameters;
  std::map<std::string, int> dtypes;
  for (const TensorSpec& spec : ModelTensors(model.config)) {
    parameters[spec.name.substr(0, spec.name.find('.'))] += ParameterCount({spec});
    ++dtypes[std::string(DTypeName(model.weights->Get(spec.name).dtype()))];
  }
  if (path.empty()) {
    fmt::print("{}\n", model.config.name);
  } else {
    fmt::print("{}, {:.1f} MB\n", path.string(),
               1e-6 * static_cast<double>(std::filesystem::file_size(path)));
  }
  fmt::print("\nparameters\n");
  int64_t total = 0;
  for (const auto& [part, count] : parameters) {
    fmt::print("  {:<8} {:>12}\n", part, count);
    total += count;
  }
  fmt::print("  {:<8} {:>12}\ntensors\n", "all", total);
  for (const auto& [dtype, count] : dtypes) fmt::print("  {:<8} {:>12}\n", dtype, count);
  fmt::print("configuration\n{}\n", ModelConfigJson(model.config));
}

}  // namespace

Run AddInfoCommand(CLI::App& app) {
  auto model = std::make_shared<std::string>();  // shared by the parser and the returned function
  app.add_option("model", *model, "Model to describe, by name or file; without it, the build and the machine")
      ->type_name("NAME|FILE");
  app.footer("Examples:\n  calfvo info\n  calfvo info calfvo-s\n  calfvo info mine.safetensors");
  return [model] {
    if (model->empty()) {
      PrintMachine();
    } else {
      PrintModel(*model);
    }
    return 0;
  };
}

}  // namespace calfvo
