// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>

#include "bindings.h"
#include "calfvo/error.h"
#include "calfvo/version.h"

namespace calfvo::python {

void RunInterruptibly(const std::function<void(const std::atomic<bool>& stop)>& work) {
  std::atomic<bool> stop = false;
  std::mutex mutex;
  std::condition_variable changed;
  bool done = false;
  std::exception_ptr failure;
  bool interrupted = false;
  {
    const nb::gil_scoped_release release;
    std::thread thread([&] {
      std::exception_ptr caught;
      try {
        work(stop);
      } catch (...) {
        caught = std::current_exception();
      }
      const std::lock_guard lock(mutex);
      failure = std::move(caught);
      done = true;
      changed.notify_all();
    });
    std::unique_lock lock(mutex);
    while (!changed.wait_for(lock, std::chrono::milliseconds(50), [&] { return done; })) {
      lock.unlock();
      if (!interrupted) {
        const nb::gil_scoped_acquire acquire;
        interrupted = PyErr_CheckSignals() != 0;
        if (interrupted) PyErr_Clear();
      }
      if (interrupted) stop = true;
      lock.lock();
    }
    lock.unlock();
    thread.join();
  }
  if (interrupted) {
    failure = nullptr;
    PyErr_SetNone(PyExc_KeyboardInterrupt);
    throw nb::python_error();
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace calfvo::python

NB_MODULE(_core, module) {
  namespace nb = nanobind;
  module.doc() = "The C++ library behind calfvo.";
  module.attr("version") = calfvo::Version();
  nb::exception<calfvo::Error>(module, "Error", PyExc_RuntimeError).doc() =
      "What calfvo raises: the message names the file, the field, the value and what was expected.";
  calfvo::python::BindTrajectory(module);
  calfvo::python::BindOdometry(module);
}
