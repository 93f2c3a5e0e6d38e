#pragma once
// The network of a field by all warps of a block: forward with a tape, backward, and the gradients of its weights.

#include "riemflow/flow/cuda/solve.cuh"

namespace riemflow::cuda {
namespace {

/// Of an evaluation: its time or, where points have their own, the first of its points.
union Moment {
  float time;
  int first;
};

/// What a block shares, in 480 bytes: with 96 more, four blocks of a solve leave less of the cache. Behind it, 16-byte
/// aligned, [row][column] with problem.stride cells: features, u_bar, and two times the jets of a layer.
struct Shared {
  Moment moments[kRing];  ///< of the evaluations in the ring
  const float* tapes[kRing];
  float sums[2][kMostWarps], mosts[2][kMostWarps];  ///< of the driving warps
  int goods[2][kMostWarps];
};

/// A warp's part of a product: a tile of its rows, a group of points and, where sums are split, which part.
struct Share {
  int task, tile, group, part;
};
__device__ inline Share share_of(int task, int tiles, int groups) {
  return {task, task % tiles, task / tiles % groups, task / tiles / groups};
}

/// kGeodesic, kWaves: whether the input layer may be geodesic or fourier, which others need not pay for. kMatching: every
/// point has a time of its own, and nobody asks for the cotangents of points.
template <int J, bool kGeodesic, bool kWaves, bool kMatching>
struct Block {
  using Cell = typename Cells<J>::Cell;
  Shared& m;
  const Problem& p;
  const Buffers& b;
  Cell *features, *u_bar, *layers;
  float* ring;      // of this block
  float* gradient;  // of this block, as the working vector
  Thread me;
  Share units, outputs, inputs;  // the warp's first, of a layer, and of the two products that are split

  /// Before its first use; gradients: of the weights too.
  __device__ void clear(bool gradients) const {
    const int thread = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x);
    for (int i = thread; i < (feature_rows(p) + output_rows(p)) * p.stride; i += threads) features[i] = Cells<J>::make(0);
    if (gradients)
      for (int i = thread; i < p.working_size; i += threads) gradient[i] = 0;
    __syncthreads();
  }

  __device__ bool geodesic() const { return kGeodesic && p.distance >= 0; }
  __device__ Cell* layer(int which) const { return layers + (which & 1) * p.layer_cells; }
  /// First column of a group.
  __device__ int column(int group) const { return group * kGroup * p.jets; }
  /// Bias and time of a unit.
  __device__ float2 vectors(int l, int unit) const {
    return __ldg(reinterpret_cast<const float2*>(b.packed + p.vectors) + l * p.unit_tiles * kUnits + unit);
  }
  __device__ int function(int layer) const { return kWaves && layer == 0 ? p.first_activation : p.activation; }
  /// Of points 2t and 2t + 1 of a group.
  __device__ float2 times(Moment at, int group) const {
    if constexpr (!kMatching) return {at.time, at.time};
    return *reinterpret_cast<const float2*>(b.times + at.first + group * kGroup + 2 * me.t);
  }
  /// Of a point of the tile.
  __device__ float time(Moment at, int point) const {
    if constexpr (!kMatching) return at.time;
    return b.times[at.first + point];
  }
  __device__ float scale(int unit) const { return __ldg(reinterpret_cast<const float*>(b.packed + p.scale_vector) + unit); }

