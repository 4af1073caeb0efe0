// SPDX-License-Identifier: Apache-2.0
// FFmpeg's decoders, set up so that the same packets give the same images. Included by sources that use
// FFmpeg only.
#pragma once

#include <string>

#include "io/video/ffmpeg_handles.h"

namespace calfvo {

// A decoder for packets of this kind, whose times are in units of `time_base`. `name` stands for the input in
// messages. Throws Error where this FFmpeg has none.
ffmpeg::Codec OpenDecoder(const AVCodecParameters& parameters, AVRational time_base, const std::string& name);

// "": nothing wrong with a decoded image, else what is.
std::string DamageOf(const AVFrame& image);

}  // namespace calfvo
