#include "riemflow/kernel/kernel_patches.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "riemflow/core/error.hpp"
#include "riemflow/distribution/base.hpp"
#include "riemflow/distribution/draws.hpp"
#include "riemflow/kernel/learned_kernels.hpp"

namespace riemflow {
namespace {

/// Points of a patch, and those of them that are held out: as dense as all, but for a twelfth.
constexpr std::size_t kPatchPoints = 128, kHeldOutOfPatch = 10;
/// More neighbours that are looked up, for those that are held out.
constexpr std::size_t kSpare = 16;
/// Centres that stand for all of them, and those of these that a step scores by.
constexpr std::size_t kSample = 2048, kFarOfStep = 160;
/// Validation points that are scored, and those that are scored at once.
constexpr std::size_t kValidated = 2048, kValidatedAtOnce = 64;
/// Positions of the tree that are said at once.
constexpr std::size_t kSaidAtOnce = 1024;

}  // namespace

/// Some centres with their looks, as a lesson has them, and points held out to be scored by them.
struct KernelPatches::Patch {
  struct Point {
    std::size_t first;  ///< of its numbers in x and embedded
    double weight, log_wide;
    std::size_t begin, end;  ///< of its rows in near
    double square;
  };
  Looks looks;
  std::vector<double> x, embedded, weights;  ///< of the rows
  std::vector<Point> points;
  std::vector<double> point_x, point_embedded;
  std::vector<std::uint32_t> near;
};

/// Reads looks of centres, each by its place in the tree.
class KernelPatches::Reader {
 public:
  explicit Reader(const KernelPatches& all)
      : all_(all),
        tree_(all.data_.tree()),
        search_(all.space_, tree_, LearnedKernels::kSeenNeighbours + kSpare),
        frame_(all.looker_.stride()),
        v_(all.D_) {}

  /// Of these places; counts(place): whether a neighbour does. Without what goes with all rows.
  template <class Counts>
  Patch read(const std::vector<std::uint32_t>& places, const Counts& counts) {
    Patch patch;
    patch.looks = all_.looker_.room_for(places.size());
    std::iota(patch.looks.centres.begin(), patch.looks.centres.end(), 0u);
    patch.x.reserve(places.size() * all_.D_);
    patch.embedded.reserve(places.size() * all_.width_);
    for (std::size_t row = 0; row < places.size(); ++row) {
      const std::uint32_t place = places[row], centre = tree_.order()[place];
      const auto x = all_.data_.centres()[centre];
      patch.x.insert(patch.x.end(), x.begin(), x.end());
      patch.embedded.insert(patch.embedded.end(), tree_.embedded(place), tree_.embedded(place) + all_.width_);
      patch.weights.push_back(all_.data_.weights()[centre]);
      look(place, counts, row, patch.looks);
    }
    return patch;
  }

 private:
  template <class Counts>
  void look(std::uint32_t place, const Counts& counts, std::size_t row, Looks& looks) {
    const std::vector<MetricTree::Neighbour>& found = search_.of(place);
    const KernelQuery centre = query(place);
    const std::size_t placed = std::min(Looker::kPlaced, found.size());
    all_.looker_.frame(centre.x, frame_.data());
    log_distances_.resize(found.size());
    places_.resize(placed * all_.d_);
    for (std::size_t k = 0; k < found.size(); ++k) {
      log_distances_[k] = 0.5 * std::log(found[k].square);
      if (k < placed)
        all_.looker_.place(frame_.data(), centre, query(found[k].point), v_.data(), &places_[k * all_.d_]);
    }
    all_.looker_.write(
        {log_distances_.data(), found.size(), places_.data(), placed},
        [&](std::size_t k) { return counts(found[k].point); }, frame_.data(), row, looks);
  }
  KernelQuery query(std::uint32_t place) const {
    return {all_.data_.centres()[tree_.order()[place]].data(), tree_.embedded(place)};
  }

