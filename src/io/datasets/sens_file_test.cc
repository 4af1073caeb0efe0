// SPDX-License-Identifier: Apache-2.0
#include "io/datasets/sens_file.h"

#include <sys/resource.h>

#include <cstring>

#include "core/base/thread_pool.h"
#include "io/datasets/test_sens.h"
#include "io/datasets/test_sequences.h"

namespace calfvo {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr int32_t kRaw = 0;
constexpr int32_t kPng = 1;
constexpr double kFloatDigits = 1e-6;

class SensFileTest : public testing::Test {
 protected:
  SensFields Typical() const {
    SensFields fields;
    fields.color_compression = kPng;
    for (int i = 0; i < 4; ++i) {
      fields.frames.push_back({FloatMatrix(truth_[static_cast<size_t>(i)]),
                               1000000U + 33333U * static_cast<uint64_t>(i), TruePng(i),
                               std::string(static_cast<size_t>(100 + i), '\x78')});
    }
    return fields;
  }

  std::filesystem::path Write(const std::string& bytes) const {
    const auto path = root_.path() / "scene0707_00" / "scene0707_00.sens";
    WriteFile(path, bytes);
    return path;
  }

  // The message for the typical file with the bytes at `offset` replaced.
  template <typename Value>
  std::string ErrorWith(size_t offset, const Value& value) const {
    std::string bytes = SensBytes(Typical());
    std::memcpy(bytes.data() + offset, &value, sizeof(value));
    return OpenError(Write(bytes));
  }

