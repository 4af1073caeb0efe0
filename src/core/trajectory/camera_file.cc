// SPDX-License-Identifier: Apache-2.0
#include "core/trajectory/camera_file.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <system_error>

#include "calfvo/error.h"
#include "core/base/atomic_file.h"
#include "core/base/number_text.h"
#include "core/base/quoted.h"

namespace calfvo {
namespace {

using Json = nlohmann::json;

constexpr size_t kMaxCameraBytes = 64 << 10;
constexpr std::string_view kModel = "SIMPLE_RADIAL";

struct OriginRow {
  CameraOrigin origin;
  std::string_view name;
};
constexpr std::array kOrigins = {OriginRow{CameraOrigin::kGuess, "guess"},
                                 OriginRow{CameraOrigin::kGiven, "given"},
                                 OriginRow{CameraOrigin::kEstimated, "estimated"}};

// Takes the members of one flat object by name, each exactly once.
class Members {
 public:
  Members(std::string_view text, std::string_view name) : name_(name) {
    std::set<std::string> keys;
    const auto check = [&](int depth, Json::parse_event_t event, Json& value) {
      if (depth > 2) Fail("is nested too deep");
      if (event == Json::parse_event_t::key && !keys.insert(value.get<std::string>()).second) {
        Fail(fmt::format("repeats the key {}", Quoted(value.get<std::string>())));
      }
      return true;
    };
    try {
      object_ = Json::parse(text, check);
    } catch (const Json::exception&) {
      Fail("is not valid JSON");
    }
    if (!object_.is_object()) Fail("is not a JSON object");
  }

  double Number(const char* key) { return AsNumber(Take(key), key); }
  int Integer(const char* key) {
    const Json value = Take(key);
    if (!value.is_number_integer() || value < 0 || value > 1'000'000'000) {
      Fail(fmt::format("'{}' is not an integer from 0 to 1000000000", key));
    }
    return value.get<int>();
  }
  std::string Text(const char* key) {
    const Json value = Take(key);
    if (!value.is_string()) Fail(fmt::format("'{}' is not a string", key));
    return value.get<std::string>();
  }
  Eigen::Vector2d Pair(const char* key) {
    const Json value = Take(key);
    if (!value.is_array() || value.size() != 2) Fail(fmt::format("'{}' is not an array of two numbers", key));
    return {AsNumber(value[0], key), AsNumber(value[1], key)};
  }
  void ExpectEnd() const {
    if (!object_.empty()) Fail(fmt::format("has the unknown key {}", Quoted(object_.begin().key())));
  }
  [[noreturn]] void Fail(std::string_view problem) const {
    throw Error(fmt::format("{}: {}", name_, problem));
  }

 private:
  Json Take(const char* key) {
    const auto member = object_.find(key);
    if (member == object_.end()) Fail(fmt::format("lacks the key '{}'", key));
    Json value = std::move(*member);
    object_.erase(member);
    return value;
  }
  double AsNumber(const Json& value, const char* key) const {
    if (!value.is_number()) Fail(fmt::format("'{}' is not a number", key));
    return value.get<double>();
  }

