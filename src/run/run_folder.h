// SPDX-License-Identifier: Apache-2.0
// The folder of a run: whose results it holds, and when they are complete.
//
// A run notes its input in unfinished.json before it touches anything else there, removes run.json, then what
// else an earlier run left. It ends by writing run.json and removing unfinished.json. So at any moment, also
// after a kill, run.json tells of a run whose files are all there, and whose files they are is known.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace calfvo {

// Where results of `input` go if the user does not say: holiday.mp4 to holiday-calfvo, 'shots/*.png' to
// shots-calfvo, - to stdin-calfvo.
std::filesystem::path DefaultRunFolder(const std::string& input);

// The run.json of the whole run of this input that `folder` holds. Nothing where there is none, or one that
// was interrupted.
std::optional<std::string> FinishedRun(const std::filesystem::path& folder, const std::string& input);

// Throws Error where the folder holds what a run of `input` may not replace: files of these names that no run
// left, whatever `overwrite`, or where the pictures of a run would be read as pictures of `input`; and
// without that, results of another input, or of one that cannot be read again (a camera, a pipe). Changes
// nothing.
void CheckRunFolder(const std::filesystem::path& folder, const std::string& input, bool overwrite);

// Checks, makes the folder, and removes what an earlier run left there. Files of others stay.
void BeginRunFolder(const std::filesystem::path& folder, const std::string& input, bool overwrite);

// Writes run.json: the run is complete.
void FinishRunFolder(const std::filesystem::path& folder, std::string_view run_json);

}  // namespace calfvo
