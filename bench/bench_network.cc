// SPDX-License-Identifier: Apache-2.0
// The network on the CPU, everything in one run so that ratios mean something on a shared machine:
//   bench_network [threads, 2] [model: calfvo-s, calfvo-l or both] [kernels: AMX, AVX-512, AVX2, generic or
//   all] [unchecked]
// For each set of kernels: the bare rate (products without memory), each operation's rate as a part of that,
// oneDNN's f32 matmul at the same shapes where oneDNN is installed, and the whole network: three frames
// encoded and one window decoded, which is what a video costs per three frames. Threads are kept to the
// processors that are fastest together when it begins. Operations are compared with
// `ref` before they are timed, and the raw outputs of the whole network with those of `ref`, which takes
// minutes for calfvo-l, unless `unchecked`. At the end, for each model, the same in short: what
// docs/benchmarks.md tells.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "backend/backends.h"
#include "backend/cpu/cpu_backend.h"
#include "backend/op_cases.h"
#include "backend/ref/ref_backend.h"
#include "base/thread_pool.h"
#include "cores.h"
#include "model/network.h"
#include "stopwatch.h"
#include "weights/model_file.h"
#include "weights/model_flops.h"
#if defined(CALFVO_HAS_DNNL)
#include "onednn_peer.h"
#endif

namespace calfvo {
namespace {

// The bare rate is taken for milliseconds, before and after every timing: on a shared machine it changes
// which processors share a core, and with it the speed.
class BareRate {
 public:
  BareRate(const CpuKernels& kernels, int threads) : kernels_(kernels), pool_(threads) {}

