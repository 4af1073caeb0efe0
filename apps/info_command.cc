// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <system_error>

#include "calfvo/error.h"
#include "calfvo/version.h"
#include "commands.h"
#include "commands/page/page_template.h"
#include "commands/view/view_server.h"
#include "core/base/quoted.h"
#include "core/base/thread_pool.h"
#include "io/recording/recording.h"
#include "io/video/frame_source.h"
#include "nn/backend/backends.h"
#include "refine/refiner.h"
#include "vo/model_choice.h"

namespace calfvo {
namespace {

constexpr const char* kInfoExamples = R"(Examples:
  calfvo info                     version, cores and compute backends; (auto) marks the default
  calfvo info calfvo-s            parameters, data types and configuration of a model
  calfvo info mine.safetensors
  calfvo info walk.mp4            size, frame rate and duration of a video
  calfvo info drive.mcap          topics of a recording (.mcap, .bag, .db3)

Exit code: 0 done, 1 failed, 2 wrong usage, 75 out of memory or disk space.)";

void PrintMachine() {
  fmt::print("calfvo {}, {} cores\n\nbackends\n", CALFVO_VERSION, AvailableCores());
  const BackendKind chosen = ChooseBackend("auto", "auto");
  for (const BackendKind& kind : AvailableBackends()) {
    const bool is_chosen = kind.name == chosen.name && kind.precision == chosen.precision;
    fmt::print("  {}{}\n", MakeBackend(kind, 0)->Description(), is_chosen ? "  (auto)" : "");
  }
  if (!BackendWarning().empty()) fmt::print("{}\n", BackendWarning());
  fmt::print("\nrefinement\n  {}\n",
             CanRefine() ? "calfvo run --refine" : "missing (this build has no Ceres or OpenCV)");
  const auto viewer = FindPageTemplate();
  fmt::print("\nviewer\n  page: {}\n  server: {}\n",
             viewer ? Printable(viewer->string()) : "missing (this build had no npm)",
             CanServe() ? "calfvo view, calfvo run --view" : "missing (this build has no cpp-httplib)");
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
    fmt::print("{}\n", Printable(model.config.name));
  } else {
    fmt::print("{}, {:.1f} MB\n", Printable(path.string()),
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
  fmt::print("configuration\n{}\n", PrintableLines(ModelConfigJson(model.config)));
}

bool IsRecording(const std::string& name) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(name, ignored)) return false;  // opening a pipe would wait
  std::string beginning(16, '\0');
  std::ifstream(name, std::ios::binary)
      .read(beginning.data(), static_cast<std::streamsize>(beginning.size()));
  return LooksLikeRecording(beginning);
}

// Of a video or a folder of images; nothing if `name` is neither.
std::optional<std::string> DescribeFrames(const std::string& name) {
  std::error_code ignored;
  const auto kind = std::filesystem::status(name, ignored).type();
  if (kind != std::filesystem::file_type::regular && kind != std::filesystem::file_type::directory) return {};
  try {
    return OpenFrames(name)->info().description;
  } catch (const Error&) {
    return {};
  }
}

void PrintModelOrFrames(const std::string& name) {
  try {
    PrintModel(name);
  } catch (const Error&) {
    const auto description = DescribeFrames(name);
    if (!description) throw;
    fmt::print("{}: {}\n", Printable(name), *description);
  }
}

void PrintTopics(const std::string& name) {
  const auto recording = OpenRecording(name);
  fmt::print("{}\n\ntopics\n", Printable(name));
  for (const RecordedTopic& topic : recording->topics()) {
    fmt::print("  {:<40} {:<32} {}\n", Printable(topic.name), Printable(topic.type),
               topic.messages ? fmt::format("{} messages", *topic.messages) : "");
  }
}

}  // namespace

Run AddInfoCommand(CLI::App& app) {
  auto model = std::make_shared<std::string>();  // shared by the parser and the returned function
  app.add_option("model", *model,
                 "Model, video, folder of images or recording to describe; omit it to describe this build "
                 "and machine")
      ->type_name("NAME|FILE");
  app.footer(kInfoExamples);
  return [model] {
    if (model->empty()) {
      PrintMachine();
    } else if (IsRecording(*model)) {
      PrintTopics(*model);
    } else {
      PrintModelOrFrames(*model);
    }
    return 0;
  };
}

}  // namespace calfvo
