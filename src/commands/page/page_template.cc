// SPDX-License-Identifier: Apache-2.0
#include "commands/page/page_template.h"

#include <fmt/format.h>

#include <cstdlib>
#include <fstream>
#include <utility>
#include <vector>

#include "calfvo/error.h"
#include "core/base/own_file.h"

namespace calfvo {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kDataPlace = "<!--calfvo:data-->";
constexpr std::string_view kConnectPlace = "calfvo:connect";
constexpr std::string_view kPolicyBegin = "http-equiv=\"Content-Security-Policy\" content=\"";
constexpr std::string_view kFramesBegin = "<script type=\"application/json\" id=\"calfvo-frames\">";
constexpr std::string_view kRunBegin = "<script type=\"application/json\" id=\"calfvo-run\">";
constexpr std::string_view kEnd = "</script>\n";
constexpr uintmax_t kMaxPageBytes = 256 << 20;

std::string ReadAll(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  std::string text(std::istreambuf_iterator<char>(stream), {});
  if (stream.bad() || !stream.is_open()) throw Error(fmt::format("{}: cannot be read", path.string()));
  return text;
}

std::vector<fs::path> TemplatePlaces() {
  std::vector<fs::path> places;
  if (const char* chosen = std::getenv("CALFVO_VIEWER"); chosen != nullptr && *chosen != '\0') {
    places.emplace_back(chosen);
  }
  const fs::path prefix = OwnFile().parent_path().parent_path();
  for (const fs::path& up : {prefix, prefix.parent_path()}) {
    places.push_back(up / "share" / "calfvo" / "viewer.html");
  }
  places.emplace_back(CALFVO_BUILT_VIEWER);
  return places;
}

}  // namespace

PageTemplate::PageTemplate(std::string html, const std::string& name) : html_(std::move(html)) {
  for (const std::string_view place : {kPolicyBegin, kConnectPlace, kDataPlace}) {
    if (html_.find(place) == std::string::npos) {
      throw Error(fmt::format("{}: is not calfvo's viewer: it has no '{}'", name, place));
    }
  }
}

std::string PageTemplate::Replace(std::string_view connect, std::string_view data) const {
  std::string page = html_;
  page.replace(page.find(kDataPlace), kDataPlace.size(), data);
  page.replace(page.find(kConnectPlace), kConnectPlace.size(), connect);
  return page;
}

std::string PageTemplate::PageOf(std::string_view run, std::string_view frames) const {
  std::string data = fmt::format("{}{}{}", kRunBegin, run, kEnd);
  if (!frames.empty()) data += fmt::format("{}{}{}", kFramesBegin, frames, kEnd);
  return Replace("'none'", data);
}

std::string PageTemplate::ServerPage() const {
  return Replace("'self'", "");
}

std::string PageTemplate::ServerPolicy() const {
  const std::string page = ServerPage();
  const size_t begin = page.find(kPolicyBegin) + kPolicyBegin.size();
  // Only a header can forbid frames of other pages.
  return page.substr(begin, page.find('"', begin) - begin) + "; frame-ancestors 'none'";
}

std::optional<fs::path> FindPageTemplate() {
  std::error_code ignored;
  for (const fs::path& place : TemplatePlaces()) {
    if (fs::is_regular_file(place, ignored)) return place;
  }
  return {};
}

PageTemplate ReadPageTemplate() {
  const std::optional<fs::path> path = FindPageTemplate();
  if (!path) {
    throw Error("the viewer is missing: this build had no npm; install nodejs and npm and build again");
  }
  return {ReadAll(*path), path->string()};
}

std::string FramesOfPage(const fs::path& page) {
  std::error_code error;
  const uintmax_t bytes = fs::file_size(page, error);
  if (error || bytes > kMaxPageBytes || !fs::is_regular_file(page, error)) return "null";
  const std::string text = ReadAll(page);
  const size_t begin = text.find(kFramesBegin);
  if (begin == std::string::npos) return "null";
  const size_t end = text.find(kEnd, begin);
  if (end == std::string::npos) return "null";
  return text.substr(begin + kFramesBegin.size(), end - begin - kFramesBegin.size());
}

}  // namespace calfvo
