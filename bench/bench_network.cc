// SPDX-License-Identifier: Apache-2.0
// Speed of the network on the CPU. One run measures everything, so that ratios hold on a shared machine:
//   bench_network [threads, 2] [model: calfvo-s, calfvo-l or both] [kernels: all, or names with a comma
//   between them, of AMX, AVX-512, AVX-512 VNNI, AVX-VNNI, AVX2 and generic] [unchecked]
// For each set of kernels it prints the throughput of each operation and of the whole network (three frames
// encoded and one window decoded, the cost of three frames of a video), relative to the peak throughput
// (products without memory access). If oneDNN is installed, its f32 matmul is measured at the same shapes.
// Operations and the raw outputs of the network are compared with `ref` before they are timed, which takes
// minutes for calfvo-l, unless `unchecked`. A build with tests also has "AVX-512VL VNNI": the AVX-VNNI
// kernels on CPUs that have only the instruction's AVX-512 form. A summary of each model, as in
// docs/benchmarks.md, comes last.
//
// On a shared machine, threads are bound to the processors that are fastest together, chosen three times for
// each operation. "Undisturbed" divides the fastest tenth of the rounds by the fastest tenth of the peak
// throughput measurements.
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
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/thread_pool.h"
#include "cores.h"
#include "nn/architecture/model_file.h"
#include "nn/architecture/model_flops.h"
#include "nn/backend/backends.h"
#include "nn/backend/cpu/cpu_backend.h"
#if defined(CALFVO_HAS_STAND_IN)
#include "nn/backend/cpu/tested_kernels.h"
#endif
#include "nn/backend/op_cases.h"
#include "nn/backend/ref/ref_backend.h"
#include "nn/model/network.h"
#include "stopwatch.h"
#if defined(CALFVO_HAS_DNNL)
#include "onednn_peer.h"
#endif

namespace calfvo {
namespace {

double BoundOf(const OpCase& op, const CpuKernels& kernels) {
  if (kernels.int8 != nullptr) return op.bound_int8;
  return kernels.bf16 ? op.bound_bf16 : op.bound_f32;
}

const char* PrecisionOf(const CpuKernels& kernels) {
  return kernels.int8 != nullptr ? "int8" : kernels.bf16 ? "bf16" : "f32";
}

double PeakFlop(const CpuKernels& kernels, int64_t steps) {
  return kernels.int8 != nullptr ? kernels.int8->peak_flop(steps) : kernels.peak_flop(steps);
}

// Measures the peak throughput: products without memory access, on all threads together.
class PeakThroughput {
 public:
  PeakThroughput(const CpuKernels& kernels, int threads)
      : kernels_(kernels), pool_(threads), rates_(static_cast<size_t>(pool_.size())) {
    constexpr int64_t kSteps = 1 << 17;
    constexpr int64_t kMultiple = 64;  // so that none are left over
    const double start = SecondsOf(clock());
    PeakFlop(kernels, kSteps);
    const double chunks = kSteps / kMultiple * 5e-4 / (SecondsOf(clock()) - start);
    steps_ = (static_cast<int64_t>(chunks) + 1) * kMultiple;
  }

