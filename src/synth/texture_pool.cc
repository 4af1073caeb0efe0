// SPDX-License-Identifier: Apache-2.0
#include "synth/texture_pool.h"

#include <png.h>
#include <cmath>

#include <algorithm>
#include <array>
#include <string>

#if defined(CALFVO_HAVE_JPEG)
#include <csetjmp>
#include <cstdio>
// After <cstdio>, which it does not include itself.
#include <jpeglib.h>
#endif

#include "calfvo/error.h"

namespace calfvo {
namespace {

struct Picture {
  int width = 0;
  int height = 0;
  std::vector<uint8_t> rgb;
};

Picture ReadPng(const std::filesystem::path& path) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  if (png_image_begin_read_from_file(&image, path.c_str()) == 0) {
    throw Error(path.string() + ": " + image.message);
  }
  image.format = PNG_FORMAT_RGB;
  Picture picture{static_cast<int>(image.width), static_cast<int>(image.height), {}};
  picture.rgb.resize(PNG_IMAGE_SIZE(image));
  if (png_image_finish_read(&image, nullptr, picture.rgb.data(), 0, nullptr) == 0) {
    const std::string message = image.message;
    png_image_free(&image);
    throw Error(path.string() + ": " + message);
  }
  return picture;
}

#if defined(CALFVO_HAVE_JPEG)

struct JpegErrors {
  jpeg_error_mgr manager;
  std::jmp_buf back;
};

// Nothing with a destructor lives across the jump.
bool DecodeJpeg(std::FILE* file, Picture& picture) {
  jpeg_decompress_struct jpeg;
  JpegErrors errors;
  jpeg.err = jpeg_std_error(&errors.manager);
  errors.manager.error_exit = [](j_common_ptr info) {
    std::longjmp(reinterpret_cast<JpegErrors*>(info->err)->back, 1);
  };
  errors.manager.output_message = [](j_common_ptr) {};
  if (setjmp(errors.back) != 0) {
    jpeg_destroy_decompress(&jpeg);
    return false;
  }
  jpeg_create_decompress(&jpeg);
  jpeg_stdio_src(&jpeg, file);
  jpeg_read_header(&jpeg, TRUE);
  jpeg.out_color_space = JCS_RGB;
  jpeg_start_decompress(&jpeg);
  picture.width = static_cast<int>(jpeg.output_width);
  picture.height = static_cast<int>(jpeg.output_height);
  const size_t stride = 3 * static_cast<size_t>(jpeg.output_width);
  picture.rgb.resize(stride * jpeg.output_height);
  while (jpeg.output_scanline < jpeg.output_height) {
    JSAMPROW row = picture.rgb.data() + stride * jpeg.output_scanline;
    jpeg_read_scanlines(&jpeg, &row, 1);
  }
  jpeg_finish_decompress(&jpeg);
  jpeg_destroy_decompress(&jpeg);
  return true;
}

Picture ReadJpeg(const std::filesystem::path& path) {
  std::FILE* file = std::fopen(path.c_str(), "rb");
  if (file == nullptr) throw Error(path.string() + ": cannot be opened");
  Picture picture;
  const bool ok = DecodeJpeg(file, picture);
  std::fclose(file);
  if (!ok) throw Error(path.string() + ": not a readable JPEG file");
  return picture;
}

#else

Picture ReadJpeg(const std::filesystem::path& path) {
  throw Error(path.string() + ": this build reads no JPEG files");
}

#endif

bool HasSuffix(const std::filesystem::path& path, const char* suffix) {
  return path.extension() == suffix;
}

}  // namespace

TexturePool TexturePool::FromFolder(const std::filesystem::path& folder) {
  std::error_code error;
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const auto& path = entry.path();
    if (HasSuffix(path, ".png") || HasSuffix(path, ".jpg") || HasSuffix(path, ".jpeg")) paths.push_back(path);
  }
  if (error) throw Error(folder.string() + ": " + error.message());
  if (paths.empty()) throw Error(folder.string() + ": holds no .png or .jpg file");
  std::sort(paths.begin(), paths.end());
  TexturePool pool;
  for (const auto& path : paths) {
    const Picture picture = HasSuffix(path, ".png") ? ReadPng(path) : ReadJpeg(path);
    pool.Add(picture.rgb.data(), picture.width, picture.height);
  }
  return pool;
}

void TexturePool::Add(const uint8_t* rgb, int width, int height) {
  if (width < 1 || height < 1) {
    throw Error("a texture of " + std::to_string(width) + " × " + std::to_string(height) + " pixels");
  }
  constexpr int kSize = synth::kTextureSize;
  // Box filter from the source, then each level from the one before.
  std::vector<std::array<float, 3>> level(static_cast<size_t>(kSize) * kSize);
  for (int y = 0; y < kSize; ++y) {
    const int y0 = y * height / kSize;
    const int y1 = std::max((y + 1) * height / kSize, y0 + 1);
    for (int x = 0; x < kSize; ++x) {
      const int x0 = x * width / kSize;
      const int x1 = std::max((x + 1) * width / kSize, x0 + 1);
      std::array<float, 3> sum{};
      for (int sy = y0; sy < y1; ++sy) {
        for (int sx = x0; sx < x1; ++sx) {
          for (int c = 0; c < 3; ++c) sum[c] += rgb[3 * (static_cast<size_t>(sy) * width + sx) + c];
        }
      }
      const float share = 1.0F / static_cast<float>((y1 - y0) * (x1 - x0));
      for (int c = 0; c < 3; ++c) level[static_cast<size_t>(y) * kSize + x][c] = sum[c] * share;
    }
  }
  for (int size = kSize; size >= 1; size /= 2) {
    for (int i = 0; i < size * size; ++i) {
      uint32_t texel = 0;
      for (int c = 0; c < 3; ++c) texel |= static_cast<uint32_t>(std::lround(level[i][c])) << (8 * c);
      texels_.push_back(texel);
    }
    const int half = size / 2;
    for (int i = 0; i < half * half; ++i) {
      const int x = 2 * (i % half);
      const int y = 2 * (i / half);
      for (int c = 0; c < 3; ++c) {
        level[i][c] = 0.25F * (level[y * size + x][c] + level[y * size + x + 1][c] +
                               level[(y + 1) * size + x][c] + level[(y + 1) * size + x + 1][c]);
      }
    }
  }
  ++count_;
}

}  // namespace calfvo
