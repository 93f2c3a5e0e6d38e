#include "riemflow/fit/pool_models.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <tuple>

#include "riemflow/core/error.hpp"
#include "riemflow/core/version.hpp"
#include "riemflow/fit/data_set.hpp"
#include "riemflow/fit/provenance.hpp"
#include "riemflow/model/held_out.hpp"
#include "riemflow/model/space.hpp"

namespace riemflow {
namespace {

/// The points that choose the weights, and those left for a test: of the data that members were fitted to,
/// those that no member has seen as it was scored, and the test points of their split, which must be one; of
/// other data all points.
struct HeldOut {
  std::vector<std::size_t> numbers;  ///< of the validation points, as the fits read them
  Points<double> validation, test;
  ScoredWeights weights;         ///< of these
  const Model* split = nullptr;  ///< whose split it is; null: all points, none of a fit's
  /// Of members that have seen these points since: their log-densities before that.
  std::map<const Model*, std::vector<double>> scores;
};

/// The points that the member may be judged by: those it kept scores of or, if it has learned from none of
/// them, its validation points.
HeldOutScores honest_scores(const Model& member, const ModelData& own, const std::string& data) {
  if (auto kept = held_out_of(member)) {
    const std::size_t all = own.split.training.size() + own.split.validation.size() + own.split.test.size();
    for (const std::size_t point : kept->points)
      require(point < all,
              fmt::format("{} has scores of point {}, but {} has {} points", member.path, point, data, all),
              "use the file as riemflow wrote it", Fault::bad_data);
    return *kept;
  }
  const Values settings = recorded_settings(member);
  const auto model = settings.find("model");
  const bool fitted_pool = model != settings.end() && model->second == name_of(ModelKind::pool);
  require(!fitted_pool && !has_learned_from_validation(member, own.training, own.validation),
          fmt::format("{} has learned from the validation points of {} and does not hold its scores of them "
                      "from before, so that it would get all the weight",
                      member.path, data),
          "fit it again (files of version 0.1 lack these scores), or weigh the members on points that none "
          "of them has seen: give another file",
          Fault::bad_data);
  return {own.split.validation, {}};
}

HeldOut held_out(const DataFile& data, const std::vector<Model>& members, Observer& observer) {
  HeldOut result;
  std::map<const Model*, std::map<std::size_t, double>> kept;
  std::map<std::size_t, std::vector<double>> points;  // by their numbers
  std::map<std::size_t, double> weights;              // the same, where points have some
  const std::string sha256 = data.sha256();
  for (const Model& member : members) {
    const std::string trained_on = metadata_of(member, "data_sha256");
    if (trained_on.empty())
      observer.tell(
          "Warning: {} does not say what it was trained on; if it was on {}, the weights flatter it.",
          member.path, data.path);
    if (trained_on.empty() || trained_on != sha256) continue;
    require(!fitted_with_weights(member) || !weight_column_of(member).empty(),
            fmt::format("{} was fitted with ‹sample-weight›, which {} does not have", member.path, data.path),
            "weigh the members on points that none of them has seen: give another file", Fault::bad_data);
    require(result.split == nullptr || weight_column_of(member) == weight_column_of(*result.split),
            fmt::format("{} and {} were fitted with different ‹weights› of {}",
                        result.split == nullptr ? "" : result.split->path, member.path, data.path),
            "fit them with the same, or give other data", Fault::bad_data);
    Observer silent;
    const ModelData own = read_model_data(member, data, silent);
    require(own.split_known,
            fmt::format("{} was trained on {}, and does not say on which points", member.path, data.path),
            "weigh the members on points that none of them has seen: give another file", Fault::bad_data);
    require(
        result.split == nullptr || own.validation.values == result.validation.values,
        fmt::format("{} and {} were fitted to different splits of {}, so that each has learned from points "
                    "that would choose the weights",
                    result.split == nullptr ? "" : result.split->path, member.path, data.path),
        "fit them with the same ‹split›, ‹split-seed›, ‹dedup›, ‹group-split› and ‹group-within›, or give "
        "other data",
        Fault::bad_data);
    HeldOutScores honest = honest_scores(member, own, data.path);
    std::map<std::size_t, double> by_point;
    for (std::size_t i = 0; i < honest.points.size(); ++i)
      by_point[honest.points[i]] = honest.log_densities.empty() ? 0 : honest.log_densities[i];
    if (!honest.log_densities.empty()) kept[&member] = by_point;
    std::vector<std::size_t> common;
    for (const auto& [point, score] : by_point)
      if (result.split == nullptr || std::binary_search(result.numbers.begin(), result.numbers.end(), point))
        common.push_back(point);
    result.numbers = std::move(common);
    if (result.split == nullptr)
      for (const auto& [numbers, part, own_weights] :
           {std::tuple(&own.split.training, &own.training, &own.weights.training),
            std::tuple(&own.split.validation, &own.validation, &own.weights.validation)})
        for (std::size_t i = 0; i < numbers->size(); ++i) {
          points.try_emplace((*numbers)[i], (*part)[i].begin(), (*part)[i].end());
          if (!own_weights->empty()) weights[(*numbers)[i]] = (*own_weights)[i];
        }
    result.split = &member;
    result.validation = own.validation;
    result.test = own.test;
    result.weights.test = own.test_weights;
  }
  if (result.split != nullptr) {
    require(!result.numbers.empty(), fmt::format("no point of {} is new to all members", data.path),
            "give another file", Fault::bad_data);
    const bool folds = result.numbers.size() > result.validation.size();
    result.validation.values.clear();
    for (const std::size_t number : result.numbers) {
      const auto found = points.find(number);
      require(found != points.end(),
              fmt::format("a member has scores of point {} of {}, which is a test point", number, data.path),
              "use the files as riemflow wrote them", Fault::bad_data);
      result.validation.values.insert(result.validation.values.end(), found->second.begin(),
                                      found->second.end());
      if (!weights.empty()) result.weights.validation.push_back(weights.at(number));
    }
    for (const auto& [member, scores] : kept)
      for (const std::size_t number : result.numbers) result.scores[member].push_back(scores.at(number));
    observer.tell(
        "{} is what the members were fitted to: the weights are chosen on the {} {} points of their split, "
        "and {} test points are left.",
        data.path, result.validation.size(), folds ? "training and validation" : "validation",
        result.test.size());
    return result;
  }
  ModelData all = read_model_data(members.front(), data, observer);
  result.validation = std::move(all.test);
  result.weights.validation = std::move(all.test_weights);
  observer.tell("No member was fitted to {}: all its {} points choose the weights.", data.path,
                result.validation.size());
  return result;
}

}  // namespace

PooledModels pool_models(const std::vector<Model>& members, const DataFile& file, const Evaluation& how,
                         Observer& observer) {
  for (const Model& member : members)
    require(space_of(member) == space_of(members.front()),
            fmt::format("{} is on {}, but {} on {}", member.path, space_of(member).name(),
                        members.front().path, space_of(members.front()).name()),
            "pool models of one space: densities on others are per another volume", Fault::bad_data);
  const HeldOut points = held_out(file.reopenable(), members, observer);

  std::vector<Contender> contenders;
  for (const Model& member : members) {
    observer.tell("Scoring {}.", member.path);
    contenders.push_back({std::filesystem::path(member.path).filename().string(),
                          {member},
                          points.scores.contains(&member)
                              ? points.scores.at(&member)
                              : log_densities_of_model(member, how, points.validation),
                          log_densities_of_model(member, how, points.test)});
  }
  WeighedPool pool = weigh(contenders, points.weights);
  PooledModels result{.model = std::move(pool.model),
                      .members = pool_rows(contenders, pool),
                      .table = pool_table(contenders, pool),
                      .validation_points = pool.validation.size(),
                      .test_points = pool.test.size(),
                      .validation = mean_score(pool.validation, points.weights.validation),
                      .test = mean_score(pool.test, points.weights.test),
                      .gap = pool.weights.gap};
  nlohmann::ordered_json about = {{"finished", true}, {"validation_nll", result.validation.nll}};
  if (result.test_points > 0) {
    about["test_nll"] = result.test.nll;
    about["test_nll_standard_error"] = result.test.error;
    about["failed_test_points"] = result.test.failed;
  }
  about["members"] = json_of(result.members);
  result.model.metadata["riemflow_version"] = kVersion;
  if (points.split != nullptr) {
    for (const char* key : {"data_sha256", "data_name", "seed"})
      result.model.metadata[key] = metadata_of(*points.split, key);
    const auto fitted = read_provenance(metadata_of(*points.split, "provenance"));
    for (const char* key : {"points", "weighted", "weights", "columns", "settings"})
      if (fitted.contains(key)) about[key] = fitted[key];
  }
  result.model.metadata["provenance"] = about.dump();
  if (points.split != nullptr)
    keep_held_out(result.model, {points.numbers, pool.validation, points.weights.validation});
  return result;
}

}  // namespace riemflow
