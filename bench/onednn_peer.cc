// SPDX-License-Identifier: Apache-2.0
#include "onednn_peer.h"

#include <omp.h>

#include <oneapi/dnnl/dnnl.hpp>
#include <vector>

#include "stopwatch.h"

namespace calfvo {

double OneDnnMatmulSeconds(int64_t rows, int64_t in, int64_t out, int threads) {
  using dnnl::memory;
  // oneDNN 2.6 executes an illegal instruction in its AMX path on some CPUs. Only the first call takes
  // effect.
  dnnl::set_max_cpu_isa(dnnl::cpu_isa::avx512_core_bf16);
  omp_set_num_threads(threads);
  const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  dnnl::stream stream(engine);
  const auto f32 = memory::data_type::f32;
  const memory::desc x_desc({rows, in}, f32, memory::format_tag::ab);
  const memory::desc any_weight({in, out}, f32, memory::format_tag::any);
  const memory::desc plain_weight({in, out}, f32, memory::format_tag::ba);
  const memory::desc bias_desc({1, out}, f32, memory::format_tag::ab);
  const memory::desc y_desc({rows, out}, f32, memory::format_tag::ab);
  const dnnl::matmul::primitive_desc description(dnnl::matmul::desc(x_desc, any_weight, bias_desc, y_desc),
                                                 engine);

  std::vector<float> values(static_cast<size_t>(in * out));
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 97) * 0.01F - 0.5F;
  memory plain(plain_weight, engine, values.data());
  memory weight(description.weights_desc(), engine);
  dnnl::reorder(plain, weight).execute(stream, plain, weight);
  const memory x(x_desc, engine);
  const memory bias(bias_desc, engine);
  const memory y(y_desc, engine);
  auto* x_values = static_cast<float*>(x.get_data_handle());
  for (int64_t i = 0; i < rows * in; ++i) x_values[i] = static_cast<float>(i % 89) * 0.01F - 0.4F;
  std::fill_n(static_cast<float*>(bias.get_data_handle()), out, 0.125F);
  const dnnl::matmul matmul(description);
  const auto multiply = [&] {
    matmul.execute(stream,
                   {{DNNL_ARG_SRC, x}, {DNNL_ARG_WEIGHTS, weight}, {DNNL_ARG_BIAS, bias}, {DNNL_ARG_DST, y}});
    stream.wait();
  };
  return MedianSeconds(multiply, 5, 0.1, ClockFor(threads));
}

}  // namespace calfvo
