#include "riemflow/fit/data_set.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "riemflow/core/error.hpp"
#include "riemflow/distribution/parse_target.hpp"
#include "riemflow/io/duplicates.hpp"
#include "riemflow/io/near_groups.hpp"
#include "riemflow/io/sha256.hpp"
#include "riemflow/manifold/parse.hpp"

namespace riemflow {
namespace {

/// Of mean 1; none where all are alike. weights: > 0.
Weights of_mean_one(Weights weights) {
  if (std::adjacent_find(weights.begin(), weights.end(), std::not_equal_to<>()) == weights.end()) return {};
  // Their sum may be no number that there is.
  const double most = *std::max_element(weights.begin(), weights.end());
  for (double& w : weights) w /= most;
  const double mean = total_weight(weights, weights.size()) / static_cast<double>(weights.size());
  for (double& w : weights) w /= mean;
  return weights;
}

/// Numbers of columns that a factor's points may be in.
std::vector<std::size_t> ways_to_write(const Manifold<double>& factor) {
  std::vector<std::size_t> ways;
  for (const Notation& notation : factor.notations()) ways.push_back(notation.columns.size());
  if (!ways.empty()) return ways;
  ways.push_back(static_cast<std::size_t>(factor.ambient()));
  if (factor.column_form().places != ColumnForm::Places::none) ways.push_back(2);
  return ways;
}

/// Of so many columns those of each factor from `first` on, in the order of ways_to_write; none where they do
/// not come out.
std::vector<std::size_t> shared_out(const std::vector<Factor<double>>& factors, std::size_t first,
                                    std::size_t columns) {
  for (const std::size_t own : ways_to_write(*factors[first].manifold)) {
    if (first + 1 == factors.size()) {
      if (own == columns) return {own};
    } else if (own < columns) {
      std::vector<std::size_t> all = shared_out(factors, first + 1, columns - own);
      if (all.empty()) continue;
      all.insert(all.begin(), own);
      return all;
    }
  }
  return {};
}

/// Names for the numbers of a point that is computed on: of a factor that is its own cover those of its
/// columns.
std::vector<std::string> names_of_numbers(const DataSet& data) {
  const Manifold<double>& manifold = data.space ? **data.space : *data.manifold;
  const auto own = manifold.factors(), computed = data.manifold->factors();
  const std::vector<std::size_t> columns = shared_out(own, 0, data.columns.size());
  std::vector<std::string> names;
  std::size_t next = 0;
  for (std::size_t f = 0; f < computed.size(); ++f) {
    const auto numbers = static_cast<std::size_t>(computed[f].manifold->ambient());
    const bool known = !columns.empty() && columns[f] == numbers && own[f].manifold->covering() == nullptr;
    for (std::size_t c = 0; c < numbers; ++c)
      names.push_back(known ? data.columns[next + c] : fmt::format("coordinate {}", names.size() + 1));
    if (!columns.empty()) next += columns[f];
  }
  return names;
}

/// vmf:mu=…;…;… is on a sphere, wrapped-normal:mean=…;… on a ball, of as many coordinates as they name;
/// bivariate-von-mises on torus:2.
std::string manifold_of_target(const std::string& target) {
  const auto numbers_after = [&](const char* key) -> std::ptrdiff_t {
    const std::size_t at = target.find(key);
    if (at == target.npos) return 0;
    const std::size_t end = target.find_first_of(",+", at);
    return 1 +
           std::count(target.begin() + static_cast<std::ptrdiff_t>(at),
                      end == target.npos ? target.end() : target.begin() + static_cast<std::ptrdiff_t>(end),
                      ';');
  };
  if (target.find("bivariate-von-mises") != target.npos) return "torus:2";
  if (const auto n = numbers_after("mu="); n > 1) return fmt::format("sphere:{}", n - 1);
  if (target.find("lat=") != target.npos) return "sphere:2";
  if (const auto n = numbers_after("mean="); n > 0) return fmt::format("ball:{}", n);
  throw Error(fmt::format("‹target› '{}' does not say where it is", target),
              "give its ‹manifold›, as in ball:2");
}

/// Gives the points their weights, and leaves out those of weight 0.
void weigh_points(DataSet& data, const Weights& weights, Observer& observer) {
  check_weights(weights, data.points.size());
  const double most = *std::max_element(weights.begin(), weights.end());
  std::vector<std::size_t> kept;
  std::vector<std::uint64_t> lines;
  Weights own;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (!(weights[i] / most > 0)) continue;
    kept.push_back(i);
    lines.push_back(data.lines[i]);
    own.push_back(weights[i]);
  }
  if (kept.size() < weights.size())
    observer.tell("{} of {} points have the weight 0 and are left out.", weights.size() - kept.size(),
                  weights.size());
  data.points = part_of<double>(data.points, kept);
  data.lines = std::move(lines);
  data.weights = of_mean_one(std::move(own));
}

/// Duplicates, groups and the split. data: its points, their lines and where they come from.
void divide(DataSet& data, const FitOptions& settings, const std::string& place, Observer& observer) {
  const SplitShares shares = parse_split(settings.split);
  data.rows = data.points.size();
  std::vector<std::size_t> groups = duplicate_groups(*data.manifold, data.points);
  const std::vector<std::size_t> distinct = firsts_of(groups);
  data.duplicates = data.rows - distinct.size();
  require(data.rows > 1, place + ": one point only", "a density needs many; a few hundred are a beginning",
          Fault::bad_data);
  require(distinct.size() > 1, fmt::format("{}: all {} points are equal", place, data.rows),
          "a density needs points that differ; were the right columns read?", Fault::bad_data);
  if (settings.dedup) {
    data.points = part_of<double>(data.points, distinct);
    std::vector<std::uint64_t> lines;
    for (std::size_t i : distinct) lines.push_back(data.lines[i]);
    data.lines = std::move(lines);
    if (!data.weights.empty()) {
      Weights sums(distinct.size());
      for (std::size_t i = 0; i < groups.size(); ++i) sums[groups[i]] += data.weights[i];
      data.weights = of_mean_one(std::move(sums));
    }
    groups.resize(distinct.size());
    std::iota(groups.begin(), groups.end(), std::size_t{0});
  } else {
    // As the first of them is written: what is learned tells equal points by their numbers.
    for (std::size_t i = 0; i < groups.size(); ++i)
      std::ranges::copy(data.points[distinct[groups[i]]], data.points[i].begin());
    if (!settings.group_split) std::iota(groups.begin(), groups.end(), std::size_t{0});
  }
  if (!settings.group_within.empty()) {
    groups = near_groups(*data.manifold, data.points, group_distance(settings.group_within, *data.manifold));
    observer.say(fmt::format("{} points are {} groups of points within {} of another.", data.points.size(),
                             1 + *std::max_element(groups.begin(), groups.end()), settings.group_within));
  }
  const std::uint64_t seed = split_seed_of(settings);
  data.split = split_points(groups, shares, seed);
  data.groups = std::move(groups);

  observer.say(fmt::format(
      "{} points{}: {} for training, {} for validation, {} for the test (seed {}).", data.points.size(),
      settings.dedup && data.duplicates > 0 ? fmt::format(" ({} duplicates removed)", data.duplicates) : "",
      data.split.training.size(), data.split.validation.size(), data.split.test.size(), seed));
  if (data.duplicates > 0 && !settings.dedup)
    observer.say(fmt::format("Warning: {} of {} points repeat an earlier one{}.", data.duplicates, data.rows,
                             settings.group_split || !settings.group_within.empty()
                                 ? "; equal points stay on one side of the split"
                                 : ". Those on both sides of the split flatter the test; ‹group-split› or "
                                   "‹dedup› prevents that"));
}

}  // namespace

