// SPDX-License-Identifier: Apache-2.0
#include "io/video/video_reader.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <set>
#include <thread>
#include <utility>

#include "core/base/log.h"
#include "io/video/decoder.h"
#include "io/video/image_converter.h"
#include "io/video/iso_media.h"
#include "io/video/stop_signal.h"
#include "io/video/timestamp_repair.h"

namespace calfvo {
namespace {

constexpr std::chrono::seconds kCameraPatience{10};
constexpr std::chrono::milliseconds kCameraPause{2};

std::string Reason(int result) {
  char reason[AV_ERROR_MAX_STRING_SIZE] = {};
  av_strerror(result, reason, sizeof(reason));
  return reason;
}

// A cover image in a music file is a video stream to FFmpeg, not to us.
AVStream& ChooseStream(const AVFormatContext& input, int wanted, const std::string& name) {
  std::vector<AVStream*> videos;
  for (unsigned i = 0; i < input.nb_streams; ++i) {
    AVStream* stream = input.streams[i];
    const bool is_video = stream->codecpar->codec_type == AVMEDIA_TYPE_VIDEO;
    if (is_video && (stream->disposition & AV_DISPOSITION_ATTACHED_PIC) == 0) videos.push_back(stream);
  }
  if (videos.empty()) {
    throw Error(fmt::format("{}: has no video, only {} other stream(s) of {}; give a file with images", name,
                            input.nb_streams, input.iformat->name));
  }
  if (wanted >= static_cast<int>(videos.size())) {
    throw Error(
        fmt::format("{}: has no video stream {}; it has {}, counted from 0", name, wanted, videos.size()));
  }
  if (wanted >= 0) return *videos[static_cast<size_t>(wanted)];
  const int best =
      av_find_best_stream(const_cast<AVFormatContext*>(&input), AVMEDIA_TYPE_VIDEO, -1, -1, nullptr, 0);
  const auto chosen =
      std::find_if(videos.begin(), videos.end(), [&](AVStream* stream) { return stream->index == best; });
  return chosen != videos.end() ? **chosen : *videos[0];
}

Orientation StreamOrientation(const AVStream& stream) {
  size_t size = 0;
  const uint8_t* matrix = av_stream_get_side_data(&stream, AV_PKT_DATA_DISPLAYMATRIX, &size);
  if (matrix == nullptr || size < 9 * sizeof(int32_t)) return {};
  return OrientationFromMatrix(reinterpret_cast<const int32_t*>(matrix));
}

double RateHz(const AVStream& stream) {
  const AVRational rate = stream.avg_frame_rate.num > 0 ? stream.avg_frame_rate : stream.r_frame_rate;
  return rate.num > 0 && rate.den > 0 ? av_q2d(rate) : 0.0;
}

std::optional<double> DurationSeconds(const AVFormatContext& input, const AVStream& stream) {
  if (stream.duration > 0) return static_cast<double>(stream.duration) * av_q2d(stream.time_base);
  if (input.duration > 0) return static_cast<double>(input.duration) / AV_TIME_BASE;
  return {};
}

// Of the images that are given out, which are upright.
std::string SizeText(const AVStream& stream) {
  int width = stream.codecpar->width;
  int height = stream.codecpar->height;
  if (StreamOrientation(stream).transposes) std::swap(width, height);
  return fmt::format("{}x{}", width, height);
}

SourceInfo Describe(const AVFormatContext& input, const AVStream& stream, VideoKind kind) {
  SourceInfo info;
  info.kind = kind == VideoKind::kFile ? "video" : "camera";
  info.is_live = kind == VideoKind::kCamera;
  info.rate_hz = RateHz(stream);
  info.description = fmt::format("{} {}", SizeText(stream), avcodec_get_name(stream.codecpar->codec_id));
  if (info.rate_hz > 0.0) info.description += fmt::format(", {:.4g} frames/s", info.rate_hz);
  if (kind != VideoKind::kFile) return info;
  const auto duration_s = DurationSeconds(input, stream);
  if (duration_s) info.description += fmt::format(", {:.1f} s", *duration_s);
  if (stream.nb_frames > 0) {
    info.frame_count = stream.nb_frames;
  } else if (duration_s && info.rate_hz > 0.0 && *duration_s * info.rate_hz < 1e12) {
    info.frame_count = std::llround(*duration_s * info.rate_hz);
  }
  return info;
}

int64_t IntervalNs(double rate_hz) {
  return rate_hz > 0.1 ? static_cast<int64_t>(1e9 / rate_hz) : FrameRate{}.TimestampNs(1);
}

int IsStopped(void* stop) {
  return static_cast<const StopSignal*>(stop)->IsSet() ? 1 : 0;
}

// For files without an index FFmpeg only reports invalid data, or no streams.
void CheckIndex(const std::string& name) {
  if (!EndsBeforeIndex(name)) return;
  throw Error(name +
              ": is an MP4 or MOV file without a whole index (moov): the recording was broken off, or the "
              "file was not copied to the end");
}

ffmpeg::File OpenFile(const std::string& url, const std::string& name, AVIOInterruptCB stop) {
  AVIOContext* file = nullptr;
  ffmpeg::Check(avio_open2(&file, url.c_str(), AVIO_FLAG_READ, &stop, nullptr), name, "open");
  return ffmpeg::File(file);
}

int OpenNothing(AVFormatContext*, AVIOContext**, const char*, int, AVDictionary**) {
  return AVERROR(EPERM);
}

// A playlist names other files and addresses, which the user did not give. Some formats ask the callback to
// open them, others open them themselves, by the protocols on the list: none has that name.
void ReadOnly(AVIOContext* file, AVFormatContext* context) {
  context->pb = file;
  context->flags |= AVFMT_FLAG_CUSTOM_IO;
  context->io_open = OpenNothing;
  context->protocol_whitelist = av_strdup("none");
}

ffmpeg::Input OpenInput(const std::string& url, const AVInputFormat* format, const std::string& name,
                        VideoKind kind, StopSignal& stop) {
  ffmpeg::KeepQuiet();
  const AVIOInterruptCB is_stopped = {IsStopped, &stop};
  ffmpeg::File file = kind == VideoKind::kFile ? OpenFile(url, name, is_stopped) : nullptr;
  AVFormatContext* context = ffmpeg::NotNull(avformat_alloc_context());
  context->interrupt_callback = is_stopped;
  if (file) ReadOnly(file.get(), context);
  if (kind == VideoKind::kCamera) context->flags |= AVFMT_FLAG_NONBLOCK;
  const int opened = avformat_open_input(&context, url.c_str(), format, nullptr);
  if (opened < 0) {
    if (kind == VideoKind::kFile) CheckIndex(name);
    throw Error(
        kind == VideoKind::kFile
            ? fmt::format("{}: cannot be read as a video: {}; ffprobe may show more", name, Reason(opened))
            : fmt::format("{}: cannot open the camera: {}", name, Reason(opened)));
  }
  ffmpeg::Input input(context);
  static_cast<void>(file.release());  // it is closed with the input
  ffmpeg::Check(avformat_find_stream_info(context, nullptr), name, "find its streams");
  if (context->nb_streams == 0) {
    if (kind == VideoKind::kFile) CheckIndex(name);
    throw Error(fmt::format("{}: begins like {} but has no streams; it may be cut short", name,
                            context->iformat->name));
  }
  return input;
}

class VideoReader final : public FrameSource {
 public:
  VideoReader(const std::string& url, const AVInputFormat* format, const std::string& name, VideoKind kind,
              const SourceOptions& options)
      : name_(name),
        stop_(options.stop),
        input_(OpenInput(url, format, name_, kind, stop_)),
        stream_(ChooseStream(*input_, options.stream, name_)),
        info_(Describe(*input_, stream_, kind)),
        codec_(OpenDecoder(*stream_.codecpar, stream_.time_base, name_)),
        packet_(ffmpeg::NotNull(ffmpeg::Packet(av_packet_alloc()))),
        current_{ffmpeg::NotNull(ffmpeg::Frame(av_frame_alloc())), {}},
        ahead_{ffmpeg::NotNull(ffmpeg::Frame(av_frame_alloc())), {}},
        repair_(IntervalNs(info_.rate_hz)),
        converter_(name, StreamOrientation(stream_)) {
    for (unsigned i = 0; i < input_->nb_streams; ++i) {
      if (input_->streams[i] != &stream_) input_->streams[i]->discard = AVDISCARD_ALL;
    }
    if (info_.is_live) return;
    has_ahead_ = Decode(ahead_);
    if (!has_ahead_ && !stop_.IsSet()) {
      throw Error(fmt::format("{}: none of its frames can be decoded as {}{}{}", name_,
                              avcodec_get_name(codec_->codec_id), bad_end_.empty() ? "" : ": ", bad_end_));
    }
  }