  const TempFolder root_;
  const std::vector<Rigid3> truth_ = TruePoses(4);
};

TEST_F(SensFileTest, ReadsPosesTimesAndImages) {
  Write(SensBytes(Typical()));
  const auto sequence = OpenSequence(root_.path());
  EXPECT_EQ(sequence->name(), "scene0707_00");
  EXPECT_THAT(Times(*sequence), ElementsAre(1000000000, 1033333000, 1066666000, 1099999000));
  ASSERT_TRUE(sequence->intrinsics().has_value());
  EXPECT_EQ(sequence->intrinsics()->fx, 1170.1877F);
  EXPECT_EQ(sequence->intrinsics()->cy, 483.75);
  for (int i = 0; i < 4; ++i) {
    ExpectPose(*sequence, static_cast<size_t>(i), truth_[static_cast<size_t>(i)], kFloatDigits);
    ExpectImage(*sequence, static_cast<size_t>(i), i);
  }
  EXPECT_EQ(FindSequences(root_.path() / "scene0707_00" / "scene0707_00.sens").front().name, "scene0707_00");
}

TEST_F(SensFileTest, ReadsRawImages) {
  SensFields fields = Typical();
  fields.color_compression = kRaw;
  for (int i = 0; i < 4; ++i) {
    const Frame image = TrueImage(i);
    fields.frames[static_cast<size_t>(i)].color.assign(image.rgb.begin(), image.rgb.end());
  }
  ExpectImage(*OpenSequence(Write(SensBytes(fields))), 3, 3);
}

TEST_F(SensFileTest, LostTrackingGivesNoPose) {
  SensFields fields = Typical();
  fields.frames[1].camera_to_world = LostMatrix();
  fields.frames[2].camera_to_world.fill(0.0F);
  const auto sequence = OpenSequence(Write(SensBytes(fields)));
  ExpectPose(*sequence, 0, truth_[0], kFloatDigits);
  ExpectNoPose(*sequence, 1);
  ExpectNoPose(*sequence, 2);
  ExpectPose(*sequence, 3, truth_[3], kFloatDigits);
}

TEST_F(SensFileTest, TimesThatDoNotIncreaseAreReplaced) {
  SensFields fields = Typical();
  fields.frames[2].color_time = 7;
  EXPECT_THAT(Times(*OpenSequence(Write(SensBytes(fields)))), ElementsAre(0, 33333333, 66666667, 100000000));
  fields = Typical();
  fields.frames[3].color_time = std::numeric_limits<uint64_t>::max();  // more nanoseconds than fit
  EXPECT_EQ(Times(*OpenSequence(Write(SensBytes(fields))))[3], 100000000);
}

TEST_F(SensFileTest, ThreadsMayReadAtOnce) {
  const auto sequence = OpenSequence(Write(SensBytes(Typical())));
  ThreadPool threads(4);
  threads.ParallelFor(
      64, [&](int64_t i) { ExpectImage(*sequence, static_cast<size_t>(i % 4), static_cast<int>(i % 4)); });
}

TEST_F(SensFileTest, HostileFilesAreRefused) {
  const std::string whole = SensBytes(Typical());
  EXPECT_THAT(OpenError(Write("")), HasSubstr("has 0 bytes, too few for a .sens file"));
  EXPECT_THAT(OpenError(Write(whole.substr(0, 200))), HasSubstr("ends within its header"));
  EXPECT_THAT(
      OpenError(Write(whole.substr(0, kSensFirstFrame + 100))),
      HasSubstr("4 frames, but the 100 bytes after the header hold 1 at most; the file was cut short"));
  EXPECT_THAT(ErrorWith(0, uint32_t{3}),
              HasSubstr("scene0707_00.sens: is not a .sens file of version 4: its version reads 3"));
  EXPECT_THAT(ErrorWith(kSensNameBytes, ~uint64_t{0}),
              HasSubstr("the sensor's name has 18446744073709551615 bytes; at most 4096"));
  EXPECT_THAT(ErrorWith(kSensFrameCount, ~uint64_t{0}),
              HasSubstr("18446744073709551615 frames; expected 1 to 1000000"));
  EXPECT_THAT(ErrorWith(kSensFrameCount, uint64_t{0}), HasSubstr(": 0 frames; expected 1 to 1000000"));
  EXPECT_THAT(ErrorWith(kSensColorBytes, ~uint64_t{0}),
              HasSubstr("frame 0 of 4 has 18446744073709551615 bytes of colour"));
  EXPECT_THAT(ErrorWith(kSensDepthBytes, ~uint64_t{0}), HasSubstr("18446744073709551615 of depth"));
  EXPECT_THAT(ErrorWith(kSensFrameCount - 20, uint32_t{1 << 20}), HasSubstr("colour of 1048576x8 px"));
  EXPECT_THAT(ErrorWith(kSensFrameCount - 28, int32_t{-1}), HasSubstr("colour compression -1; expected"));
  EXPECT_THAT(ErrorWith(kSensFrameCount - 28, kRaw), HasSubstr("which an image of 16x8 px does not need"));
  EXPECT_THAT(OpenError(root_.path() / "scene0707_00"), HasSubstr("does not need"));
}

TEST_F(SensFileTest, EveryCutIsNoticed) {
  SensFields fields = Typical();
  fields.imu_records = 0;
  const auto path = Write(SensBytes(fields));
  size_t size = std::filesystem::file_size(path) - 8;
  std::filesystem::resize_file(path, size);
  EXPECT_EQ(OpenError(path), "no error");  // IMU records are not read
  while (size > 0) {
    std::filesystem::resize_file(path, --size);
    EXPECT_NE(OpenError(path), "no error") << size;
  }
}

TEST_F(SensFileTest, ADamagedImageIsNamed) {
  SensFields fields = Typical();
  fields.frames[2].color = "no image";
  const auto sequence = OpenSequence(Write(SensBytes(fields)));
  Frame frame;
  EXPECT_THAT(ErrorFrom([&] { sequence->Read(2, frame); }),
              HasSubstr("scene0707_00.sens: frame 2: begins with"));
}

// Twelve frames with a gigabyte of depth each, as a file with holes.
TEST_F(SensFileTest, FilesOfManyGigabytesAreSoughtThrough) {
  constexpr uint64_t kDepthBytes = uint64_t{1} << 30;
  SensFields fields = Typical();
  for (auto& frame : fields.frames) frame.depth.clear();
  fields.frames.resize(12, fields.frames[0]);
  fields.frames[11] = Typical().frames[3];
  fields.frames[11].depth.clear();
  for (size_t i = 0; i < 12; ++i) fields.frames[i].color_time = i;
  const auto path = Write("");
  std::ofstream file(path, std::ios::binary);
  const std::string bytes = SensBytes(fields);
  size_t at = kSensFirstFrame;
  file.write(bytes.data(), static_cast<std::streamsize>(at));
  for (const auto& frame : fields.frames) {
    std::string piece = bytes.substr(at, 96 + frame.color.size());
    at += piece.size();
    std::memcpy(piece.data() + 88, &kDepthBytes, 8);
    file.write(piece.data(), static_cast<std::streamsize>(piece.size()));
    file.seekp(static_cast<std::streamoff>(kDepthBytes), std::ios::cur);
  }
  file.write("end", 3);
  file.close();
  ASSERT_GT(std::filesystem::file_size(path), 12 * kDepthBytes);

  rusage before{};
  rusage after{};
  ::getrusage(RUSAGE_SELF, &before);
  const auto sequence = OpenSequence(path);
  ASSERT_EQ(sequence->frames().size(), 12U);
  ExpectPose(*sequence, 11, truth_[3], kFloatDigits);
  ExpectImage(*sequence, 11, 3);
  ::getrusage(RUSAGE_SELF, &after);
  EXPECT_LT(after.ru_maxrss - before.ru_maxrss, 100'000);  // KiB
}

}  // namespace
}  // namespace calfvo
