// SPDX-License-Identifier: Apache-2.0
// Attention laid over the images it is of.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace calfvo {

struct AttentionImageOptions {
  double x = 0.5;  // of the query patch, as a share of the network's square image
  double y = 0.5;
  int frames = 4;        // that follow, at most one less than the model's window
  double start_s = 0.0;  // where the window begins, after the first frame
  int stride = 1;        // frames from one of the window to the next

  // Throws Error naming the option, for windows of `window` frames.
  void Validate(int window) const;
};

// The network's input: [size, size, 3] bytes.
struct SquareImage {
  int size = 0;
  std::vector<uint8_t> rgb;
};

// Red around patch `token` of a grid of `side` by `side`.
void DrawPatch(int side, int64_t token, SquareImage& image);

// The map [side, side], from none (dark) to the most (yellow) among its values, smoothly over the image.
void DrawMap(std::span<const double> map, int side, SquareImage& image);

// Runs the first window of `input` (as OpenInput takes it) through the `ref` backend and writes
// folder/attention.png: its first image with the query, and the following ones with the attention that the
// query received in them (attention_flow.h). Returns the path. Throws Error; a file of that name that calfvo
// did not write is not replaced (owned_files.h).
std::filesystem::path WriteAttention(const std::string& input, const std::string& model,
                                     const AttentionImageOptions& options,
                                     const std::filesystem::path& folder);

}  // namespace calfvo
