// SPDX-License-Identifier: Apache-2.0
// Materials as the world has them: colours of paint, wood, brick, cloth and leaves, with sizes of bricks,
// tiles and boards in metres. Each call draws a variant.
#pragma once

#include "synth/scene/scene_builder.h"

namespace calfvo::synth {

// Linear light from display values 0..1.
CALFVO_HD Vec3 Rgb(float r, float g, float b) {
  return {r * r, g * g, b * b};
}

// A colour by hue 0..1, saturation and brightness (display values).
CALFVO_HD_CALL Vec3 Hsv(float hue, float saturation, float value) {
  const float r = Saturate(fabsf(hue * 6.0F - 3.0F) - 1.0F);
  const float g = Saturate(2.0F - fabsf(hue * 6.0F - 2.0F));
  const float b = Saturate(2.0F - fabsf(hue * 6.0F - 4.0F));
  const float white = 1.0F - saturation;
  return Rgb(value * (white + saturation * r), value * (white + saturation * g),
             value * (white + saturation * b));
}

CALFVO_HD Vec3 AnyColor(Random& r, float saturation, float low, float high) {
  const float hue = r.Uniform();
  const float s = saturation * r.Uniform();
  return Hsv(hue, s, r.Uniform(low, high));
}

// An image of the pool with the given probability.
CALFVO_HD uint16_t MaybeTexture(Random& r, float probability) {
  const bool yes = r.Chance(probability);
  const int image = r.Index(60000);
  return yes ? static_cast<uint16_t>(image) : static_cast<uint16_t>(kNoTexture);
}

// One colour with noise: paint, plastic, metal, cloth. `frequency` in cycles per metre.
CALFVO_HD_CALL int Plain(SceneBuilder& b, Vec3 color, float amount, float frequency, float specular = 0.0F) {
  Material m;
  m.a = color * 0.93F;
  m.b = color * 1.08F;
  m.c = color * 0.8F;
  m.noise_amount = amount;
  m.noise_frequency = frequency;
  m.specular = specular;
  return b.AddMaterial(m);
}

CALFVO_HD_CALL int Emitting(SceneBuilder& b, Vec3 color, float strength) {
  Material m;
  m.a = m.b = m.c = color;
  m.emission = static_cast<uint16_t>(strength * 256.0F);
  return b.AddMaterial(m);
}

CALFVO_HD_CALL int Wood(SceneBuilder& b, bool boards) {
  Random& r = b.random();
  const float tone = r.Uniform(0.35F, 0.85F);
  const float red = r.Uniform(0.0F, 1.0F);
  Material m;
  m.pattern = Pattern::kPlank;
  m.a = Rgb(tone, tone * Mix(0.82F, 0.66F, red), tone * Mix(0.64F, 0.42F, red));
  m.b = m.a * r.Uniform(0.62F, 0.85F);
  m.c = m.a * 0.35F;
  m.scale_u = boards ? r.Uniform(0.9F, 1.8F) : 40.0F;
  m.scale_v = boards ? r.Uniform(0.08F, 0.2F) : 40.0F;
  m.noise_amount = r.Uniform(0.12F, 0.35F);
  m.noise_frequency = r.Uniform(2.0F, 6.0F);
  m.specular = r.Uniform(0.0F, 0.4F);
  m.texture = MaybeTexture(r, boards ? 0.25F : 0.1F);
  return b.AddMaterial(m);
}

CALFVO_HD_CALL int Brick(SceneBuilder& b) {
  Random& r = b.random();
  Material m;
  m.pattern = Pattern::kBrick;
  const float tone = r.Uniform(0.45F, 0.75F);
  m.a = r.Chance(0.7F) ? Rgb(tone, tone * 0.55F, tone * 0.42F) : Rgb(tone, tone * 0.92F, tone * 0.8F);
  m.b = m.a * r.Uniform(0.55F, 0.85F);
  m.c = Rgb(0.66F, 0.63F, 0.58F);
  m.scale_u = 0.225F;
  m.scale_v = 0.075F;
  m.noise_amount = r.Uniform(0.15F, 0.35F);
  m.noise_frequency = r.Uniform(0.6F, 2.0F);
  return b.AddMaterial(m);
}

CALFVO_HD_CALL int Tile(SceneBuilder& b, float size, float specular) {
  Random& r = b.random();
  Material m;
  m.pattern = Pattern::kTile;
  m.a = AnyColor(r, 0.35F, 0.4F, 0.92F);
  m.b = m.a * r.Uniform(0.75F, 1.05F);
  m.c = m.a * r.Uniform(0.3F, 0.7F);
  m.scale_u = m.scale_v = size;
  m.noise_amount = r.Uniform(0.05F, 0.25F);
  m.noise_frequency = r.Uniform(1.0F, 6.0F);
  m.specular = specular;
  return b.AddMaterial(m);
}

// Pale panels.
CALFVO_HD_CALL int CeilingTiles(SceneBuilder& b, float size) {
  const int index = Tile(b, size, 0.0F);
  Material& m = b.scene().materials[index];
  m.a = Rgb(0.88F, 0.88F, 0.86F);
  m.b = Rgb(0.8F, 0.8F, 0.79F);
  m.c = Rgb(0.55F, 0.55F, 0.55F);
  return index;
}

// Walls of rooms: plaster or paint, nearly plain; wallpaper; brick; tiles.
CALFVO_HD_CALL int InteriorWall(SceneBuilder& b) {
  Random& r = b.random();
  const float draw = r.Uniform();
  if (draw < 0.1F) return Brick(b);
  if (draw < 0.18F) return Tile(b, r.Uniform(0.1F, 0.3F), 0.3F);
  Material m;
  // Most walls are white or cream, some are coloured.
  const float saturation = r.Chance(0.6F) ? 0.1F : 0.4F;
  m.a = AnyColor(r, saturation, 0.62F, 0.96F);
  m.b = m.a * r.Uniform(0.86F, 0.98F);
  m.c = m.a * 0.88F;
  m.noise_amount = r.Uniform(0.02F, 0.14F);
  m.noise_frequency = r.Uniform(2.0F, 22.0F);
  if (draw < 0.3F) {
    m.pattern = Pattern::kStripes;
    m.scale_u = r.Uniform(0.06F, 0.4F);
  }
  m.texture = MaybeTexture(r, 0.15F);
  return b.AddMaterial(m);
}

CALFVO_HD_CALL int InteriorFloor(SceneBuilder& b) {
  Random& r = b.random();
  const float draw = r.Uniform();
  if (draw < 0.4F) return Wood(b, true);
  if (draw < 0.62F) return Tile(b, r.Uniform(0.2F, 0.6F), 0.35F);
  Material m;
  m.a = AnyColor(r, 0.3F, 0.25F, 0.7F);
  m.b = m.a * r.Uniform(0.5F, 0.8F);
  m.c = m.a * 1.3F;
  m.noise_amount = r.Uniform(0.1F, 0.4F);
  m.noise_frequency = r.Uniform(6.0F, 25.0F);
  m.texture = MaybeTexture(r, 0.4F);
  m.scale_u = r.Uniform(0.5F, 2.0F);
  if (draw > 0.88F) {  // a striped carpet
    m.pattern = Pattern::kStripes;
    m.texture = kNoTexture;
    m.scale_u = r.Uniform(0.02F, 0.08F);
  }
  return b.AddMaterial(m);
}

CALFVO_HD_CALL int Cloth(SceneBuilder& b) {
  Random& r = b.random();
  Material m;
  const float draw = r.Uniform();
  m.pattern = draw < 0.6F ? Pattern::kNoise : draw < 0.8F ? Pattern::kStripes : Pattern::kChecks;
  m.a = AnyColor(r, 0.8F, 0.2F, 0.85F);
  m.b = draw < 0.6F ? m.a * r.Uniform(0.6F, 0.85F) : AnyColor(r, 0.8F, 0.2F, 0.85F);
  m.c = m.a * 0.6F;
  m.scale_u = r.Uniform(0.03F, 0.15F);
  m.noise_amount = r.Uniform(0.1F, 0.3F);
  m.noise_frequency = r.Uniform(8.0F, 30.0F);
  return b.AddMaterial(m);
}

CALFVO_HD_CALL int Books(SceneBuilder& b) {
  Random& r = b.random();
  Material m;
  m.pattern = Pattern::kBooks;
  m.a = AnyColor(r, 0.5F, 0.3F, 0.8F);
  m.c = Rgb(0.12F, 0.1F, 0.08F);
  m.scale_u = r.Uniform(0.02F, 0.045F);
  m.noise_amount = 0.12F;
  m.noise_frequency = 20.0F;
  return b.AddMaterial(m);
}

CALFVO_HD_CALL int Poster(SceneBuilder& b) {
  Random& r = b.random();
  Material m;
  m.pattern = Pattern::kPoster;
  m.a = AnyColor(r, 0.4F, 0.05F, 0.95F);
  m.b = AnyColor(r, 0.6F, 0.4F, 0.95F);
  m.noise_frequency = r.Uniform(2.0F, 8.0F);
  m.noise_amount = 0.1F;
  m.specular = 0.1F;
  return b.AddMaterial(m);
}

CALFVO_HD_CALL int Window(SceneBuilder& b, float emission) {
  Random& r = b.random();
  Material m;
  m.pattern = Pattern::kGlass;
  m.a = Rgb(0.45F, 0.55F, 0.45F) * r.Uniform(0.5F, 1.2F);
  m.b = Rgb(0.7F, 0.8F, 0.92F);
  m.c = Rgb(0.88F, 0.87F, 0.85F) * (r.Chance(0.7F) ? 1.0F : 0.2F);
  m.noise_frequency = 1.5F;
  m.noise_amount = 0.3F;
  m.specular = 0.6F;
  m.emission = static_cast<uint16_t>(emission * 256.0F);
  return b.AddMaterial(m);
}

CALFVO_HD_CALL int Facade(SceneBuilder& b) {
  Random& r = b.random();
  Material m;
  m.pattern = Pattern::kFacade;
  // Plaster, stone and brick: mostly pale and warm.
  const float hue = r.Chance(0.8F) ? r.Uniform(0.02F, 0.14F) : r.Uniform();
  const float saturation = r.Uniform(0.0F, 0.35F);
  m.a = Hsv(hue, hue < 0.15F ? saturation : 0.4F * saturation, r.Uniform(0.42F, 0.92F));
  m.b = r.Chance(0.5F) ? m.a * 1.15F : AnyColor(r, 0.12F, 0.5F, 0.95F);
  m.c = Rgb(0.2F, 0.25F, 0.32F) * r.Uniform(0.5F, 1.5F);
  m.scale_u = r.Uniform(1.8F, 3.6F);
  m.scale_v = r.Uniform(2.8F, 3.3F);  // a storey
  m.noise_amount = r.Uniform(0.1F, 0.3F);
  m.noise_frequency = r.Uniform(0.3F, 1.2F);
  m.specular = 0.08F;
  return b.AddMaterial(m);
}

// Ground has structure of all sizes, from metres to blades of grass: seen flat and from afar, only the coarse
// part of it shows.
CALFVO_HD float OutdoorFrequency(Random& r) {
  const float draw = r.Uniform();
  return 0.3F + 8.0F * draw * draw;
}

CALFVO_HD_CALL int Concrete(SceneBuilder& b, float brightness) {
  Random& r = b.random();
  Material m;
  const float tone = brightness * r.Uniform(0.85F, 1.1F);
  m.pattern = r.Chance(0.4F) ? Pattern::kTile : Pattern::kNoise;
  m.a = Rgb(tone, tone * 0.985F, tone * 0.95F);
  m.b = m.a * 0.82F;
  m.c = m.a * 0.62F;
  m.scale_u = m.scale_v = r.Uniform(0.3F, 1.2F);
  m.noise_amount = r.Uniform(0.12F, 0.4F);
  m.noise_frequency = OutdoorFrequency(r);
  m.texture = MaybeTexture(r, 0.25F);
  return b.AddMaterial(m);
}

CALFVO_HD_CALL int Grass(SceneBuilder& b) {
  Random& r = b.random();
  Material m;
  const float dry = r.Uniform();
  m.a = Mix(Rgb(0.3F, 0.42F, 0.16F), Rgb(0.55F, 0.5F, 0.28F), dry);
  m.b = Mix(Rgb(0.42F, 0.55F, 0.22F), Rgb(0.68F, 0.62F, 0.42F), dry);
  m.c = Mix(m.a, Rgb(0.36F, 0.28F, 0.2F), r.Uniform());
  m.noise_amount = r.Uniform(0.3F, 1.0F);
  m.noise_frequency = OutdoorFrequency(r);
  m.texture = MaybeTexture(r, 0.3F);
  m.scale_u = r.Uniform(1.0F, 3.0F);
  return b.AddMaterial(m);
}

CALFVO_HD_CALL int Fields(SceneBuilder& b) {
  Random& r = b.random();
  Material m;
  m.pattern = Pattern::kFields;
  m.a = Rgb(0.36F, 0.48F, 0.2F) * r.Uniform(0.7F, 1.2F);
  m.b = Rgb(0.66F, 0.6F, 0.36F) * r.Uniform(0.7F, 1.2F);
  m.c = Rgb(0.45F, 0.34F, 0.24F) * r.Uniform(0.7F, 1.2F);
  m.scale_u = r.Uniform(35.0F, 80.0F);
  m.scale_v = r.Uniform(30.0F, 60.0F);
  m.noise_amount = r.Uniform(0.2F, 0.4F);
  m.noise_frequency = r.Uniform(0.08F, 0.4F);
  return b.AddMaterial(m);
}

CALFVO_HD_CALL int Leaves(SceneBuilder& b) {
  Random& r = b.random();
  Material m;
  m.pattern = Pattern::kFoliage;
  const float autumn = r.Chance(0.15F) ? r.Uniform() : 0.0F;
  m.a = Mix(Rgb(0.2F, 0.36F, 0.12F), Rgb(0.6F, 0.36F, 0.1F), autumn) * r.Uniform(0.7F, 1.2F);
  m.b = Mix(Rgb(0.4F, 0.55F, 0.2F), Rgb(0.75F, 0.6F, 0.2F), autumn) * r.Uniform(0.8F, 1.2F);
  m.c = m.a * 0.25F;
  m.noise_amount = 0.4F;
  m.noise_frequency = r.Uniform(4.0F, 11.0F);
  return b.AddMaterial(m);
}

CALFVO_HD_CALL int Bark(SceneBuilder& b) {
  Random& r = b.random();
  const float tone = r.Uniform(0.25F, 0.5F);
  return Plain(b, Rgb(tone, tone * 0.85F, tone * 0.7F), 0.45F, r.Uniform(6.0F, 14.0F));
}

}  // namespace calfvo::synth
