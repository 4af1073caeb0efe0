// SPDX-License-Identifier: Apache-2.0
// The network on the CPU, everything in one run so that ratios mean something on a shared machine:
//   bench_network [threads, 2] [model: calfvo-s, calfvo-l or both] [kernels: AMX, AVX-512, AVX2, generic or
//   all] [unchecked]
// For each set of kernels: the bare rate (products without memory), each operation's rate as a part of that,
// oneDNN's f32 matmul at the same shapes where oneDNN is installed, and the whole network: three frames
// encoded and one window decoded, which is what a video costs per three frames. Operations are compared with
// `ref` before they are timed, and the raw outputs of the whole network with those of `ref`, which takes
// minutes for calfvo-l, unless `unchecked`. At the end, for each model, the same in short: what
// docs/benchmarks.md tells.
//
// Where others use the machine, too, threads are kept to the processors that are fastest together, chosen
// anew three times for each operation. "Undisturbed" compares the fastest tenth of its rounds with the
// fastest tenth of the bare rate's.
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <numeric>
#include <string>
#include <thread>
#include <utility>
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

// The rate of products without memory, of all threads together.
class BareRate {
 public:
  BareRate(const CpuKernels& kernels, int threads)
      : kernels_(kernels), pool_(threads), rates_(static_cast<size_t>(pool_.size())) {
    constexpr int64_t kSteps = 1 << 17;
    constexpr int64_t kMultiple = 64;  // so that none are left over
    const double start = SecondsOf(clock());
    kernels.bare_flop(kSteps);
    const double chunks = kSteps / kMultiple * 5e-4 / (SecondsOf(clock()) - start);
    steps_ = (static_cast<int64_t>(chunks) + 1) * kMultiple;
  }

  // While each thread does some for so long, or a little longer.
  double Gflops(double seconds) {
    std::atomic<int> begun = 0;
    pool_.ParallelFor(pool_.size(), [&](int64_t i) {
      for (++begun; begun < pool_.size();) std::this_thread::yield();
      double flop = 0.0;
      double taken = 0.0;
      for (const double start = SecondsOf(clock()); taken < seconds; taken = SecondsOf(clock()) - start) {
        flop += kernels_.bare_flop(steps_);
      }
      rates_[static_cast<size_t>(i)] = 1e-9 * flop / taken;
    });
    return std::accumulate(rates_.begin(), rates_.end(), 0.0);
  }
  clockid_t clock() const { return ClockFor(pool_.size()); }

 private:
  const CpuKernels& kernels_;
  ThreadPool pool_;
  std::vector<double> rates_;
  int64_t steps_ = 0;  // half a millisecond: to begin takes one or two microseconds
};

// Calls of something that takes `gflop`, each round of them between two of the bare rate that are as long:
// then whatever else the machine does is as likely to slow one down as the other.
struct Timing {
  struct Round {
    double seconds;  // of a call
    double before;   // bare rates, GFLOP/s
    double after;
  };

  double Seconds() const {
    return Quantile(0.5, [](const Round& round) { return round.seconds; });
  }
  double Percent() const {
    return Quantile(0.5, [this](const Round& round) {
      return 100.0 * gflop / round.seconds / (0.5 * (round.before + round.after));
    });
  }
  // The same of the fastest tenth of either: when nobody else had any use for these cores.
  double UndisturbedPercent() const {
    return 100.0 * gflop / Quantile(0.1, [](const Round& round) { return round.seconds; }) / Bare(0.9);
  }
  double Bare(double part) const {
    return Quantile(part, [](const Round& round) { return round.after; });
  }

  std::string name;
  double gflop;
  std::vector<Round> rounds;

 private:
  template <typename Of>
  double Quantile(double part, const Of& of) const {
    std::vector<double> values;
    for (const Round& round : rounds) values.push_back(of(round));
    std::sort(values.begin(), values.end());
    return values[static_cast<size_t>(part * static_cast<double>(values.size()))];
  }
};

// Fewer rounds where they take long. wake() is called before each, and what it takes does not count: while
// the bare rate is taken, threads of a backend fall asleep.
template <typename Function, typename Wake>
void AddRounds(const Function& function, const Wake& wake, BareRate& bare, int rounds, Timing& timing) {
  constexpr double kLeastSeconds = 2e-3;  // of a round
  constexpr double kMostSeconds = 20.0;   // of all, if there have been three
  const double first = SecondsOf(bare.clock());
  function();
  double before = bare.Gflops(std::max(kLeastSeconds, SecondsOf(bare.clock()) - first));
  const double end = SecondsOf(CLOCK_MONOTONIC) + kMostSeconds;
  for (int i = 0; i < rounds && (i < 3 || SecondsOf(CLOCK_MONOTONIC) < end); ++i) {
    wake();
    int calls = 0;
    double taken = 0.0;
    const double start = SecondsOf(bare.clock());
    for (; taken < kLeastSeconds; taken = SecondsOf(bare.clock()) - start, ++calls) function();
    const double after = bare.Gflops(taken);
    timing.rounds.push_back({taken / calls, before, after});
    before = after;
  }
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
  std::vector<Timing> products;  // matrix products at the model's shapes
  Timing whole;
};

