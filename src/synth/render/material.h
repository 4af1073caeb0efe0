// SPDX-License-Identifier: Apache-2.0
// The colour of a material at a point of a surface. Patterns are softened over the footprint of a pixel and
// give way to their mean colour where they would be too fine to see.
#pragma once

#include "core/portable/noise.h"
#include "synth/render/textures.h"
#include "synth/scene/scene.h"

namespace calfvo::synth {

// The point of a face that a ray hits.
struct SurfacePoint {
  float u = 0.0F;  // metres from the middle of the face (on the ground: from the origin); v is up on walls
  float v = 0.0F;
  float half_u = 1.0F;  // metres to the border of the face
  float half_v = 1.0F;
  float footprint = 0.0F;  // metres that a pixel covers
  uint32_t variation = 0;  // random, per primitive
};

// How much of a pixel `footprint` wide lies inside |x| < half_width.
CALFVO_HD float Cover(float x, float half_width, float footprint) {
  return Saturate((half_width - fabsf(x)) / Max(footprint, 1e-5F) + 0.5F);
}
// 1 where cells are many pixels wide, 0 where they are too small to show.
CALFVO_HD float Visible(float cell, float footprint) {
  return Saturate(cell / Max(footprint, 1e-5F) * 0.5F - 0.75F);
}

// A cell of a pattern: its index and the place inside, in cells.
struct Cell {
  int i = 0;
  int j = 0;
  float x = 0.0F;  // 0..1
  float y = 0.0F;
};

CALFVO_HD Cell CellAt(float u, float v) {
  const float fu = Floor(u);
  const float fv = Floor(v);
  return {static_cast<int>(fu), static_cast<int>(fv), u - fu, v - fv};
}

// Cells with joints: brick (each row shifted by a half), tile (none) and plank (shifted at random).
CALFVO_HD Vec3 JointedColor(const Material& m, const SurfacePoint& s, float joint) {
  float u = s.u / m.scale_u;
  const float v = s.v / m.scale_v;
  const int row = static_cast<int>(Floor(v));
  if (m.pattern == Pattern::kBrick && (row & 1) != 0) u += 0.5F;
  if (m.pattern == Pattern::kPlank) u += UpperUnit(HashCell(row, 7, m.seed)) * 4.0F;
  const Cell cell = CellAt(u, v);
  const float smaller = Min(m.scale_u, m.scale_v);
  const float tone = UpperUnit(HashCell(cell.i, cell.j, m.seed));
  const float mean_joint = joint / smaller;
  const float fade = Visible(smaller, s.footprint);
  const Vec3 mean = Mix(Mix(m.a, m.b, 0.5F), m.c, mean_joint);
  if (fade <= 0.0F) return mean;
  const float edge_u = (fabsf(cell.x - 0.5F) - 0.5F) * m.scale_u;
  const float edge_v = (fabsf(cell.y - 0.5F) - 0.5F) * m.scale_v;
  const float in_joint =
      Max(Cover(edge_u, 0.5F * joint, s.footprint), Cover(edge_v, 0.5F * joint, s.footprint));
  return Mix(mean, Mix(Mix(m.a, m.b, tone), m.c, in_joint), fade);
}

CALFVO_HD Vec3 FacadeColor(const Material& m, const SurfacePoint& s) {
  const Cell cell = CellAt(s.u / m.scale_u + 0.5F, (s.v + s.half_v) / m.scale_v);
  const uint32_t style = HashCell(m.seed, static_cast<int>(s.variation), 3);
  const float half_width = (0.2F + 0.18F * UpperUnit(style)) * m.scale_u;
  const float half_height = (0.22F + 0.15F * LowerUnit(style)) * m.scale_v;
  const float x = (cell.x - 0.5F) * m.scale_u;
  const float y = (cell.y - 0.52F) * m.scale_v;
  const float pane = Cover(x, half_width, s.footprint) * Cover(y, half_height, s.footprint);
  const float frame = Cover(x, half_width + 0.08F, s.footprint) * Cover(y, half_height + 0.1F, s.footprint);
  const float bar = Max(Cover(x, 0.03F, s.footprint), Cover(y - 0.3F * half_height, 0.025F, s.footprint));
  const float ledge = Cover((fabsf(cell.y - 0.5F) - 0.5F) * m.scale_v, 0.07F, s.footprint);
  const uint32_t window = HashCell(cell.i, cell.j, m.seed + s.variation);
  // Panes: dark, with a lighter upper part that stands for sky, sometimes blinds or a lit room.
  Vec3 glass = m.c * (0.5F + 0.9F * UpperUnit(window) + 0.5F * Saturate(y / m.scale_v + 0.3F));
  if ((window & 7U) == 0) glass = {0.62F, 0.6F, 0.54F};
  if ((window & 7U) == 1) glass = {0.35F, 0.26F, 0.13F};
  Vec3 color = Mix(m.a, m.b, ledge);
  color = Mix(color, m.b * 1.15F, frame);
  color = Mix(color, glass, pane);
  color = Mix(color, m.b, bar * pane * 0.9F);
  const float fade = Visible(0.5F * m.scale_v, s.footprint);
  const float share = 4.0F * half_width * half_height / (m.scale_u * m.scale_v);
  return Mix(Mix(m.a, m.c, share), color, fade);
}

CALFVO_HD Vec3 RandomColor(uint32_t bits, float saturation) {
  const float r = static_cast<float>(bits & 255U) * (1.0F / 255);
  const float g = static_cast<float>((bits >> 8) & 255U) * (1.0F / 255);
  const float b = static_cast<float>((bits >> 16) & 255U) * (1.0F / 255);
  const float grey = (r + g + b) * (1.0F / 3);
  const Vec3 color{Mix(grey, r, saturation), Mix(grey, g, saturation), Mix(grey, b, saturation)};
  return color * color;
}

// Spines of books, or other upright things in a row, in front of the dark c behind them.
CALFVO_HD Vec3 BooksColor(const Material& m, const SurfacePoint& s) {
  const uint32_t seed = m.seed + s.variation;
  const Cell pair = CellAt(s.u / (2.0F * m.scale_u), 0.0F);
  const float cut = 0.3F + 0.4F * UpperUnit(HashCell(pair.i, 1, seed));
  const bool second = pair.x > cut;
  const float x = (second ? pair.x - 0.5F * (cut + 1.0F) : pair.x - 0.5F * cut) * 2.0F * m.scale_u;
  const float half = (second ? 1.0F - cut : cut) * m.scale_u;
  const uint32_t book = HashCell(2 * pair.i + (second ? 1 : 0), 5, seed);
  const float top = s.half_v * (0.5F + 0.48F * UpperUnit(book * 0x9E3779B1U));
  const float inside =
      Cover(x, half - 0.0015F, s.footprint) * Saturate((top - s.v) / Max(s.footprint, 1e-4F));
  Vec3 color = Mix(RandomColor(book, 0.8F), m.a, 0.25F);
  const float title =
      Cover(s.v - 0.4F * top, 0.12F * s.half_v, s.footprint) * Cover(x, 0.45F * half, s.footprint);
  color = Mix(color, RandomColor(book * 0x85A3C1D7U, 0.3F), title);
  const float fade = Visible(m.scale_u, s.footprint);
  return Mix(Mix(m.a, m.c, 0.4F), Mix(m.c, color, inside), fade);
}

// A page with headline, lines of words and an image, or a painting of hills, or blocks of colour.
CALFVO_HD Vec3 PosterColor(const Material& m, const SurfacePoint& s, float noise) {
  const uint32_t seed = m.seed + s.variation * 13U;
  const float x = s.u / s.half_u;  // −1..1
  const float y = s.v / s.half_v;
  const uint32_t style = HashCell(1, 2, seed);
  const float border = Max(fabsf(x) - 1.0F + 0.05F, fabsf(y) - 1.0F + 0.05F);
  Vec3 color;
  if ((style & 3U) == 0) {
    const float line = 0.045F * s.half_v;
    const Cell row = CellAt(0.0F, s.v / line);
    const float word_length = line * 2.6F;
    const Cell word = CellAt((s.u + UpperUnit(HashCell(row.j, 3, seed)) * word_length) / word_length, 0.0F);
    const float word_fill = 0.25F + 0.2F * UpperUnit(HashCell(word.i, row.j, seed));
    float ink = Cover((word.x - 0.5F) * word_length, word_fill * word_length, s.footprint) *
                Cover((row.y - 0.5F) * line, 0.25F * line, s.footprint) * 0.85F;
    ink = Mix(0.3F, ink, Visible(line, s.footprint));
    if (fabsf(x) > 0.86F || y < -0.85F || (y > 0.55F && y < 0.66F)) ink = 0.0F;
    color = Mix(Vec3{0.8F, 0.79F, 0.75F}, Vec3{0.03F, 0.03F, 0.04F}, ink);
    if (y >= 0.66F && y < 0.85F && fabsf(x) < 0.86F) color = RandomColor(style >> 3, 1.0F);
    if (y < 0.0F && y > -0.7F && x > 0.0F && x < 0.8F)
      color = RandomColor(style >> 5, 0.7F) * (1.0F + 0.8F * noise);
  } else if ((style & 3U) == 1) {
    const float ridge = 0.25F * noise + 0.3F * UpperUnit(style) - 0.2F;
    const Vec3 sky = Mix(RandomColor(style, 0.5F) + Vec3{0.2F, 0.25F, 0.3F}, m.b, Saturate(0.5F * y + 0.5F));
    color = y > ridge ? sky * (1.0F + 0.2F * noise)
                      : RandomColor(style * 31U, 0.8F) * (0.7F + 0.6F * noise - 0.4F * y);
  } else {
    color = Mix(RandomColor(style, 0.7F), RandomColor(style * 77U, 0.7F), 0.5F * y + 0.5F);
    for (int i = 0; i < 4; ++i) {
      const uint32_t bits = HashCell(i, 9, seed);
      const float dx = x - 1.4F * (UpperUnit(bits) - 0.5F);
      const float dy = y - 1.4F * (LowerUnit(bits) - 0.5F);
      const float size = 0.12F + 0.4F * UpperUnit(bits * 0x3C6EF372U);
      const float distance = (bits & 64U) != 0 ? sqrtf(dx * dx + dy * dy) : Max(fabsf(dx), fabsf(dy) * 1.5F);
      color =
          Mix(color, RandomColor(bits * 0x2545F491U, 0.9F), Cover(distance, size, s.footprint / s.half_u));
    }
  }
  return Mix(color, m.a, Saturate(border / (s.footprint / s.half_u) + 0.5F));
}

CALFVO_HD Vec3 RoadColor(const Material& m, const SurfacePoint& s, Vec3 asphalt, float broad) {
  const float lanes = m.scale_v;  // each side; 0: without markings
  const float across = fabsf(s.v);
  const float nearest = Floor(across / m.scale_u + 0.5F);
  const float from_line = across - nearest * m.scale_u;  // −½..½ lanes
  const uint32_t style = HashCell(4, 4, m.seed);
  // Wheels polish two tracks in each lane, tar closes cracks, trenches are mended in another tone.
  const float track = Cover(fabsf(fabsf(from_line) - 0.5F * m.scale_u) - 0.75F, 0.3F, s.footprint + 0.4F);
  Vec3 color = asphalt * (1.0F + 0.15F * (UpperUnit(style * 0x9E3779B1U) - 0.3F) * track);
  const Cell trench = CellAt(s.u / 9.0F, s.v / 3.1F);
  const uint32_t mended = HashCell(trench.i, trench.j, m.seed + 1U);
  if ((mended & 7U) == 0) {
    const float patch = Cover((trench.x - 0.5F) * 9.0F, 1.0F + 3.0F * UpperUnit(mended), s.footprint) *
                        Cover((trench.y - 0.5F) * 3.1F, 0.3F + 1.1F * LowerUnit(mended), s.footprint);
    color = color * (1.0F + patch * (0.7F * LowerUnit(mended * 0x85A3C1D7U) - 0.4F));
  } else if ((mended & 15U) == 1) {  // the lid of a shaft, 0.6 m across
    const float dx = (trench.x - 0.2F - 0.6F * UpperUnit(mended)) * 9.0F;
    const float dy = (trench.y - 0.5F) * 3.1F;
    color = color * (1.0F - 0.5F * Cover(sqrtf(dx * dx + dy * dy), 0.3F, s.footprint));
  }
  if ((style & 0x300U) == 0) color = color * (1.0F - 0.45F * Cover(broad, 0.006F, 0.3F * s.footprint));

  if (lanes < 0.5F) return color;
  float paint = 0.0F;
  const float dash = fabsf(s.u / 12.0F - Floor(s.u / 12.0F) - 0.5F) * 12.0F;
  const float length = (style & 2U) != 0 ? 1.5F : 2.0F + 4.5F * LowerUnit(style);  // half; 6 m: unbroken
  const float dashed = Saturate((length - dash) / Max(s.footprint, 0.01F) + 0.5F);
  if (nearest < lanes - 0.5F) paint = Cover(from_line, 0.06F, s.footprint) * dashed;
  const float edge = lanes * m.scale_u - 0.35F;
  if ((style & 12U) != 0) paint = Max(paint, Cover(across - edge, 0.06F, s.footprint));
  // A crossing every 70 m: stripes half a metre wide, 3.5 m long.
  if ((style & 48U) == 0 && across < edge) {
    const float along = s.u / 70.0F + UpperUnit(style);
    const float to_crossing = (along - Floor(along) - 0.5F) * 70.0F;
    const float stripe = across - Floor(across) - 0.5F;
    paint = Max(paint, Cover(to_crossing, 1.75F, s.footprint) * Cover(stripe, 0.25F, s.footprint));
  }
  const float worn = 0.6F + 0.3F * UpperUnit(style * 0x632BE5ABU);
  return Mix(color, m.c, paint * worn);
}

CALFVO_HD Vec3 FieldsColor(const Material& m, const SurfacePoint& s, float noise) {
  const float bend = 0.06F * noise;
  const Cell cell = CellAt(s.u / m.scale_u + bend, s.v / m.scale_v + bend);
  const uint32_t parcel = HashCell(cell.i, cell.j, m.seed);
  const float pick = UpperUnit(parcel);
  const Vec3 base = pick < 0.4F ? m.a : pick < 0.7F ? m.b : m.c;
  const float period = 0.8F + 3.0F * LowerUnit(parcel);
  const float along = ((parcel & 1U) != 0 ? s.u : s.v) / period;
  const float row = Cover((along - Floor(along) - 0.5F) * period, 0.22F * period, s.footprint);
  const float seen = Visible(period, s.footprint);
  const float border =
      Min(0.5F - fabsf(cell.x - 0.5F), 0.5F - fabsf(cell.y - 0.5F)) * Min(m.scale_u, m.scale_v);
  Vec3 color = base * (0.75F + 0.5F * UpperUnit(parcel * 0x632BE5ABU));
  color = color * (1.0F - 0.25F * (Mix(0.44F, row, seen)));
  return Mix(color, Vec3{0.045F, 0.07F, 0.025F}, Cover(border, 0.8F + 0.8F * LowerUnit(parcel), s.footprint));
}

CALFVO_HD Vec3 MaterialColor(const Material& m, const SurfacePoint& s, TextureView textures) {
  // Noise is drawn once for every pattern: grain along u for planks, even in all directions otherwise.
  const float stretch = m.pattern == Pattern::kPlank ? 7.0F : 1.0F;
  const float f = m.noise_frequency;
  const float shift = static_cast<float>(s.variation & 1023U) * 0.37F;
  const float noise =
      FractalNoise(s.u * f + shift, s.v * f * stretch, s.footprint * f * (0.3F + 0.7F * stretch), m.seed);

  // Broad patches keep far ground and walls from going blank.
  const float broad_f = f * 0.11F;
  const float broad = (ValueNoise(s.u * broad_f - shift, s.v * broad_f, m.seed + 9U) - 0.5F) *
                      Saturate(1.6F - 3.0F * s.footprint * broad_f);

  Vec3 color = m.a;
  float amount = m.noise_amount;
  switch (m.pattern) {
    case Pattern::kNoise: {
      color = Mix(m.a, m.b, Saturate(0.5F + noise * 0.7F + broad));
      color = Mix(color, m.c, Saturate(noise * 2.0F - 1.5F));
      break;
    }
    case Pattern::kBrick:
      color = JointedColor(m, s, 0.012F);
      break;
    case Pattern::kTile:
      color = JointedColor(m, s, 0.008F);
      break;
    case Pattern::kPlank:
      color = JointedColor(m, s, 0.005F);
      break;
    case Pattern::kStripes: {
      const float x = s.u / m.scale_u;
      const float stripe = Cover((x - Floor(x) - 0.5F) * m.scale_u, 0.25F * m.scale_u, s.footprint);
      color = Mix(m.a, m.b, Mix(0.5F, stripe, Visible(m.scale_u, s.footprint)));
      break;
    }
    case Pattern::kChecks: {
      const float x = s.u / m.scale_u;
      const float y = s.v / m.scale_u;
      const float su = Clamp(
          (0.25F - fabsf(x - Floor(x) - 0.5F)) * 2.0F * m.scale_u / Max(s.footprint, 1e-5F), -1.0F, 1.0F);
      const float sv = Clamp(
          (0.25F - fabsf(y - Floor(y) - 0.5F)) * 2.0F * m.scale_u / Max(s.footprint, 1e-5F), -1.0F, 1.0F);
      color = Mix(m.a, m.b, 0.5F + 0.5F * su * sv * Visible(0.5F * m.scale_u, s.footprint));
      break;
    }
    case Pattern::kFacade:
      color = FacadeColor(m, s);
      break;
    case Pattern::kBooks:
      color = BooksColor(m, s);
      break;
    case Pattern::kPoster:
      if (textures.count > 0) {
        const int image = static_cast<int>(m.seed + s.variation);
        color = SampleTexture(textures, image, 0.5F + 0.5F * s.u / s.half_u, 0.5F - 0.5F * s.v / s.half_v,
                              0.5F * s.footprint / s.half_u);
      } else {
        color = PosterColor(m, s, noise);
        amount = 0.0F;
      }
      break;
    case Pattern::kRoad:
      color = RoadColor(m, s, Mix(m.a, m.b, Saturate(0.5F + noise * 0.6F + broad)), broad);
      break;
    case Pattern::kFoliage: {
      const float leaf = Saturate(0.5F + noise * 0.9F + broad);
      color = Mix(Mix(m.a, m.b, leaf), m.c, Saturate(-noise * 1.6F - 0.35F));
      break;
    }
    case Pattern::kFields:
      color = FieldsColor(m, s, noise);
      break;
    case Pattern::kGlass: {
      const float bar =
          Max(Cover(s.u, 0.025F, s.footprint), Max(Cover(fabsf(s.u) - s.half_u, 0.05F, s.footprint),
                                                   Cover(fabsf(s.v) - s.half_v, 0.05F, s.footprint)));
      color = Mix(Mix(m.a, m.b, Saturate(0.5F + 0.5F * s.v / s.half_v + 0.3F * noise)), m.c, bar);
      break;
    }
  }
  if (m.texture != kNoTexture && textures.count > 0 && m.pattern != Pattern::kPoster) {
    const float scale = 1.0F / Max(m.scale_u, 0.3F);
    const Vec3 image =
        SampleTexture(textures, m.texture, s.u * scale + shift, -s.v * scale, s.footprint * scale);
    // The image brings structure; the material keeps a part of its own colour.
    color = Mix(image, color * (image.y * 2.0F + 0.1F), 0.35F);
  }
  const float tone = 1.0F + 0.16F * (static_cast<float>(s.variation >> 10) * (1.0F / 64) - 0.5F);
  const float light = tone * Max(1.0F + amount * (noise + broad), 0.15F);
  return color * light;
}

}  // namespace calfvo::synth
