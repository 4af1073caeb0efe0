// SPDX-License-Identifier: Apache-2.0
// The parts of the extension module calfvo._core.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <atomic>
#include <functional>

#include "calfvo/geometry.h"

namespace calfvo::python {

namespace nb = nanobind;

using Matrix = nb::ndarray<nb::numpy, double, nb::ndim<2>>;

void BindTrajectory(nb::module_& module);
void BindOdometry(nb::module_& module);

// New arrays.
Matrix ToNumpy(const Rigid3& pose);         // [4, 4]
Matrix ToNumpy(const Matrix6& covariance);  // [6, 6]

// Runs `work` in a thread without Python's lock while this one watches for signals. On Ctrl-C it sets `stop`,
// waits for `work`, which must then end soon, and throws KeyboardInterrupt. Throws what `work` throws.
void RunInterruptibly(const std::function<void(const std::atomic<bool>& stop)>& work);

}  // namespace calfvo::python
