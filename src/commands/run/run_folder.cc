// SPDX-License-Identifier: Apache-2.0
#include "commands/run/run_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <system_error>
#include <utility>
#include <vector>

#include "calfvo/error.h"
#include "commands/run/evaluated_run.h"
#include "commands/run/run_input.h"
#include "commands/run/run_record.h"
#include "core/base/bounded_json.h"
#include "io/export/exports.h"
#include "io/video/frame_source.h"

namespace calfvo {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

bool Contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
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
  if (IsImageSeries(file)) path.replace_filename(ExportedImageName(0));
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
void CheckFilesAreOurs(const RunPlan& plan, const std::optional<RunRecord>& record) {
  for (const char* name : {kFinishedRun, kUnfinishedRun}) {
    const fs::path path = plan.folder / name;
    if (!ReadRunRecord(plan.folder, {name}) && Exists(path)) ThrowForeignFile(path);
  }
  for (const std::string& file : plan.files) {
    const bool is_ours = record && record->files.contains(file);
    for (const fs::path& folder : FoldersOf(plan.folder, file)) {
      if (Exists(folder) && TypeOf(folder) != fs::file_type::directory) ThrowForeignFile(folder);
    }
    const std::vector<fs::path> existing = ExistingFiles(plan.folder, file);
    if (!is_ours && !existing.empty()) ThrowForeignFile(existing[0]);
  }
}

void CheckUnchanged(const RunPlan& plan, const std::string& file, const std::optional<FileRecord>& written) {
  if (!written || ExistingFiles(plan.folder, file).empty() || IsUnchanged(plan.folder, file, *written))
    return;
  throw Error(fmt::format(
      "{}: has changed since calfvo wrote it; use another folder (-o), or --overwrite to replace it",
      (plan.folder / file).string()));
}

// Marks a folder as being written to. False if another run was faster.
bool Mark(const RunPlan& plan, const std::optional<RunRecord>& record, bool replaces, PartFile& marker) {
  Json files = Json::object();
  for (const std::string& file : plan.files) files[file] = nullptr;
  if (record) {
    for (const auto& [file, content] : record->files) files[file] = nullptr;
  }
  const std::string input = AbsoluteInput(plan.input);
  const std::string text =
      RunJsonText({{"input", input}, {"input_bytes", InputBytes(input)}, {"files", std::move(files)}}) + '\n';
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
                                     const std::function<std::optional<RunRecord>()>& check) {
  const fs::path path = plan.folder / kUnfinishedRun;
  for (;;) {
    const OldMarker old(path);
    if (old.exists() && !old.IsAt(path)) continue;
    const std::optional<RunRecord> record = old.exists() ? check() : Settled(plan.folder, check);
    auto marker = std::make_unique<PartFile>(path);
    if (Mark(plan, record, old.exists(), *marker)) return marker;
  }
}

void CheckFolder(const RunPlan& plan) {
  const std::optional<RunRecord> record = ReadRunRecord(plan.folder, {kFinishedRun, kUnfinishedRun});
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

void CheckRunFolder(const RunPlan& plan) {
  Settled(plan.folder, [&] { CheckFolder(plan); });
}

FolderInUse::FolderInUse(const fs::path& folder)
    : TemporaryError(
          fmt::format("{}: another calfvo process is writing to this folder; wait for it, or use another "
                      "folder (-o)",
                      folder.string())) {}

bool IsInUse(const fs::path& folder) {
  const int descriptor = OpenMarker(folder / kUnfinishedRun);
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
  std::optional<RunRecord> record;
  marker_ = MarkFolder(plan_, [&] {
    CheckFolder(plan_);
    return record = ReadRunRecord(plan_.folder, {kFinishedRun, kUnfinishedRun});
  });
  // Another run may have finished before the folder was marked.
  is_done_ = is_done();
  if (is_done_) {
    Remove(plan_.folder / kUnfinishedRun);
    return;
  }
  Remove(plan_.folder / kFinishedRun);
  std::set<fs::path> folders;
  if (!record) record.emplace();
  for (const auto& [file, content] : record->files) {
    for (const fs::path& path : ExistingFiles(plan_.folder, file)) Remove(path);
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
  return ContentsOf(plan_.folder, plan_.files);
}

void RunFolder::Finish(std::string_view run_json) {
  WriteFileAtomically(plan_.folder / kFinishedRun, run_json);
  Remove(plan_.folder / kUnfinishedRun);
}

RunFolderUpdate::RunFolderUpdate(const fs::path& folder, std::vector<std::string> files,
                                 const std::vector<std::string>& outdated, bool overwrite)
    : plan_{.folder = folder, .input = "", .files = std::move(files), .overwrite = overwrite} {
  RunPlan touched{.folder = folder, .input = "", .files = {}};
  const auto check = [&]() -> std::optional<RunRecord> {
    const std::optional<RunRecord> finished = ReadRunRecord(folder, {kFinishedRun});
    if (!finished) {
      throw Error(
          fmt::format("{}: holds no complete run (no valid run.json); give a folder that `calfvo run` wrote",
                      folder.string()));
    }
    plan_.input = touched.input = finished->InputText();
    run_json_ = ReadBoundedJson(folder / kFinishedRun).text;
    const std::optional<RunRecord> record = ReadRunRecord(folder, {kFinishedRun, kUnfinishedRun});
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
    if (!IsImageSeries(file) && !Contains(outdated_, file)) continue;
    for (const fs::path& path : ExistingFiles(folder, file)) Remove(path);
  }
}

void RunFolderUpdate::Finish(const std::map<std::string, std::string>& outputs) {
  Json json = Json::parse(run_json_);
  for (const auto& [name, path] : outputs) json["outputs"][name] = path;
  for (const std::string& file : outdated_) json["files"].erase(file);
  for (const auto& [file, content] : ContentsOf(plan_.folder, plan_.files)) {
    json["files"][file] = RecordJson(content);
  }
  WriteFileAtomically(plan_.folder / kFinishedRun, RunJsonText(json) + '\n');
  Remove(plan_.folder / kUnfinishedRun);
}

}  // namespace calfvo
