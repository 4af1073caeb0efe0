// SPDX-License-Identifier: Apache-2.0
#include "data/procedural_stream.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include "core/base/testing.h"
#include "core/geometry/so3.h"
#include "data/relative_pose.h"
#include "data/test_aspect.h"
#include "synth/scene/scene_kind.h"

namespace calfvo::train {
namespace {

using torch::Tensor;

ProceduralOptions SmallProcedural() {
  ProceduralOptions options;
  options.windows = 3;
  options.frames = 3;
  options.size = 64;
  options.samples = 1;
  options.threads = 2;
  return options;
}

std::unique_ptr<WindowStream> Open(const ProceduralOptions& options) {
  return OpenProceduralStream(options, torch::kCPU);
}

bool Equal(const WindowBatch& a, const WindowBatch& b) {
  return torch::equal(a.frames, b.frames) && torch::equal(a.before, b.before) &&
         torch::equal(a.log_aspect, b.log_aspect) && torch::equal(a.rotation, b.rotation) &&
         torch::equal(a.translation, b.translation) &&
         torch::equal(a.motion.nan_to_num(1e9), b.motion.nan_to_num(1e9));
}

TEST(ProceduralStream, GivesBatchesOfTheSaidShapes) {
  const WindowBatch batch = Open(SmallProcedural())->At(0);
  EXPECT_EQ(batch.frames.sizes(), (torch::IntArrayRef{3, 3, 64, 64, 3}));
  EXPECT_EQ(batch.rotation.sizes(), (torch::IntArrayRef{3, 2, 3, 3}));
  EXPECT_EQ(batch.translation.sizes(), (torch::IntArrayRef{3, 2, 3}));
  EXPECT_EQ(batch.motion.sizes(), (torch::IntArrayRef{3, 3, 8, 8, 2}));
  const Tensor products = torch::matmul(batch.rotation.transpose(-2, -1), batch.rotation);
  EXPECT_TRUE(torch::allclose(products, torch::eye(3).expand_as(products), 0.0, 1e-5));
  EXPECT_EQ(batch.before.sizes(), (torch::IntArrayRef{3, 64, 64, 3}));
  // Window 0 begins a video, the others do not.
  EXPECT_TRUE(torch::equal(batch.before[0], batch.frames[0][0]));
  EXPECT_FALSE(torch::equal(batch.before[1], batch.frames[1][0]));
  EXPECT_EQ(batch.motion[0][0].abs().max().item<float>(), 0.0F);
  const Tensor known = batch.motion.isnan().logical_not();
  EXPECT_GT(known.to(torch::kFloat).mean().item<double>(), 0.5);
  EXPECT_GT(batch.frames.to(torch::kFloat).std().item<double>(), 10.0);
}

TEST(ProceduralStream, KnowsTheShapeOfWhatItsSensorsKeep) {
  ProceduralOptions options = SmallProcedural();
  options.sensor.crop_probability = 0.5F;
  options.first_window = 1;
  const WindowBatch batch = Open(options)->At(3);
  ASSERT_EQ(batch.log_aspect.sizes(), (torch::IntArrayRef{3}));
  const uint64_t seed = BatchSeed(options.seed, 3);
  for (int w = 0; w < 3; ++w) {
    EXPECT_NEAR(batch.log_aspect[w].item<float>(), LogAspectOf(options, seed, options.first_window + w),
                1e-5);
  }
}

TEST(ProceduralStream, FollowsFromSeedAndStepAlone) {
  ProceduralOptions options = SmallProcedural();
  const auto stream = Open(options);
  const WindowBatch first = stream->At(0);
  const WindowBatch second = stream->At(1);
  EXPECT_FALSE(torch::equal(first.frames, second.frames));
  options.threads = 1;
  EXPECT_TRUE(Equal(Open(options)->At(1), second));  // resumed, and on other threads
  options.seed = 1;
  EXPECT_FALSE(torch::equal(Open(options)->At(0).frames, first.frames));
}

TEST(ProceduralStream, CarsDriveForwardAndTheirImagesGrow) {
  ProceduralOptions options = SmallProcedural();
  options.windows = 12;
  options.effects = EffectsOptions::None();
  options.scene_weights.fill(0.0F);
  options.scene_weights[static_cast<size_t>(SceneKind::kStreet)] = 1.0F;
  MotionWeights& weights = options.motion_weights[static_cast<size_t>(SceneKind::kStreet)];
  weights.fill(0.0F);
  weights[static_cast<size_t>(motion::MotionKind::kVehicle)] = 1.0F;
  const WindowBatch batch = Open(options)->At(5);
  const Tensor mean = batch.translation.abs().mean(torch::IntArrayRef{0, 1});
  EXPECT_GT(batch.translation.select(-1, 2).mean().item<double>(), 0.1);
  EXPECT_GT(mean[2].item<double>(), 3.0 * mean[0].item<double>());
  EXPECT_GT(mean[2].item<double>(), 3.0 * mean[1].item<double>());

  // What is seen at a place was nearer to the middle in the frame before.
  const Tensor middles = torch::arange(8) * 8.0 + 4.0 - 32.0;
  const auto grid = torch::meshgrid({middles, middles}, "xy");
  const Tensor outwards = torch::stack({grid[0], grid[1]}, -1);
  const Tensor along = (batch.motion * outwards).sum(-1);
  EXPECT_LT(along.nanmean().item<double>(), -1.0);
}

TEST(ProceduralStream, TakesRecordedPathsAndTextures) {
  const TempFolder folder;
  std::string path;  // along z, 0.125 m a frame
  for (int i = 0; i < 64; ++i) path += std::to_string(i) + " 0 0 " + std::to_string(0.125 * i) + " 0 0 0 1\n";
  std::filesystem::create_directories(folder.path() / "set");
  std::ofstream(folder.path() / "set" / "path.txt") << path;
  ProceduralOptions options = SmallProcedural();
  options.windows = 2;
  options.scene_weights.fill(0.0F);
  options.scene_weights[static_cast<size_t>(SceneKind::kTerrain)] = 1.0F;
  options.trajectories = folder.path();
  options.recorded_probability = 1.0F;
  options.segments = {
      .min_rate = 1.0F, .max_rate = 1.0F, .flip_probability = 0.0F, .reverse_probability = 0.0F};
  const WindowBatch batch = Open(options)->At(0);
  const Tensor expected = torch::tensor({0.0F, 0.0F, 0.125F}).expand_as(batch.translation);
  EXPECT_TRUE(torch::allclose(batch.translation, expected, 0.0, 1e-4)) << batch.translation;
  options.textures = folder.path() / "set";  // holds no image
  EXPECT_NE(ErrorFrom([&] { Open(options); }), "no error");
}

TEST(ProceduralOptions, NameTheFieldThatIsWrong) {
  const auto error = [](auto change) {
    ProceduralOptions options;
    change(options);
    return ErrorFrom([&] { options.Validate(); });
  };
  EXPECT_EQ(error([](auto&) {}), "no error");
  EXPECT_EQ(error([](auto& o) { o.windows = 0; }), "windows is 0; expected 1 to 65535");
  EXPECT_EQ(error([](auto& o) { o.frames = 65; }), "frames is 65; expected 2 to 64");
  EXPECT_EQ(error([](auto& o) { o.size = 100; }), "size is 100; expected a multiple of 8");
  EXPECT_EQ(error([](auto& o) { o.max_rate_hz = 5; }), "max_rate_hz is 5; expected 6 to 1000");
  EXPECT_EQ(error([](auto& o) { o.samples = 9; }), "samples is 9; expected 1 to 8");
}

TEST(RelativePose, IsFirstFromSecond) {
  const Rigid3 world_from_a{ExpSO3({0.3, -0.2, 0.9}), {1.0, 2.0, 3.0}};
  const Rigid3 world_from_b{ExpSO3({-0.4, 0.7, 0.1}), {2.0, 0.5, -1.0}};
  const auto posed = [](const Rigid3& pose) {
    const Eigen::Matrix3f m = pose.rotation.toRotationMatrix().cast<float>();
    const auto column = [&](int i) { return portable::Vec3{m(0, i), m(1, i), m(2, i)}; };
    const Eigen::Vector3f t = pose.translation.cast<float>();
    return PosedFrame{.world_from_camera = {{column(0), column(1), column(2)}, {t.x(), t.y(), t.z()}}};
  };
  float rotation[9];
  float translation[3];
  WriteRelativePose(posed(world_from_a), posed(world_from_b), rotation, translation);
  const Rigid3 a_from_b = world_from_a.Inverse() * world_from_b;
  const Eigen::Matrix3d expected = a_from_b.rotation.toRotationMatrix();
  for (int i = 0; i < 9; ++i) EXPECT_NEAR(rotation[i], expected(i / 3, i % 3), 1e-6);
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(translation[i], a_from_b.translation(i), 1e-6);
}

}  // namespace
}  // namespace calfvo::train