  bool Advance(Frame& frame) override {
    if (info_.is_live) {
      if (!Decode(current_)) return false;
    } else {
      // Decodes one frame ahead, so that the last frame can carry the damage of a bad end.
      if (!has_ahead_) return false;
      std::swap(current_, ahead_);
      has_ahead_ = Decode(ahead_);
      if (!has_ahead_ && !bad_end_.empty()) current_.damage = bad_end_;
    }
    frame.index = index_++;
    frame.timestamp_ns = TimestampNs(*current_.image);
    return true;
  }

  void Read(Frame& frame) override {
    // The container's ratio takes precedence over the codec's.
    current_.image->sample_aspect_ratio =
        av_guess_sample_aspect_ratio(input_.get(), &stream_, current_.image.get());
    converter_.Convert(*current_.image, frame);
    frame.damage = current_.damage;
  }

  void Cancel() override { stop_.Cancel(); }

  const SourceInfo& info() const override { return info_; }

 private:
  struct Decoded {
    ffmpeg::Frame image;
    std::string damage;
  };

  // Decodes the next frame. Returns false when stopped and at the end; `bad_end_` is then what is wrong with
  // the end, if anything.
  bool Decode(Decoded& decoded) {
    while (true) {
      const int result = avcodec_receive_frame(codec_.get(), decoded.image.get());
      if (result >= 0) {
        NoteDamageOf(*decoded.image);
        decoded.damage = std::exchange(damage_, {});
        return true;
      }
      if (result == AVERROR_EOF) {
        if (bad_end_.empty()) bad_end_ = damage_;
        return false;
      }
      if (result != AVERROR(EAGAIN)) {
        NoteBadPacket(result);
      } else if (!SendPacket()) {
        return false;
      }
    }
  }

