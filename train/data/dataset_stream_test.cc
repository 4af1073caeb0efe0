// SPDX-License-Identifier: Apache-2.0
#include "data/dataset_stream.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "core/base/testing.h"
#include "data/mixture_stream.h"
#include "data/test_sequence.h"

namespace calfvo::train {
namespace {

using torch::Tensor;

std::vector<Dataset> TwoDatasets() {
  std::vector<Dataset> datasets(2);
  datasets[0].sampling = {.name = "first", .share = 3.0};
  datasets[0].sequences.push_back(std::make_unique<TestSequence>("a", 40, 10));
  datasets[0].sequences.push_back(std::make_unique<TestSequence>("b", 60, 11));
  datasets[1].sampling = {.name = "second", .max_stride = 2};
  auto upright = std::make_unique<TestSequence>("c", 50, 20);
  upright->SetShape(20, 40);
  datasets[1].sequences.push_back(std::move(upright));
  return datasets;
}

DatasetStreamOptions SmallDataset() {
  DatasetStreamOptions options;
  options.windows = 16;
  options.frames = 4;
  options.input.size = 16;
  options.threads = 2;
  return options;
}

std::unique_ptr<WindowStream> Open(const DatasetStreamOptions& options) {
  return OpenDatasetStream(TwoDatasets(), options, torch::kCPU);
}

TEST(DatasetStream, ImagesAndPosesBelongTogether) {
  const WindowBatch batch = Open(SmallDataset())->At(0);
  EXPECT_EQ(batch.frames.sizes(), (torch::IntArrayRef{16, 4, 16, 16, 3}));
  EXPECT_FALSE(batch.motion.defined());
  EXPECT_EQ(batch.log_aspect.sizes(), (torch::IntArrayRef{16}));
  for (int64_t w = 0; w < 16; ++w) {
    // The images' colours are frame numbers.
    const Tensor numbers = batch.frames[w].select(-1, 0).select(-1, 8).select(-1, 8).to(torch::kLong);
    const int64_t stride = (numbers[1] - numbers[0]).item<int64_t>();
    const int64_t before = batch.before[w][8][8][0].item<int64_t>();
    const int64_t first = numbers[0].item<int64_t>();
    EXPECT_EQ(before, w % kStartEvery == 0 || first < stride ? first : first - stride);
    const bool second = batch.frames[w][0][0][0][1].item<int>() == 20;
    EXPECT_NEAR(batch.log_aspect[w].item<double>(), second ? -1.0 : std::log2(40.0 / 30.0), 1e-6);
    EXPECT_GE(stride, 1);
    EXPECT_LE(stride, second ? 2 : 5);
    Rigid3 expected;
    for (int64_t i = 0; i < stride; ++i) {
      expected = expected * Rigid3{ExpSO3({0.0, 0.02, 0.0}), {0.0, 0.0, 0.25}};
    }
    const Eigen::Matrix3d rotation = expected.rotation.toRotationMatrix();
    for (int64_t k = 0; k < 3; ++k) {
      EXPECT_EQ((numbers[k + 1] - numbers[k]).item<int64_t>(), stride);
      for (int r = 0; r < 3; ++r) {
        EXPECT_NEAR(batch.translation[w][k][r].item<double>(), expected.translation(r), 1e-6);
        for (int c = 0; c < 3; ++c) {
          EXPECT_NEAR(batch.rotation[w][k][r][c].item<double>(), rotation(r, c), 1e-6);
        }
      }
    }
  }
}

TEST(DatasetStream, EqualIdsMeanEqualImages) {
  const auto stream = Open(SmallDataset());
  std::map<int64_t, std::pair<int, int>> image_of_id;
  for (int64_t step = 0; step < 3; ++step) {
    const WindowBatch batch = stream->At(step);
    ASSERT_EQ(batch.frame_ids.sizes(), (torch::IntArrayRef{16, 4}));
    for (int64_t w = 0; w < 16; ++w) {
      for (int64_t k = 0; k < 4; ++k) {
        const Tensor colour = batch.frames[w][k][8][8];
        const std::pair<int, int> image(colour[0].item<int>(), colour[1].item<int>());
        EXPECT_EQ(image_of_id.emplace(batch.frame_ids[w][k].item<int64_t>(), image).first->second, image);
      }
    }
  }
  std::set<std::pair<int, int>> images;
  for (const auto& [id, image] : image_of_id) images.insert(image);
  EXPECT_EQ(images.size(), image_of_id.size());  // different ids, different images
}

TEST(DatasetStream, FollowsFromSeedAndStepAloneWithAndWithoutCache) {
  const TempFolder cache;
  DatasetStreamOptions options = SmallDataset();
  const auto stream = Open(options);
  std::vector<Tensor> frames, log_aspects;
  for (int64_t step = 0; step < 4; ++step) {
    const WindowBatch batch = stream->At(step);
    frames.push_back(batch.frames);
    log_aspects.push_back(batch.log_aspect);
  }
  EXPECT_FALSE(torch::equal(frames[0], frames[1]));
  options.threads = 1;
  options.batches = 1;
  options.cache = cache.path();
  const auto resumed = Open(options);
  EXPECT_EQ(cache.FileCount(), 3);
  for (int64_t step = 2; step < 4; ++step) {
    const WindowBatch batch = resumed->At(step);
    EXPECT_TRUE(torch::equal(batch.frames, frames[static_cast<size_t>(step)]));
    EXPECT_TRUE(torch::equal(batch.log_aspect, log_aspects[static_cast<size_t>(step)]));
  }
  options.seed = 1;
  EXPECT_FALSE(torch::equal(Open(options)->At(0).frames, frames[0]));
}

TEST(DatasetStream, ReportsImagesThatCannotBeRead) {
  std::vector<Dataset> datasets(1);
  auto sequence = std::make_unique<TestSequence>("a", 4);
  sequence->BreakFrame(2);
  datasets[0].sampling.name = "broken";
  datasets[0].sequences.push_back(std::move(sequence));
  const auto stream = OpenDatasetStream(std::move(datasets), SmallDataset(), torch::kCPU);
  EXPECT_EQ(ErrorFrom([&] { stream->At(0); }), "a: frame 2 cannot be decoded");
}

// Batches of one value.
class ConstantStream : public WindowStream {
 public:
  ConstantStream(int64_t windows, float value, bool motion)
      : windows_(windows), value_(value), motion_(motion) {}
  WindowBatch At(int64_t step) override {
    const float value = value_ + static_cast<float>(step);
    WindowBatch batch{torch::full({windows_, 3, 16, 16, 3}, static_cast<int>(value), torch::kUInt8),
                      torch::full({windows_, 16, 16, 3}, static_cast<int>(value), torch::kUInt8),
                      torch::full({windows_}, value),
                      torch::full({windows_, 2, 3, 3}, value),
                      torch::full({windows_, 2, 3}, value),
                      {}};
    if (motion_) batch.motion = torch::full({windows_, 3, 2, 2, 2}, value);
    if (!motion_) batch.frame_ids = torch::full({windows_, 3}, 4, torch::kInt64);
    return batch;
  }

