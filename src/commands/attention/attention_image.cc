// SPDX-License-Identifier: Apache-2.0
#include "commands/attention/attention_image.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "calfvo/error.h"
#include "commands/attention/attention_flow.h"
#include "commands/run/run_input.h"
#include "core/base/atomic_file.h"
#include "core/base/owned_files.h"
#include "core/image/png.h"
#include "eval/plot/color.h"
#include "nn/architecture/preprocessor.h"
#include "nn/model/network.h"
#include "vo/model_choice.h"

namespace calfvo {
namespace {

// A window of images, as the network takes them and as people see them.
struct PreparedWindow {
  std::vector<std::vector<float>> inputs;
  std::vector<SquareImage> images;
  double width_over_height = 1.0;  // of the first image, as it was
};

PreparedWindow ReadWindow(const std::string& input, const ModelConfig& config,
                          const AttentionImageOptions& options) {
  const auto source = OpenInput(input, {.stride = options.stride, .start_s = options.start_s});
  Preprocessor preprocessor(config.input);
  const auto size = static_cast<size_t>(config.input.size);
  const size_t values = 3 * size * size;
  PreparedWindow window;
  Frame frame;
  while (std::ssize(window.inputs) < config.window && source->Next(frame)) {
    if (window.inputs.empty()) window.width_over_height = frame.WidthOverHeight();
    preprocessor.Run(frame.view(), window.inputs.emplace_back(values));
    window.images.push_back({config.input.size, std::vector<uint8_t>(values)});
    preprocessor.Resize(frame.view(), window.images.back().rgb);
  }
  if (std::ssize(window.inputs) < config.window) {
    throw Error(fmt::format("{}: has {} frames from {} s on; the model's window needs {}", input,
                            window.inputs.size(), options.start_s, config.window));
  }
  return window;
}

void Decode(const ModelFile& model, const PreparedWindow& window, AttentionFlow& flow) {
  const auto backend = MakeObservedBackend(flow);
  Network network(model.config, *model.weights, *backend);
  network.SetAspect(window.width_over_height);
  std::vector<FrameTokens> tokens;
  std::vector<EncoderInput> images;
  std::vector<FrameTokens*> encoded;
  std::vector<const FrameTokens*> decoded;
  for (size_t i = 0; i < window.inputs.size(); ++i) tokens.push_back(network.MakeTokens());
  for (size_t i = 0; i < window.inputs.size(); ++i) {
    images.push_back({window.inputs[i == 0 ? 0 : i - 1].data(), window.inputs[i].data()});
    encoded.push_back(&tokens[i]);
    decoded.push_back(&tokens[i]);
  }
  network.Encode(images, encoded);
  flow.Start();
  std::vector<float> values(static_cast<size_t>(network.values_per_window()));
  network.Decode(decoded, values);
}

// Side by side.
std::string StripPng(std::span<const SquareImage> images) {
  const auto size = static_cast<size_t>(images[0].size);
  std::vector<uint8_t> strip;
  for (size_t y = 0; y < size; ++y) {
    for (const SquareImage& image : images) {
      const auto row = image.rgb.begin() + static_cast<ptrdiff_t>(3 * size * y);
      strip.insert(strip.end(), row, row + static_cast<ptrdiff_t>(3 * size));
    }
  }
  const int width = images[0].size * static_cast<int>(images.size());
  return EncodePng({width, images[0].size, PixelFormat::kRgb8, strip.data(), 3 * ptrdiff_t{width}});
}

}  // namespace

void AttentionImageOptions::Validate(int window) const {
  for (const auto& [name, value] : {std::pair("x", x), {"y", y}}) {
    if (!(value >= 0.0 && value <= 1.0)) throw Error(fmt::format("{} is {}; expected 0 to 1", name, value));
  }
  if (frames < 1 || frames >= window) {
    throw Error(
        fmt::format("frames is {}; expected 1 to {}, as windows have {}", frames, window - 1, window));
  }
}

void DrawPatch(int side, int64_t token, SquareImage& image) {
  const int patch = image.size / side;
  const int left = static_cast<int>(token % side) * patch;
  const int top = static_cast<int>(token / side) * patch;
  for (int y = 0; y < patch; ++y) {
    for (int x = 0; x < patch; ++x) {
      const int edge = std::min({x, y, patch - 1 - x, patch - 1 - y});
      if (edge >= 2) continue;
      uint8_t* pixel = image.rgb.data() + 3 * ((top + y) * image.size + left + x);
      pixel[0] = 255;
      pixel[1] = pixel[2] = 0;
    }
  }
}

void DrawMap(std::span<const double> map, int side, SquareImage& image) {
  constexpr double kOpacity = 0.6;
  const double most = std::max(*std::max_element(map.begin(), map.end()), 1e-300);
  const double patch = static_cast<double>(image.size) / side;
  const auto value = [&](int x, int y) {
    const auto row = static_cast<size_t>(std::clamp(y, 0, side - 1));
    const auto column = static_cast<size_t>(std::clamp(x, 0, side - 1));
    return map[row * static_cast<size_t>(side) + column];
  };
  for (int y = 0; y < image.size; ++y) {
    for (int x = 0; x < image.size; ++x) {
      // Bilinear between the middles of patches.
      const double across = (x + 0.5) / patch - 0.5;
      const double down = (y + 0.5) / patch - 0.5;
      const int left = static_cast<int>(std::floor(across));
      const int top = static_cast<int>(std::floor(down));
      const double upper = std::lerp(value(left, top), value(left + 1, top), across - left);
      const double lower = std::lerp(value(left, top + 1), value(left + 1, top + 1), across - left);
      const Color color = ColorMap(std::lerp(upper, lower, down - top) / most);
      uint8_t* pixel = image.rgb.data() + 3 * (y * image.size + x);
      for (const uint8_t channel : {color.r, color.g, color.b}) {
        *pixel = static_cast<uint8_t>(std::lround((1.0 - kOpacity) * *pixel + kOpacity * channel));
        ++pixel;
      }
    }
  }
}

std::filesystem::path WriteAttention(const std::string& input, const std::string& model_name,
                                     const AttentionImageOptions& options,
                                     const std::filesystem::path& folder) {
  const std::vector<std::string> names = {"attention.png"};
  CheckOwnedFiles(folder, names);
  const ChosenModel model = OpenModel(model_name);
  const ModelConfig& config = model.file.config;
  options.Validate(config.window);
  PreparedWindow window = ReadWindow(input, config, options);

  const int side = config.tokens_per_side();
  const auto patch_at = [&](double share) { return std::min(static_cast<int>(share * side), side - 1); };
  const int64_t query = patch_at(options.y) * side + patch_at(options.x);
  const WindowShape shape{1, config.window, config.tokens(), config.decoder.kind == DecoderKind::kTimeSpace};
  AttentionFlow flow(shape, 0, query);
  Decode(model.file, window, flow);

  DrawPatch(side, query, window.images[0]);
  for (int frame = 1; frame <= options.frames; ++frame) {
    DrawMap(flow.Received(frame), side, window.images[static_cast<size_t>(frame)]);
  }
  const OwnedFiles files(folder, names);
  std::filesystem::path path = folder / names[0];
  WriteFileAtomically(path,
                      StripPng(std::span(window.images).first(static_cast<size_t>(options.frames) + 1)));
  files.Finish();
  return path;
}

}  // namespace calfvo