  // Sends the decoder the next packet, or the end of the stream. Returns false when stopped.
  bool SendPacket() {
    const int result = ReadPacket();
    if (stop_.IsSet()) return false;
    if (result < 0) {
      NoteEnd(result);
      avcodec_send_packet(codec_.get(), nullptr);
      return true;
    }
    ++packets_;
    if ((packet_->flags & AV_PKT_FLAG_CORRUPT) != 0) incomplete_pts_.insert(packet_->pts);
    const int sent = avcodec_send_packet(codec_.get(), packet_.get());
    if (sent < 0) NoteBadPacket(sent);
    return true;
  }

  // The next packet of the chosen stream.
  int ReadPacket() {
    int result = 0;
    do {
      av_packet_unref(packet_.get());
      result = ReadAnyPacket();
    } while (result >= 0 && packet_->stream_index != stream_.index && !stop_.IsSet());
    return result;
  }

  // Cameras are polled: a blocking read could not be cancelled.
  int ReadAnyPacket() {
    const auto deadline = std::chrono::steady_clock::now() + kCameraPatience;
    while (true) {
      const int result = av_read_frame(input_.get(), packet_.get());
      if (result != AVERROR(EAGAIN) || stop_.IsSet()) return result;
      if (std::chrono::steady_clock::now() > deadline) return AVERROR(ETIMEDOUT);
      std::this_thread::sleep_for(kCameraPause);
    }
  }

  // A file that ends early still gives its frames; a camera that does so fails.
  void NoteEnd(int result) {
    const int indexed = avformat_index_get_entries_count(&stream_);
    if (result != AVERROR_EOF) {
      if (info_.is_live) {
        throw Error(fmt::format("{}: the camera gives no more frames: {}", name_, Reason(result)));
      }
      bad_end_ = "the file ends early: " + Reason(result);
    } else if (packets_ < indexed) {
      bad_end_ = fmt::format("the file ends early: it has {} of {} packets", packets_, indexed);
    }
  }

  void NoteDamageOf(const AVFrame& image) {
    if (incomplete_pts_.erase(image.pts) > 0) NoteDamage("its packet is incomplete");
    NoteDamage(DamageOf(image));
  }

  void NoteBadPacket(int result) { NoteDamage("a packet could not be decoded: " + Reason(result)); }

  // The first of several reasons is the cause.
  void NoteDamage(std::string reason) {
    if (damage_.empty()) damage_ = std::move(reason);
  }

  int64_t TimestampNs(const AVFrame& image) {
    std::optional<int64_t> given;
    if (image.best_effort_timestamp != AV_NOPTS_VALUE) {
      given = av_rescale_q_rnd(image.best_effort_timestamp, stream_.time_base, {1, 1'000'000'000},
                               AV_ROUND_NEAR_INF);
    }
    const int64_t repaired_before = repair_.repaired();
    const int64_t timestamp_ns = repair_.Next(given);
    if (repaired_before == 0 && repair_.repaired() == 1) {
      LogWarning("{}: a frame has {}; it and others like it get one between", name_,
                 given ? "a timestamp that is not after the one before" : "no timestamp");
    }
    return timestamp_ns;
  }

  const std::string name_;
  StopSignal stop_;
  const ffmpeg::Input input_;
  AVStream& stream_;  // of input_
  const SourceInfo info_;
  const ffmpeg::Codec codec_;
  const ffmpeg::Packet packet_;
  Decoded current_;
  Decoded ahead_;
  bool has_ahead_ = false;
  int64_t index_ = 0;  // of the next frame to give out
  int packets_ = 0;
  std::string damage_;                // found since the last decoded frame
  std::string bad_end_;               // found at the end
  std::set<int64_t> incomplete_pts_;  // of packets whose frames are still to come
  TimestampRepair repair_;
  ImageConverter converter_;
};

}  // namespace

std::unique_ptr<FrameSource> ReadVideo(const std::string& url, const AVInputFormat* format,
                                       const std::string& name, VideoKind kind,
                                       const SourceOptions& options) {
  return std::make_unique<VideoReader>(url, format, name, kind, options);
}

std::unique_ptr<FrameSource> OpenVideo(const std::filesystem::path& path, const SourceOptions& options) {
  // The prefix keeps names with colons from being taken for addresses.
  const std::string name = path.string();
  return ReadVideo("file:" + name, nullptr, name, VideoKind::kFile, options);
}

}  // namespace calfvo
