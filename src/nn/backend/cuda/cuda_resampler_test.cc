// SPDX-License-Identifier: Apache-2.0
// Images made on the GPU against Preprocessor, to the bit. Skipped without a GPU.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/image/frame.h"
#include "core/portable/random.h"
#include "nn/architecture/preprocessor.h"
#include "nn/backend/cuda/cuda_backend.h"

namespace calfvo {
namespace {

Frame NoiseFrame(int width, int height, uint64_t seed) {
  Frame frame{.width = width, .height = height};
  frame.rgb.resize(static_cast<size_t>(width) * static_cast<size_t>(height) * 3);
  portable::Random random(seed);
  for (uint8_t& value : frame.rgb) value = static_cast<uint8_t>(random.Bits());
  return frame;
}

std::vector<float> OnHost(const InputConfig& config, const ImageView& image) {
  std::vector<float> values(static_cast<size_t>(3 * config.size * config.size));
  Preprocessor(config).Run(image, values);
  return values;
}

class CudaResampling : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string problem = CudaProblem(); !problem.empty()) GTEST_SKIP() << problem;
    backend_ = MakeCudaBackend(false);
    config_.mean = {0.485, 0.456, 0.406};
    config_.std = {0.229, 0.224, 0.225};
  }

  // For the configuration, with room for `count` images.
  void MakeResampler(size_t count) {
    resampler_ = backend_->MakeImageResampler(NormaliseBytes(config_));
    made_ = backend_->Allocate(count * values() * sizeof(float));
    copies_ = backend_->Allocate(count * values() * sizeof(float));
  }
  size_t values() const { return static_cast<size_t>(3 * config_.size * config_.size); }

  void Plan(const ImageView& image) {
    const ResizePlan plan = PlanInput(config_, image);
    resampler_->SetAxes(WeightsAlongX(plan).axis(), WeightsAlongY(plan).axis());
  }
  float* MadeAt(size_t i) { return reinterpret_cast<float*>(made_->data()) + i * values(); }

  // The way of a video's images: nothing waits for them but the encoder's queue, which copies them.
  std::vector<float> Fetch(size_t count) {
    std::vector<const float*> views;
    for (size_t i = 0; i < count; ++i) views.push_back(MadeAt(i));
    backend_->UploadImages(views, values(), reinterpret_cast<float*>(copies_->data()));
    backend_->FinishUploads();
    std::vector<float> fetched(count * values());
    const size_t bytes = fetched.size() * sizeof(float);
    EXPECT_EQ(cudaMemcpy(fetched.data(), copies_->data(), bytes, cudaMemcpyDeviceToHost), cudaSuccess);
    return fetched;
  }

  InputConfig config_;
  std::unique_ptr<Backend> backend_;
  std::unique_ptr<Buffer> made_;
  std::unique_ptr<Buffer> copies_;
  std::unique_ptr<ImageResampler> resampler_;  // goes first, and waits for what it is making
};

TEST_F(CudaResampling, EqualsThePreprocessorForChangingSizes) {
  const std::pair<int, int> sizes[] = {{640, 480}, {1, 1},     {1, 9},     {200, 3},    {4000, 3000},
                                       {31, 33},   {641, 479}, {2, 1},     {1241, 376}, {16384, 2},
                                       {3, 9001},  {224, 224}, {225, 223}, {64, 48},    {1920, 1080}};
  for (const int size : {37, 224}) {
    for (const auto rule : {ResizeRule::kCrop, ResizeRule::kSquash}) {
      for (const auto filter : {ResizeFilter::kBilinear, ResizeFilter::kLanczosOrBicubic}) {
        config_.size = size;
        config_.resize = rule;
        config_.filter = filter;
        MakeResampler(1);
        for (const auto& [width, height] : sizes) {
          const Frame image = NoiseFrame(width, height, 7);
          Plan(image.view());
          resampler_->Run(image.rgb.data(), image.view().stride, MadeAt(0));
          const std::vector<float> expected = OnHost(config_, image.view());
          EXPECT_EQ(std::memcmp(Fetch(1).data(), expected.data(), expected.size() * sizeof(float)), 0)
              << width << "x" << height << " to " << size << ", rule " << static_cast<int>(rule)
              << ", filter " << static_cast<int>(filter);
        }
      }
    }
  }
}

// Many on their way at once, in several bands each, while their host memory is used again for the next.
TEST_F(CudaResampling, ImagesMayBeGoneAfterTheCall) {
  constexpr size_t kCount = 24;
  constexpr int kWidth = 1501, kHeight = 1203, kStride = 3 * kWidth + 5;
  MakeResampler(kCount);
  std::vector<uint8_t> pixels(size_t{kStride} * kHeight);
  const ImageView image{kWidth, kHeight, PixelFormat::kRgb8, pixels.data(), kStride};
  std::vector<Frame> noise;
  for (uint64_t seed = 0; seed < 3; ++seed) noise.push_back(NoiseFrame(kStride, kHeight / 3 + 1, seed));
  std::vector<std::vector<float>> expected;
  for (const Frame& frame : noise) {
    std::memcpy(pixels.data(), frame.rgb.data(), pixels.size());
    expected.push_back(OnHost(config_, image));
  }
  Plan(image);
  for (size_t i = 0; i < kCount; ++i) {
    std::memcpy(pixels.data(), noise[i % 3].rgb.data(), pixels.size());
    resampler_->Run(pixels.data(), kStride, MadeAt(i));
  }
  std::fill(pixels.begin(), pixels.end(), uint8_t{0});
  const std::vector<float> made = Fetch(kCount);
  for (size_t i = 0; i < kCount; ++i) {
    EXPECT_EQ(std::memcmp(made.data() + i * values(), expected[i % 3].data(), values() * sizeof(float)), 0)
        << i;
  }
}

// No memory is taken for images that are not larger than those before.
TEST_F(CudaResampling, MemoryStays) {
  MakeResampler(1);
  const auto prepare = [&](int width, int height) {
    const Frame image = NoiseFrame(width, height, 3);
    Plan(image.view());
    resampler_->Run(image.rgb.data(), image.view().stride, MadeAt(0));
  };
  prepare(1280, 960);
  const size_t bytes = backend_->DeviceBytes();
  for (int i = 0; i < 3; ++i) {
    prepare(640, 480);
    prepare(1280, 960);
  }
  EXPECT_EQ(backend_->DeviceBytes(), bytes);
}

}  // namespace
}  // namespace calfvo
