// SPDX-License-Identifier: Apache-2.0
#include "loop/processes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "core/base/testing.h"

namespace calfvo::train {
namespace {

using testing::HasSubstr;

ProcessPlace Place(const std::map<std::string, std::string>& variables) {
  return PlaceFromVariables([&](const char* name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    if (found == variables.end()) return {};
    return found->second;
  });
}

TEST(ProcessPlace, KnowsTheLaunchers) {
  EXPECT_EQ(Place({}).size, 1);
  EXPECT_EQ(Place({{"WORLD_SIZE", "1"}, {"SLURM_NTASKS", "16"}}).size, 1);
  const ProcessPlace torchrun = Place({{"RANK", "5"},
                                       {"WORLD_SIZE", "16"},
                                       {"LOCAL_RANK", "1"},
                                       {"MASTER_ADDR", "node0"},
                                       {"MASTER_PORT", "1234"}});
  EXPECT_EQ(torchrun.rank, 5);
  EXPECT_EQ(torchrun.size, 16);
  EXPECT_EQ(torchrun.local_rank, 1);
  EXPECT_EQ(torchrun.address, "node0");
  EXPECT_EQ(torchrun.port, 1234);
  const ProcessPlace mpirun = Place({{"OMPI_COMM_WORLD_SIZE", "2"},
                                     {"OMPI_COMM_WORLD_RANK", "1"},
                                     {"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
                                     {"MASTER_ADDR", "a"}});
  EXPECT_EQ(mpirun.rank, 1);
  EXPECT_EQ(mpirun.port, 29500);
  const ProcessPlace srun =
      Place({{"SLURM_NTASKS", "16"}, {"SLURM_PROCID", "9"}, {"SLURM_LOCALID", "1"}, {"MASTER_ADDR", "a"}});
  EXPECT_EQ(srun.rank, 9);
  EXPECT_EQ(srun.local_rank, 1);
}

TEST(ProcessPlace, NamesTheVariable) {
  const auto message = [](const std::map<std::string, std::string>& variables) {
    return ErrorFrom([&] { Place(variables); });
  };
  EXPECT_THAT(message({{"WORLD_SIZE", "two"}}), HasSubstr("variable WORLD_SIZE is 'two'; expected a number"));
  EXPECT_THAT(message({{"WORLD_SIZE", "2"}}), HasSubstr("RANK is not set"));
  EXPECT_THAT(message({{"WORLD_SIZE", "2"}, {"RANK", "2"}, {"MASTER_ADDR", "a"}}),
              HasSubstr("variable RANK is '2'; expected a number from 0 to 1"));
  EXPECT_THAT(message({{"SLURM_NTASKS", "2"}, {"SLURM_PROCID", "0"}}), HasSubstr("MASTER_ADDR is not set"));
}

TEST(Processes, OneProcessNeedsNoOthers) {
  Processes alone({}, torch::kCPU);
  double number = 3.0;
  int64_t votes = 1;
  alone.Agree(number, votes);
  EXPECT_EQ(number, 3.0);
  EXPECT_EQ(votes, 1);
  const torch::Tensor tensor = torch::ones({3});
  alone.StartSum(tensor)();
  EXPECT_TRUE(torch::equal(tensor, torch::ones({3})));
}

}  // namespace
}  // namespace calfvo::train