  // --- jets of 16 units at the points of a group, in device memory and in shared memory ---------------------------
  __device__ size_t place(int slot, int tile, int group) const {
    return static_cast<size_t>(slot) * static_cast<size_t>(p.layer_floats) +
           static_cast<size_t>((group * p.unit_tiles + tile) * p.jets * 128 + me.lane * 4);
  }
  __device__ void keep(float* to, int slot, int tile, int group, const Tile<J>& v) const {
    if (to == nullptr) return;
    float4* at = reinterpret_cast<float4*>(to + place(slot, tile, group));
#pragma unroll
    for (int j = 0; j < J; ++j)
      if (j < p.jets) at[j * 32] = {v[j][0], v[j][1], v[j][2], v[j][3]};
  }
  __device__ float4 kept(const float* from, int slot, int tile, int group, int j) const {
    return reinterpret_cast<const float4*>(from + place(slot, tile, group))[j * 32];
  }
  __device__ void kept(const float* from, int slot, int tile, int group, Tile<J>& v) const {
#pragma unroll
    for (int j = 0; j < J; ++j) {
      const float4 at = j < p.jets ? kept(from, slot, tile, group, j) : float4{0, 0, 0, 0};
      v[j][0] = at.x, v[j][1] = at.y, v[j][2] = at.z, v[j][3] = at.w;
    }
  }
  /// Two numbers side by side.
  __device__ static void show(Cell* at, float first, float second) {
    if constexpr (Cells<J>::kSplit) {
      const Parts a = split(first), c = split(second);
      *reinterpret_cast<float4*>(at) = {a.hi, a.lo, c.hi, c.lo};
    } else {
      *reinterpret_cast<float2*>(at) = {first, second};
    }
  }
  __device__ void show(Cell* to, int tile, int group, const Tile<J>& v) const {
    Cell* at = to + (tile * kUnits + me.g) * p.stride + column(group) + 2 * me.t;
#pragma unroll
    for (int j = 0; j < J; ++j) {
      if (j >= p.jets) continue;
      show(at + 8 * j, v[j][0], v[j][1]);
      show(at + 8 * p.stride + 8 * j, v[j][2], v[j][3]);
    }
  }

  /// The warp's next share, of `tasks`. Mostly there is none, and nothing to divide.
  __device__ bool next(Share& s, int tasks, int tiles) const {
    if (s.task + me.warps >= tasks) return false;
    s = share_of(s.task + me.warps, tiles, p.groups);
    return true;
  }
  /// use(tile of units, group) for each that is the warp's.
  template <class Use>
  __device__ void each_tile(const Use& use) const {
    for (Share s = units; s.task < p.unit_tiles * p.groups;) {
      use(s.tile, s.group);
      if (!next(s, p.unit_tiles * p.groups, p.unit_tiles)) break;
    }
  }
  __device__ const float4* rows(int packed, int steps, int tile) const { return b.packed + packed + tile * steps * 64; }

  /// parts(to)[part · n + row] = the part of a product of n rows that is over `each` steps of units.
  __device__ float* parts(Cell* to) const { return reinterpret_cast<float*>(to); }
  __device__ void multiply_split(int packed, int n, int splits, int each, Share s, const Cell* x, Cell* cells) const {
    float* to = parts(cells);
    const int tiles = (n + kUnits - 1) / kUnits, steps = p.hidden_steps, tasks = tiles * p.groups * splits;
    while (s.task < tasks) {
      Tile<J> sum;
      multiply<J>(me, rows(packed, steps, s.tile), s.part * each, min(steps, (s.part + 1) * each), x + column(s.group), p.stride,
                  p.jets, sum);
      const int row = s.tile * kUnits + me.g;
      float* at = to + (s.part * n + row) * p.stride + column(s.group) + 2 * me.t;
#pragma unroll
      for (int j = 0; j < J; ++j) {
        if (j >= p.jets) continue;
        if (row < n) *reinterpret_cast<float2*>(at + 8 * j) = {sum[j][0], sum[j][1]};
        if (row + 8 < n) *reinterpret_cast<float2*>(at + 8 * p.stride + 8 * j) = {sum[j][2], sum[j][3]};
      }
      if (!next(s, tasks, tiles)) break;
    }
  }

  /// The input's product without tensor cores: an angle near the pole of its hyperplane feels the last bit.
  __device__ void multiply_exactly(int unit, const Cell* x, Tile<J>& out) const {
#pragma unroll
    for (int j = 0; j < J; ++j) out[j][0] = out[j][1] = out[j][2] = out[j][3] = 0;
    const float* row = b.working + p.input.source[0] + unit * p.input.columns;
    for (int f = 0; f < p.input.columns; ++f) {
      const float low = unit < p.width ? row[f] : 0.0f, high = unit + 8 < p.width ? row[8 * p.input.columns + f] : 0.0f;
#pragma unroll
      for (int j = 0; j < J; ++j) {
        if (j >= p.jets) continue;
        const Cell* at = x + f * p.stride + 8 * j + 2 * me.t;
        const float first = Cells<J>::value(at[0]), second = Cells<J>::value(at[1]);
        out[j][0] += low * first, out[j][1] += low * second, out[j][2] += high * first, out[j][3] += high * second;
      }
    }
  }

