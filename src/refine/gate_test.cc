// SPDX-License-Identifier: Apache-2.0
#include "refine/gate.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/geometry/so3.h"

namespace calfvo {
namespace {

constexpr EdgeEvidence kGood{.halves_rotation = 0.1,
                             .halves_translation = 0.1,
                             .change_rotation = 1.0,
                             .flow_px = 5.0,
                             .left_out_views = 200.0,
                             .refined_loss = 10.0,
                             .network_loss = 100.0};
constexpr CameraEvidence kObserved{.sigma_log_focal = 0.01, .log_focal_over_network = 0.0};

EdgeWeight WeightOf(const EdgeEvidence& evidence, const CameraEvidence& camera = kObserved) {
  return WeighEdges(std::vector<EdgeEvidence>{evidence}, camera, 2).front();
}

TEST(Gate, GoodEvidenceIsAccepted) {
  const EdgeWeight weight = WeightOf(kGood);
  EXPECT_GT(weight.rotation, 0.95);
  EXPECT_GT(weight.translation, 0.8);
}

TEST(Gate, BadEvidenceIsRefused) {
  EdgeEvidence disagree = kGood;
  disagree.halves_rotation = disagree.halves_translation = 5.0;
  EdgeEvidence worse = kGood;
  worse.refined_loss = 150.0;
  EdgeEvidence few = kGood;
  few.left_out_views = 5.0;
  EdgeEvidence still = kGood;
  still.flow_px = 0.1;
  EdgeEvidence unexplained = kGood;
  unexplained.refined_loss = 100.0;
  unexplained.network_loss = 200.0;
  for (const EdgeEvidence& evidence : {worse, few, still, unexplained}) {
    EXPECT_EQ(WeightOf(evidence).rotation, 0.0);
    EXPECT_EQ(WeightOf(evidence).translation, 0.0);
  }
  EXPECT_LT(WeightOf(disagree).rotation, 1.3 / (1.0 + 5.0 * 5.0));
  EXPECT_EQ(WeightOf(disagree).translation, 0.0);
  EdgeEvidence shrunk = kGood;
  shrunk.change_log_length = 2.0;
  EXPECT_LT(WeightOf(shrunk).translation, 1.3 * std::exp(-0.7 * 4.0));
  EXPECT_EQ(WeightOf(shrunk).rotation, WeightOf(kGood).rotation);
  EXPECT_EQ(WeightOf(kGood, {.sigma_log_focal = 0.2}).rotation, 0.0);
  EXPECT_LT(WeightOf(kGood, {.sigma_log_focal = 0.01, .log_focal_over_network = 0.5}).rotation, 0.05);
}

TEST(Gate, BlendGoesFromNetworkToRefined) {
  const Rigid3 network{ExpSO3({0.02, 0.0, 0.01}), {1.0, 0.0, 0.0}};
  const Rigid3 refined{ExpSO3({0.03, 0.01, 0.01}), {1.2, 0.1, 0.0}};
  const Rigid3 none = Blend(network, refined, {});
  EXPECT_LT(AngleBetween(none.rotation, network.rotation), 1e-12);
  EXPECT_EQ(none.translation, network.translation);
  const Rigid3 all = Blend(network, refined, {1.0, 1.0, 1.0});
  EXPECT_LT(AngleBetween(all.rotation, refined.rotation), 1e-12);
  EXPECT_LT((all.translation - refined.translation).norm(), 1e-12);
  // A rotation that only scales the network's moves by its own weight.
  const Rigid3 scaled{ExpSO3({0.03, 0.0, 0.015}), {1.0, 0.0, 0.0}};
  EXPECT_LT(AngleBetween(Blend(network, scaled, {1.0, 0.0, 1.0}).rotation, network.rotation), 1e-9);
}

}  // namespace
}  // namespace calfvo
