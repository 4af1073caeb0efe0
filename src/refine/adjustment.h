// SPDX-License-Identifier: Apache-2.0
// Bundle adjustment of keyframes, points and the camera, with the network's relative poses as priors.
#pragma once

#include <cstddef>
#include <vector>

#include "refine/camera_params.h"
#include "refine/network_prior.h"
#include "refine/tracks.h"

namespace calfvo {

// Independent normal priors on the camera. σ = 0 keeps a parameter at its value.
struct CameraPrior {
  CameraParams mean = {};
  CameraParams sigma = {};
};

// Everything that is adjusted.
struct Adjustment {
  std::vector<Keyframe> keyframes = {};
  std::vector<PriorEdge> edges = {};  // edge i joins keyframes i and i + 1
  std::vector<Track> tracks = {};
  CameraParams camera = {};
  double image_height = 1.0;  // pixels
};

struct AdjustOptions {
  CameraPrior prior = {};
  NetworkTrust trust = {};
  double loss_px = 1.0;  // scale of the Cauchy loss
  int max_iterations = 15;
  bool fix_points = false;
};

// Sets the inverse depth of every track to the one that fits its views best with poses and camera as they
// are.
void TriangulateTracks(Adjustment& adjustment);

// Minimises the cost over poses, inverse depths and camera. Returns the final cost. Deterministic.
double Adjust(Adjustment& adjustment, const AdjustOptions& options);

// Scales poses and points about the first keyframe so that displacements over several keyframes are as long
// as by `edges`, by least squares. Adjustments leave the scale of a path to few edges, so that it wanders.
void AnchorScale(Adjustment& adjustment);

// The reprojection error of each view of each track but its anchor, in pixels; views that fail to project
// have an error of 1e3.
double ViewError(const Adjustment& adjustment, const Track& track, const Track::View& view);

// Removes views with an error above `max_error_px`, and tracks left with one view or without depth.
void PruneTracks(Adjustment& adjustment, double max_error_px);

// Σ of the Cauchy losses of all views with poses, points and camera as they are.
double ReprojectionLoss(const Adjustment& adjustment, double loss_px);

}  // namespace calfvo
