#pragma once
// The laws of fields (riemflow/manifold/manifold.hpp), in double: how a network sees points, and what its
// output becomes. Each is measured at 16 random points and returned as its errors, a lane each.

#include <Eigen/LU>
#include <Eigen/QR>
#include <Eigen/SVD>

#include "backward.hpp"

namespace riemflow::test {

/// Features of a manifold, those of a product's factors one after the other.
class AllFeatures {
 public:
  /// geodesic: those that geodesic neurons see, where there are any.
  explicit AllFeatures(const Manifold<double>& m, bool geodesic = false) {
    for (const Factor<double>& factor : m.factors()) {
      auto own = factor.manifold->features();
      if (own != nullptr && geodesic)
        if (const auto neurons = factor.manifold->geodesic_neurons()) own = neurons->features();
      complete_ = complete_ && own != nullptr;
      if (own == nullptr) continue;
      parts_.push_back({own, factor.row, size_});
      size_ += own->size();
    }
  }
  /// Whether every factor has some: there are fields.
  bool complete() const { return complete_; }
  int size() const { return size_; }
  void embed(int k, PackMatrix<double> in, PackMatrix<double> out) const {
    for (const Part& part : parts_) part.features->embed(k, in.from(part.from, 0), out.from(part.to, 0));
  }
  void embed_backward(int k, PackMatrix<double> in, PackMatrix<double> out_bar,
                      PackMatrix<double> in_bar) const {
    for (const Part& part : parts_)
      part.features->embed_backward(k, in.from(part.from, 0), out_bar.from(part.to, 0),
                                    in_bar.from(part.from, 0));
  }
  Tile<double> at(Tile<double> x) const {
    Tile<double> out = make_tile<double>(size_);
    embed(0, {x.data(), 1}, {out.data(), 1});
    return out;
  }