DataSet standardised(const DataSet& raw, Observer& observer) {
  DataSet data = raw;
  if (data.target != nullptr) return data;
  const auto manifold = data.manifold.on<double>();
  const std::vector<std::string> names = names_of_numbers(data);
  std::vector<std::size_t> constant;
  data.standardisation = standardisation_of(*manifold, part_of<double>(data.points, data.split.training),
                                            &constant, data.weights_of(data.split.training));
  if (!constant.empty())
    throw Error(fmt::format("{}: column '{}' is {} in all training points", data.name,
                            names[constant.front()], data.standardisation.shift[constant.front()]),
                "a density needs numbers that differ: leave the column out (‹columns›)", Fault::bad_data);
  if (data.standardisation.identity()) return data;
  std::string formulas;
  const std::vector<bool> euclidean = euclidean_numbers(*manifold);
  for (std::size_t c = 0; c < euclidean.size(); ++c)
    if (euclidean[c])
      formulas += fmt::format("{}({} - {:.6g})/{:.6g}", formulas.empty() ? "" : ", ", names[c],
                              data.standardisation.shift[c], data.standardisation.scale[c]);
  const bool lifts = data.space && *data.space != data.manifold;
  observer.say(fmt::format("{} are standardised inside the model: {}.",
                           lifts ? "Euclidean coordinates of " + data.manifold.name() : "Euclidean columns",
                           formulas));
  data.points = data.standardisation.standardised(data.points);
  return data;
}