  /// From the features to parts of the network's output in layer(depth).
  __device__ void forward(Moment at, float* tape) const {
    for (int l = 0; l < p.depth; ++l) {
      if (l > 0) __syncthreads();
      const int matrix = l == 0 ? p.input.forward : p.hidden[0].forward + (l - 1) * p.hidden_pitch, steps = l == 0 ? p.input_steps : p.hidden_steps;
      const Cell* x = l == 0 ? features : layer(l - 1);
      each_tile([&](int tile, int group) {
        Tile<J> v;
        const int unit = tile * kUnits + me.g;
        if (l == 0 && geodesic())
          multiply_exactly(unit, x + column(group), v);
        else
          multiply<J>(me, rows(matrix, steps, tile), 0, steps, x + column(group), p.stride, p.jets, v);
        if (l == 0 && geodesic()) {
          keep(tape, p.depth, tile, group, v);
          through<J, kWaves, true>(p.distance, v);
          const float low = scale(unit), high = scale(unit + 8);
#pragma unroll
          for (int j = 0; j < J; ++j) v[j][0] *= low, v[j][1] *= low, v[j][2] *= high, v[j][3] *= high;
        }
        const float2 first = vectors(l, unit), second = vectors(l, unit + 8);
        const float2 t = times(at, group);
        v[0][0] += first.x + t.x * first.y, v[0][1] += first.x + t.y * first.y;
        v[0][2] += second.x + t.x * second.y, v[0][3] += second.x + t.y * second.y;
        keep(tape, l, tile, group, v);
        through<J, kWaves>(function(l), v);
        show(layer(l), tile, group, v);
      });
    }
    __syncthreads();
    multiply_split(p.output.forward, p.ambient, p.output_splits, p.output_each, outputs, layer(p.depth - 1), layer(p.depth));
  }

  /// From u_bar to parts of the features' cotangents in layer(1); what weights need of it goes to place e of the ring.
  __device__ void backward(const float* tape, int e) const {
    float* kept_bars = ring + static_cast<size_t>(e) * static_cast<size_t>(p.ring_floats());
    for (int l = p.depth - 1; l >= 0; --l) {
      const bool last = l == p.depth - 1;
      const int matrix = last ? p.output.backward : p.hidden[0].backward + l * p.hidden_pitch, steps = last ? p.output_steps : p.hidden_steps;
      const Cell* x = last ? u_bar : layer(l + 1);
      if (!last) __syncthreads();
      each_tile([&](int tile, int group) {
        Tile<J> pre, bar;
        kept(tape, l, tile, group, pre);
        multiply<J>(me, rows(matrix, steps, tile), 0, steps, x + column(group), p.stride, p.jets, bar);
        back_through<J, kWaves>(function(l), pre, bar);
        keep(kept_bars, l, tile, group, bar);
        if (l == 0 && geodesic()) {
          const int unit = tile * kUnits + me.g;
          const float low = scale(unit), high = scale(unit + 8);
#pragma unroll
          for (int j = 0; j < J; ++j) bar[j][0] *= low, bar[j][1] *= low, bar[j][2] *= high, bar[j][3] *= high;
          kept(tape, p.depth, tile, group, pre);
          back_through<J, kWaves, true>(p.distance, pre, bar);
          keep(kept_bars, p.depth, tile, group, bar);
        }
        show(layer(l), tile, group, bar);
      });
    }
    if constexpr (kMatching) return;
    __syncthreads();
    multiply_split(p.input.backward, p.input.columns, p.input_splits, p.input_each, inputs, layer(0), layer(1));
  }

  // --- the gradients of the weights, from the tapes and the ring --------------------------------------------------
  __device__ const float* bars(int e) const { return ring + static_cast<size_t>(e) * static_cast<size_t>(p.ring_floats()); }
  __device__ float* ring_features(int e) const {
    return ring + static_cast<size_t>(e) * static_cast<size_t>(p.ring_floats()) +
           static_cast<size_t>(p.depth + 1) * static_cast<size_t>(p.layer_floats);
  }
  __device__ float* ring_outputs(int e) const { return ring_features(e) + feature_rows(p) * p.columns; }
  /// use(evaluation, group) for the first `pending` places of the ring.
  template <class Use>
  __device__ void each_kept(int pending, const Use& use) const {
    for (int e = 0; e < pending; ++e)
      for (int group = 0; group < p.groups; ++group) use(e, group);
  }
  /// A tile of cotangents as the left operand: its columns take the place of k.
  __device__ static Left left_of(float4 v) { return Left(float4{v.x, v.z, v.y, v.w}); }
  /// 16 × 8 entries, of rows of the tile `left` and columns from `first` on, of a matrix of units.
  __device__ void add_to(const Matrix& matrix, int left, int first, const float (&sum)[4]) const {
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      const int r = left * kUnits + me.g + (e >= 2 ? 8 : 0), c = first + 2 * me.t + (e & 1);
      if (r < matrix.rows && c < matrix.columns) gradient[matrix.place(r, c)] += sum[e];
    }
  }