  const KernelPatches& all_;
  const MetricTree& tree_;
  MetricTree::LeafNeighbours search_;
  std::vector<double> frame_, v_, log_distances_, places_;
};

namespace {

constexpr auto kAllCount = [](std::uint32_t) { return true; };

/// Rows of near points: places, sorted, become the numbers of rows.
std::vector<std::uint32_t> rows_of(std::vector<std::uint32_t>& near) {
  std::vector<std::uint32_t> places = near;
  std::sort(places.begin(), places.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());
  for (std::uint32_t& place : near)
    place =
        static_cast<std::uint32_t>(std::lower_bound(places.begin(), places.end(), place) - places.begin());
  return places;
}

}  // namespace

KernelPatches::KernelPatches(const KernelData& data, const Options& options, Executor* executor)
    : data_(data),
      space_(*data.space()),
      executor_(executor),
      ask_(options.ask),
      least_weight_(options.least_weight),
      looker_(space_),
      teacher_(space_, executor),
      d_(static_cast<std::size_t>(space_.manifold().dimension())),
      D_(static_cast<std::size_t>(space_.manifold().ambient())),
      width_(static_cast<std::size_t>(space_.width())),
      wide_(default_base<double>(data.manifold())) {
  const std::size_t n = data.size();
  require(n >= kFewest, fmt::format("patches of {} points", n), "learn from all of them at once",
          Fault::internal);
  const MetricTree& tree = data.tree();

  std::vector<std::uint32_t> places(std::min(kSample, n));
  for (std::size_t i = 0; i < places.size(); ++i)
    places[i] = static_cast<std::uint32_t>((2 * i + 1) * n / (2 * places.size()));
  Patch sample = Reader(*this).read(places, kAllCount);
  mean_log_unit_ = std::accumulate(sample.looks.log_units.begin(), sample.looks.log_units.end(), 0.0) /
                   static_cast<double>(places.size());
  looker_.complete(mean_log_unit_, n, sample.looks);
  sample_ = std::make_unique<const Patch>(std::move(sample));

  patches_.resize(options.patches);
  in_pieces(executor, options.patches, 1, [&](std::size_t begin, std::size_t) {
    ask_();
    Random random(options.seed, Purpose::batch, 0, begin);
    MetricTree::LeafNeighbours near(space_, tree, LearnedKernels::kNeighbours + kSpare);
    // Nodes at equal steps through the tree: every point is in one, so that each is held out as often.
    const MetricTree::Node node = tree.nodes()[tree.node_of(
        static_cast<std::uint32_t>((2 * begin + 1) * n / (2 * patches_.size())), kPatchPoints)];
    std::vector<std::uint32_t> members(node.end - node.begin);
    std::iota(members.begin(), members.end(), node.begin);
    for (std::size_t i = 0; i < members.size() / 12; ++i)
      std::swap(members[i], members[i + random.below(members.size() - i)]);
    members.resize(std::max<std::size_t>(1, members.size() / 12));
    std::sort(members.begin(), members.end());
    std::vector<std::size_t> groups;
    const auto group_of = [&](std::uint32_t place) { return options.groups[tree.order()[place]]; };
    for (const std::uint32_t place : members)
      if (!options.groups.empty()) groups.push_back(group_of(place));
    std::sort(groups.begin(), groups.end());
    const auto counts = [&](std::uint32_t place) {
      return options.groups.empty() ? !std::binary_search(members.begin(), members.end(), place)
                                    : !std::binary_search(groups.begin(), groups.end(), group_of(place));
    };
    Patch patch;
    std::vector<std::uint32_t> found;
    for (const std::uint32_t place : members) {
      const std::uint32_t centre = tree.order()[place];
      const auto x = data.centres()[centre];
      Patch::Point point{patch.points.size(), data.weights()[centre], 0, found.size(), 0, 0};
      patch.point_x.insert(patch.point_x.end(), x.begin(), x.end());
      patch.point_embedded.insert(patch.point_embedded.end(), tree.embedded(place),
                                  tree.embedded(place) + width_);
      const std::vector<MetricTree::Neighbour>& others = near.of(place);
      for (const MetricTree::Neighbour& other : others)
        if (counts(other.point)) found.push_back(other.point);
      point.end = found.size();
      point.square = others.back().square;
      patch.points.push_back(point);
    }
    const std::vector<std::uint32_t> rows = rows_of(found);
    Patch read = Reader(*this).read(rows, counts);
    // The node's others stand for those that are held out: it has as much mass as it had.
    double all_of_node = 0, left_of_node = 0;
    for (std::uint32_t place = node.begin; place < node.end; ++place) {
      const double weight = data.weights()[tree.order()[place]];
      all_of_node += weight;
      if (counts(place)) left_of_node += weight;
    }
    for (std::size_t row = 0; row < rows.size(); ++row)
      if (rows[row] >= node.begin && rows[row] < node.end && left_of_node > 0)
        read.weights[row] *= all_of_node / left_of_node;
    looker_.complete(mean_log_unit_, n, read.looks);
    read.points = std::move(patch.points);
    read.point_x = std::move(patch.point_x);
    read.point_embedded = std::move(patch.point_embedded);
    read.near = std::move(found);
    Points<double> points(read.points.size(), static_cast<int>(D_));
    points.values = read.point_x;
    const std::vector<double> log_wide = log_densities_of(*wide_, points);
    for (std::size_t i = 0; i < log_wide.size(); ++i) read.points[i].log_wide = log_wide[i];
    patches_[begin] = std::make_unique<const Patch>(std::move(read));
  });
}

/// Patches one after the other, with the sample behind them.
class KernelPatches::Assembled {
 public:
  Assembled(const KernelPatches& all, const std::vector<const Patch*>& patches, Random* random) : all_(all) {
    std::size_t rows = all.sample_->looks.size();
    for (const Patch* patch : patches) rows += patch->looks.size();
    lesson_.looks = all.looker_.room_for(rows);
    lesson_.all = all.data_.size();
    for (const Patch* patch : patches) add(*patch);
    const std::size_t first = row_;
    add(*all.sample_);
    for (std::size_t i = 0; i < kFarOfStep; ++i)
      far_.push_back(
          static_cast<std::uint32_t>(first + (random ? random->below(rows - first) : i % (rows - first))));
    // Where nothing moves any more.
    lesson_.centres = {x_.data(), embedded_.data(), weights_.data()};
    lesson_.far = far_;
    lesson_.whole = false;
    const std::uint32_t* near = near_.data();
    for (const Patch* patch : patches) {
      for (const Patch::Point& point : patch->points)
        lesson_.points.push_back(
            {{&patch->point_x[point.first * all.D_], &patch->point_embedded[point.first * all.width_]},
             point.weight,
             point.log_wide,
             {near + point.begin, near + point.end},
             point.square});
      near += patch->near.size();
    }
  }
  const KernelLesson& lesson() const { return lesson_; }

