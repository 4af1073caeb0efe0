// SPDX-License-Identifier: Apache-2.0
#include "nn/backend/cpu/kernels.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#elif defined(__aarch64__)
#include <asm/hwcap.h>
#include <sys/auxv.h>
#endif

namespace calfvo {

extern const CpuKernels kGenericKernels;
extern const CpuKernels kGenericInt8Kernels;
#if defined(__x86_64__)
extern const CpuKernels kAvx2Kernels;
extern const CpuKernels kAvx512Kernels;
extern const CpuKernels kAvx512Bf16Kernels;
extern const CpuKernels kAmxKernels;
extern const CpuKernels kAmxInt8Kernels;
extern const CpuKernels kAvx2Int8Kernels;
extern const CpuKernels kAvxVnniKernels;
extern const CpuKernels kAvx512VnniKernels;
extern const CpuKernels kAvx512Bf16VnniKernels;

namespace {

// CPUID leaf 7, register edx: flags of newer instructions.
unsigned NewerInstructions() {
  unsigned eax = 0;
  unsigned ebx = 0;
  unsigned ecx = 0;
  unsigned edx = 0;
  return __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) != 0 ? edx : 0;
}

// Whether the CPU multiplies 8-bit integers in AMX tiles, if AmxIsUsable.
bool HasAmxInt8() {
  constexpr unsigned kInt8Bit = 1U << 25;
  return (NewerInstructions() & kInt8Bit) != 0;
}

// CPUID leaf 7, sub-leaf 1, register eax.
bool HasAvxVnni() {
  constexpr unsigned kAvxVnniBit = 1U << 4;
  unsigned eax = 0;
  unsigned ebx = 0;
  unsigned ecx = 0;
  unsigned edx = 0;
  return __get_cpuid_count(7, 1, &eax, &ebx, &ecx, &edx) != 0 && (eax & kAvxVnniBit) != 0;
}

// Whether the CPU has AMX tiles of bf16 and the system lets this process use them. Linux enables the large
// tile registers only on request.
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
#elif defined(__aarch64__)
extern const CpuKernels kNeonKernels;
extern const CpuKernels kNeonBf16Kernels;
extern const CpuKernels kNeonDotKernels;
extern const CpuKernels kNeonBf16DotKernels;
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
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (avx2) supported.push_back(&kAvx2Kernels);
#elif defined(__aarch64__)
  const bool bf16 = (::getauxval(AT_HWCAP2) & HWCAP2_BF16) != 0;
  if (bf16) supported.push_back(&kNeonBf16Kernels);
  supported.push_back(&kNeonKernels);
#endif
  supported.push_back(&kGenericKernels);
#if defined(__x86_64__)
  const bool vnni = avx512 && __builtin_cpu_supports("avx512vnni");
  if (amx && HasAmxInt8()) supported.push_back(&kAmxInt8Kernels);
  if (vnni && bf16) supported.push_back(&kAvx512Bf16VnniKernels);
  if (vnni) supported.push_back(&kAvx512VnniKernels);
  if (avx2 && HasAvxVnni()) supported.push_back(&kAvxVnniKernels);
  if (avx2) supported.push_back(&kAvx2Int8Kernels);
#elif defined(__aarch64__)
  const bool dot = (::getauxval(AT_HWCAP) & HWCAP_ASIMDDP) != 0;
  if (dot && bf16) supported.push_back(&kNeonBf16DotKernels);
  if (dot) supported.push_back(&kNeonDotKernels);
#endif
  supported.push_back(&kGenericInt8Kernels);
  return supported;
}

}  // namespace calfvo