  /// Four tiles of rows, and 16 columns, of the matrix into layer l.
  __device__ void learn_hidden(int pending, int l, int columns, int first) const {
    float sum[4][2][4] = {};
    each_kept(pending, [&](int e, int group) {
      Tile<J> h;
      kept(m.tapes[e], l - 1, columns, group, h);
      through<J, kWaves>(function(l - 1), h);
#pragma unroll
      for (int j = 0; j < J; ++j) {
        if (j >= p.jets) continue;
        const Parts right[4] = {split(h[j][0]), split(h[j][1]), split(h[j][2]), split(h[j][3])};
#pragma unroll
        for (int a = 0; a < 4; ++a) {
          if (first + a >= p.unit_tiles) continue;
          const Left left = left_of(kept(bars(e), l, first + a, group, j));
          multiply_add(sum[a][0], sum[a][0], left, right[0], right[1]);
          multiply_add(sum[a][1], sum[a][1], left, right[2], right[3]);
        }
      }
    });
#pragma unroll
    for (int a = 0; a < 4; ++a) {
      add_to(p.hidden[l - 1], first + a, columns * kUnits, sum[a][0]);
      add_to(p.hidden[l - 1], first + a, columns * kUnits + 8, sum[a][1]);
    }
  }
  /// A tile of rows of the input's matrix, 8 columns at a time.
  __device__ void learn_input(int pending, int rows_tile, int step) const {
    const int slot = geodesic() ? p.depth : 0;
    float sum[4] = {};
    each_kept(pending, [&](int e, int group) {
      const float* x = ring_features(e) + (step * kSteps + me.g) * p.columns + column(group) + 2 * me.t;
      for (int j = 0; j < p.jets; ++j) {
        const float2 v = *reinterpret_cast<const float2*>(x + 8 * j);
        multiply_add(sum, sum, left_of(kept(bars(e), slot, rows_tile, group, j)), split(v.x), split(v.y));
      }
    });
    add_to(p.input, rows_tile, step * kSteps, sum);
  }
  /// 16 columns of a tile of rows of the output's matrix.
  __device__ void learn_output(int pending, int rows_tile, int columns) const {
    float sum[2][4] = {};
    const int row = rows_tile * kUnits + me.g;
    each_kept(pending, [&](int e, int group) {
      Tile<J> h;
      kept(m.tapes[e], p.depth - 1, columns, group, h);
      through<J, kWaves>(function(p.depth - 1), h);
      const float* x = ring_outputs(e) + row * p.columns + column(group) + 2 * me.t;
#pragma unroll
      for (int j = 0; j < J; ++j) {
        if (j >= p.jets) continue;
        const float2 low = row < p.ambient ? *reinterpret_cast<const float2*>(x + 8 * j) : float2{0, 0};
        const float2 high = row + 8 < p.ambient ? *reinterpret_cast<const float2*>(x + 8 * p.columns + 8 * j) : float2{0, 0};
        const Left left(float4{low.x, high.x, low.y, high.y});
        multiply_add(sum[0], sum[0], left, split(h[j][0]), split(h[j][1]));
        multiply_add(sum[1], sum[1], left, split(h[j][2]), split(h[j][3]));
      }
    });
    add_to(p.output, rows_tile, columns * kUnits, sum[0]);
    add_to(p.output, rows_tile, columns * kUnits + 8, sum[1]);
  }
  /// gradient[to + unit] += what the lanes of a unit have, low and high of the tile.
  __device__ void add_units(int to, int tile, float low, float high) const {
#pragma unroll
    for (int step = 1; step < 4; step *= 2) {
      low += __shfl_xor_sync(0xffffffffu, low, step);
      high += __shfl_xor_sync(0xffffffffu, high, step);
    }
    const int unit = tile * kUnits + me.g;
    if (me.t == 0 && unit < p.width) gradient[to + unit] += low;
    if (me.t == 0 && unit + 8 < p.width) gradient[to + unit + 8] += high;
  }
  __device__ void learn_biases(int pending, int l, int tile) const {
    float low = 0, high = 0, low_time = 0, high_time = 0;
    each_kept(pending, [&](int e, int group) {
      const float4 v = kept(bars(e), l, tile, group, 0);
      low += v.x + v.y, high += v.z + v.w;
      const float2 t = times(m.moments[e], group);
      low_time += t.x * v.x + t.y * v.y, high_time += t.x * v.z + t.y * v.w;
    });
    add_units(p.bias[l], tile, low, high);
    add_units(p.time[l], tile, low_time, high_time);
  }
  __device__ void learn_scales(int pending, int tile) const {
    float low = 0, high = 0;
    each_kept(pending, [&](int e, int group) {
      Tile<J> h;
      kept(m.tapes[e], p.depth, tile, group, h);
      through<J, kWaves, true>(p.distance, h);
#pragma unroll
      for (int j = 0; j < J; ++j) {
        if (j >= p.jets) continue;
        const float4 v = kept(bars(e), 0, tile, group, j);
        low += v.x * h[j][0] + v.y * h[j][1], high += v.z * h[j][2] + v.w * h[j][3];
      }
    });
    add_units(p.scales, tile, low, high);
  }
  /// A lane a coordinate.
  __device__ void learn_output_biases(int pending) const {
    if (me.lane >= p.ambient) return;
    float sum = 0, with_time = 0;
    each_kept(pending, [&](int e, int group) {
      for (int i = 0; i < kGroup; ++i) {
        const float v = ring_outputs(e)[me.lane * p.columns + column(group) + i];
        sum += v, with_time += time(m.moments[e], group * kGroup + i) * v;
      }
    });
    gradient[p.output_bias + me.lane] += sum;
    gradient[p.output_time + me.lane] += with_time;
  }

