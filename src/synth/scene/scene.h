// SPDX-License-Identifier: Apache-2.0
// The description of a procedural scene: plain data in arrays of fixed capacity, so that it can be built and
// traced by the same code on the host and on the GPU, one scene per window of training video.
//
// World frame: right-handed, metres, z up; the ground is at z = 0 unless the scene has terrain. Cameras are
// OpenCV's: x right, y down, z forward. Times are seconds from the start of the scene.
#pragma once

#include <cstdint>

#include "core/portable/host_device.h"
#include "core/portable/vec3.h"

namespace calfvo {

// What a scene resembles. Names for people are in scene_kind.h.
enum class SceneKind : int {
  kRoom,          // one furnished room, or two joined by a doorway
  kCorridor,      // a passage with doors, posters and lamps
  kWarehouse,     // racks with boxes and pallets, aisles 2.6–3.4 m wide
  kHall,          // a large hall with columns, seats, stands and people
  kStreet,        // a street in town, in a suburb or in the country
  kTerrain,       // hills with trees, bushes and rocks
  kAerialCity,    // blocks of buildings, to be seen from 15–120 m
  kAerialFields,  // fields, hedges, farms, to be seen from 15–120 m
};
inline constexpr int kSceneKindCount = 8;

namespace synth {

using portable::Mat3;
using portable::Pose;
using portable::Vec3;

inline constexpr int kMaxPrimitives = 512;
inline constexpr int kMaxMaterials = 64;
inline constexpr int kMaxMovers = 16;
inline constexpr int kMaxSights = 12;
inline constexpr int kMaxNodes = 1024;      // of the hierarchy; its indices must fit 12 bits, see trace.h
inline constexpr int kMaxDepth = 20;        // of the hierarchy
inline constexpr int kTerrainSamples = 48;  // along each side of the height grid
inline constexpr int kNoTexture = 0xFFFF;

struct alignas(16) Vec4 {
  float x = 0.0F;
  float y = 0.0F;
  float z = 0.0F;
  float w = 0.0F;
};

// Each shape fills the cube [−1, 1]³ of its own unit space, which its primitive maps to the world.
enum class Shape : uint32_t {
  kBox,
  kCylinder,  // axis z, capped
  kSphere,    // an ellipsoid in the world
  kCone,      // base at z = −1, apex at z = 1
  kPrism,     // a roof: |x| ≤ (1 − z) / 2, ridge along y at z = 1
  kTapered,   // a box that narrows towards z = 1: to 0.55 along x, to 0.85 along y
  kCrown,     // of a tree: the skin of a sphere with gaps between the leaves
};

// A shape placed in the world. unit = rows · (x, y, z, 1) maps a point of the world (for a mover: of the
// world at time 0) to unit space. 64 bytes, read as four vectors.
struct alignas(16) Primitive {
  Vec4 rows[3];
  Vec3 half_size;  // metres along the unit axes
  uint32_t info = 0;

