// SPDX-License-Identifier: Apache-2.0
#include "data/tum_sequence.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include "base/testing.h"
#include "clip/clip_folder.h"
#include "data/dataset_stream.h"
#include "geometry/so3.h"
#include "plot/png.h"

namespace calfvo::train {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

TEST(TumSequence, ReadsWhatSynthWrites) {
  const TempFolder folder;
  ThreadPool threads(1);
  ClipOptions options;
  options.frames = 4;
  options.width = 48;
  options.height = 32;
  options.samples = 1;
  Clip clip(options, threads);
  std::vector<ClipFrame> expected;
  {
    ClipFolder writer(folder.path(), clip, {.video = false}, threads);
    while (auto frame = clip.Next()) {
      writer.Add(*frame);
      expected.push_back(std::move(*frame));
    }
    writer.Finish();
  }
  const auto sequence = OpenTumSequence(folder.path());
  EXPECT_EQ(sequence->name(), folder.path().filename());
  ASSERT_EQ(sequence->frames().size(), 4U);
  Frame picture;
  for (size_t i = 0; i < 4; ++i) {
    const SequenceFrame& frame = sequence->frames()[i];
    EXPECT_EQ(frame.timestamp_ns, expected[i].timestamp_ns);
    ASSERT_TRUE(frame.world_from_camera);
    const Rigid3& pose = expected[i].world_from_camera;
    EXPECT_LT((frame.world_from_camera->translation - pose.translation).norm(), 1e-9);
    EXPECT_LT(AngleBetween(frame.world_from_camera->rotation, pose.rotation), 1e-9);
    sequence->Read(static_cast<int64_t>(i), picture);
    EXPECT_EQ(picture.width, 48);
    EXPECT_EQ(picture.height, 32);
    EXPECT_EQ(picture.rgb, expected[i].picture.rgb);
  }
}

// Images at 0, 0.1, … 0.9 s, and the given lines of groundtruth.txt.
class TumFolder {
 public:
  explicit TumFolder(const std::string& truth) {
    const std::vector<uint8_t> pixels(12, 100);
    std::string list = "# timestamp filename\n";
    for (int i = 0; i < 10; ++i) {
      const std::string name = "image" + std::to_string(i) + ".png";
      list += "0." + std::to_string(i) + " " + name + "\n";
      WritePng(path() / name, {2, 2, 3, pixels.data(), 6});
    }
    std::ofstream(path() / "rgb.txt") << list;
    std::ofstream(path() / "groundtruth.txt") << truth;
  }
  const fs::path& path() const { return folder_.path(); }

 private:
  TempFolder folder_;
};

std::string PoseLine(double time_s, double x) {
  return std::to_string(time_s) + " " + std::to_string(x) + " 0 0 0 0 0 1\n";
}

TEST(TumSequence, TakesTheNearestPoseWithinReach) {
  // Nothing before 0.2 s, and a gap at 0.6 s.
  const TumFolder folder(PoseLine(0.19, 1) + PoseLine(0.205, 2) + PoseLine(0.32, 3) + PoseLine(0.39, 4) +
                         PoseLine(0.41, 5) + PoseLine(0.5, 6) + PoseLine(0.62001, 7) + PoseLine(0.7, 8) +
                         PoseLine(0.8, 9) + PoseLine(0.9, 10));
  const auto sequence = OpenTumSequence(folder.path());
  ASSERT_EQ(sequence->frames().size(), 8U);
  const double expected[] = {2, 3, 4, 6, -1, 8, 9, 10};
  for (size_t i = 0; i < 8; ++i) {
    const SequenceFrame& frame = sequence->frames()[i];
    EXPECT_EQ(frame.timestamp_ns, static_cast<int64_t>(i + 2) * 100'000'000);
    EXPECT_EQ(frame.world_from_camera ? frame.world_from_camera->translation.x() : -1.0, expected[i]) << i;
  }
  EXPECT_EQ(PosesUntilInvalid(*sequence).size(), 4U);
}

TEST(TumSequence, TellsPicturesOfEqualNameAndSizeApart) {
  const TumFolder a(PoseLine(0, 0));
  const TumFolder b(PoseLine(0, 0));
  EXPECT_NE(OpenTumSequence(a.path())->frames()[0].picture, OpenTumSequence(b.path())->frames()[0].picture);
}

TEST(TumSequence, NamesTheFileThatIsWrong) {
  const TumFolder folder(PoseLine(100, 0));
  const auto error = [&] {
    return ErrorFrom([&] {
      Frame frame;
      OpenTumSequence(folder.path())->Read(3, frame);
    });
  };
  const std::string truth = (folder.path() / "groundtruth.txt").string();
  EXPECT_EQ(error(), truth + ": no pose is within 20 ms of any image");
  std::ofstream(truth) << "0 1 2 three\n";
  EXPECT_THAT(error(), HasSubstr(truth + ":1"));
  std::ofstream(truth) << PoseLine(0, 0);
  const fs::path image = folder.path() / "image3.png";
  std::ofstream(image) << "no picture";
  EXPECT_THAT(error(), HasSubstr(image.string() + ": "));
  fs::remove(image);
  EXPECT_THAT(error(), HasSubstr(image.string() + ": "));
  fs::remove(truth);
  EXPECT_THAT(error(), HasSubstr(truth));
  EXPECT_NE(ErrorFrom([] { OpenTumSequence("/nowhere"); }), "no error");
}

TEST(TumSequence, RealVideoTrains) {
  const fs::path folder = fs::path(CALFVO_REAL_SEQUENCES) / "kitti06";
  if (!fs::exists(folder)) GTEST_SKIP() << folder << " is not there";
  std::vector<Dataset> datasets(1);
  datasets[0].sampling = {.name = "kitti", .max_stride = 2};
  datasets[0].sequences.push_back(OpenTumSequence(folder));
  DatasetStreamOptions options;
  options.windows = 4;
  options.threads = 1;
  options.batches = 1;
  const WindowBatch batch = OpenDatasetStream(std::move(datasets), options, torch::kCPU)->At(0);
  EXPECT_EQ(batch.frames.sizes(), (torch::IntArrayRef{4, 8, 224, 224, 3}));
  EXPECT_GT(batch.frames.to(torch::kFloat).std().item<double>(), 20.0);
  // The car drives 1.2 m a frame, straight ahead.
  EXPECT_GT(batch.translation.select(-1, 2).min().item<double>(), 1.0);
  EXPECT_LT(batch.translation.select(-1, 2).max().item<double>(), 2.6);
  EXPECT_LT(batch.translation.narrow(-1, 0, 2).abs().max().item<double>(), 0.2);
}

}  // namespace
}  // namespace calfvo::train
