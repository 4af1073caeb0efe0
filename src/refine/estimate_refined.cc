// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <optional>
#include <utility>

#include "calfvo/error.h"
#include "calfvo/refine.h"
#include "io/video/frame_reader.h"
#include "io/video/mask_source.h"
#include "refine/refiner.h"
#include "vo/network_estimator.h"
#include "vo/pipeline.h"
#include "vo/pose_estimate.h"
#include "vo/shared_network.h"

namespace calfvo {

RefinedTrajectory EstimateRefinedTrajectory(const Model& model, const std::string& input,
                                            const EstimateOptions& options, const RefineOptions& refine) {
  const SourceOptions source_options = ToSourceOptions(options.frames);
  options.odometry.Validate(model.window_frames());
  NetworkEstimator estimator(SharedNetwork::Of(model), options.odometry.flip);
  const bool has_confidence = estimator.has_confidence();
  RefinedTrajectory result;
  Refiner refiner(refine, /*live=*/false, estimator.step_correlation(), [&](const RefinedPose& refined) {
    for (Trajectory* trajectory : {&result.trajectory, &result.network}) {
      trajectory->timestamps_ns.push_back(refined.frame.timestamp_ns);
    }
    result.trajectory.world_from_camera.push_back(refined.pose.world_from_camera);
    if (has_confidence) result.trajectory.covariances.push_back(refined.pose.covariance);
    result.network.world_from_camera.push_back(refined.network_from_camera);
    result.weights.push_back(0.5 * (refined.rotation_weight + refined.translation_weight));
  });
  std::optional<MaskSource> masks;
  if (!refine.mask.empty()) masks.emplace(refine.mask);
  const std::unique_ptr<FrameSource> source = OpenFrames(input, source_options);
  const PipelineResult run = RunPipeline(*source, estimator,
                                         {.overlap = options.odometry.overlap,
                                          .batch = estimator.video_batch(),
                                          .gray_side = kTrackedSide,
                                          .masks = masks ? &*masks : nullptr,
                                          .stop = options.frames.stop},
                                         [&](const FrameRecord& frame, const TrackedPose& pose) {
                                           refiner.Add(frame, pose);
                                           if (options.on_pose)
                                             options.on_pose(ToPoseEstimate(frame, pose, has_confidence));
                                         });
  if (run.failure) std::rethrow_exception(run.failure);
  RefineSummary summary = refiner.Finish();
  if (result.trajectory.empty()) {
    throw Error(fmt::format("{}: {}", input, run.interrupted ? kStoppedBeforeAnyFrame : "no frames"));
  }
  result.camera = summary.camera;
  result.points = std::move(summary.points);
  result.loops = std::move(summary.loops);
  result.scale = summary.scale;
  result.warnings = std::move(summary.warnings);
  return result;
}

}  // namespace calfvo