  double Gflops() {
    double flop = 0.0;
    const double seconds = MedianSeconds(
        [&] {
          pool_.ParallelFor(pool_.size(), [&](int64_t i) {
            const double done = kernels_.bare_flop(100'000);
            if (i == 0) flop = done * pool_.size();
          });
        },
        3, 0.004, clock());
    return 1e-9 * flop / seconds;
  }
  clockid_t clock() const { return ClockFor(pool_.size()); }

 private:
  const CpuKernels& kernels_;
  ThreadPool pool_;
};

struct Rate {
  double seconds;
  double percent;  // of the bare rate
};

double MedianOf(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// Medians over rounds of the time of `function`, which takes `gflop`, and of its rate as a part of the bare
// one around it: over those of up to three times `rounds` before and after which the bare rate was about the
// same, or over all where these are too few. Otherwise the processors have changed in between.
template <typename Function>
Rate TimeBesideBare(const Function& function, double gflop, BareRate& bare, size_t rounds) {
  struct Rounds {
    std::vector<double> seconds;
    std::vector<double> percents;
  };
  Rounds all;
  Rounds steady;
  function();
  double before = bare.Gflops();
  while (steady.seconds.size() < rounds && all.seconds.size() < 3 * rounds) {
    int calls = 0;
    double taken = 0.0;
    const double start = SecondsOf(bare.clock());
    for (; taken < 0.002; taken = SecondsOf(bare.clock()) - start, ++calls) function();
    const double after = bare.Gflops();
    const double mean = 0.5 * (before + after);
    for (Rounds* kept : {&all, &steady}) {
      if (kept == &steady && std::abs(after - before) > 0.1 * mean) continue;
      kept->seconds.push_back(taken / calls);
      kept->percents.push_back(100.0 * gflop / kept->seconds.back() / mean);
    }
    before = after;
  }
  const Rounds& kept = steady.seconds.size() >= rounds / 3 ? steady : all;
  return {MedianOf(kept.seconds), MedianOf(kept.percents)};
}

// The least and the most of some ratios, in percent.
struct Range {
  double least = INFINITY;
  double most = 0.0;

  void Add(double percent) {
    least = std::min(least, percent);
    most = std::max(most, percent);
  }
  std::string Text() const { return fmt::format("{:.0f}–{:.0f} %", least, most); }
};

// What one set of kernels did.
struct Result {
  const CpuKernels* kernels;
  bool correct = true;
  Range products;  // matrix products at the model's shapes, of the bare rate
  double whole_seconds = 0.0;
  double whole_percent = 0.0;  // of the bare rate
};

// Tells how far `ours` is from what `ref` has, and minds if that is too far. Nothing where `ref` has nothing.
std::string Compare(const std::vector<float>& ours, const std::vector<float>& expected, double bound,
                    Result& result) {
  if (expected.empty()) return "";
  const double deviation = RelativeError(ours, expected);
  const bool ok = deviation <= bound;
  result.correct = result.correct && ok;
  return fmt::format("   deviation {:.1e}{}", deviation, ok ? "" : "  WRONG");
}

void BenchOps(const std::string& model, BareRate& bare, int threads, bool checked, Result& result) {
  const CpuKernels& kernels = *result.kernels;
  const auto ref = MakeRefBackend(threads);
  const auto backend = MakeCpuBackend(kernels, threads);
  for (const OpCase& op : OpCases(model)) {
    const auto prepared = op.prepare(*backend);
    prepared->Run();
    std::vector<float> expected;
    if (checked) {
      const auto oracle = op.prepare(*ref);
      oracle->Run();
      expected = oracle->Output();
    }
    const std::string compared =
        Compare(prepared->Output(), expected, kernels.bf16 ? op.bound_bf16 : op.bound_f32, result);
    const Rate rate = TimeBesideBare([&] { prepared->Run(); }, op.gflop, bare, 21);
    if (op.name.starts_with("linear")) result.products.Add(rate.percent);
    fmt::print("  {:<44} {:>9.3f} ms {:>9.1f} GFLOP/s {:>5.1f} % of bare{}\n", op.name, 1e3 * rate.seconds,
               op.gflop / rate.seconds, rate.percent, compared);
  }
}

// Three frames through the encoder, one window through the decoder.
double GflopPerWindow(const ModelConfig& config) {
  return 1e-9 * 3.0 * CountFlops(config).PerFrame(3);
}

struct WholeResult {
  Rate rate;
  std::vector<float> values;
};

// Timed beside `bare`, unless that is null.
WholeResult RunWhole(const ModelFile& model, Backend& backend, BareRate* bare) {
  Network network(model.config, *model.weights, backend);
  const auto size = static_cast<size_t>(model.config.input.size);
  const auto window = static_cast<size_t>(model.config.window);
  std::vector<std::vector<float>> images(window + 1, std::vector<float>(3 * size * size));
  for (size_t i = 0; i < images.size(); ++i) {
    for (size_t p = 0; p < images[i].size(); ++p) {
      images[i][p] = std::sin(0.013F * static_cast<float>(p % (size * size)) + 0.3F * static_cast<float>(i));
    }
  }
  std::vector<FrameTokens> tokens;
  for (size_t i = 0; i < window; ++i) tokens.push_back(network.MakeTokens());
  const auto encode = [&](size_t first, size_t count) {
    std::vector<FrameImages> frames;
    std::vector<FrameTokens*> out;
    for (size_t i = first; i < first + count; ++i) {
      frames.push_back({images[i].data(), images[i + 1].data()});
      out.push_back(&tokens[i]);
    }
    network.Encode(frames, out);
  };
  encode(0, window);
  std::vector<const FrameTokens*> frames;
  for (const FrameTokens& frame : tokens) frames.push_back(&frame);
  WholeResult result;
  result.values.resize(static_cast<size_t>(network.values_per_window()));
  const auto step = [&] {
    encode(window - 3, 3);
    network.Decode(frames, result.values);
  };
  step();
  if (bare != nullptr) result.rate = TimeBesideBare(step, GflopPerWindow(model.config), *bare, 7);
  return result;
}

void BenchWhole(const ModelFile& model, const std::vector<float>& expected, BareRate& bare, int threads,
                Result& result) {
  const auto backend = MakeCpuBackend(*result.kernels, threads);
  const WholeResult whole = RunWhole(model, *backend, &bare);
  const std::string compared = Compare(whole.values, expected, result.kernels->bf16 ? 2e-2 : 1e-4, result);
  result.whole_seconds = whole.rate.seconds;
  result.whole_percent = whole.rate.percent;
  fmt::print("  {:<44} {:>9.3f} ms {:>9.1f} GFLOP/s {:>5.1f} % of bare{}   {:.1f} frames/s\n",
             "whole network", 1e3 * whole.rate.seconds, GflopPerWindow(model.config) / whole.rate.seconds,
             result.whole_percent, compared, 3.0 / whole.rate.seconds);
}

#if defined(CALFVO_HAS_DNNL)
// Our f32 products' rates as parts of oneDNN's, the two timed in turn. Ours take GELU or add to the stream
// where the network does; oneDNN's do not.
Range BenchOneDnn(const std::string& model, int64_t dim, const CpuKernels& kernels, int threads) {
  fmt::print(" {} f32 beside oneDNN\n", kernels.name);
  const auto backend = MakeCpuBackend(kernels, threads);
  const int64_t shapes[][3] = {{588, dim, 3 * dim}, {588, dim, 4 * dim},  {1576, dim, 3 * dim},
                               {1576, dim, dim},    {1576, dim, 4 * dim}, {1576, 4 * dim, dim}};
  Range range;
  for (const OpCase& op : OpCases(model)) {
    for (const auto& [rows, in, out] : shapes) {
      if (!op.name.starts_with(fmt::format("linear {}x{}x{}", rows, in, out))) continue;
      const auto prepared = op.prepare(*backend);
      std::vector<double> ratios;
      for (int round = 0; round < 5; ++round) {
        const double peer = OneDnnMatmulSeconds(rows, in, out, threads);
        ratios.push_back(100.0 * peer / MedianSeconds([&] { prepared->Run(); }, 5, 0.1, ClockFor(threads)));
      }
      std::sort(ratios.begin(), ratios.end());
      range.Add(ratios[2]);
      fmt::print("  {:<44} {:>5.1f} % of oneDNN's rate\n", op.name, ratios[2]);
      break;
    }
  }
  return range;
}
#endif

void PrintInShort(const std::string& model, const std::vector<Result>& results) {
  const auto f32 =
      std::find_if(results.begin(), results.end(), [](const Result& r) { return !r.kernels->bf16; });
  fmt::print(" {} in short\n", model);
  for (const Result& result : results) {
    fmt::print("  {} {}: products {} of bare, whole network {:.0f} % of bare, {:.1f} frames/s",
               result.kernels->name, result.kernels->bf16 ? "bf16" : "f32", result.products.Text(),
               result.whole_percent, 3.0 / result.whole_seconds);
    if (result.kernels->bf16 && f32 != results.end()) {
      fmt::print(", {:.2f} times as fast as {} f32", f32->whole_seconds / result.whole_seconds,
                 f32->kernels->name);
    }
    fmt::print("\n");
  }
}

int Main(int argc, char** argv) {
  const int threads = argc > 1 ? std::atoi(argv[1]) : 2;
  const std::string wanted = argc > 2 ? argv[2] : "both";
  const std::string wanted_kernels = argc > 3 ? argv[3] : "all";
  const bool checked = argc <= 4 || std::string(argv[4]) != "unchecked";
  std::setvbuf(stdout, nullptr, _IOLBF, 0);  // what is done is told also when the rest is broken off
  std::vector<const CpuKernels*> kernel_sets;
  for (const CpuKernels* kernels : SupportedKernels()) {
    if (wanted_kernels == "all" || wanted_kernels == kernels->name) kernel_sets.push_back(kernels);
  }
  if (kernel_sets.empty()) {
    fmt::print(stderr, "this CPU has no kernels '{}'\n", wanted_kernels);
    return 2;
  }
  bool correct = true;
  // `ref` first, on every core.
  std::vector<std::pair<std::string, WholeResult>> oracles;  // without values if unchecked
  for (const char* name : {"calfvo-s", "calfvo-l"}) {
    if (wanted != "both" && wanted != name) continue;
    oracles.emplace_back(name, WholeResult{});
    if (!checked) continue;
    const auto ref = MakeRefBackend(0);
    oracles.back().second = RunWhole(RandomModel(NamedConfig(name), 1), *ref, nullptr);
  }
  const std::vector<int> processors =
      KeepToQuietProcessors(threads, [&] { return kernel_sets.front()->bare_flop(10'000); });
  fmt::print("threads: {}; processors: {}\n", threads,
             processors.empty() ? "any" : fmt::format("{}", fmt::join(processors, ", ")));
  for (const auto& [model_name, oracle] : oracles) {
    const ModelFile model = RandomModel(NamedConfig(model_name), 1);
    fmt::print("{}: {:.1f} M parameters, {:.1f} GFLOP per three frames and a window\n", model_name,
               1e-6 * static_cast<double>(ParameterCount(ModelTensors(model.config))),
               GflopPerWindow(model.config));
    std::vector<Result> results;
    for (const CpuKernels* kernels : kernel_sets) {
      BareRate bare(*kernels, threads);
      fmt::print(" {} {}: bare rate {:.0f} GFLOP/s\n", kernels->name, kernels->bf16 ? "bf16" : "f32",
                 bare.Gflops());
      Result result{kernels};
      BenchOps(model_name, bare, threads, checked, result);
      BenchWhole(model, oracle.values, bare, threads, result);
      correct = correct && result.correct;
      results.push_back(result);
    }
    PrintInShort(model_name, results);
#if defined(CALFVO_HAS_DNNL)
    for (const Result& result : results) {
      if (result.kernels->bf16) continue;
      const Range range = BenchOneDnn(model_name, model.config.decoder.dim, *result.kernels, threads);
      fmt::print("  in short: {} of oneDNN's rate\n", range.Text());
      break;
    }
#endif
  }
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  fmt::print("peak memory {} MB\n", usage.ru_maxrss / 1024);
  return correct ? 0 : 1;
}

}  // namespace
}  // namespace calfvo

int main(int argc, char** argv) {
  return calfvo::Main(argc, argv);
}