 private:
  void add(const Patch& patch) {
    Looks& to = lesson_.looks;
    const Looks& from = patch.looks;
    const std::size_t n = from.size(), shapes = Looks::kShapes;
    for (std::size_t i = 0; i < n; ++i) to.centres[row_ + i] = static_cast<std::uint32_t>(row_ + i);
    to.features.middleRows(static_cast<Eigen::Index>(row_), static_cast<Eigen::Index>(n)) = from.features;
    std::copy(from.log_units.begin(), from.log_units.end(), &to.log_units[row_]);
    std::copy(from.log_variances.begin(), from.log_variances.end(),
              &to.log_variances[row_ * shapes * all_.d_]);
    std::copy(from.axes.begin(), from.axes.end(), &to.axes[row_ * shapes * all_.looker_.stride()]);
    const auto append = [](std::vector<double>& all, const std::vector<double>& more) {
      all.insert(all.end(), more.begin(), more.end());
    };
    append(x_, patch.x);
    append(embedded_, patch.embedded);
    append(weights_, patch.weights);
    for (const std::uint32_t row : patch.near) near_.push_back(static_cast<std::uint32_t>(row_) + row);
    row_ += n;
  }

  const KernelPatches& all_;
  KernelLesson lesson_;
  std::size_t row_ = 0;
  std::vector<double> x_, embedded_, weights_;
  std::vector<std::uint32_t> near_, far_;
};

double KernelPatches::loss(const KernelNetwork& network, std::size_t count, std::uint64_t seed,
                           std::uint64_t step, std::span<double> gradient) const {
  Random random(seed, Purpose::batch, step, 0);
  std::vector<const Patch*> chosen;
  // One of each of so many parts of the tree: fewer surprises than any.
  for (std::size_t i = 0; i < count; ++i)
    chosen.push_back(patches_[(i * patches_.size() + random.below(patches_.size())) / count].get());
  return teacher_.loss(network, Assembled(*this, chosen, &random).lesson(), gradient);
}

KernelPatches::Validation::Validation(const KernelPatches& patches, const Points<double>& points,
                                      const Weights& weights)
    : patches_(patches) {
  const std::size_t n = std::min(points.size(), kValidated);
  lessons_.resize((n + kValidatedAtOnce - 1) / kValidatedAtOnce);
  weights_.resize(lessons_.size());
  const MetricTree& tree = patches.data_.tree();
  in_pieces(patches.executor_, n, kValidatedAtOnce, [&](std::size_t begin, std::size_t end) {
    patches.ask_();
    std::vector<Patch::Point> scored;
    std::vector<double> x, embedded;
    std::vector<std::uint32_t> near;
    std::vector<MetricTree::Neighbour> found;
    Points<double> own(end - begin, points.dimension);
    for (std::size_t i = begin; i < end; ++i) {
      const std::size_t at = i * points.size() / n;
      std::copy(points[at].begin(), points[at].end(), own[i - begin].begin());
      embedded.resize(embedded.size() + patches.width_);
      double* e = &embedded[embedded.size() - patches.width_];
      patches.space_.embed(points[at], e);
      tree.nearest(patches.space_, e, LearnedKernels::kNeighbours, MetricTree::kNone, found);
      Patch::Point point{i - begin, weight_of(weights, at), 0, near.size(), 0, found.back().square};
      for (const MetricTree::Neighbour& other : found) near.push_back(other.point);
      point.end = near.size();
      scored.push_back(point);
    }
    const std::vector<double> log_wide = log_densities_of(*patches.wide_, own);
    for (std::size_t i = 0; i < scored.size(); ++i) scored[i].log_wide = log_wide[i];
    Patch patch = Reader(patches).read(rows_of(near), kAllCount);
    patches.looker_.complete(patches.mean_log_unit_, patches.data_.size(), patch.looks);
    patch.points = std::move(scored);
    patch.point_x = std::move(own.values);
    patch.point_embedded = std::move(embedded);
    patch.near = std::move(near);
    for (const Patch::Point& point : patch.points) weights_[begin / kValidatedAtOnce] += point.weight;
    lessons_[begin / kValidatedAtOnce] = std::make_unique<const Patch>(std::move(patch));
  });
}

KernelPatches::Validation::~Validation() = default;
KernelPatches::~KernelPatches() = default;

double KernelPatches::Validation::nll(const KernelNetwork& network) const {
  double sum = 0, total = 0;
  for (std::size_t i = 0; i < lessons_.size(); ++i) {
    patches_.ask_();
    sum += weights_[i] *
           patches_.teacher_.loss(network, Assembled(patches_, {lessons_[i].get()}, nullptr).lesson(), {});
    total += weights_[i];
  }
  return sum / total;
}

KernelParameters KernelPatches::parameters(const KernelNetwork& network,
                                           const std::function<double(std::size_t)>& share) const {
  const KernelSpeaker& speaker = teacher_.speaker();
  const MetricTree& tree = data_.tree();
  const std::size_t n = data_.size();
  std::vector<KernelParameters> parts((n + kSaidAtOnce - 1) / kSaidAtOnce);
  in_pieces(executor_, n, kSaidAtOnce, [&](std::size_t begin, std::size_t end) {
    ask_();
    std::vector<std::uint32_t> places;
    std::vector<double> shares;
    for (std::size_t place = begin; place < end; ++place) {
      const double own = share ? share(tree.order()[place]) : 1;
      if (!(own > 0)) continue;
      places.push_back(static_cast<std::uint32_t>(place));
      shares.push_back(own);
    }
    if (places.empty()) return;
    Patch patch = Reader(*this).read(places, kAllCount);
    for (std::size_t row = 0; row < places.size(); ++row) patch.weights[row] *= shares[row];
    looker_.complete(mean_log_unit_, n, patch.looks);
    const KernelCentres centres{patch.x.data(), patch.embedded.data(), patch.weights.data()};
    speaker.append(speaker.say(network, patch.looks, centres, false, nullptr), patch.looks, centres, 0,
                   least_weight_, parts[begin / kSaidAtOnce]);
  });
  KernelParameters all;
  all.centres.dimension = static_cast<int>(D_);
  all.wide = 1 / (1 + std::exp(-network.extra()[kSaid]));
  std::size_t kernels = 0;
  double sum = 0;
  for (const KernelParameters& part : parts) {
    kernels += part.weights.size();
    for (const double weight : part.weights) sum += weight;
  }
  all.centres.values.reserve(kernels * D_);
  all.weights.reserve(kernels);
  all.bandwidths.reserve(kernels);
  all.shapes.reserve(kernels * shape_size(space_));
  for (KernelParameters& part : parts) {
    const auto append = [](std::vector<double>& to, const std::vector<double>& from) {
      to.insert(to.end(), from.begin(), from.end());
    };
    append(all.centres.values, part.centres.values);
    for (const double weight : part.weights) all.weights.push_back(weight / sum);
    append(all.bandwidths, part.bandwidths);
    append(all.shapes, part.shapes);
    part = {};
  }
  return all;
}

}  // namespace riemflow
