#include "riemflow/model/kernel_model.hpp"

#include <algorithm>

#include "riemflow/manifold/parse.hpp"

namespace riemflow {
namespace {

/// Points a piece of work.
constexpr std::size_t kPiece = 256;

}  // namespace

template <class T>
KernelModel<T>::KernelModel(const std::string& manifold, KernelParameters parameters, int threads)
    : manifold_(parse_manifold<T>(manifold)),
      density_(parse_manifold<double>(manifold), std::move(parameters)),
      pool_(threads) {}

template <class T>
LogProb<T> KernelModel<T>::log_prob(const Points<T>& points, const NoiseKey&) {
  this->check(points);
  LogProb<T> result;
  for (const double value : density_.log_prob(converted<double>(points), &pool_))
    result.values.push_back(static_cast<T>(value));
  result.summary.points = points.size();
  return result;
}

template <class T>
Carried<T> KernelModel<T>::sample(std::size_t n, std::uint64_t seed, std::uint64_t first) {
  Points<T> points(n, manifold_->ambient());
  pool_.run((n + kPiece - 1) / kPiece, [&](std::size_t piece, int) {
    std::vector<Pack<double>> x(static_cast<std::size_t>(points.dimension));
    for (std::size_t i = piece * kPiece; i < std::min(n, (piece + 1) * kPiece); ++i) {
      Random random(seed, Purpose::base_sample, 0, first + i);
      density_.sample(random, x.data(), 0);
      for (std::size_t c = 0; c < x.size(); ++c) points[i][c] = static_cast<T>(x[c][0]);
    }
  });
  Carried<T> result;
  result.frames.push_back(std::move(points));
  result.summary.points = n;
  return result;
}

template class KernelModel<float>;
template class KernelModel<double>;

}  // namespace riemflow
