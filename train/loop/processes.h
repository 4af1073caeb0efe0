// SPDX-License-Identifier: Apache-2.0
// The processes of a run, one per GPU (or several on CPUs), and their communication.
#pragma once

#include <torch/types.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace calfvo::train {

// The place of this process among those of a run.
struct ProcessPlace {
  int rank = 0;
  int size = 1;
  int local_rank = 0;   // among the processes of this machine: the GPU it uses
  std::string address;  // where rank 0 listens; empty for a single process
  int port = 29500;
};

// From the variables that torchrun sets (RANK, WORLD_SIZE, LOCAL_RANK, MASTER_ADDR, MASTER_PORT), or mpirun
// (OMPI_COMM_WORLD_RANK, …) or srun (SLURM_PROCID, …) with MASTER_ADDR beside them; one process where none
// are set. `lookup` gives the value of a variable. Throws Error naming the variable that is missing or makes
// no sense.
ProcessPlace PlaceFromVariables(const std::function<std::optional<std::string>(const char*)>& lookup);
ProcessPlace PlaceFromEnvironment();

// Every process makes the same calls in the same order. Without an address they do nothing.
class Processes {
 public:
  // Waits for the others: NCCL for CUDA devices, Gloo for CPUs. Throws Error where this build lacks it, or
  // the others do not come.
  Processes(const ProcessPlace& place, torch::Device device);
  ~Processes();
  Processes(const Processes&) = delete;
  Processes& operator=(const Processes&) = delete;

  int rank() const { return place_.rank; }
  int size() const { return place_.size; }
  bool first() const { return place_.rank == 0; }
  bool first_of_machine() const { return place_.local_rank == 0; }

  // Begins to add up `tensor`, in place, over all processes; call what it returns before using the tensor.
  std::function<void()> StartSum(torch::Tensor tensor);

  // The sums over all processes.
  std::vector<double> Sum(const std::vector<double>& numbers);

  // Gives everybody rank 0's numbers, and the sum of everybody's `votes`.
  void Agree(double& number, int64_t& votes);

 private:
  struct Group;
  ProcessPlace place_;
  torch::Device device_;
  std::unique_ptr<Group> group_;  // null without an address
};

}  // namespace calfvo::train
