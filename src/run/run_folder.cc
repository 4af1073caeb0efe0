// SPDX-License-Identifier: Apache-2.0
#include "run/run_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "base/atomic_file.h"
#include "calfvo/error.h"
#include "frames/frame_source.h"
#include "run/evaluated_run.h"
#include "run/run_input.h"
#include "run/run_json.h"

namespace calfvo {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* kFinished = "run.json";
constexpr const char* kUnfinished = "unfinished.json";

// All else that a run writes, in the order of removal.
constexpr std::array kNames = {
    kFinished,  "trajectory.tum", "trajectory.kitti", "trajectory.npz", "poses.csv", "path.png",
    "path.svg", "confidence.png", "confidence.svg",   "colmap",         "report"};

std::string JsonText(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

// An input as run.json has it, where names that are not UTF-8 cannot be kept.
std::string StoredInput(const std::string& input) {
  return Json::parse(JsonText(AbsoluteInput(input)));
}

struct HeldRun {
  std::string input;                    // as StoredInput gives it
  std::optional<std::string> run_json;  // of one that is whole
};

std::optional<HeldRun> FindRun(const fs::path& folder) {
  for (const char* name : {kFinished, kUnfinished}) {
    const Json json = Json::parse(ReadRunJson(folder / name).text, nullptr, /*allow_exceptions=*/false);
    if (!json.is_object() || !json.contains("input") || !json["input"].is_string()) continue;
    HeldRun held{.input = json["input"], .run_json = {}};
    if (name == kFinished && json.value("interrupted", Json()) == false) held.run_json = JsonText(json);
    return held;
  }
  return {};
}

bool Exists(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

// What AtomicFile leaves of `name` if it is killed.
bool IsPartOf(const std::string& file, const std::string& name) {
  return file.starts_with("." + name + ".") && file.ends_with(".part");
}

void Remove(const fs::path& path) {
  std::error_code error;
  fs::remove_all(path, error);
  if (error) throw Error(fmt::format("{}: cannot remove: {}", path.string(), error.message()));
}

void RemoveParts(const fs::path& folder) {
  std::vector<fs::path> parts;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    const std::string file = entry.path().filename().string();
    for (const char* name : kNames) {
      if (IsPartOf(file, name)) parts.push_back(entry.path());
    }
  }
  for (const fs::path& part : parts) Remove(part);
}

}  // namespace

fs::path DefaultRunFolder(const std::string& input) {
  if (input == "-") return "stdin-calfvo";
  if (!IsPath(input)) return input.substr(0, input.find(':')) + "-calfvo";
  fs::path path = fs::absolute(InputPath(input)).lexically_normal();
  if (path.filename().empty()) path = path.parent_path();  // a folder with a slash at its end
  std::string name = path.stem().string();
  std::erase_if(name, [](char c) { return c == '*' || c == '?' || c == '[' || c == ']'; });
  name.erase(0, name.find_first_not_of('-'));  // which commands would take for an option
  if (name.empty()) name = path.parent_path().filename().string();
  return name + "-calfvo";
}

std::optional<std::string> FinishedRun(const fs::path& folder, const std::string& input) {
  std::optional<HeldRun> held = FindRun(folder);
  if (!held || held->input != StoredInput(input)) return {};
  return std::move(held->run_json);
}

void CheckRunFolder(const fs::path& folder, const std::string& input, bool overwrite) {
  for (const char* picture : {"path.png", "confidence.png", "report/path.png"}) {
    if (!WouldReadPicture(input, folder / picture)) continue;
    throw Error(
        fmt::format("{}: the pictures of {} are there, and the next run would take {} for one of them; give "
                    "another folder by -o",
                    folder.string(), input, picture));
  }
  const auto name =
      std::find_if(kNames.begin(), kNames.end(), [&](const char* n) { return Exists(folder / n); });
  if (name == kNames.end()) return;
  const std::optional<HeldRun> held = FindRun(folder);
  if (!held) {
    for (const char* file : {kFinished, kUnfinished}) {
      const std::string excess = ReadRunJson(folder / file).excess;
      if (excess.empty()) continue;
      throw Error(
          fmt::format("{}: {}, which calfvo run does not write; give another folder by -o, or move it away",
                      (folder / file).string(), excess));
    }
    throw Error(
        fmt::format("{}: is in the way, and nothing tells that calfvo run left it there; give another "
                    "folder by -o, or move it away",
                    (folder / *name).string()));
  }
  const bool is_same = held->input == StoredInput(input);
  if (overwrite || (is_same && CanBeReadAgain(input))) return;
  throw Error(
      fmt::format("{}: holds results of {}{}; give another folder by -o, or --overwrite to replace them",
                  folder.string(), held->input, is_same ? ", which cannot be read again" : ""));
}

void BeginRunFolder(const fs::path& folder, const std::string& input, bool overwrite) {
  CheckRunFolder(folder, input, overwrite);
  MakeFolder(folder);
  WriteFileAtomically(folder / kUnfinished, JsonText({{"input", AbsoluteInput(input)}}) + '\n');
  for (const char* name : kNames) Remove(folder / name);
  RemoveParts(folder);
}

void FinishRunFolder(const fs::path& folder, std::string_view run_json) {
  WriteFileAtomically(folder / kFinished, run_json);
  Remove(folder / kUnfinished);
}

}  // namespace calfvo
