// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>

#include "core/trajectory/test_trajectory.h"

namespace calfvo {
namespace {

// NumPy itself is the judge: it loads the file and compares it with the TUM text of the same trajectory.
constexpr const char* kNumPyCheck = R"(
import sys, numpy as np
npz, tum = np.load(sys.argv[1]), np.loadtxt(sys.argv[2], ndmin=2)
n = len(tum)
assert npz['timestamps_ns'].dtype == np.int64 and npz['timestamps_ns'].shape == (n,)
assert np.abs(npz['timestamps_ns'] / 1e9 - tum[:, 0]).max(initial=0) < 1e-6
assert (npz['positions'] == tum[:, 1:4]).all() and npz['positions'].shape == (n, 3)
assert (npz['quaternions_xyzw'] == tum[:, 4:8]).all() and npz['quaternions_xyzw'].shape == (n, 4)
c = npz['covariances']
assert c.shape == (n, 6, 6) and (c == c.transpose(0, 2, 1)).all() and (np.linalg.eigvalsh(c) > -1e-9).all()
)";

TEST(Npz, LoadsInNumPy) {
  if (std::system("/usr/bin/python3 -c 'import numpy' 2>/dev/null") != 0)
    GTEST_SKIP() << "needs python3-numpy";
  const TempFolder folder;
  WriteFileAtomically(folder.path() / "check.py", kNumPyCheck);
  for (const size_t size : {1U, 3U, 1000U}) {
    const Trajectory trajectory = RandomTrajectory(size, /*with_covariance=*/true);
    WriteTrajectory(trajectory, folder.path() / "t.npz", TrajectoryFormat::kNpz);
    WriteTrajectory(trajectory, folder.path() / "t.tum", TrajectoryFormat::kTum);
    const std::string command = "cd " + folder.path().string() + " && /usr/bin/python3 check.py t.npz t.tum";
    EXPECT_EQ(WEXITSTATUS(std::system(command.c_str())), 0) << size << " poses";
  }
}

}  // namespace
}  // namespace calfvo