// A backend and the bare rate on the same processors.
struct Bench {
  Bench(const CpuKernels& kernels, int threads)
      : processors(threads, [&] { return kernels.bare_flop(10'000); }) {
    processors.StartBeside([&] {
      backend = MakeCpuBackend(kernels, threads);
      bare = std::make_unique<BareRate>(kernels, threads);
    });
  }

  QuietProcessors processors;
  std::unique_ptr<Backend> backend;
  std::unique_ptr<BareRate> bare;
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

void Tell(const Timing& timing, const std::string& more) {
  fmt::print("  {:<44} {:>9.3f} ms {:>9.1f} GFLOP/s {:>5.1f} % of bare, undisturbed {:>5.1f} %{}\n",
             timing.name, 1e3 * timing.Seconds(), timing.gflop / timing.Seconds(), timing.Percent(),
             timing.UndisturbedPercent(), more);
}

void BenchOps(const std::string& model, int threads, bool checked, Result& result) {
  constexpr int kChoices = 3;  // of processors, one after the other
  constexpr int kRounds = 21;  // with each
  const CpuKernels& kernels = *result.kernels;
  const auto ref = MakeRefBackend(threads);
  const std::vector<OpCase> ops = OpCases(model);
  const auto short_op = std::find_if(ops.begin(), ops.end(),
                                     [](const OpCase& op) { return op.name.starts_with("layer norm"); });
  for (const OpCase& op : ops) {
    std::vector<float> expected;
    if (checked) {
      const auto oracle = op.prepare(*ref);
      oracle->Run();
      expected = oracle->Output();
    }
    std::string compared;
    Timing timing{op.name, op.gflop, {}};
    for (int choice = 0; choice < kChoices; ++choice) {
      const Bench bench(kernels, threads);
      const auto prepared = op.prepare(*bench.backend);
      prepared->Run();
      compared = Compare(prepared->Output(), expected, kernels.bf16 ? op.bound_bf16 : op.bound_f32, result);
      const auto to_wake = short_op->prepare(*bench.backend);
      AddRounds([&] { prepared->Run(); }, [&] { to_wake->Run(); }, *bench.bare, kRounds, timing);
    }
    Tell(timing, compared);
    if (op.name.starts_with("linear")) result.products.push_back(timing);
  }
}

// Three frames through the encoder, one window through the decoder.
double GflopPerWindow(const ModelConfig& config) {
  return 1e-9 * 3.0 * CountFlops(config).PerFrame(3);
}

// A network's raw outputs and its time, without any rounds where there was no bare rate to take beside it.
struct WholeResult {
  Timing timing;
  std::vector<float> values;
};

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
  result.timing = {"whole network", GflopPerWindow(model.config), {}};
  const auto is_awake = [] {};  // soon enough for what takes so long
  if (bare != nullptr) AddRounds(step, is_awake, *bare, 11, result.timing);
  return result;
}

void BenchWhole(const ModelFile& model, const std::vector<float>& expected, int threads, Result& result) {
  const Bench bench(*result.kernels, threads);
  WholeResult whole = RunWhole(model, *bench.backend, bench.bare.get());
  const std::string compared = Compare(whole.values, expected, result.kernels->bf16 ? 2e-2 : 1e-4, result);
  result.whole = std::move(whole.timing);
  Tell(result.whole, fmt::format("{}   {:.1f} frames/s", compared, 3.0 / result.whole.Seconds()));
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
    const double seconds = result.whole.Seconds();
    Range products;
    Range undisturbed;
    for (const Timing& product : result.products) {
      products.Add(product.Percent());
      undisturbed.Add(product.UndisturbedPercent());
    }
    fmt::print(
        "  {} {}: products {} of bare (undisturbed {}), whole network {:.0f} % of bare ({:.0f} %), {:.1f} "
        "frames/s",
        result.kernels->name, result.kernels->bf16 ? "bf16" : "f32", products.Text(), undisturbed.Text(),
        result.whole.Percent(), result.whole.UndisturbedPercent(), 3.0 / seconds);
    if (result.kernels->bf16 && f32 != results.end()) {
      fmt::print(", {:.2f} times as fast as {} f32", f32->whole.Seconds() / seconds, f32->kernels->name);
    }
    fmt::print("; bare {:.0f} GFLOP/s ({:.0f})\n", result.whole.Bare(0.5), result.whole.Bare(0.9));
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
  fmt::print("threads: {}\n", threads);
  for (const auto& [model_name, oracle] : oracles) {
    const ModelFile model = RandomModel(NamedConfig(model_name), 1);
    fmt::print("{}: {:.1f} M parameters, {:.1f} GFLOP per three frames and a window\n", model_name,
               1e-6 * static_cast<double>(ParameterCount(ModelTensors(model.config))),
               GflopPerWindow(model.config));
    std::vector<Result> results;
    for (const CpuKernels* kernels : kernel_sets) {
      fmt::print(" {} {}\n", kernels->name, kernels->bf16 ? "bf16" : "f32");
      Result result{kernels};
      BenchOps(model_name, threads, checked, result);
      BenchWhole(model, oracle.values, threads, result);
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
  try {
    return calfvo::Main(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
