// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/kernels.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace calfvo {

extern const CpuKernels kGenericKernels;
#if defined(__x86_64__)
extern const CpuKernels kAvx2Kernels;
extern const CpuKernels kAvx512Kernels;
extern const CpuKernels kAvx512Bf16Kernels;
extern const CpuKernels kAmxKernels;

namespace {

// What the CPU says of its newer instructions in register edx of leaf 7.
unsigned NewerInstructions() {
  unsigned eax = 0;
  unsigned ebx = 0;
  unsigned ecx = 0;
  unsigned edx = 0;
  return __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) != 0 ? edx : 0;
}

// Whether the CPU has AMX tiles of bf16 and the system lets this process use them: tile registers are large,
// so Linux gives them only to those who ask.
bool AmxIsUsable() {
  constexpr unsigned kTileBit = 1U << 24;
  constexpr unsigned kBf16Bit = 1U << 22;
  const unsigned has = NewerInstructions();
  if ((has & kTileBit) == 0 || (has & kBf16Bit) == 0) return false;
  constexpr long kRequestPermission = 0x1023;  // ARCH_REQ_XCOMP_PERM
  constexpr long kTileData = 18;               // XFEATURE_XTILEDATA
  return ::syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
}

// Intel's CPUs with AMX multiply bf16 without tiles at little more than half the rate of f32. Virtual
// machines may hide AMX; these CPUs are also the ones with AVX-512 FP16.
bool Bf16IsSlow() {
  constexpr unsigned kFp16Bit = 1U << 23;
  return __builtin_cpu_is("intel") && (NewerInstructions() & kFp16Bit) != 0;
}

}  // namespace
#endif

std::vector<const CpuKernels*> SupportedKernels() {
  std::vector<const CpuKernels*> supported;
#if defined(__x86_64__)
  const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq");
  const bool bf16 = avx512 && __builtin_cpu_supports("avx512bf16");
  static const bool amx = bf16 && AmxIsUsable();
  if (amx) supported.push_back(&kAmxKernels);
  if (bf16 && !Bf16IsSlow()) supported.push_back(&kAvx512Bf16Kernels);
  if (avx512) supported.push_back(&kAvx512Kernels);
  if (bf16 && Bf16IsSlow()) supported.push_back(&kAvx512Bf16Kernels);
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) supported.push_back(&kAvx2Kernels);
#endif
  supported.push_back(&kGenericKernels);
  return supported;
}

}  // namespace calfvo