  // Each thread multiplies for `seconds`, or a little longer.
  double Gflops(double seconds) {
    std::atomic<int> begun = 0;
    pool_.ParallelFor(pool_.size(), [&](int64_t i) {
      for (++begun; begun < pool_.size();) std::this_thread::yield();
      double flop = 0.0;
      double taken = 0.0;
      for (const double start = SecondsOf(clock()); taken < seconds; taken = SecondsOf(clock()) - start) {
        flop += PeakFlop(kernels_, steps_);
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
  int64_t steps_ = 0;  // half a millisecond of them; starting takes one or two microseconds
};

// Timed rounds of calls of `gflop` each. The peak throughput is measured before and after each round, for as
// long as the round takes, so that other load on the machine slows down both alike.
struct Timing {
  struct Round {
    double seconds;  // of a call
    double before;   // peak throughput, GFLOP/s
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
  // From the fastest tenth of both: with no other load on these cores.
  double UndisturbedPercent() const {
    return 100.0 * gflop / Quantile(0.1, [](const Round& round) { return round.seconds; }) / Peak(0.9);
  }
  double Peak(double part) const {
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

// Adds up to `rounds` rounds, fewer if they take long. wake() is called before each and not timed: a
// backend's threads fall asleep while the peak throughput is measured.
template <typename Function, typename Wake>
void AddRounds(const Function& function, const Wake& wake, PeakThroughput& peak, int rounds, Timing& timing) {
  constexpr double kLeastSeconds = 2e-3;  // of a round
  constexpr double kMostSeconds = 20.0;   // of all, if there have been three
  const double first = SecondsOf(peak.clock());
  function();
  double before = peak.Gflops(std::max(kLeastSeconds, SecondsOf(peak.clock()) - first));
  const double end = SecondsOf(CLOCK_MONOTONIC) + kMostSeconds;
  for (int i = 0; i < rounds && (i < 3 || SecondsOf(CLOCK_MONOTONIC) < end); ++i) {
    wake();
    int calls = 0;
    double taken = 0.0;
    const double start = SecondsOf(peak.clock());
    for (; taken < kLeastSeconds; taken = SecondsOf(peak.clock()) - start, ++calls) function();
    const double after = peak.Gflops(taken);
    timing.rounds.push_back({taken / calls, before, after});
    before = after;
  }
}

// The smallest and the largest of some ratios, in percent.
struct Range {
  double least = INFINITY;
  double most = 0.0;

  void Add(double percent) {
    least = std::min(least, percent);
    most = std::max(most, percent);
  }
  std::string Text() const { return fmt::format("{:.0f}–{:.0f} %", least, most); }
};

// The measurements of one set of kernels.
struct Result {
  const CpuKernels* kernels;
  bool correct = true;
  std::vector<Timing> products;  // matrix products at the model's shapes
  Timing whole;
};

// A backend, and the peak throughput of the processors that it runs on.
struct Bench {
  Bench(const CpuKernels& kernels, int threads)
      : processors(threads, [&] { return PeakFlop(kernels, 10'000); }) {
    processors.StartBeside([&] {
      backend = MakeCpuBackend(kernels, threads);
      peak = std::make_unique<PeakThroughput>(kernels, threads);
    });
  }

  QuietProcessors processors;
  std::unique_ptr<Backend> backend;
  std::unique_ptr<PeakThroughput> peak;
};

// The relative error of `ours`, as text; clears result.correct if it exceeds `bound`. Empty without
// `expected`.
std::string Compare(const std::vector<float>& ours, const std::vector<float>& expected, double bound,
                    Result& result) {
  if (expected.empty()) return "";
  const double error = RelativeError(ours, expected);
  const bool ok = error <= bound;
  result.correct = result.correct && ok;
  return fmt::format("   error {:.1e}{}", error, ok ? "" : "  WRONG");
}

void Print(const Timing& timing, const std::string& more) {
  fmt::print("  {:<44} {:>9.3f} ms {:>9.1f} GFLOP/s {:>5.1f} % of peak, undisturbed {:>5.1f} %{}\n",
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
      compared = Compare(prepared->Output(), expected, BoundOf(op, kernels), result);
      const auto to_wake = short_op->prepare(*bench.backend);
      AddRounds([&] { prepared->Run(); }, [&] { to_wake->Run(); }, *bench.peak, kRounds, timing);
    }
    Print(timing, compared);
    if (op.name.starts_with("linear")) result.products.push_back(timing);
  }
}

// Three frames through the encoder, one window through the decoder.
double GflopPerWindow(const ModelConfig& config) {
  return 1e-9 * 3.0 * CountFlops(config).PerFrame(3);
}

// A network's raw outputs and its timing, which has no rounds if `peak` was null.
struct WholeResult {
  Timing timing;
  std::vector<float> values;
};

WholeResult RunWhole(const ModelFile& model, Backend& backend, PeakThroughput* peak) {
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
    std::vector<EncoderInput> frames;
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
  const auto is_awake = [] {};  // waking takes little of such a long round
  if (peak != nullptr) AddRounds(step, is_awake, *peak, 11, result.timing);
  return result;
}

void BenchWhole(const ModelFile& model, const std::vector<float>& expected, int threads, Result& result) {
  const Bench bench(*result.kernels, threads);
  WholeResult whole = RunWhole(model, *bench.backend, bench.peak.get());
  const std::string compared = Compare(whole.values, expected,
                                       result.kernels->int8 != nullptr ? 5e-2
                                       : result.kernels->bf16          ? 2e-2
                                                                       : 1e-4,
                                       result);
  result.whole = std::move(whole.timing);
  Print(result.whole, fmt::format("{}   {:.1f} frames/s", compared, 3.0 / result.whole.Seconds()));
}

#if defined(CALFVO_HAS_DNNL)
// The throughput of our f32 products relative to oneDNN's, timed alternately. Ours include GELU or the
// addition to the residual stream where the network has them; oneDNN's do not.
Range BenchOneDnn(const std::string& model, int64_t dim, const CpuKernels& kernels, int threads) {
  fmt::print(" {} f32 and oneDNN\n", kernels.name);
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
      fmt::print("  {:<44} {:>5.1f} % of oneDNN's throughput\n", op.name, ratios[2]);
      break;
    }
  }
  return range;
}
#endif

void PrintSummary(const std::string& model, const std::vector<Result>& results) {
  const auto f32 = std::find_if(results.begin(), results.end(), [](const Result& r) {
    return !r.kernels->bf16 && r.kernels->int8 == nullptr;
  });
  fmt::print(" {} summary\n", model);
  for (const Result& result : results) {
    const double seconds = result.whole.Seconds();
    Range products;
    Range undisturbed;
    for (const Timing& product : result.products) {
      products.Add(product.Percent());
      undisturbed.Add(product.UndisturbedPercent());
    }
    fmt::print(
        "  {} {}: products {} of peak (undisturbed {}), whole network {:.0f} % of peak ({:.0f} %), {:.1f} "
        "frames/s",
        result.kernels->name, PrecisionOf(*result.kernels), products.Text(), undisturbed.Text(),
        result.whole.Percent(), result.whole.UndisturbedPercent(), 3.0 / seconds);
    if (PrecisionOf(*result.kernels) != std::string("f32") && f32 != results.end()) {
      fmt::print(", {:.2f} times as fast as {} f32", f32->whole.Seconds() / seconds, f32->kernels->name);
    }
    fmt::print("; peak {:.0f} GFLOP/s ({:.0f})\n", result.whole.Peak(0.5), result.whole.Peak(0.9));
  }
}

bool IsListed(std::string_view name, std::string_view list) {
  for (size_t begin = 0; begin <= list.size();) {
    const size_t end = std::min(list.find(',', begin), list.size());
    if (list.substr(begin, end - begin) == name) return true;
    begin = end + 1;
  }
  return false;
}

int Main(int argc, char** argv) {
  const int threads = argc > 1 ? std::atoi(argv[1]) : 2;
  const std::string wanted = argc > 2 ? argv[2] : "both";
  const std::string wanted_kernels = argc > 3 ? argv[3] : "all";
  const bool checked = argc <= 4 || std::string(argv[4]) != "unchecked";
  std::setvbuf(stdout, nullptr, _IOLBF, 0);  // results appear even if the program is interrupted
  std::vector<const CpuKernels*> kernel_sets;
  std::vector<const CpuKernels*> supported = SupportedKernels();
#if defined(CALFVO_HAS_STAND_IN)
  if (const CpuKernels* stand_in = AvxVnniStandIn(); stand_in != nullptr) supported.push_back(stand_in);
#endif
  for (const CpuKernels* kernels : supported) {
    if (wanted_kernels == "all" || IsListed(kernels->name, wanted_kernels)) kernel_sets.push_back(kernels);
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
      fmt::print(" {} {}\n", kernels->name, PrecisionOf(*kernels));
      Result result{kernels};
      BenchOps(model_name, threads, checked, result);
      BenchWhole(model, oracle.values, threads, result);
      correct = correct && result.correct;
      results.push_back(result);
    }
    PrintSummary(model_name, results);
#if defined(CALFVO_HAS_DNNL)
    for (const Result& result : results) {
      if (result.kernels->bf16 || result.kernels->int8 != nullptr) continue;
      const Range range = BenchOneDnn(model_name, model.config.decoder.dim, *result.kernels, threads);
      fmt::print("  summary: {} of oneDNN's throughput\n", range.Text());
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