 private:
  struct Part {
    std::shared_ptr<const Features<double>> features;
    int from, to;
  };
  std::vector<Part> parts_;
  int size_ = 0;
  bool complete_ = true;
};

/// The jet of x in the directions of a basis of the tangent space, Euclidean-orthonormal.
inline TileMatrix<double> basis_jet(const Manifold<double>& m, const Tile<double>& x) {
  const int D = m.ambient(), d = m.dimension();
  TileMatrix<double> jet(D, 1 + d);
  m.seed_basis(x.data(), jet.view().from(0, 1));
  for (int i = 0; i < D; ++i) jet.view()(i, 0) = x[static_cast<std::size_t>(i)];
  return jet;
}

/// One lane of the derivatives (columns 1 to k) of a jet.
inline Eigen::MatrixXd differential(TileMatrix<double>& jet, int lane) {
  Eigen::MatrixXd J(jet.rows, jet.columns - 1);
  for (int i = 0; i < jet.rows; ++i)
    for (int j = 1; j < jet.columns; ++j) J(i, j - 1) = jet.view()(i, j)[lane];
  return J;
}

/// The smallest stretch of the features' differential beside the largest.
inline Pack<double> least_stretch(const Manifold<double>& m, const AllFeatures& features,
                                  const Tile<double>& x) {
  TileMatrix<double> in = basis_jet(m, x), out(features.size(), in.columns);
  features.embed(m.dimension(), in.view(), out.view());
  Pack<double> least;
  for (int l = 0; l < kLanes; ++l) {
    const Eigen::MatrixXd J = differential(out, l);
    const Eigen::VectorXd stretches = Eigen::JacobiSVD<Eigen::MatrixXd>(J).singularValues();
    least[l] = J.rows() < J.cols() ? 0 : stretches.minCoeff() / stretches.maxCoeff();
  }
  return least;
}

/// Seeks from y, by Gauss and Newton's steps of at most half a natural length, a point with the features of
/// x; returns how far from x it is that one was found, and 0 where none was.
inline Pack<double> distance_to_double(const Manifold<double>& m, const AllFeatures& features,
                                       const Tile<double>& x, Tile<double> y, double natural) {
  constexpr int kSteps = 40;
  const int d = m.dimension(), D = m.ambient();
  const Tile<double> wanted = features.at(x);
  for (int step = 0; step < kSteps; ++step) {
    TileMatrix<double> in = basis_jet(m, y), out(features.size(), 1 + d);
    features.embed(d, in.view(), out.view());
    Tile<double> v = make_tile<double>(D);
    for (int l = 0; l < kLanes; ++l) {
      Eigen::VectorXd rest(features.size());
      for (int i = 0; i < features.size(); ++i)
        rest[i] = wanted[static_cast<std::size_t>(i)][l] - out.view()(i, 0)[l];
      const Eigen::VectorXd a = differential(out, l).colPivHouseholderQr().solve(rest);
      for (int i = 0; i < D; ++i)
        for (int j = 0; j < d; ++j) v[static_cast<std::size_t>(i)][l] += a[j] * in.view()(i, 1 + j)[l];
    }
    const Pack<double> size = norm(m, y, v), most = 0.5 * natural;
    const Pack<double> scale = select(most < size, most / size, Pack<double>(1));
    y = exp(m, y, plus(make_tile<double>(D), scale, v));
  }
  const Tile<double> found = features.at(y);
  const Pack<double> same = length(plus(found, Pack<double>(-1), wanted)) / length(wanted);
  const Pack<double> apart = distance(m, x, y) / natural;
  Pack<double> result;
  for (int l = 0; l < kLanes; ++l) result[l] = same[l] < 1e-9 && apart[l] > 1e-3 ? apart[l] : 0;
  return result;
}

/// Jets of features against differences of features along the seeds.
inline Pack<double> feature_jet_error(const Manifold<double>& m, const AllFeatures& features,
                                      const Tile<double>& x, double natural) {
  TileMatrix<double> in = basis_jet(m, x), out(features.size(), in.columns);
  features.embed(m.dimension(), in.view(), out.view());
  Tile<double> weight = make_tile<double>(m.ambient());
  m.error_weight(x.data(), weight.data());
  Pack<double> error = 0;
  for (int j = 1; j < in.columns; ++j) {
    const Pack<double> h = 1e-3 * natural / weight[0];
    const auto at = [&](double s) { return features.at(plus(x, s * h, in.column(j))); };
    const Tile<double> a = plus(at(1), Pack<double>(-1), at(-1)), b = plus(at(2), Pack<double>(-1), at(-2));
    const Tile<double> slope = out.column(j);
    Tile<double> rest = slope;
    for (std::size_t i = 0; i < rest.size(); ++i) rest[i] -= (8 * a[i] - b[i]) / (12 * h);
    error = max(error, length(rest) / length(slope));
  }
  return error;
}

/// f(jet) = ⟨g, features⟩ on jets of three arbitrary directions.
inline Pack<double> feature_backward_error(const Manifold<double>& m, const AllFeatures& features,
                                           Random& random, const Tile<double>& x, const Tile<double>& u) {
  const int D = m.ambient(), k = 3;
  TileMatrix<double> in(D, 1 + k), direction(D, 1 + k), in_bar(D, 1 + k), out(features.size(), 1 + k);
  for (auto& p : in.values) p = random_pack<double>(random, &Random::normal);
  for (auto& p : direction.values) p = random_pack<double>(random, &Random::normal);
  for (auto& p : in_bar.values) p = random_pack<double>(random, &Random::normal);
  for (int i = 0; i < D; ++i) {
    in.view()(i, 0) = x[static_cast<std::size_t>(i)];
    direction.view()(i, 0) = u[static_cast<std::size_t>(i)];
  }
  Tile<double> g = random_normals<double>(random, features.size() * (1 + k));
  const auto f = [&](Tile<double> jet) {
    features.embed(k, {jet.data(), 1 + k}, out.view());
    return dot(g, out.values);
  };
  const Tile<double> before = in_bar.values;
  features.embed_backward(k, in.view(), {g.data(), 1 + k}, in_bar.view());
  return relative_error(dot(plus(in_bar.values, Pack<double>(-1), before), direction.values),
                        directional_derivative(f, in.values, direction.values));
}

/// A network of one layer, A tanh(Bφ + b), that sees what networks see: smooth wherever the features are.
class SmallNetwork {
 public:
  /// size: that of the features.
  SmallNetwork(const Manifold<double>& m, const AllFeatures& features, Random& random, double size)
      : features_(features), D_(m.ambient()), A_(D_, kWidth), B_(kWidth, features.size()), b_(kWidth) {
    for (double& a : A_.reshaped()) a = random.normal();
    for (double& b : B_.reshaped()) b = random.normal() / size;
    for (double& b : b_) b = random.normal();
  }
  /// The jet of the output, of that of x.
  TileMatrix<double> operator()(TileMatrix<double>& x) const {
    const int k = x.columns - 1;
    TileMatrix<double> phi(features_.size(), 1 + k), u(D_, 1 + k);
    features_.embed(k, x.view(), phi.view());
    for (int h = 0; h < kWidth; ++h) {
      Pack<double> argument = b_[h];
      for (int i = 0; i < phi.rows; ++i) argument += B_(h, i) * phi.view()(i, 0);
      const Pack<double> value = tanh(argument), slope = 1 - value * value;
      for (int i = 0; i < D_; ++i) u.view()(i, 0) += A_(i, h) * value;
      for (int j = 1; j <= k; ++j) {
        Pack<double> along = 0;
        for (int i = 0; i < phi.rows; ++i) along += B_(h, i) * phi.view()(i, j);
        for (int i = 0; i < D_; ++i) u.view()(i, j) += A_(i, h) * slope * along;
      }
    }
    return u;
  }