 private:
  const int64_t windows_;
  const float value_;
  const bool motion_;
};

TEST(MixtureStream, JoinsItsPartsAndKnowsWhereMotionIsNotKnown) {
  std::vector<std::unique_ptr<WindowStream>> parts;
  parts.push_back(std::make_unique<ConstantStream>(2, 1.0F, false));
  parts.push_back(std::make_unique<ConstantStream>(3, 5.0F, true));
  MixtureStream mixture(std::move(parts));
  const WindowBatch batch = mixture.At(10);
  EXPECT_EQ(batch.frames.sizes(), (torch::IntArrayRef{5, 3, 16, 16, 3}));
  EXPECT_EQ(batch.motion.sizes(), (torch::IntArrayRef{5, 3, 2, 2, 2}));
  for (int64_t w = 0; w < 5; ++w) {
    const float value = w < 2 ? 11.0F : 15.0F;
    EXPECT_EQ(batch.frames[w][0][0][0][0].item<float>(), value);
    EXPECT_EQ(batch.log_aspect[w].item<float>(), value);
    EXPECT_EQ(batch.rotation[w][1][2][2].item<float>(), value);
    EXPECT_EQ(batch.translation[w][1][2].item<float>(), value);
    EXPECT_EQ(std::isnan(batch.motion[w][2][1][1][1].item<float>()), w < 2);
    EXPECT_EQ(batch.frame_ids[w][2].item<int64_t>(), w < 2 ? 4 : -1);
  }
  EXPECT_NE(ErrorFrom([] { MixtureStream({}); }), "no error");
}

TEST(DatasetStream, RealVideoTrains) {
  const std::filesystem::path folder = std::filesystem::path(CALFVO_REAL_SEQUENCES) / "kitti06";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << folder << " is not there";
  std::vector<Dataset> datasets(1);
  datasets[0].sampling = {.name = "kitti", .max_stride = 2};
  datasets[0].sequences.push_back(OpenSequence(folder));
  DatasetStreamOptions options;
  options.windows = 4;
  options.threads = 1;
  options.batches = 1;
  const WindowBatch batch = OpenDatasetStream(std::move(datasets), options, torch::kCPU)->At(0);
  EXPECT_EQ(batch.frames.sizes(), (torch::IntArrayRef{4, 8, 224, 224, 3}));
  EXPECT_GT(batch.frames.to(torch::kFloat).std().item<double>(), 20.0);
  EXPECT_NEAR(batch.log_aspect.max().item<double>(), std::log2(1226.0 / 370.0), 0.02);
  // The car drives 1.2 m a frame, straight ahead.
  EXPECT_GT(batch.translation.select(-1, 2).min().item<double>(), 1.0);
  EXPECT_LT(batch.translation.select(-1, 2).max().item<double>(), 2.6);
  EXPECT_LT(batch.translation.narrow(-1, 0, 2).abs().max().item<double>(), 0.2);
}

}  // namespace
}  // namespace calfvo::train
