// SPDX-License-Identifier: Apache-2.0
// The CUDA stream that renders images while the network trains. Built only with CALFVO_CUDA.
#pragma once

#include <c10/cuda/CUDAStream.h>

namespace calfvo::train {

// A stream of its own for each device, whose kernels keep to half of the device's processors where the driver
// can see to that: a kernel of the network then finds processors that no rendering has to leave first.
c10::cuda::CUDAStream RenderStream(c10::DeviceIndex device);

}  // namespace calfvo::train
