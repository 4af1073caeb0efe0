// SPDX-License-Identifier: Apache-2.0
// The viewer's page: a template that npm builds from viewer/, and pages with the data of a run.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace calfvo {

class PageTemplate {
 public:
  // Throws Error, naming `name`, for text without the places that data goes to.
  PageTemplate(std::string html, const std::string& name);

  // A page that holds its data and loads nothing. Both are JSON without '<'; `frames` may be empty.
  std::string PageOf(std::string_view run, std::string_view frames) const;

  // The page that fetches its data from the server it came from, and its content security policy.
  std::string ServerPage() const;
  std::string ServerPolicy() const;

 private:
  std::string Replace(std::string_view connect, std::string_view data) const;

  const std::string html_;
};

// Where the template is: the file $CALFVO_VIEWER, then share/calfvo/viewer.html beside the installed program,
// then the build folder. Nothing if there is none, as in a build without npm.
std::optional<std::filesystem::path> FindPageTemplate();

// Reads it. Throws Error saying how to get it where there is none.
PageTemplate ReadPageTemplate();

// The JSON of the key frames in a page that PageOf made; "null" where there are none, or the file is not such
// a page or over 256 MiB.
std::string FramesOfPage(const std::filesystem::path& page);

}  // namespace calfvo