void check_weights(const Weights& weights, std::size_t points) {
  constexpr const char* kAdvice = "give one for each point, finite and no less than 0";
  require(weights.size() == points,
          fmt::format("‹sample-weight› has {} weights for {} points", weights.size(), points), kAdvice,
          Fault::bad_data);
  for (std::size_t i = 0; i < points; ++i)
    if (!is_weight(weights[i]))
      throw Error(fmt::format("‹sample-weight› of point {} is {}", i, weights[i]), kAdvice, Fault::bad_data)
          .of_setting("sample-weight", fmt::format("{}", weights[i]));
  require(std::any_of(weights.begin(), weights.end(), [](double w) { return w > 0; }),
          "‹sample-weight› is 0 for all points", "give a weight above 0 to those that count",
          Fault::bad_data);
}

void take_weights(DataSet& data, const ReadPoints& read, Observer& observer) {
  if (read.weights.empty()) return;
  data.weight_column = setting_of(*read.assumptions.weight);
  if (std::none_of(read.weights.begin(), read.weights.end(), [](double w) { return w > 0; }))
    refuse_no_weight(read.assumptions, read.weights.size());
  weigh_points(data, read.weights, observer);
}

DataSet divided(DataSet data, const FitOptions& settings, Observer& observer) {
  divide(data, settings, data.name, observer);
  return data;
}

DataSet target_of(const FitOptions& settings) {
  DataSet data;
  data.manifold = manifold_of(settings, settings.manifold.empty() ? manifold_of_target(settings.target) : "");
  data.target = parse_target<double>(settings.target, data.manifold.on<double>());
  data.name = data.target->name();
  return data;
}

DataSet read_data_set(const std::string& path, const FitOptions& settings, Observer& observer) {
  return read_data_set(DataFile{path, settings.data_dir, settings.reading("")}, settings, observer);
}

DataSet read_data_set(const DataFile& file, const FitOptions& settings, Observer& observer) {
  parse_split(settings.split);  // before much is read
  const auto source = file.open(manifold_of(settings, ""));
  for (const std::string& sentence : source->assumptions().sentences()) observer.say(sentence);
  ReadPoints read = read_all(*source);
  for (const std::string& remark : read.remarks) observer.say(remark);
  return data_set_of(std::move(read), file.name(), settings, observer);
}

DataSet data_set_of(ReadPoints read, const std::string& name, const FitOptions& settings, Observer& observer,
                    const Weights& weights) {
  DataSet data;
  data.manifold = read.assumptions.manifold;
  data.points = std::move(read.points);
  data.name = name;
  data.sha256 = std::move(read.sha256);
  data.lines = std::move(read.lines);
  data.line_word = read.assumptions.row;
  for (const Assumptions::Column& column : read.assumptions.columns)
    data.columns.push_back(column.name.empty() ? column.meaning : column.name);
  if (!weights.empty()) {
    weigh_points(data, weights, observer);
    data.sha256 = sha256_of(data.points, data.weights);  // no longer those of the file
  } else {
    take_weights(data, read, observer);
  }
  divide(data, settings, read.assumptions.path, observer);
  return data;
}

std::string sha256_of(const Points<double>& points, const Weights& weights) {
  std::vector<double> hashed = points.values;
  hashed.insert(hashed.end(), weights.begin(), weights.end());
  return sha256_hex(
      std::string_view(reinterpret_cast<const char*>(hashed.data()), hashed.size() * sizeof(double)));
}

DataSet data_set_of(Points<double> points, const FitOptions& settings, Observer& observer,
                    const std::string& name, const std::vector<double>& weights) {
  require(!settings.manifold.empty(), "points without a ‹manifold›", "name it, as in sphere:2");
  return data_set_of(std::move(points), Space(manifold_of(settings, "")), settings, observer, name, weights);
}

DataSet data_set_of(Points<double> points, const Space& manifold, const FitOptions& settings,
                    Observer& observer, const std::string& name, const std::vector<double>& weights) {
  DataSet data;
  data.manifold = manifold;
  require(points.dimension == manifold->ambient(),
          fmt::format("points of {} numbers on {}", points.dimension, manifold.name()),
          fmt::format("give {} numbers a point", manifold->ambient()), Fault::bad_data);
  data.lines.resize(points.size());
  std::iota(data.lines.begin(), data.lines.end(), std::uint64_t{0});
  data.points = std::move(points);
  if (!weights.empty()) weigh_points(data, weights, observer);
  for (std::size_t i = 0; i < data.points.size(); ++i)
    if (const auto defect = manifold->defect(data.points[i]))
      throw Error(fmt::format("{}: point {}: {}", name, data.lines[i], *defect),
                  "give points of " + manifold.name(), Fault::bad_data);
  data.name = name;
  data.sha256 = sha256_of(data.points, data.weights);
  data.line_word = "point";
  divide(data, settings, name, observer);
  return data;
}

}  // namespace riemflow