  CALFVO_HD Shape shape() const { return static_cast<Shape>(info & 7U); }
  CALFVO_HD int material() const { return static_cast<int>((info >> 3) & 63U); }
  CALFVO_HD int mover() const { return static_cast<int>((info >> 9) & 31U) - 1; }  // −1: static
  CALFVO_HD uint32_t variation() const { return info >> 16; }                      // random, per primitive
};

CALFVO_HD uint32_t PackInfo(Shape shape, int material, int mover, uint32_t variation) {
  return static_cast<uint32_t>(shape) | (static_cast<uint32_t>(material) << 3) |
         (static_cast<uint32_t>(mover + 1) << 9) | (variation << 16);
}

// How a material chooses its colour from surface coordinates (u, v) in metres; v is up on walls.
enum class Pattern : uint16_t {
  kNoise,    // plaster, carpet, concrete, grass, earth: a to b by noise, sparse spots of c
  kBrick,    // staggered cells a..b with joints c
  kTile,     // cells a..b with joints c
  kPlank,    // boards along u with grain
  kStripes,  // a, b along u
  kChecks,   // a, b
  kFacade,   // wall a..b with windows c: one per scale_u × scale_v (a storey)
  kBooks,    // spines of many colours, scale_u wide
  kPoster,   // a painting or a printed page over the whole face
  kRoad,  // asphalt a..b, worn and mended; on each side of the x axis scale_v marked lanes of scale_u, paint
          // c
  kFoliage,  // leaves a..b with gaps c
  kFields,   // parcels scale_u × scale_v of a, b, c with rows
  kGlass,    // panes that reflect the sky, c frames
};

struct alignas(16) Material {
  Vec3 a;  // linear RGB, 0..1
  Pattern pattern = Pattern::kNoise;
  uint16_t texture = kNoTexture;  // index into a pool of images, taken modulo its size
  Vec3 b;
  float scale_u = 1.0F;  // metres per cell
  Vec3 c;
  float scale_v = 1.0F;
  float noise_amount = 0.0F;     // 0..1: how far noise moves the colour
  float noise_frequency = 1.0F;  // cycles per metre of the coarsest octave
  float specular = 0.0F;         // 0..1
  uint16_t seed = 0;
  uint16_t emission = 0;  // radiance added, in 1/256 of the albedo
};

// A node of the bounding volume hierarchy over static primitives. count = 0: the children are nodes `first`
// and `first + 1`; otherwise a leaf of `count` primitives from `first`.
struct alignas(16) Node {
  Vec3 low;
  int first = 0;
  Vec3 high;
  int count = 0;
};

// A rigid body that translates: offset(t) = velocity·t + swing·(sin(rate·t + phase) − sin(phase)). `box` is
// the leaf of its primitives and bounds them at time 0.
struct alignas(16) Mover {
  Node box;
  Vec3 velocity;  // m/s
  float rate = 0.0F;
  Vec3 swing;  // metres
  float phase = 0.0F;
};

struct Light {
  Vec3 direction{0.0F, 0.0F, 1.0F};  // towards the sun, or an even ceiling light
  float ceiling = 1e9F;              // m: shadow rays end at this height
  Vec3 position;                     // of the lamp, when `is_lamp`
  int is_lamp = 0;
  Vec3 color;        // of sun or lamp
  float range = 1;   // m: the distance at which a lamp lights as strongly as `color`
  Vec3 from_above;   // ambient light by the direction a surface faces
  float clouds = 0;  // 0..1 cover
  Vec3 from_below;
  float haze = 0;  // 1/m: how fast the horizon colour hides things
  Vec3 zenith;     // colours of the sky
  uint32_t seed = 0;
  Vec3 horizon;
  float occlusion = 0;  // strength of the darkening towards floor, walls and ceiling
};

// Something that people hold a camera at: the things on a table, a counter or a shelf.
struct Sight {
  Vec3 point;
  float yaw = 0.0F;  // radians, of the line of sight when looking at it squarely
};

// Heights over a square of `size` metres centred at the origin; its border continues outwards for ever.
struct Terrain {
  float size = 0.0F;  // 0: flat ground at z = 0
  float low = 0.0F;
  float high = 0.0F;
  float slope = 0.0F;  // the steepest, tangent
  float heights[kTerrainSamples * kTerrainSamples];
};

struct Scene {
  SceneKind kind = SceneKind::kRoom;
  int primitive_count = 0;  // static ones first, in the order of the leaves, then the movers'
  int static_count = 0;
  int material_count = 0;
  int node_count = 0;
  int mover_count = 0;
  int ground_material = 0;
  int sight_count = 0;
  // Where a camera may be: indoors the rooms, outdoors the part with something to see. A second box covers
  // the other room of a flat; without one it equals the first.
  Vec3 space_low[2];
  Vec3 space_high[2];
  float lane_y[2];  // streets: middles of the lanes towards +x and towards −x; both 0 on one-way roads
  float passage_half = 0;  // streets, aisles: half the width kept clear along x
  Sight sights[kMaxSights];
  Light light;
  Terrain terrain;
  Material materials[kMaxMaterials];
  Node nodes[kMaxNodes];
  Primitive primitives[kMaxPrimitives];
  Mover movers[kMaxMovers];
};

}  // namespace synth
}  // namespace calfvo
