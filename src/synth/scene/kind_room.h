// SPDX-License-Identifier: Apache-2.0
// A furnished room of 2.6–6.5 m, kitchen, office or home, or two of them with a doorway in between.
#pragma once

#include "synth/scene/free_space.h"
#include "synth/scene/kitchen.h"
#include "synth/scene/people.h"

namespace calfvo::synth {

struct Room {
  float low_x, high_x, low_y, high_y, height;
};

// Light of a room: one lamp below the ceiling, or an even light from above.
CALFVO_HD_CALL void LightRoom(SceneBuilder& b, const Room& room) {
  Random& r = b.random();
  Light& light = b.scene().light;
  const float warm = r.Uniform();
  const Vec3 color = Mix(Vec3{1.0F, 0.97F, 0.93F}, Vec3{1.0F, 0.8F, 0.58F}, warm);
  light.ceiling = room.height - 0.02F;
  light.is_lamp = r.Chance(0.7F) ? 1 : 0;
  light.position = {Mix(room.low_x, room.high_x, r.Uniform(0.3F, 0.7F)),
                    Mix(room.low_y, room.high_y, r.Uniform(0.3F, 0.7F)), room.height - r.Uniform(0.1F, 0.6F)};
  light.range = 1.9F;
  light.direction = Normalized(Vec3{r.Uniform(-0.7F, 0.7F), r.Uniform(-0.7F, 0.7F), 1.0F});
  light.color = color * (light.is_lamp != 0 ? r.Uniform(0.45F, 0.9F) : r.Uniform(0.3F, 0.6F));
  const float ambient = r.Uniform(0.35F, 0.7F);
  light.from_above = Vec3{0.95F, 0.98F, 1.0F} * ambient;
  light.from_below = color * (ambient * 0.75F);
  light.horizon = light.zenith = {0.6F, 0.65F, 0.7F};
  light.occlusion = 1.0F;
}

// Ceiling, and the four walls by `walls` bits: −x, +x, −y, +y.
CALFVO_HD_CALL void Shell(SceneBuilder& b, const Room& q, int wall, int ceiling, int skirting, int walls) {
  const float w = q.high_x - q.low_x;
  const float d = q.high_y - q.low_y;
  const float cx = 0.5F * (q.low_x + q.high_x);
  const float cy = 0.5F * (q.low_y + q.high_y);
  const float t = 0.1F;
  b.Place({0.0F, 0.0F, 0.0F}, 0.0F);
  b.Box(cx, cy, q.height, {w + 4 * t, d + 4 * t, 0.2F}, ceiling);
  for (int i = 0; i < 4; ++i) {
    if ((walls & (1 << i)) == 0) continue;
    const bool along_y = i < 2;
    const float x = i == 0 ? q.low_x - 0.5F * t : i == 1 ? q.high_x + 0.5F * t : cx;
    const float y = i == 2 ? q.low_y - 0.5F * t : i == 3 ? q.high_y + 0.5F * t : cy;
    const Vec3 size = along_y ? Vec3{t, d + 2 * t, q.height} : Vec3{w + 2 * t, t, q.height};
    b.Box(x, y, 0.0F, size, wall);
    const Vec3 board = along_y ? Vec3{t + 0.03F, d, 0.08F} : Vec3{w, t + 0.03F, 0.08F};
    b.Box(x, y, 0.0F, board, skirting);
  }
}

// The frame at share `along` (0..1) of wall `i`, facing into the room.
CALFVO_HD void PlaceAtWall(SceneBuilder& b, const Room& q, int i, float along) {
  const float x = Mix(q.low_x, q.high_x, along);
  const float y = Mix(q.low_y, q.high_y, along);
  if (i == 0) b.Place({q.low_x, y, 0.0F}, 1.5707963F);
  if (i == 1) b.Place({q.high_x, y, 0.0F}, -1.5707963F);
  if (i == 2) b.Place({x, q.low_y, 0.0F}, 3.1415927F);
  if (i == 3) b.Place({x, q.high_y, 0.0F}, 0.0F);
}

// What a room is used for.
enum class RoomUse : int { kKitchen, kOffice, kHome };

// Things along one wall, side by side. They leave the corners to the neighbouring walls.
CALFVO_HD_CALL void FurnishWall(SceneBuilder& b, const IndoorMaterials& m, const Room& q, int wall,
                                RoomUse use, bool kitchen_first) {
  // Door, window, bookcase, desk, sofa, wardrobe, kitchen, bed, shelf, papers: share of each, width in
  // metres.
  const float shares[3][10] = {{1.0F, 1.5F, 0.3F, 0.3F, 0.2F, 0.5F, 4.0F, 0.0F, 1.5F, 0.7F},
                               {1.0F, 1.0F, 1.5F, 4.0F, 0.3F, 0.6F, 0.3F, 0.0F, 1.3F, 1.0F},
                               {1.0F, 1.5F, 1.5F, 1.0F, 1.3F, 0.8F, 0.2F, 1.0F, 0.5F, 0.3F}};
  const float widths[10] = {1.3F, 1.9F, 1.15F, 1.8F, 2.3F, 1.9F, 2.5F, 1.9F, 1.3F, 1.2F};
  Random& r = b.random();
  const float length = wall < 2 ? q.high_y - q.low_y : q.high_x - q.low_x;
  const float corner = 0.68F;
  for (float at = corner; at < length - corner && b.PrimitivesLeft() > 50;) {
    float total = 0.0F;
    for (int i = 0; i < 10; ++i) total += shares[static_cast<int>(use)][i];
    float left = total * r.Uniform();
    int piece = 0;
    while (piece < 9 && (left -= shares[static_cast<int>(use)][piece]) >= 0.0F) ++piece;
    if (kitchen_first && at == corner) piece = 6;
    float width = widths[piece];
    const float room = length - corner - at;
    int units = 0;
    if (piece == 6) {
      units = static_cast<int>((Min(room, 4.4F) - 0.65F) / 0.6F);
      width = 0.6F * static_cast<float>(units) + 0.65F;
      if (units < 2) piece = 9;
    }
    if (width > room) {  // a narrower thing may fit further on
      at += 0.4F;
      continue;
    }
    const float middle = piece == 6 ? at + 0.5F * (width - 0.65F) : at + 0.5F * width;
    at += width + r.Uniform(0.02F, 0.3F);
    PlaceAtWall(b, q, wall, middle / length);
    switch (piece) {
      case 0:
        Door(b, m);
        break;
      case 1:
        WallWindow(b, m);
        if (r.Chance(0.4F)) Desk(b, m);
        break;
      case 2:
        Bookcase(b, m);
        break;
      case 3:
        Desk(b, m);
        if (r.Chance(0.5F)) WallPoster(b, m);
        break;
      case 4:
        Sofa(b, m);
        WallPoster(b, m);
        break;
      case 5:
        Wardrobe(b, m);
        break;
      case 6:
        Kitchen(b, m, units, true);
        break;
      case 7:
        Bed(b, m);
        WallPoster(b, m);
        break;
      case 8:
        ProductShelf(b, m, r.Chance(0.5F) ? m.metal : m.wood);
        break;
      default:
        Papers(b, m, 1.0F, 1.4F);
        b.Box(0.1F, -0.008F, 0.3F, {0.085F, 0.016F, 0.085F}, m.white);  // a socket
    }
  }
}

// Whether nothing stands within `radius` of a point on the floor.
CALFVO_HD bool IsClear(const Scene& scene, float x, float y, float radius) {
  for (int i = 0; i < scene.primitive_count; ++i) {
    if (DistanceBelow(scene.primitives[i], {x, y, 0.4F}) < radius) return false;
  }
  return true;
}

CALFVO_HD_CALL void FurnishMiddle(SceneBuilder& b, const IndoorMaterials& m, const Room& q) {
  Random& r = b.random();
  const float x = Mix(q.low_x, q.high_x, r.Uniform(0.42F, 0.58F));
  const float y = Mix(q.low_y, q.high_y, r.Uniform(0.42F, 0.58F));
  // Along the longer side of the room.
  const float along_x = q.high_x - q.low_x > q.high_y - q.low_y ? 0.0F : 1.5707963F;
  const float yaw = along_x + r.Uniform(-0.15F, 0.15F);
  const Vec3 at{x, y, 0.0F};
  b.Place(at, yaw);
  if (r.Chance(0.3F)) b.Box(0.0F, 0.0F, 0.001F, {r.Uniform(1.4F, 2.6F), 1.5F, 0.012F}, m.cushion);
  const bool wide = Min(q.high_x - q.low_x, q.high_y - q.low_y) > 3.3F;
  if (wide && r.Chance(0.75F)) {
    const float width = r.Uniform(1.2F, 1.9F);
    const float height = r.Uniform(0.72F, 0.76F);
    Table(b, m, width, 0.8F, height, r.Chance(0.6F) ? m.wood : m.white);
    Clutter(b, m, width, 0.5F, -0.18F, height, 4 + r.Index(3));
    if (r.Chance(0.25F)) {
      OpenCarton(b, m, 0.0F, 0.2F, height);
      b.AddSight({0.0F, 0.1F, height + 0.12F});
    } else {
      Clutter(b, m, width, 0.5F, 0.18F, height, 3 + r.Index(3));
    }
    for (int i = 0; i < 4; ++i) b.AddSight({0.0F, 0.0F, height + 0.05F}, 1.5707963F * static_cast<float>(i));
    for (int i = 0; i < 4; ++i) {
      if (!r.Chance(0.7F)) continue;
      const float side = (i & 1) != 0 ? 1.0F : -1.0F;
      const float along = ((i & 2) != 0 ? 0.28F : -0.28F) * width;
      b.Place(at, yaw);
      const Vec3 seat = b.ToWorld({along, side * r.Uniform(0.5F, 0.75F), 0.0F});
      b.Place(seat, yaw + (side > 0.0F ? 0.0F : 3.1415927F) + r.Uniform(-0.3F, 0.3F));
      Chair(b, m, m.wood);
    }
  } else if (wide && r.Chance(0.7F)) {
    Table(b, m, 1.0F, 0.6F, 0.42F, m.wood);
    Clutter(b, m, 1.0F, 0.5F, 0.0F, 0.42F, 5);
    b.AddSight({0.0F, 0.0F, 0.45F});
  }
  // Things on the floor, where there is room.
  for (int i = 0; i < 8; ++i) {
    const float fx = Mix(q.low_x + 0.3F, q.high_x - 0.3F, r.Uniform());
    const float fy = Mix(q.low_y + 0.3F, q.high_y - 0.3F, r.Uniform());
    const float turn = r.Uniform(0.0F, 6.28F);
    const float draw = r.Uniform();
    if (!IsClear(b.scene(), fx, fy, 0.3F)) continue;
    b.Place({fx, fy, 0.0F}, turn);
    if (draw < 0.2F) {
      Plant(b, m, r.Uniform(0.8F, 1.6F));
    } else if (draw < 0.45F) {
      b.Box(0.0F, 0.0F, 0.0F, {r.Uniform(0.3F, 0.5F), 0.35F, r.Uniform(0.2F, 0.4F)}, m.cardboard);
    } else if (draw < 0.55F) {
      Lamp(b, m, 0.0F, 0.0F, 0.0F, r.Uniform(1.4F, 1.7F));
    } else if (draw < 0.7F) {
      b.Cylinder(0.0F, 0.0F, 0.0F, 0.13F, 0.3F, m.metal);  // waste bin
    } else {
      Chair(b, m, m.cloth);
    }
  }
}

CALFVO_HD void BuildRoom(SceneBuilder& b) {
  Random& r = b.random();
  Scene& scene = b.scene();
  const IndoorMaterials m = DrawIndoorMaterials(b);
  const float height = r.Uniform(2.35F, 3.0F);
  const float draw = r.Uniform();
  const RoomUse use = draw < 0.45F ? RoomUse::kKitchen : draw < 0.7F ? RoomUse::kOffice : RoomUse::kHome;
  const float narrowest = use == RoomUse::kKitchen ? 2.6F : 3.0F;
  const Room first{0.0F, r.Uniform(narrowest, 6.5F), 0.0F, r.Uniform(narrowest, 5.5F), height};
  scene.ground_material = InteriorFloor(b);
  const float stains = r.Uniform(0.02F, 0.15F);
  const int ceiling = Plain(b, Rgb(0.92F, 0.91F, 0.88F), stains, r.Uniform(0.5F, 3.0F));
  const bool two = r.Chance(0.4F);
  LightRoom(b, first);
  const int wall = InteriorWall(b);
  Shell(b, first, wall, ceiling, r.Chance(0.5F) ? m.white : m.dark_wood, two ? 13 : 15);
  scene.space_low[0] = {first.low_x, first.low_y, 0.0F};
  scene.space_high[0] = {first.high_x, first.high_y, height};
  scene.space_low[1] = scene.space_low[0];
  scene.space_high[1] = scene.space_high[0];
  if (two) {
    const Room second{first.high_x + 0.1F, first.high_x + r.Uniform(2.5F, 5.0F), 0.0F, first.high_y, height};
    const int wall2 = InteriorWall(b);
    Shell(b, second, wall2, ceiling, m.white, 14);
    // The wall in between, around an opening 0.9–1.6 m wide and 2.05 m high.
    const float open = r.Uniform(0.9F, 1.6F);
    const float at = Mix(0.2F + 0.5F * open, first.high_y - 0.2F - 0.5F * open, r.Uniform(0.15F, 0.85F));
    const float x = first.high_x + 0.05F;
    b.Place({0.0F, 0.0F, 0.0F}, 0.0F);
    b.Box(x, 0.5F * (at - 0.5F * open), 0.0F, {0.1F, at - 0.5F * open, height}, wall);
    b.Box(x, 0.5F * (first.high_y + at + 0.5F * open), 0.0F, {0.1F, first.high_y - at - 0.5F * open, height},
          wall);
    b.Box(x, at, 2.05F, {0.1F, open, height - 2.05F}, wall);
    b.Box(x, at - 0.5F * open, 0.0F, {0.14F, 0.07F, 2.05F}, m.dark_wood);
    b.Box(x, at + 0.5F * open, 0.0F, {0.14F, 0.07F, 2.05F}, m.dark_wood);
    scene.space_low[1] = {first.high_x - 0.2F, second.low_y, 0.0F};
    scene.space_high[1] = {second.high_x, second.high_y, height};
    b.KeepPrimitives(b.PrimitivesLeft() * 2 / 3);
    for (int i = 1; i < 4; ++i) FurnishWall(b, m, second, i, RoomUse::kHome, false);
    b.KeepPrimitives(0);
  }
  b.KeepPrimitives(80);
  for (int i = 3; i >= 0; --i) {
    if (two && i == 1) continue;
    FurnishWall(b, m, first, i, use, use == RoomUse::kKitchen && i > 1);
  }
  b.KeepPrimitives(0);
  FurnishMiddle(b, m, first);
  b.Place(scene.light.position, 0.0F);
  if (scene.light.is_lamp != 0) {
    b.Sphere({0.0F, 0.0F, 0.0F}, {0.15F, 0.15F, 0.1F}, m.lamp);
    b.Cylinder(0.0F, 0.0F, 0.05F, 0.01F, height - scene.light.position.z, m.metal);
  }
  if (r.Chance(0.25F)) {
    const float px = Mix(first.low_x, first.high_x, r.Uniform(0.3F, 0.7F));
    const float py = Mix(first.low_y, first.high_y, r.Uniform(0.3F, 0.7F));
    const PersonMaterials person = DrawPersonMaterials(b);
    MovingPerson(b, person, {px, py, 0.0F}, r.Uniform(0.0F, 6.28F), 0.0F, 0.5F);
  }
}

}  // namespace calfvo::synth