  const std::string_view name_;
  Json object_;
};

std::string Number(double value) {
  std::string text;
  AppendNumber(value, &text);
  return text;
}

std::string Pair(const Eigen::Vector2d& pair) {
  return fmt::format("[{}, {}]", Number(pair.x()), Number(pair.y()));
}

}  // namespace

Camera GuessedCamera(int width, int height) {
  Camera camera;
  camera.width = width;
  camera.height = height;
  camera.focal_px = std::sqrt(static_cast<double>(width) * height);
  camera.principal_point = {width / 2.0, height / 2.0};
  return camera;
}

std::string_view CameraOriginName(CameraOrigin origin) {
  for (const OriginRow& row : kOrigins) {
    if (row.origin == origin) return row.name;
  }
  throw Error(fmt::format("unknown camera origin {}", static_cast<int>(origin)));
}

void CheckCamera(const Camera& camera, std::string_view name) {
  constexpr int kMaxSide = 1'000'000;
  const auto expect = [&](bool condition, const std::string& problem) {
    if (!condition) throw Error(fmt::format("{}: {}", name, problem));
  };
  // Also false for NaN.
  const auto within = [](double value, double limit) { return value >= -limit && value <= limit; };
  const auto is_sigma = [](double value) { return value >= 0.0 && std::isfinite(value); };
  expect(camera.width >= 1 && camera.width <= kMaxSide && camera.height >= 1 && camera.height <= kMaxSide,
         fmt::format("the image size {}x{} is not within 1 to {} pixels", camera.width, camera.height,
                     kMaxSide));
  expect(camera.focal_px > 0.0 && camera.focal_px <= 1e9,
         fmt::format("focal_px {} is not positive and at most 1e9", camera.focal_px));
  expect(within(camera.principal_point.x(), 1e9) && within(camera.principal_point.y(), 1e9),
         "principal_point is beyond ±1e9 pixels");
  expect(within(camera.k1, 1e3), fmt::format("k1 {} is beyond ±1000", camera.k1));
  expect(within(camera.readout_frames, 10.0),
         fmt::format("readout_frames {} is beyond ±10", camera.readout_frames));
  expect(is_sigma(camera.focal_sigma_px) && is_sigma(camera.principal_point_sigma.x()) &&
             is_sigma(camera.principal_point_sigma.y()) && is_sigma(camera.k1_sigma) &&
             is_sigma(camera.readout_sigma_frames),
         "a standard deviation is negative or not finite");
}

std::string CameraJson(const Camera& camera) {
  return fmt::format(
      R"({{
  "width": {},
  "height": {},
  "model": "{}",
  "focal_px": {},
  "focal_sigma_px": {},
  "principal_point": {},
  "principal_point_sigma": {},
  "k1": {},
  "k1_sigma": {},
  "readout_frames": {},
  "readout_sigma_frames": {},
  "origin": "{}"
}}
)",
      camera.width, camera.height, kModel, Number(camera.focal_px), Number(camera.focal_sigma_px),
      Pair(camera.principal_point), Pair(camera.principal_point_sigma), Number(camera.k1),
      Number(camera.k1_sigma), Number(camera.readout_frames), Number(camera.readout_sigma_frames),
      CameraOriginName(camera.origin));
}

void WriteCamera(const Camera& camera, const std::filesystem::path& path) {
  CheckCamera(camera, path.string());
  WriteFileAtomically(path, CameraJson(camera));
}

Camera ParseCamera(std::string_view json, std::string_view name) {
  Members members(json, name);
  Camera camera;
  camera.width = members.Integer("width");
  camera.height = members.Integer("height");
  if (const std::string model = members.Text("model"); model != kModel) {
    members.Fail(fmt::format("'model' is {}, expected '{}'", Quoted(model), kModel));
  }
  camera.focal_px = members.Number("focal_px");
  camera.focal_sigma_px = members.Number("focal_sigma_px");
  camera.principal_point = members.Pair("principal_point");
  camera.principal_point_sigma = members.Pair("principal_point_sigma");
  camera.k1 = members.Number("k1");
  camera.k1_sigma = members.Number("k1_sigma");
  camera.readout_frames = members.Number("readout_frames");
  camera.readout_sigma_frames = members.Number("readout_sigma_frames");
  const std::string origin = members.Text("origin");
  bool known = false;
  for (const OriginRow& row : kOrigins) {
    if (row.name != origin) continue;
    camera.origin = row.origin;
    known = true;
  }
  if (!known) {
    members.Fail(fmt::format("'origin' is {}, expected 'guess', 'given' or 'estimated'", Quoted(origin)));
  }
  members.ExpectEnd();
  CheckCamera(camera, name);
  return camera;
}

Camera ReadCamera(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  std::string text(kMaxCameraBytes + 1, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(stream.gcount()));
  if (!stream.is_open() || stream.bad()) throw Error(fmt::format("{}: cannot be read", path.string()));
  if (text.size() > kMaxCameraBytes) {
    throw Error(fmt::format("{}: has over {} KiB", path.string(), kMaxCameraBytes >> 10));
  }
  return ParseCamera(text, path.string());
}

}  // namespace calfvo
