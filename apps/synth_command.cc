// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "calfvo/error.h"
#include "calfvo/version.h"
#include "commands.h"
#include "core/base/log.h"
#include "core/base/own_file.h"
#include "core/base/progress.h"
#include "core/base/quoted.h"
#include "core/base/thread_pool.h"
#include "shared_options.h"
#include "synth/clip/clip.h"
#include "synth/clip/clip_folder.h"
#include "synth/clip/preset.h"
#include "synth/clip/preset_file.h"
#include "synth_list.h"

namespace calfvo {
namespace {

// Flags as given; the preset supplies the rest.
struct SynthFlags {
  std::string scene;
  std::string motion;
  std::filesystem::path folder;
  std::string preset;
  std::optional<int> frames;
  std::optional<int> samples;
  std::string size;
  std::string fps;
  std::string seed = "0";
  bool depth = false;
  bool flow = false;
  double depth_scale = 0.0;
  double movers = 0.0;
  std::filesystem::path textures;
  std::filesystem::path trajectories;
  bool no_video = false;
  bool overwrite = false;
  bool list = false;
  bool quiet = false;
  int threads = 0;
};

constexpr const char* kSynthExamples = R"(Examples:
  calfvo synth --list                                    scenes, motions and presets
  calfvo synth room -o room                              5 s of 640x480 video with ground truth
  calfvo synth street -o drive --preset driving --seed 7 --frames 300
  calfvo synth any -o sample --preset training --size 224x224 --depth --flow
  calfvo synth hall -o hall --trajectories paths/euroc --textures images

Writes the layout of the TUM RGB-D dataset: rgb/*.png, rgb.txt, groundtruth.txt, camera.json, synth.json, video.mp4,
and with --depth and --flow also depth/*.png, depth.txt and flow/*.flo. The same command writes the same bytes.
Exit code: 0 done, 1 failed, 2 wrong usage, 75 out of memory or disk space.)";

std::vector<std::string> SceneNames() {
  std::vector<std::string> names = {"any"};
  for (int i = 0; i < kSceneKindCount; ++i) names.emplace_back(SceneKindName(static_cast<SceneKind>(i)));
  return names;
}

std::vector<std::string> MotionNames() {
  return {motion::kMotionKindNames.begin(), motion::kMotionKindNames.end()};
}

// "640x480".
std::optional<std::pair<int, int>> ParseSize(const std::string& text) {
  const char* end = text.data() + text.size();
  std::pair<int, int> size;
  const auto width = std::from_chars(text.data(), end, size.first);
  if (width.ec != std::errc() || width.ptr == end || *width.ptr != 'x') return {};
  const auto height = std::from_chars(width.ptr + 1, end, size.second);
  if (height.ec != std::errc() || height.ptr != end) return {};
  return size;
}

std::string CheckSize(const std::string& text) {
  const auto size = ParseSize(text);
  const auto fits = [](int side) { return side >= 8 && side <= 8192; };
  if (size && fits(size->first) && fits(size->second)) return "";
  return fmt::format("'{}' is not a size like 640x480, with sides of 8 to 8192", text);
}

std::optional<uint64_t> ParseSeed(const std::string& text) {
  uint64_t seed = 0;
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, seed);
  if (result.ec != std::errc() || result.ptr != end) return {};
  return seed;
}

void CheckFps(const std::string& text) {
  if (ParseFrameRate(text).Hertz() < 1.0) throw Error(fmt::format("{} is below 1 frame per second", text));
}

std::string CheckSeed(const std::string& text) {
  return ParseSeed(text) ? "" : fmt::format("'{}' is not a whole number from 0 to 2^64 - 1", text);
}

ClipOptions OptionsFrom(const SynthFlags& flags) {
  ClipOptions options;
  if (!flags.preset.empty()) {
    options = ReadPreset(FindPreset(flags.preset, PresetFolders(OwnFile()))).options;
  }
  if (flags.scene != "any") options.scene = SceneKindFromName(flags.scene);
  if (!flags.motion.empty()) options.motion = motion::MotionKindFromName(flags.motion);
  options.seed = *ParseSeed(flags.seed);
  options.frames = flags.frames.value_or(options.frames);
  options.samples = flags.samples.value_or(options.samples);
  if (!flags.size.empty()) std::tie(options.width, options.height) = *ParseSize(flags.size);
  if (!flags.fps.empty()) options.rate = ParseFrameRate(flags.fps);
  options.depth = flags.depth;
  options.flow = flags.flow;
  options.movers = flags.movers;
  options.textures = flags.textures;
  options.trajectories = flags.trajectories;
  return options;
}

std::string DistortionText(const CameraModel& camera) {
  if (camera.k1 == 0.0F && camera.k2 == 0.0F) return "no distortion";
  return fmt::format("k1 {:.4f}, k2 {:.4f}", camera.k1, camera.k2);
}

void PrintSummary(const SynthFlags& flags, const Clip& clip, bool video, double seconds) {
  const ClipOptions& o = clip.options();
  const CameraModel& camera = clip.camera();
  fmt::print("scene   {}, {}, seed {}\n", SceneKindName(clip.scene()),
             o.trajectories.empty() ? fmt::format("{} motion", motion::MotionKindName(clip.motion()))
                                    : "recorded motion",
             o.seed);
  fmt::print("camera  {}x{}, fx {:.1f}, fy {:.1f}, centre {:.1f} {:.1f}, {}\n", camera.width, camera.height,
             camera.fx, camera.fy, camera.cx, camera.cy, DistortionText(camera));
  fmt::print("frames  {}, {:.2f} s at {} fps, rendered at {:.1f} frames/s\n", o.frames,
             o.frames / o.rate.Hertz(), FrameRateText(o.rate), o.frames / seconds);
  fmt::print("path    {:.2f} m\n", PathLength(clip.path()));
  fmt::print("folder  {}: rgb/{}{}, rgb.txt, groundtruth.txt, camera.json, synth.json{}\n",
             Printable(flags.folder.string()), o.depth ? ", depth/" : "", o.flow ? ", flow/" : "",
             video ? ", video.mp4" : "");
}

int Synthesize(const SynthFlags& flags) {
  if (flags.list) {
    fmt::print("{}", SynthListText(PresetFolders(OwnFile())));
    return 0;
  }
  const ClipOptions options = OptionsFrom(flags);
  options.Validate();
  CheckClipFolder(flags.folder, flags.overwrite);
  const bool video = !flags.no_video && VideoWriter::IsAvailable();
  ThreadPool threads(flags.threads);
  Clip clip(options, threads);
  PrepareClipFolder(flags.folder, flags.overwrite);
  if (!flags.no_video && !video && !flags.quiet) {
    LogWarning("video.mp4 is not written: this build has no FFmpeg with an H.264 encoder");
  }
  const auto start = std::chrono::steady_clock::now();
  ClipFolder folder(
      flags.folder, clip,
      {.video = video, .depth_scale = flags.depth_scale, .preset = flags.preset, .version = CALFVO_VERSION},
      threads);
  {
    Progress progress("rendering", "frames", options.frames, flags.quiet);
    while (const auto frame = clip.Next()) {
      folder.Add(*frame);
      progress.Advance();
    }
  }
  folder.Finish();
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  if (!flags.quiet) PrintSummary(flags, clip, video, seconds.count());
  return 0;
}

}  // namespace

Run AddSynthCommand(CLI::App& app) {
  auto flags = std::make_shared<SynthFlags>();  // shared by the parser and the returned function
  app.add_option("kind", flags->scene, "Scene; any draws one at random from the preset")
      ->check(CLI::IsMember(SceneNames()))
      ->type_name("KIND");
  app.add_option("-o,--output", flags->folder, "Output folder; must be empty or missing")
      ->check(IsPath())
      ->type_name("DIR");
  app.add_option("--motion", flags->motion, "Camera motion (default: drawn to suit the scene)")
      ->check(CLI::IsMember(MotionNames()));
  app.add_option("--preset", flags->preset,
                 "Camera and effects: a preset or a TOML file (default: pinhole camera, no effects)")
      ->check(IsPath())
      ->type_name("NAME|FILE");
  app.add_option("--seed", flags->seed, "Seed of all random choices")
      ->check(CheckSeed)
      ->type_name("S")
      ->capture_default_str();
  app.add_option("--frames", flags->frames, "Number of frames (default: the preset's)")
      ->check(Between(1, 10'000'000));
  app.add_option("--fps", flags->fps, "Frames per second: 30, 29.97 or 30000/1001 (default: the preset's)")
      ->check(ParsedBy(CheckFps))
      ->type_name("F");
  app.add_option("--size", flags->size, "Width and height in pixels (default: the preset's)")
      ->check(CheckSize)
      ->type_name("WxH");
  app.add_option("--samples", flags->samples, "Rays per pixel (default: the preset's)")->check(Between(1, 8));
  app.add_flag("--depth", flags->depth, "Write depth maps as 16-bit PNG");
  app.add_option("--depth-scale", flags->depth_scale,
                 "Depth units per metre (default: 5000 in rooms, less in larger scenes)")
      ->check(Between(1.0, 65535.0))
      ->type_name("N");
  app.add_flag("--flow", flags->flow, "Write optical flow to the next frame as .flo");
  app.add_option("--movers", flags->movers,
                 "Share of the image that painted objects cover on average; also writes mask/*.png, 0 where "
                 "something "
                 "moves")
      ->check(Between(0.0, MoverLayer::kMaxShare))
      ->type_name("SHARE");
  app.add_option("--textures", flags->textures, "Folder of images to use as textures")
      ->check(IsPath())
      ->type_name("DIR");
  app.add_option("--trajectories", flags->trajectories, "Folder of recorded trajectories to use as motion")
      ->check(IsPath())
      ->type_name("DIR");
  app.add_flag("--no-video", flags->no_video, "Do not write video.mp4");
  app.add_flag("--overwrite", flags->overwrite, "Replace an earlier clip in the folder");
  app.add_option("--threads", flags->threads, "Number of threads; 0: one per available core")
      ->check(Between(0, 1024))
      ->capture_default_str();
  app.add_flag("--quiet", flags->quiet, "Hide the progress bar and the summary");
  app.add_flag("--list", flags->list, "List scenes, motions and presets, then exit");
  app.footer(kSynthExamples);
  app.callback([flags] {
    if (flags->list) return;
    if (flags->scene.empty()) throw CLI::RequiredError("KIND");
    if (flags->folder.empty()) throw CLI::RequiredError("--output");
    if (flags->depth_scale != 0.0 && !flags->depth)
      throw CLI::ValidationError("--depth-scale", "needs --depth");
    try {
      if (!flags->preset.empty()) FindPreset(flags->preset, PresetFolders(OwnFile()));
    } catch (const Error& error) {
      throw CLI::ValidationError("--preset", error.what());
    }
  });
  return [flags] { return Synthesize(*flags); };
}

}  // namespace calfvo
