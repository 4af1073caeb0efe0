// SPDX-License-Identifier: Apache-2.0
// Builds the bounding volume hierarchy over the static primitives of a scene: top-down, cut where the surface
// area heuristic over eight bins of the longest axis is lowest.
#pragma once

#include "synth/scene/movers.h"
#include "synth/scene/scene.h"

namespace calfvo::synth {

// Working memory; on the GPU it lies in shared memory.
struct BvhScratch {
  Vec3 low[kMaxPrimitives];
  Vec3 high[kMaxPrimitives];
  uint16_t order[kMaxPrimitives];
};

// The axis-aligned box around a primitive: the inverse of its map, applied to the unit cube.
CALFVO_HD void Bounds(const Primitive& p, Vec3& low, Vec3& high) {
  Vec3 center;
  Vec3 extent;
  for (int i = 0; i < 3; ++i) {
    const float half = i == 0 ? p.half_size.x : i == 1 ? p.half_size.y : p.half_size.z;
    const Vec4 row = p.rows[i];
    const Vec3 axis = Vec3{row.x, row.y, row.z} * (half * half);  // half-size vector along the unit axis
    center = center - axis * row.w;
    extent += Vec3{fabsf(axis.x), fabsf(axis.y), fabsf(axis.z)};
  }
  const Vec3 margin{1e-4F, 1e-4F, 1e-4F};
  low = center - extent - margin;
  high = center + extent + margin;
}

CALFVO_HD float At(Vec3 v, int axis) {
  return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

CALFVO_HD float HalfArea(Vec3 low, Vec3 high) {
  const Vec3 d = high - low;
  return d.x * d.y + d.y * d.z + d.z * d.x;
}

struct Bin {
  Vec3 low;
  Vec3 high;
  int count = 0;
};

// Reorders order[first, first + count) and returns how many come left; 0 when a leaf is better.
CALFVO_HD int Partition(BvhScratch& scratch, int first, int count, float area) {
  constexpr int kBins = 8;
  const Vec3 far{kMoverFar, kMoverFar, kMoverFar};
  Vec3 center_low = far;
  Vec3 center_high = -far;
  for (int i = first; i < first + count; ++i) {
    const int p = scratch.order[i];
    const Vec3 c = scratch.low[p] + scratch.high[p];
    center_low = Min(center_low, c);
    center_high = Max(center_high, c);
  }
  const Vec3 size = center_high - center_low;
  const int axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
  if (At(size, axis) < 1e-5F) return 0;
  const float start = At(center_low, axis);
  const float scale = (static_cast<float>(kBins) - 1e-3F) / At(size, axis);

  Bin bins[kBins];
  for (int b = 0; b < kBins; ++b) bins[b] = {far, -far, 0};
  for (int i = first; i < first + count; ++i) {
    const int p = scratch.order[i];
    const Vec3 low = scratch.low[p];
    const Vec3 high = scratch.high[p];
    Bin& bin = bins[static_cast<int>((At(low, axis) + At(high, axis) - start) * scale)];
    bin.low = Min(bin.low, low);
    bin.high = Max(bin.high, high);
    ++bin.count;
  }

  float right_cost[kBins];
  Bin right{far, -far, 0};
  for (int b = kBins - 1; b > 0; --b) {
    right.low = Min(right.low, bins[b].low);
    right.high = Max(right.high, bins[b].high);
    right.count += bins[b].count;
    right_cost[b] =
        right.count == 0 ? 0.0F : HalfArea(right.low, right.high) * static_cast<float>(right.count);
  }
  Bin left{far, -far, 0};
  int best = 0;
  // A leaf costs its tests; a cut costs visiting two boxes, about 1.2 tests.
  float best_cost = count <= 4 ? (static_cast<float>(count) - 1.2F) * area : kMoverFar;
  for (int b = 1; b < kBins; ++b) {
    left.low = Min(left.low, bins[b - 1].low);
    left.high = Max(left.high, bins[b - 1].high);
    left.count += bins[b - 1].count;
    if (left.count == 0 || left.count == count) continue;
    const float cost = HalfArea(left.low, left.high) * static_cast<float>(left.count) + right_cost[b];
    if (cost < best_cost) {
      best_cost = cost;
      best = b;
    }
  }
  if (best == 0) return 0;

  int middle = first;
  for (int i = first; i < first + count; ++i) {
    const uint16_t p = scratch.order[i];
    const float c = At(scratch.low[p], axis) + At(scratch.high[p], axis);
    if (static_cast<int>((c - start) * scale) < best) {
      scratch.order[i] = scratch.order[middle];
      scratch.order[middle++] = p;
    }
  }
  return middle - first;
}

// Moves primitive order[i] to place i for every i in [0, count), cycle by cycle.
CALFVO_HD void Reorder(Primitive* primitives, uint16_t* order, int count) {
  for (int i = 0; i < count; ++i) {
    if (order[i] == i) continue;
    const Primitive saved = primitives[i];
    int to = i;
    while (order[to] != i) {
      const int from = order[to];
      primitives[to] = primitives[from];
      order[to] = static_cast<uint16_t>(to);
      to = from;
    }
    primitives[to] = saved;
    order[to] = static_cast<uint16_t>(to);
  }
}

// Bounds of primitive i, and its place in the order before any cut.
CALFVO_HD void PreparePrimitive(const Scene& scene, BvhScratch& scratch, int i) {
  Bounds(scene.primitives[i], scratch.low[i], scratch.high[i]);
  scratch.order[i] = static_cast<uint16_t>(i);
}

// Node 0 as one leaf of everything. Node 1 stays empty, so that pairs of children start at even indices.
CALFVO_HD void StartBvh(Scene& scene) {
  scene.nodes[0].first = 0;
  scene.nodes[0].count = scene.static_count;
  scene.node_count = scene.static_count > 0 ? 2 : 0;
}

// Sets the bounds of a node that is still a leaf, and returns how many primitives its left child should get;
// 0 keeps it a leaf. Nodes of one level can be done in parallel.
CALFVO_HD int CutNode(Scene& scene, BvhScratch& scratch, int index) {
  Node& node = scene.nodes[index];
  Vec3 low{kMoverFar, kMoverFar, kMoverFar};
  Vec3 high = -low;
  for (int i = node.first; i < node.first + node.count; ++i) {
    low = Min(low, scratch.low[scratch.order[i]]);
    high = Max(high, scratch.high[scratch.order[i]]);
  }
  node.low = low;
  node.high = high;
  if (node.count <= 1) return 0;
  const int left = Partition(scratch, node.first, node.count, HalfArea(low, high));
  return left == 0 && node.count > 4 ? node.count / 2 : left;
}

// Turns a leaf into the parent of nodes `child` and `child + 1`.
CALFVO_HD void SplitNode(Scene& scene, int index, int left, int child) {
  Node& node = scene.nodes[index];
  scene.nodes[child].first = node.first;
  scene.nodes[child].count = left;
  scene.nodes[child + 1].first = node.first + left;
  scene.nodes[child + 1].count = node.count - left;
  node.first = child;
  node.count = 0;
}

// Fills scene.nodes level by level and brings scene.primitives[0, static_count) into the order of the leaves.
CALFVO_HD void BuildBvh(Scene& scene, BvhScratch& scratch) {
  for (int i = 0; i < scene.static_count; ++i) PreparePrimitive(scene, scratch, i);
  StartBvh(scene);
  int begin = 0;
  int end = scene.static_count > 0 ? 1 : 0;
  for (int level = 0; begin < end; ++level) {
    for (int index = begin; index < end; ++index) {
      const int left = CutNode(scene, scratch, index);
      if (left == 0 || level >= kMaxDepth || scene.node_count + 2 > kMaxNodes) continue;
      SplitNode(scene, index, left, scene.node_count);
      scene.node_count += 2;
    }
    begin = level == 0 ? 2 : end;
    end = scene.node_count;
  }
  Reorder(scene.primitives, scratch.order, scene.static_count);
}

}  // namespace calfvo::synth
