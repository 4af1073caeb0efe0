// SPDX-License-Identifier: Apache-2.0
#include "loop/processes.h"

#include <fmt/format.h>
#include <torch/version.h>

#include "calfvo/error.h"

// LibTorch defines which transports it was built with; using one takes that transport's own headers too.
#if defined(USE_C10D_GLOO) && __has_include(<gloo/algorithm.h>)
#define CALFVO_GLOO
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#endif
#if defined(USE_C10D_NCCL) && __has_include(<nccl.h>)
#define CALFVO_NCCL
#include <torch/csrc/distributed/c10d/ProcessGroupNCCL.hpp>
#endif

#if defined(CALFVO_GLOO) || defined(CALFVO_NCCL)
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

namespace calfvo::train {

#if TORCH_VERSION_MAJOR >= 2
using Backend = c10d::Backend;
#else
using Backend = c10d::ProcessGroup;
#endif

struct Processes::Group {
  c10::intrusive_ptr<Backend> backend;

  Group(const ProcessPlace& place, torch::Device device) {
    c10d::TCPStoreOptions options;
    options.port = static_cast<uint16_t>(place.port);
    options.isServer = place.rank == 0;
    options.numWorkers = static_cast<size_t>(place.size);
    const auto store = c10::make_intrusive<c10d::TCPStore>(place.address, options);
    if (device.is_cuda()) {
#ifdef CALFVO_NCCL
      backend = c10::make_intrusive<c10d::ProcessGroupNCCL>(store, place.rank, place.size);
#endif
    } else {
#ifdef CALFVO_GLOO
      const auto gloo = c10d::ProcessGroupGloo::Options::create();
      gloo->devices = {c10d::ProcessGroupGloo::createDefaultDevice()};
      backend = c10::make_intrusive<c10d::ProcessGroupGloo>(store, place.rank, place.size, gloo);
#endif
    }
    if (!backend) {
      throw Error(fmt::format("this build cannot train with several processes on {}: it lacks {}",
                              device.str(),
                              device.is_cuda() ? "NCCL's header nccl.h" : "Gloo's headers (libgloo-dev)"));
    }
  }

  std::function<void()> StartSum(torch::Tensor tensor) const {
    std::vector<torch::Tensor> tensors = {std::move(tensor)};
    return [work = backend->allreduce(tensors)] { work->wait(); };
  }
};

}  // namespace calfvo::train
#else
namespace calfvo::train {

struct Processes::Group {
  Group(const ProcessPlace&, torch::Device) {
    throw Error(
        "this build trains with one process only: LibTorch or the headers of Gloo and NCCL lack what "
        "several need");
  }
  std::function<void()> StartSum(const torch::Tensor&) const {
    return [] {};
  }
};

}  // namespace calfvo::train
#endif

namespace calfvo::train {

Processes::Processes(const ProcessPlace& place, torch::Device device) : place_(place), device_(device) {
  if (place.address.empty()) return;
  try {
    group_ = std::make_unique<Group>(place, device);
  } catch (const c10::Error& error) {
    throw Error(fmt::format("process {} of {} cannot join the others at {}:{}: {}", place.rank, place.size,
                            place.address, place.port, error.what_without_backtrace()));
  }
}

Processes::~Processes() = default;

std::function<void()> Processes::StartSum(torch::Tensor tensor) {
  if (!group_) return [] {};
  return group_->StartSum(std::move(tensor));
}

std::vector<double> Processes::Sum(const std::vector<double>& numbers) {
  if (!group_) return numbers;
  torch::Tensor shared = torch::tensor(numbers, torch::kFloat64).to(device_);
  group_->StartSum(shared)();
  shared = shared.cpu();
  return {shared.data_ptr<double>(), shared.data_ptr<double>() + shared.numel()};
}

void Processes::Agree(double& number, int64_t& votes) {
  const std::vector<double> sums = Sum({first() ? number : 0.0, static_cast<double>(votes)});
  number = group_ ? sums[0] : number;
  votes = static_cast<int64_t>(sums[1]);
}

}  // namespace calfvo::train
