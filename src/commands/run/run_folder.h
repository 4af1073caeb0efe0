// SPDX-License-Identifier: Apache-2.0
// The output folder of a run: which files in it calfvo wrote, for which input, and whether they are complete.
//
// A run first writes unfinished.json, which names its input and the files that it may write. It then removes
// the files of an earlier run, run.json first, and ends by writing run.json, which holds the size and hash of
// every file, and removing unfinished.json. So at any moment, even after a kill, run.json describes a run
// whose files all exist, and the two distinguish calfvo's files from the user's. Only calfvo's are ever
// removed.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/atomic_file.h"
#include "core/base/file_record.h"
#include "core/base/temporary_error.h"

namespace calfvo {

// The default output folder of `input`: holiday.mp4 to holiday-calfvo, 'shots/*.png' to
// shots-calfvo, - to stdin-calfvo.
std::filesystem::path DefaultRunFolder(const std::string& input);

struct RunPlan {
  std::filesystem::path folder;
  std::string input;
  // That the run may write, relative to `folder`. "images/*" is a series of numbered images (exports.h).
  std::vector<std::string> files = {};
  std::filesystem::path ground_truth = {};  // that the run reads, if any
  bool overwrite = false;
};

// Another process is writing to a folder.
class FolderInUse : public TemporaryError {
 public:
  explicit FolderInUse(const std::filesystem::path& folder);
};

// Whether another process is writing to `folder`.
bool IsInUse(const std::filesystem::path& folder);

// Throws Error if the run may not write here: a file of these names that no run wrote (whatever `overwrite`),
// input or ground truth among the files to be removed and, without `overwrite`, results of another input or
// of one that cannot be read again (a camera, a pipe), and files that changed since calfvo wrote them.
// Changes nothing.
void CheckRunFolder(const RunPlan& plan);

// A folder while a run writes to it. No other run can: it is locked until this ends.
class RunFolder {
 public:
  // Checks, creates the folder and removes the files of an earlier run. Throws Error as CheckRunFolder does,
  // and FolderInUse if another run is writing here.
  explicit RunFolder(RunPlan plan) : RunFolder(std::move(plan), [] { return false; }) {}

  // Nothing, and the folder as it was, if `is_done` returns true. It is called when no other run can write
  // here any more.
  static std::unique_ptr<RunFolder> OpenUnless(const std::function<bool()>& is_done, RunPlan plan);

  // The planned files that exist.
  std::map<std::string, FileRecord> Written() const;

  // Writes run.json: the run is complete.
  void Finish(std::string_view run_json);

 private:
  RunFolder(RunPlan plan, const std::function<bool()>& is_done);

  const RunPlan plan_;
  std::unique_ptr<PartFile> marker_;  // unfinished.json, whose lock it holds
  bool is_done_ = false;
};

// A folder that holds a run while an export adds files to it. No run and no other export can: it is locked
// until this ends. A file that calfvo did not write is never replaced.
class RunFolderUpdate {
 public:
  // `files` are those that may be written, relative to `folder`; `outdated` those that earlier exports may
  // have written and that would no longer agree with them. Throws Error if the folder holds no complete run,
  // if one of `files` was not written by calfvo, is part of the run's input or, without `overwrite`, has
  // changed since calfvo wrote it, and if another process is writing here. Removes what calfvo wrote of
  // `outdated`, and earlier series of images.
  RunFolderUpdate(const std::filesystem::path& folder, std::vector<std::string> files,
                  const std::vector<std::string>& outdated, bool overwrite);

  const std::string& run_json() const { return run_json_; }
  const std::string& input() const { return plan_.input; }  // of the run, as OpenInput takes it

  // Adds `outputs` (name → path) and the files that were written to run.json.
  void Finish(const std::map<std::string, std::string>& outputs);

 private:
  RunPlan plan_;
  std::vector<std::string> outdated_;  // that this removed
  std::string run_json_;
  std::unique_ptr<PartFile> marker_;
};

}  // namespace calfvo