 private:
  static constexpr int kWidth = 6;
  const AllFeatures& features_;
  int D_;
  Eigen::MatrixXd A_, B_;
  Eigen::VectorXd b_;
};

struct FieldErrors {
  Pack<double> tangent, kinetic, divergence, frobenius;
};

/// What velocity() says of a network's field, against the field itself: ∇_e f by differences of f carried to
/// x along the geodesics of an orthonormal frame; its trace is the rate at which a flow stretches volume.
inline FieldErrors field_errors(const Manifold<double>& m, const AllFeatures& features, Random& random,
                                const Tile<double>& x, BallScaling scaling, double natural) {
  const int D = m.ambient(), d = m.dimension();
  const Tile<double> phi = features.at(x);
  const SmallNetwork network(m, features, random, std::max(worst(length(phi)), 1e-300));
  const auto field = [&](const Tile<double>& y, int k, Rates<double>& rates) {
    TileMatrix<double> in(D, 1 + k);
    if (k > 0) in = basis_jet(m, y);
    for (int i = 0; i < D; ++i) in.view()(i, 0) = y[static_cast<std::size_t>(i)];
    TileMatrix<double> u = network(in);
    Tile<double> f = make_tile<double>(D);
    rates = {Pack<double>(0), Pack<double>(0), Pack<double>(0)};
    m.velocity({in.view(), u.view(), k, 1.0, k > 0, scaling}, f.data(), rates);
    return f;
  };
  Rates<double> rates, unused;
  const Tile<double> f = field(x, d, rates);

  TileMatrix<double> e(D, d);
  m.frame(x.data(), e.view());
  Pack<double> divergence = 0, frobenius = 0;
  for (int i = 0; i < d; ++i) {
    const Tile<double> e_i = e.column(i);
    const double h = 1e-3 * natural;
    const auto carried = [&](double s) {
      const Tile<double> y = exp(m, x, plus(make_tile<double>(D), Pack<double>(s * h), e_i));
      return transport(m, y, x, field(y, 0, unused));
    };
    Tile<double> slope = plus(carried(1), Pack<double>(-1), carried(-1));
    const Tile<double> wide = plus(carried(2), Pack<double>(-1), carried(-2));
    for (std::size_t c = 0; c < slope.size(); ++c) slope[c] = (8 * slope[c] - wide[c]) / (12 * h);
    divergence += inner(m, x, slope, e_i);
    frobenius += inner(m, x, slope, slope);
  }
  const Pack<double> square = inner(m, x, f, f), size = sqrt(frobenius) + sqrt(square) / natural;
  return {length(plus(f, Pack<double>(-1), to_tangent(m, x, f))) / length(f),
          (rates.kinetic - square) / square, (rates.divergence - divergence) / size,
          (rates.frobenius - frobenius) / (size * size)};
}

/// F(x, u, u̇) = ⟨g, f⟩ + a·divergence + b·kinetic + c·frobenius, of arbitrary outputs, at seeds that are
/// projected noise and so vary with x.
inline Pack<double> velocity_backward_error(const Manifold<double>& m, Random& random, const Tile<double>& x,
                                            const Tile<double>& direction, BallScaling scaling,
                                            double natural) {
  const int D = m.ambient(), k = 3;
  const double share = 0.37;
  // The point, then the jet of the output, whose derivatives are per natural length.
  const auto place = [&](Tile<double>& values, int i, int j) -> Pack<double>& {
    return values[static_cast<std::size_t>(D + i * (1 + k) + j)];
  };
  Tile<double> at = random_normals<double>(random, D * (2 + k)),
               along = random_normals<double>(random, D * (2 + k));
  for (int i = 0; i < D; ++i)
    for (int j = 1; j <= k; ++j) {
      place(at, i, j) /= Pack<double>(natural);
      place(along, i, j) /= Pack<double>(natural);
    }
  std::copy(x.begin(), x.end(), at.begin());
  std::copy(direction.begin(), direction.end(), along.begin());
  const Tile<double> g = random_normals<double>(random, D);
  const Rates<double> bar{natural * random_pack<double>(random, &Random::normal),
                          random_pack<double>(random, &Random::normal),
                          natural * natural * random_pack<double>(random, &Random::normal)};
  TileMatrix<double> noise(D, k);
  for (auto& n : noise.values) n = random_pack<double>(random, &Random::normal);
  TileMatrix<double> in(D, 1 + k);
  const auto jet_of = [&](Tile<double>& values) {
    m.seed_probe(values.data(), noise.view(), k, in.view().from(0, 1));
    for (int i = 0; i < D; ++i) in.view()(i, 0) = values[static_cast<std::size_t>(i)];
    return OutputJet<double>{in.view(), {&place(values, 0, 0), 1 + k}, k, share, true, scaling};
  };
  const auto F = [&](Tile<double> values) {
    Tile<double> f = make_tile<double>(D);
    Rates<double> rates{Pack<double>(0), Pack<double>(0), Pack<double>(0)};
    m.velocity(jet_of(values), f.data(), rates);
    return dot(g, f) + bar.divergence * rates.divergence + bar.kinetic * rates.kinetic +
           bar.frobenius * rates.frobenius;
  };
  const Pack<double> expected = directional_derivative(F, at, along);
  // u_bar is overwritten, x_bar added to.
  TileMatrix<double> x_bar(D, 1 + k);
  const Tile<double> before = random_normals<double>(random, D);
  for (int i = 0; i < D; ++i) x_bar.view()(i, 0) = before[static_cast<std::size_t>(i)];
  Tile<double> cotangent = random_normals<double>(random, D * (2 + k)), f_bar = g;
  m.velocity_backward(jet_of(at), f_bar.data(), bar, {&place(cotangent, 0, 0), 1 + k}, x_bar.view());
  for (int i = 0; i < D; ++i)
    cotangent[static_cast<std::size_t>(i)] = x_bar.view()(i, 0) - before[static_cast<std::size_t>(i)];
  m.seed_probe_backward(at.data(), noise.view(), k, x_bar.view().from(0, 1), cotangent.data());
  return relative_error(dot(cotangent, along), expected);
}

/// The neurons' rows and scales: F(a) = ⟨g, row(a)⟩ + b·scale(a), at one random a.
inline double neuron_backward_error(const GeodesicNeurons<double>& neurons, Random& random, double natural) {
  const auto n = static_cast<std::size_t>(neurons.parameters());
  const auto m = static_cast<std::size_t>(neurons.features()->size());
  std::vector<double> a(n), along(n), g(m), row(m), a_bar(n);
  for (double& value : a) value = natural * random.normal() / std::sqrt(static_cast<double>(n));
  for (double& value : along) value = natural * random.normal() / std::sqrt(static_cast<double>(n));
  for (double& value : g) value = random.normal();
  double usual = 0;
  neurons.prepare(a.data(), row.data(), usual);
  const double b = random.normal() / usual;
  const auto F = [&](double s) {
    std::vector<double> at = a;
    for (std::size_t i = 0; i < n; ++i) at[i] += s * along[i];
    double scale = 0, sum = 0;
    neurons.prepare(at.data(), row.data(), scale);
    for (std::size_t i = 0; i < m; ++i) sum += g[i] * row[i];
    return sum + b * scale;
  };
  const double h = 1e-3, expected = (8 * (F(h) - F(-h)) - (F(2 * h) - F(-2 * h))) / (12 * h);
  neurons.pull_back(a.data(), g.data(), b, a_bar.data());
  double found = 0;
  for (std::size_t i = 0; i < n; ++i) found += a_bar[i] * along[i];
  return (found - expected) / (1 + std::abs(expected));
}

}  // namespace riemflow::test
