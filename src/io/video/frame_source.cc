// SPDX-License-Identifier: Apache-2.0
#include "io/video/frame_source.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fnmatch.h>
#include <glob.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>

#include "core/base/log.h"
#include "core/base/temporary_error.h"
#include "core/image/image_decoder.h"
#include "io/recording/recording.h"
#include "io/video/source_kinds.h"

namespace calfvo {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kWhatIsRead =
    "give a video file, an image, a folder of images, a glob in quotes, /dev/videoN, or - for y4m on "
    "standard input";

[[noreturn]] void FailWithErrno(const std::string& input, std::string_view action) {
  ThrowSystemError(fmt::format("{}: cannot {}", input, action), errno);
}

int Open(const std::string& input, int flags = 0) {
  const int descriptor = ::open(input.c_str(), O_RDONLY | O_CLOEXEC | flags);
  if (descriptor < 0) FailWithErrno(input, "open");
  return descriptor;
}

// The first bytes of a regular file.
std::string Beginning(const std::string& input) {
  std::string bytes(4096, '\0');
  const int descriptor = Open(input);
  const ssize_t count = ::read(descriptor, bytes.data(), bytes.size());
  ::close(descriptor);
  if (count < 0) FailWithErrno(input, "read");
  bytes.resize(static_cast<size_t>(count));
  return bytes;
}

bool IsText(std::string_view bytes) {
  return std::none_of(bytes.begin(), bytes.end(), [](char c) {
    const auto code = static_cast<unsigned char>(c);
    return code == 0x7f || (code < ' ' && c != '\n' && c != '\r' && c != '\t' && c != '\f' && c != '\v');
  });
}

// JPEGs one after the other begin like one.
bool IsMotionJpeg(const fs::path& path) {
  return path.extension() == ".mjpeg" || path.extension() == ".mjpg";
}

std::unique_ptr<FrameSource> OpenFile(const std::string& input, const SourceOptions& options) {
  const std::string bytes = Beginning(input);
  if (bytes.empty()) {
    throw Error(input + ": the file is empty: nothing was recorded, or it was not copied to the end");
  }
  if (bytes.starts_with("YUV4MPEG2")) return OpenY4m(Open(input), input, options);
  if (LooksLikeRecording(bytes)) return OpenRecordedImages(input, options);
  if (LooksLikeImage(bytes) && !IsMotionJpeg(input)) {
    if (IsAnimatedPng(input)) {
      LogWarning("{}: animated PNG; only its first frame is read. Convert it to a video to read all", input);
    }
    return OpenImageFiles(input, {input});
  }
  // FFmpeg would read a playlist, and draw other text as an image.
  if (IsText(bytes))
    throw Error(fmt::format("{}: is a text file, whatever its name; {}", input, kWhatIsRead));
  return OpenVideo(input, options);
}

std::vector<fs::path> ImagesOfGlob(const std::string& pattern) {
  glob_t found{};
  const int result = ::glob(pattern.c_str(), GLOB_NOSORT, nullptr, &found);
  std::vector<fs::path> images;
  const size_t count = result == 0 ? found.gl_pathc : 0;
  for (size_t i = 0; i < count; ++i) {
    if (HasImageName(found.gl_pathv[i])) images.emplace_back(found.gl_pathv[i]);
  }
  ::globfree(&found);
  if (count == 0) throw Error(fmt::format("{}: no file matches; {}", pattern, kWhatIsRead));
  if (images.empty()) {
    throw Error(
        fmt::format("{}: {} file(s) match, none of them an image (.png, .jpg, .ppm, .pgm)", pattern, count));
  }
  return images;
}

bool IsGlob(const std::string& input) {
  return input.find_first_of("*?[") != std::string::npos;
}

std::unique_ptr<FrameSource> OpenMissing(const std::string& input) {
  if (IsGlob(input)) return OpenImageFiles(input, ImagesOfGlob(input));
  if (input.starts_with("/dev/video")) {
    throw Error(input + ": no such camera; 'ls /dev/video*' lists those present");
  }
  if (input.find("://") != std::string::npos) {
    throw Error(
        fmt::format("{}: is an address, and calfvo reads files; download it, or pipe it: ffmpeg -i ADDRESS "
                    "-pix_fmt yuv420p "
                    "-f yuv4mpegpipe - | calfvo run - -o DIR",
                    input));
  }
  throw Error(fmt::format("{}: no such file or folder; {}", input, kWhatIsRead));
}

std::unique_ptr<FrameSource> OpenKind(const std::string& input, const SourceOptions& options) {
  if (input == "-") return OpenY4m(STDIN_FILENO, "standard input", options);
  if (input.starts_with("lavfi:")) return OpenCamera(input, options);
  struct stat status {};
  if (::stat(input.c_str(), &status) != 0) {
    if (errno != ENOENT && errno != ENOTDIR) FailWithErrno(input, "open");
    return OpenMissing(input);
  }
  switch (status.st_mode & S_IFMT) {
    case S_IFDIR:
      return OpenImageFolder(input);
    case S_IFCHR:
      return OpenCamera(input, options);
    case S_IFIFO:
      // Otherwise opening would wait for a writer and could not be cancelled; ByteStream waits instead.
      return OpenY4m(Open(input, O_NONBLOCK), input, options);
    case S_IFREG:
      return OpenFile(input, options);
    default:
      throw Error(
          fmt::format("{}: is neither a file, a folder, a camera nor a pipe; {}", input, kWhatIsRead));
  }
}

}  // namespace

std::unique_ptr<FrameSource> OpenFrames(const std::string& input, const SourceOptions& options) {
  options.Validate();
  try {
    return SelectFrames(OpenKind(input, options), options);
  } catch (const Error&) {
    // A reader that was stopped while it opened cannot know what it would have found.
    if (options.stop == nullptr || !options.stop->load()) throw;
    throw Error(fmt::format("{}: {}", input, kStoppedBeforeAnyFrame));
  }
}

ImageList InputFiles(const std::string& input) {
  if (input == "-" || input.starts_with("lavfi:")) return {};
  std::error_code ignored;
  const fs::file_status status = fs::status(input, ignored);
  if (fs::is_directory(status)) return ListFolder(input);
  if (fs::is_regular_file(status)) return {.files = {input}, .timestamps_ns = {}};
  if (!fs::exists(status) && IsGlob(input)) return ListByName(ImagesOfGlob(input));
  return {};
}

bool WouldReadImage(const std::string& input, const fs::path& image) {
  if (!HasImageName(image)) return false;
  std::error_code ignored;  // what cannot be looked at is not read either
  if (fs::is_directory(input, ignored)) return FolderWouldRead(input, image);
  if (fs::exists(input, ignored) || !IsGlob(input)) return false;
  const auto full = [&](const fs::path& path) {
    return fs::weakly_canonical(fs::absolute(path, ignored), ignored).string();
  };
  return ::fnmatch(full(input).c_str(), full(image).c_str(), FNM_PATHNAME | FNM_PERIOD) == 0;
}

}  // namespace calfvo
