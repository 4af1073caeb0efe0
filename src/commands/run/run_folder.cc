// SPDX-License-Identifier: Apache-2.0
#include "commands/run/run_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <stdexcept>
#include <system_error>
#include <utility>
#include <vector>

#include "calfvo/error.h"
#include "commands/run/evaluated_run.h"
#include "commands/run/refine_outputs.h"
#include "commands/run/run_input.h"
#include "core/base/bounded_json.h"
#include "core/base/sha256.h"
#include "io/export/exports.h"
#include "io/video/frame_source.h"

namespace calfvo {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* kFinished = "run.json";
constexpr const char* kUnfinished = "unfinished.json";

// Every file that a run or a suite may write, but these two and those of exports and refinement. A record
// that names others is not believed.
constexpr std::array kNames = {"trajectory.tum",
                               "trajectory.kitti",
                               "poses.csv",
                               "path.png",
                               "path.svg",
                               "uncertainty.png",
                               "uncertainty.svg",
                               "report/report.html",
                               "report/largest-errors.png",
                               "report/path.png",
                               "report/path.svg",
                               "report/position.png",
                               "report/position.svg",
                               "report/orientation.png",
                               "report/orientation.svg",
                               "report/errors.png",
                               "report/errors.svg",
                               "groundtruth.tum",
                               "view.html"};

template <typename Names>
bool Contains(const Names& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool IsKnownName(const std::string& file) {
  static const std::vector<std::string> exports = AllExportFiles();
  static const std::vector<std::string> refined = RefineOutputs::Files();
  return Contains(kNames, file) || Contains(exports, file) || Contains(refined, file);
}

std::string JsonText(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

Json ParseRunJson(const fs::path& path) {
  return Json::parse(ReadBoundedJson(path).text, nullptr, /*allow_exceptions=*/false);
}

// What a folder's run.json and unfinished.json state.
struct Record {
  std::string input;        // as it was given, with replaced bytes where it is not UTF-8
  std::string input_bytes;  // as InputBytes gives it
  // The files of the run. Those of a run that was killed have no record of their content.
  std::map<std::string, std::optional<FileRecord>> files;
  std::optional<std::string> run_json;  // of a run that was not interrupted

  // As it was given to the run, byte for byte.
  std::string InputText() const {
    std::string text;
    for (size_t i = 0; i + 1 < input_bytes.size(); i += 2) {
      unsigned value = 0;
      std::from_chars(&input_bytes[i], &input_bytes[i] + 2, value, 16);
      text += static_cast<char>(value);
    }
    return input_bytes.empty() ? input : text;
  }

  bool IsOf(const std::string& of_input) const {
    const std::string absolute = AbsoluteInput(of_input);
    return input_bytes.empty() ? input == absolute : input_bytes == InputBytes(absolute);
  }
};

// Adds what `name` states; nothing if no run wrote it.
void AddRecord(const fs::path& folder, const char* name, std::optional<Record>& record) {
  const Json json = ParseRunJson(folder / name);
  if (!json.is_object() || !json.contains("files") || !json["files"].is_object()) return;
  const Json input = json.value("input", Json());
  if (!input.is_string()) return;
  if (!record) {
    const Json bytes = json.value("input_bytes", Json(""));
    record =
        Record{.input = input, .input_bytes = bytes.is_string() ? bytes : "", .files = {}, .run_json = {}};
  }
  for (const auto& [file, content] : json["files"].items()) {
    if (IsKnownName(file)) record->files[file] = RecordFromJson(content);
  }
  if (name == kFinished && json.value("interrupted", Json()) == false) record->run_json = JsonText(json);
}

// What unfinished.json names may be half written: its content is unknown, whatever run.json holds.
std::optional<Record> FindRecord(const fs::path& folder) {
  std::optional<Record> record;
  for (const char* name : {kFinished, kUnfinished}) AddRecord(folder, name, record);
  return record;
}

bool IsSeries(const std::string& file) {
  return file.ends_with(kSeriesEnding);
}

// What exists of `file`: itself, or the images of a series in the order of their names.
std::vector<fs::path> Existing(const fs::path& folder, const std::string& file) {
  std::vector<fs::path> paths;
  if (!IsSeries(file)) {
    if (Exists(folder / file)) paths.push_back(folder / file);
    return paths;
  }
  std::error_code ignored;  // none, or not a folder
  const fs::path series = folder / file.substr(0, file.size() - kSeriesEnding.size());
  for (const auto& entry : fs::directory_iterator(series, ignored)) {
    if (IsExportedImageName(entry.path().filename().string())) paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

// Of a series: all bytes, and the hash of a list of names and hashes.
FileRecord ContentOf(const fs::path& folder, const std::string& file) {
  if (!IsSeries(file)) return RecordOf(folder / file);
  FileRecord content;
  std::string list;
  for (const fs::path& path : Existing(folder, file)) {
    content.bytes += fs::file_size(path);
    list += fmt::format("{} {}\n", path.filename().string(), Sha256OfFile(path));
  }
  Sha256 hash;
  hash.Add(list);
  content.sha256 = hash.Finish();
  return content;
}

// Whether `file` is still what was written there.
bool IsUnchanged(const fs::path& folder, const std::string& file, const FileRecord& written) {
  if (!IsSeries(file)) return HasContent(folder / file, written);
  uintmax_t bytes = 0;
  std::error_code error;
  const std::vector<fs::path> paths = Existing(folder, file);
  for (const fs::path& path : paths) {
    if (TypeOf(path) != fs::file_type::regular) return false;
    bytes += fs::file_size(path, error);
    if (error) return false;
  }
  return !paths.empty() && bytes == written.bytes && ContentOf(folder, file) == written;
}

// The folders between `folder` and `file`, outermost first.
std::vector<fs::path> FoldersOf(const fs::path& folder, const std::string& file) {
  std::vector<fs::path> folders;
  fs::path path = folder;
  for (const fs::path& part : fs::path(file).parent_path()) folders.push_back(path /= part);
  return folders;
}

void Remove(const fs::path& path) {
  std::error_code error;
  fs::remove(path, error);
  if (error) throw Error(fmt::format("{}: cannot remove: {}", path.string(), error.message()));
}

// The figures of a run must not become frames of the next one, nor be removed while they are read.
void CheckFilesAreNotInput(const RunPlan& plan, const std::string& file) {
  fs::path path = plan.folder / file;
  if (IsSeries(file)) path.replace_filename(ExportedImageName(0));
  if (WouldReadImage(plan.input, path)) {
    throw Error(
        fmt::format("{}: holds the images of {}, and the next run would read {} as one of them; use another "
                    "folder (-o)",
                    plan.folder.string(), plan.input, file));
  }
  const auto is_file = [&](const fs::path& other) {
    std::error_code ignored;
    return !other.empty() && fs::equivalent(other, path, ignored);
  };
  if (is_file(plan.ground_truth)) {
    throw Error(fmt::format("{}: the run would replace its own ground truth; use another folder (-o)",
                            path.string()));
  }
  if (IsPath(plan.input) && is_file(InputPath(plan.input))) {
    throw Error(
        fmt::format("{}: the run would replace its own input; use another folder (-o)", path.string()));
  }
}

[[noreturn]] void ThrowForeignFile(const fs::path& path) {
  const std::string excess = ReadBoundedJson(path).excess;
  throw Error(fmt::format("{}: {}; use another folder (-o), or move it away", path.string(),
                          excess.empty() ? "already exists and was not created by `calfvo run`"
                                         : excess + ", so it was not created by `calfvo run`"));
}

// Throws for a file in the way that no run wrote.
void CheckFilesAreOurs(const RunPlan& plan, const std::optional<Record>& record) {
  for (const char* name : {kFinished, kUnfinished}) {
    const fs::path path = plan.folder / name;
    std::optional<Record> own;
    AddRecord(plan.folder, name, own);
    if (!own && Exists(path)) ThrowForeignFile(path);
  }
  for (const std::string& file : plan.files) {
    const bool is_ours = record && record->files.contains(file);
    for (const fs::path& folder : FoldersOf(plan.folder, file)) {
      if (Exists(folder) && TypeOf(folder) != fs::file_type::directory) ThrowForeignFile(folder);
    }
    const std::vector<fs::path> existing = Existing(plan.folder, file);
    if (!is_ours && !existing.empty()) ThrowForeignFile(existing[0]);
  }
}

void CheckUnchanged(const RunPlan& plan, const std::string& file, const std::optional<FileRecord>& written) {
  if (!written || Existing(plan.folder, file).empty() || IsUnchanged(plan.folder, file, *written)) return;
  throw Error(fmt::format(
      "{}: has changed since calfvo wrote it; use another folder (-o), or --overwrite to replace it",
      (plan.folder / file).string()));
}

// Marks a folder as being written to. False if another run was faster.
bool Mark(const RunPlan& plan, const std::optional<Record>& record, bool replaces, PartFile& marker) {
  Json files = Json::object();
  for (const std::string& file : plan.files) files[file] = nullptr;
  if (record) {
    for (const auto& [file, content] : record->files) files[file] = nullptr;
  }
  const std::string input = AbsoluteInput(plan.input);
  const std::string text =
      JsonText({{"input", input}, {"input_bytes", InputBytes(input)}, {"files", std::move(files)}}) + '\n';
  if (::write(marker.descriptor(), text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    ThrowSystemError(fmt::format("{}: cannot write", marker.target().string()), errno);
  }
  if (!replaces) return marker.CommitNew();
  marker.Commit();
  return true;
}

// For writing, if it may be: NFS grants no lock on other files.
int OpenMarker(const fs::path& path) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_NOFOLLOW | O_CLOEXEC);
  if (descriptor >= 0 || errno != EACCES) return descriptor;
  return ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
}

// The lock on the marker of a run that was killed, while it is replaced.
class OldMarker {
 public:
  // Throws FolderInUse if a run is under way.
  explicit OldMarker(const fs::path& path) : descriptor_(OpenMarker(path)) {
    if (descriptor_ < 0 || ::flock(descriptor_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return;
    ::close(descriptor_);
    throw FolderInUse(path.parent_path());
  }
  ~OldMarker() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  OldMarker(const OldMarker&) = delete;
  OldMarker& operator=(const OldMarker&) = delete;

  bool exists() const { return descriptor_ >= 0; }
  // Not once another run has replaced or removed it.
  bool IsAt(const fs::path& path) const {
    struct stat mine {};
    struct stat there {};
    return ::fstat(descriptor_, &mine) == 0 && ::lstat(path.c_str(), &there) == 0 &&
           mine.st_ino == there.st_ino;
  }

 private:
  const int descriptor_;
};

// What `check` returns. Another run that begins or ends at this moment can make it throw: then it is
// repeated, or FolderInUse is thrown.
template <typename Check>
auto Settled(const fs::path& folder, const Check& check) {
  for (int tries = 3;; --tries) {
    try {
      return check();
    } catch (const Error&) {
      if (IsInUse(folder)) throw FolderInUse(folder);
      if (tries == 1) throw;
    }
  }
}

// Marks a folder as being written to, and holds the lock as long as the result lives. `check`, which throws
// where nothing may be written, is called when no other process can change the folder.
std::unique_ptr<PartFile> MarkFolder(const RunPlan& plan,
                                     const std::function<std::optional<Record>()>& check) {
  const fs::path path = plan.folder / kUnfinished;
  for (;;) {
    const OldMarker old(path);
    if (old.exists() && !old.IsAt(path)) continue;
    const std::optional<Record> record = old.exists() ? check() : Settled(plan.folder, check);
    auto marker = std::make_unique<PartFile>(path);
    if (Mark(plan, record, old.exists(), *marker)) return marker;
  }
}

std::map<std::string, FileRecord> WrittenFiles(const RunPlan& plan) {
  std::map<std::string, FileRecord> written;
  for (const std::string& file : plan.files) {
    if (!Existing(plan.folder, file).empty()) written.emplace(file, ContentOf(plan.folder, file));
  }
  return written;
}

}  // namespace

fs::path DefaultRunFolder(const std::string& input) {
  if (input == "-") return "stdin-calfvo";
  if (!IsPath(input)) return input.substr(0, input.find(':')) + "-calfvo";
  std::error_code ignored;  // without a current folder the name stays relative
  fs::path path = fs::absolute(InputPath(input), ignored).lexically_normal();
  if (ignored) path = InputPath(input);
  if (path.filename().empty()) path = path.parent_path();  // a folder with a trailing slash
  std::string name = path.stem().string();
  std::erase_if(name, [](char c) { return c == '*' || c == '?' || c == '[' || c == ']'; });
  name.erase(0, name.find_first_not_of('-'));  // which commands would parse as an option
  if (name.empty()) name = path.parent_path().filename().string();
  return name + "-calfvo";
}

std::string InputBytes(const std::string& input) {
  if (Json::parse(JsonText(input)) == input) return "";
  std::string digits;
  for (const char c : input) digits += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return digits;
}

std::optional<std::string> FinishedRun(const fs::path& folder, const std::string& input) {
  std::optional<Record> record;
  AddRecord(folder, kFinished, record);
  if (!record || !record->IsOf(input)) return {};
  try {
    for (const auto& [file, content] : record->files) {
      if (!content || !IsUnchanged(folder, file, *content)) return {};
    }
  } catch (const std::runtime_error&) {  // another run has just removed the file
    return {};
  }
  return std::move(record->run_json);
}

namespace {

void CheckFolder(const RunPlan& plan) {
  const std::optional<Record> record = FindRecord(plan.folder);
  for (const std::string& file : plan.files) CheckFilesAreNotInput(plan, file);
  CheckFilesAreOurs(plan, record);
  if (!record) return;
  for (const auto& [file, content] : record->files) CheckFilesAreNotInput(plan, file);
  if (plan.overwrite) return;
  const bool is_same = record->IsOf(plan.input);
  if (!is_same || !CanBeReadAgain(plan.input)) {
    throw Error(fmt::format(
        "{}: holds results of {}{}; use another folder (-o), or --overwrite to replace them",
        plan.folder.string(), record->InputText(), is_same ? ", which cannot be read again" : ""));
  }
  for (const auto& [file, content] : record->files) CheckUnchanged(plan, file, content);
}

}  // namespace

void CheckRunFolder(const RunPlan& plan) {
  Settled(plan.folder, [&] { CheckFolder(plan); });
}

FolderInUse::FolderInUse(const fs::path& folder)
    : TemporaryError(
          fmt::format("{}: another calfvo process is writing to this folder; wait for it, or use another "
                      "folder (-o)",
                      folder.string())) {}

bool IsInUse(const fs::path& folder) {
  const int descriptor = OpenMarker(folder / kUnfinished);
  if (descriptor < 0) return false;
  const bool is_locked = ::flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  ::close(descriptor);
  return is_locked;
}

std::unique_ptr<RunFolder> RunFolder::OpenUnless(const std::function<bool()>& is_done, RunPlan plan) {
  std::unique_ptr<RunFolder> folder(new RunFolder(std::move(plan), is_done));
  if (folder->is_done_) folder.reset();
  return folder;
}

RunFolder::RunFolder(RunPlan plan, const std::function<bool()>& is_done) : plan_(std::move(plan)) {
  CheckRunFolder(plan_);
  MakeFolder(plan_.folder);
  std::optional<Record> record;
  marker_ = MarkFolder(plan_, [&] {
    CheckFolder(plan_);
    return record = FindRecord(plan_.folder);
  });
  // Another run may have finished before the folder was marked.
  is_done_ = is_done();
  if (is_done_) {
    Remove(plan_.folder / kUnfinished);
    return;
  }
  Remove(plan_.folder / kFinished);
  std::set<fs::path> folders;
  if (!record) record.emplace();
  for (const auto& [file, content] : record->files) {
    for (const fs::path& path : Existing(plan_.folder, file)) Remove(path);
    for (const fs::path& folder : FoldersOf(plan_.folder, file)) folders.insert(folder);
  }
  RemoveStaleParts(plan_.folder);
  for (auto folder = folders.rbegin(); folder != folders.rend(); ++folder) {  // inner ones first
    RemoveStaleParts(*folder);
    std::error_code not_empty;
    fs::remove(*folder, not_empty);
  }
}

std::map<std::string, FileRecord> RunFolder::Written() const {
  return WrittenFiles(plan_);
}

void RunFolder::Finish(std::string_view run_json) {
  WriteFileAtomically(plan_.folder / kFinished, run_json);
  Remove(plan_.folder / kUnfinished);
}

RunFolderUpdate::RunFolderUpdate(const fs::path& folder, std::vector<std::string> files,
                                 const std::vector<std::string>& outdated, bool overwrite)
    : plan_{.folder = folder, .input = "", .files = std::move(files), .overwrite = overwrite} {
  RunPlan touched{.folder = folder, .input = "", .files = {}};
  const auto check = [&]() -> std::optional<Record> {
    std::optional<Record> finished;
    AddRecord(folder, kFinished, finished);
    if (!finished) {
      throw Error(
          fmt::format("{}: holds no complete run (no valid run.json); give a folder that `calfvo run` wrote",
                      folder.string()));
    }
    plan_.input = touched.input = finished->InputText();
    run_json_ = ReadBoundedJson(folder / kFinished).text;
    const std::optional<Record> record = FindRecord(folder);
    CheckFilesAreOurs(plan_, record);
    touched.files = plan_.files;
    outdated_.clear();
    for (const std::string& file : outdated) {
      if (Contains(plan_.files, file) || !record->files.contains(file)) continue;
      outdated_.push_back(file);
      touched.files.push_back(file);
    }
    for (const std::string& file : touched.files) {
      CheckFilesAreNotInput(plan_, file);
      const auto written = record->files.find(file);
      if (!overwrite && written != record->files.end()) CheckUnchanged(plan_, file, written->second);
    }
    return {};  // run.json stays and holds the other files
  };
  check();
  marker_ = MarkFolder(touched, check);
  RemoveStaleParts(folder);
  for (const std::string& file : touched.files) {
    for (const fs::path& path : FoldersOf(folder, file)) RemoveStaleParts(path);
    if (!IsSeries(file) && !Contains(outdated_, file)) continue;
    for (const fs::path& path : Existing(folder, file)) Remove(path);
  }
}

void RunFolderUpdate::Finish(const std::map<std::string, std::string>& outputs) {
  Json json = Json::parse(run_json_);
  for (const auto& [name, path] : outputs) json["outputs"][name] = path;
  for (const std::string& file : outdated_) json["files"].erase(file);
  for (const auto& [file, content] : WrittenFiles(plan_)) {
    json["files"][file] = RecordJson(content);
  }
  WriteFileAtomically(plan_.folder / kFinished, JsonText(json) + '\n');
  Remove(plan_.folder / kUnfinished);
}

}  // namespace calfvo
