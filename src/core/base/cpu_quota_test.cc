// SPDX-License-Identifier: Apache-2.0
#include "core/base/cpu_quota.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <string>

#include "core/base/testing.h"

namespace calfvo {
namespace {

constexpr const char* kMountV2 =
    "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n";
constexpr const char* kMountV1 =
    "31 23 0:28 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
    "32 23 0:29 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n";

// A root folder with the files of control groups.
class CpuQuotaTest : public testing::Test {
 protected:
  void Write(const std::string& name, const std::string& text) const {
    const std::filesystem::path path = folder_.path() / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
  }
  void Describe(const std::string& groups, const std::string& mounts) const {
    Write("proc/self/cgroup", groups);
    Write("proc/self/mountinfo", "22 1 8:1 / / rw - ext4 /dev/sda1 rw\n" + mounts);
  }
  void WriteV1(const std::string& folder, const std::string& quota_us, const std::string& period_us) const {
    Write(folder + "/cpu.cfs_quota_us", quota_us);
    Write(folder + "/cpu.cfs_period_us", period_us);
  }
  std::optional<int64_t> Quota() const { return CpuQuota(folder_.path()); }

  const TempFolder folder_;
};

TEST_F(CpuQuotaTest, IsOfTheProcessesOwnGroup) {
  Describe("0::/user.slice/app\n", kMountV2);
  EXPECT_EQ(Quota(), std::nullopt);
  Write("sys/fs/cgroup/user.slice/other/cpu.max", "100000 100000\n");
  EXPECT_EQ(Quota(), std::nullopt);
  Write("sys/fs/cgroup/user.slice/app/cpu.max", "max 100000\n");
  EXPECT_EQ(Quota(), std::nullopt);
  Write("sys/fs/cgroup/user.slice/app/cpu.max", "300000 100000\n");
  EXPECT_EQ(Quota(), 3);
}

TEST_F(CpuQuotaTest, IsTheSmallestOfAllGroupsAbove) {
  Describe("0::/a/b/c\n", kMountV2);
  Write("sys/fs/cgroup/a/b/c/cpu.max", "800000 100000\n");
  EXPECT_EQ(Quota(), 8);
  Write("sys/fs/cgroup/a/b/cpu.max", "max 100000\n");
  Write("sys/fs/cgroup/a/cpu.max", "400000 100000\n");
  EXPECT_EQ(Quota(), 4);
  Write("sys/fs/cgroup/cpu.max", "200000 100000\n");  // as containers see their own
  EXPECT_EQ(Quota(), 2);
  Write("sys/fs/cpu.max", "100000 100000\n");  // above the mount
  EXPECT_EQ(Quota(), 2);
}

TEST_F(CpuQuotaTest, IsRoundedUp) {
  Describe("0::/\n", kMountV2);
  for (const auto& [text, cores] : std::initializer_list<std::pair<const char*, int64_t>>{
           {"1000 100000", 1}, {"100000 100000", 1}, {"100001 100000", 2}, {"150000 100000", 2}}) {
    Write("sys/fs/cgroup/cpu.max", text);
    EXPECT_EQ(Quota(), cores) << text;
  }
}

TEST_F(CpuQuotaTest, IsReadFromVersion1Too) {
  Describe("5:memory:/m\n4:cpu,cpuacct:/docker/12:34\n3:cpuset:/s\n", kMountV1);
  WriteV1("sys/fs/cgroup/memory/m", "100000\n", "100000\n");
  WriteV1("sys/fs/cgroup/cpu,cpuacct/docker/12:34", "-1\n", "100000\n");
  EXPECT_EQ(Quota(), std::nullopt);
  WriteV1("sys/fs/cgroup/cpu,cpuacct/docker/12:34", "250000\n", "50000\n");
  EXPECT_EQ(Quota(), 5);
  WriteV1("sys/fs/cgroup/cpu,cpuacct/docker", "350000\n", "100000\n");
  EXPECT_EQ(Quota(), 4);
}

TEST_F(CpuQuotaTest, IsTheSmallerOfBothVersions) {
  Describe("1:cpu:/a\n0::/b\n",
           std::string(kMountV1) + "41 23 0:30 / /sys/fs/cgroup/unified rw - cgroup2 none rw\n");
  WriteV1("sys/fs/cgroup/cpu,cpuacct/a", "600000", "100000");
  Write("sys/fs/cgroup/unified/b/cpu.max", "700000 100000");
  EXPECT_EQ(Quota(), 6);
  Write("sys/fs/cgroup/unified/b/cpu.max", "500000 100000");
  EXPECT_EQ(Quota(), 5);
}

// In a container that sees the host's names of groups, its own is mounted.
TEST_F(CpuQuotaTest, KnowsWhichGroupIsMounted) {
  Describe("0::/system.slice/my\\x2dapp/inner\n",
           R"(30 23 0:26 /system.slice/my\134x2dapp /my\040groups rw - cgroup2 cgroup2 rw)");
  Write("my groups/cpu.max", "700000 100000\n");
  EXPECT_EQ(Quota(), 7);
  Write("my groups/inner/cpu.max", "600000 100000\n");
  EXPECT_EQ(Quota(), 6);
  // Groups beside its own are none of its business.
  Describe("0::/system.slice/other\n",
           R"(30 23 0:26 /system.slice/my\134x2dapp /my\040groups rw - cgroup2 cgroup2 rw)");
  EXPECT_EQ(Quota(), std::nullopt);
  Describe("0::/../sibling\n", R"(30 23 0:26 / /my\040groups rw - cgroup2 cgroup2 rw)");
  EXPECT_EQ(Quota(), std::nullopt);
}

TEST_F(CpuQuotaTest, NonsenseIsIgnored) {
  EXPECT_EQ(Quota(), std::nullopt);
  Describe("0::/\n", kMountV2);
  for (const std::string& text :
       {std::string(), std::string("\n"), std::string("max"), std::string("100000"), std::string("0 100000"),
        std::string("-1 100000"), std::string("100000 0"), std::string("100000 -5"),
        std::string("1e5 100000"), std::string("100000x 100000"), std::string("99999999999999999999 1"),
        std::string("\0\0 \0", 4), std::string(100'000, '9'), std::string(100'000, ' ')}) {
    Write("sys/fs/cgroup/cpu.max", text);
    EXPECT_EQ(Quota(), std::nullopt) << text.substr(0, 40);
  }
  Write("sys/fs/cgroup/cpu.max", "9223372036854775807 1");
  EXPECT_EQ(Quota(), std::numeric_limits<int64_t>::max());
  Write("sys/fs/cgroup/cpu.max", "1 9223372036854775807");
  EXPECT_EQ(Quota(), 1);
  std::filesystem::remove(folder_.path() / "sys/fs/cgroup/cpu.max");
  std::filesystem::create_directories(folder_.path() / "sys/fs/cgroup/cpu.max");
  EXPECT_EQ(Quota(), std::nullopt);
  std::filesystem::remove(folder_.path() / "proc/self/cgroup");
  std::filesystem::create_directories(folder_.path() / "proc/self/cgroup");
  EXPECT_EQ(Quota(), std::nullopt);
}

TEST_F(CpuQuotaTest, SurvivesAnyContent) {
  Write("sys/fs/cgroup/cpu.max", "300000 100000\n");
  WriteV1("sys/fs/cgroup/cpu,cpuacct", "300000\n", "100000\n");
  const std::string pieces[] = {"0::/", ":",     "/",     "..",      "cpu",
                                "\n",   " - ",   " ",     "cgroup2", "cgroup",
                                "\\",   "\\04",  "\\777", ",",       "/sys/fs/cgroup",
                                "rw",   "a",     "\xff",  kMountV2,  "4:cpu:/\n",
                                "9999", kMountV1};
  std::mt19937 random(1);
  const auto scramble = [&] {
    std::string text;
    for (unsigned i = random() % 40; i > 0; --i) text += pieces[random() % std::size(pieces)];
    if (random() % 4 == 0) text += '\0';
    return text;
  };
  int found = 0;
  for (int i = 0; i < 2000; ++i) {
    Describe(scramble(), scramble());
    Write("sys/fs/cgroup/a/cpu.max", scramble());
    const std::optional<int64_t> quota = Quota();
    EXPECT_GE(quota.value_or(1), 1);
    found += quota.has_value() ? 1 : 0;
  }
  EXPECT_GT(found, 20);  // they are not all nonsense
  std::string deep = "0::";
  for (int i = 0; i < 100'000; ++i) deep += "/a";
  Describe(deep + "\n", kMountV2);
  Write("sys/fs/cgroup/a/cpu.max", "200000 100000\n");
  EXPECT_EQ(Quota(), 2);
}

}  // namespace
}  // namespace calfvo