  /// Every entry has one warp that adds to it, the same each time.
  __device__ void learn(int pending) const {
    const int tiles = p.unit_tiles, fours = (tiles + 3) / 4, outs = p.output.row_tiles();
    const int hidden = (p.depth - 1) * tiles * fours, input = hidden + tiles * p.input.steps(), output = input + tiles * outs,
              biases = output + p.depth * tiles, scales = biases + (geodesic() ? tiles : 0);
    for (int task = me.warp; task <= scales; task += me.warps) {
      if (task < hidden)
        learn_hidden(pending, 1 + task / (tiles * fours), task % tiles, 4 * (task / tiles % fours));
      else if (task < input)
        learn_input(pending, (task - hidden) % tiles, (task - hidden) / tiles);
      else if (task < output)
        learn_output(pending, (task - input) / tiles, (task - input) % tiles);
      else if (task < biases)
        learn_biases(pending, (task - output) / tiles, (task - output) % tiles);
      else if (task == scales)
        learn_output_biases(pending);
      else if constexpr (kGeodesic)
        learn_scales(pending, task - biases);
    }
  }
};

__host__ __device__ constexpr std::size_t header_bytes() { return (sizeof(Shared) + 15) / 16 * 16; }

/// The block that this is, in its shared memory.
template <int J, bool kGeodesic, bool kWaves, bool kMatching>
__device__ inline Block<J, kGeodesic, kWaves, kMatching> make_block(const Problem& problem, const Buffers& buffers, float4* memory,
                                                            bool learns) {
  using Cell = typename Cells<J>::Cell;
  Cell* features = reinterpret_cast<Cell*>(memory + header_bytes() / sizeof(float4));
  Cell* u_bar = features + feature_rows(problem) * problem.stride;
  const auto home = static_cast<size_t>(blockIdx.x);
  const Thread me{};
  return {*reinterpret_cast<Shared*>(memory),
          problem,
          buffers,
          features,
          u_bar,
          u_bar + output_rows(problem) * problem.stride,
          learns ? buffers.ring + home * kRing * static_cast<size_t>(problem.ring_floats()) : nullptr,
          learns ? buffers.gradients + home * static_cast<size_t>(problem.working_size) : nullptr,
          me,
          share_of(me.warp, problem.unit_tiles, problem.groups),
          share_of(me.warp, problem.output.row_tiles(), problem.groups),
          share_of(me.warp, (problem.input.columns + kUnits - 1) / kUnits, problem.groups)};
}

}  // namespace
}  // namespace riemflow::cuda
