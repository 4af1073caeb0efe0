// SPDX-License-Identifier: Apache-2.0
// Errors of OpenFrames for files that are not inputs. docs/inputs.md quotes these messages.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "io/video/test_media.h"
#include "io/video/video_writer.h"

namespace calfvo {
namespace {

constexpr const char* kWhatIsRead =
    "give a video file, an image, a folder of images, a glob in quotes, /dev/videoN, or - for y4m on "
    "standard "
    "input";

class WrongInput : public testing::Test {
 protected:
  // The message without the path that it begins with.
  std::string MessageFor(const std::string& name) {
    const std::string path = folder_.path() / name;
    const std::string message = ErrorFrom([&] { OpenFrames(path); });
    EXPECT_TRUE(message.starts_with(path + ": ")) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    return message.substr(std::min(message.size(), path.size() + 2));
  }
  std::string MessageFor(const std::string& name, const std::string& content) {
    WriteBytes(folder_.path() / name, content);
    return MessageFor(name);
  }

  const TempFolder folder_;
};

TEST_F(WrongInput, Missing) {
  EXPECT_EQ(MessageFor("clip.mp4"), std::string("no such file or folder; ") + kWhatIsRead);
  EXPECT_EQ(MessageFor("none*.png"), std::string("no file matches; ") + kWhatIsRead);
  EXPECT_EQ(ErrorFrom([] { OpenFrames("/dev/video987"); }),
            "/dev/video987: no such camera; 'ls /dev/video*' lists those present");
  EXPECT_THAT(
      ErrorFrom([] { OpenFrames("rtsp://192.0.2.1/camera"); }),
      testing::HasSubstr("is an address, and calfvo reads files; download it, or pipe it: ffmpeg -i"));
}

TEST_F(WrongInput, Empty) {
  EXPECT_EQ(MessageFor("clip.mp4", ""),
            "the file is empty: nothing was recorded, or it was not copied to the end");
}

TEST_F(WrongInput, TextWithAVideosName) {
  EXPECT_EQ(MessageFor("clip.mp4", "Not a video.\n"),
            std::string("is a text file, whatever its name; ") + kWhatIsRead);
}

TEST_F(WrongInput, BytesOfNoKnownFormat) {
  const std::string junk = "\1\2\3 nothing that anybody knows \xff\xfe";
  EXPECT_EQ(
      MessageFor("clip.mp4", junk),
      VideoWriter::IsAvailable()
          ? "cannot be read as a video: Invalid data found when processing input; ffprobe may show more"
          : "this build has no FFmpeg and reads only y4m, PNG, JPEG, PPM and PGM; convert the video with "
            "'ffmpeg -i VIDEO -pix_fmt yuv420p -f yuv4mpegpipe - | calfvo ... -'");
}

TEST_F(WrongInput, FolderWithoutImages) {
  WriteBytes(folder_.path() / "album" / "notes.md", "x");
  EXPECT_EQ(
      MessageFor("album"),
      "the folder has no images (.png, .jpg, .ppm, .pgm), no rgb.txt and no rgb/ or image_2/ with images; "
      "give a folder of images or a video file");
}

TEST_F(WrongInput, GlobOfOtherFiles) {
  WriteBytes(folder_.path() / "a.mp4", "x");
  EXPECT_EQ(MessageFor("*.mp4"), "1 file(s) match, none of them an image (.png, .jpg, .ppm, .pgm)");
}

TEST_F(WrongInput, BrokenImages) {
  EXPECT_EQ(MessageFor("a.ppm", "P6 2 2 255\n123"),
            "none of its 1 image(s) can be read; the first: " + (folder_.path() / "a.ppm").string() +
                ": the PPM ends after 3 of 12 bytes of 2x2 px");
  EXPECT_EQ(MessageFor("b.ppm", "P6 20000 1 255\n" + std::string(60000, 'x')),
            "none of its 1 image(s) can be read; the first: " + (folder_.path() / "b.ppm").string() +
                ": is 20000x1 px; expected 1 to 16384 a side");
}

TEST_F(WrongInput, Unreadable) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may read everything";
  WriteBytes(folder_.path() / "clip.mp4", "x");
  std::filesystem::permissions(folder_.path() / "clip.mp4", std::filesystem::perms::none);
  EXPECT_EQ(MessageFor("clip.mp4"), "cannot open: Permission denied");
}

TEST_F(WrongInput, Socket) {
  const std::string path = folder_.path() / "socket";
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof(address.sun_path) - 1);
  const int descriptor = ::socket(AF_UNIX, SOCK_STREAM, 0);
  ASSERT_EQ(::bind(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
  EXPECT_EQ(MessageFor("socket"),
            std::string("is neither a file, a folder, a camera nor a pipe; ") + kWhatIsRead);
  ::close(descriptor);
}

}  // namespace
}  // namespace calfvo
