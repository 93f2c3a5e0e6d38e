// Pools as models: the members whole, one after the other, under names of their own. A file may be anyone's:
// nothing in it is believed.

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "riemflow/io/safetensors_header.hpp"
#include "riemflow/model/config_json.hpp"
#include "riemflow/model/model_content.hpp"
#include "riemflow/model/space.hpp"

namespace riemflow {
namespace {

constexpr std::string_view kMember = "member.";
constexpr const char* kPoolWeights = "weights";

/// 3 and "config" of "member.3.config"; no number where it is none of these.
struct MemberName {
  std::size_t member = 0;
  std::string_view rest;
};
std::optional<MemberName> parse_name(std::string_view name) {
  if (!name.starts_with(kMember)) return std::nullopt;
  name.remove_prefix(kMember.size());
  MemberName found;
  const auto [end, code] = std::from_chars(name.data(), name.data() + name.size(), found.member);
  const auto digits = static_cast<std::size_t>(end - name.data());
  if (code != std::errc() || digits >= name.size() || name[digits] != '.' || name.starts_with('+'))
    return std::nullopt;
  if (fmt::format("{}", found.member) != name.substr(0, digits)) return std::nullopt;
  found.rest = name.substr(digits + 1);
  return found;
}

/// Of all pools, the members and what each of them weighs: a pool of pools is a pool.
void flatten(const Model& model, double weight, Pool& flat) {
  if (const auto* pool = std::get_if<Pool>(&model.content)) {
    for (std::size_t m = 0; m < pool->members.size(); ++m) {
      Model member = pool->members[m];
      keep_space(member, space_of(model));
      flatten(member, weight * pool->weights[m], flat);
    }
    return;
  }
  if (!(weight > 0)) return;
  flat.members.push_back(model);
  flat.members.back().state.clear();
  flat.weights.push_back(weight);
}

}  // namespace

std::string member_prefix(std::size_t m) { return fmt::format("{}{}.", kMember, m); }

Model make_pool(const std::vector<Model>& members, const std::vector<double>& weights) {
  require(members.size() == weights.size(), "a pool with another number of weights than of members",
          "give one each", Fault::internal);
  Pool flat;
  for (std::size_t m = 0; m < members.size(); ++m) flatten(members[m], weights[m], flat);
  require(!flat.members.empty() && flat.members.size() <= kMostMembers,
          fmt::format("a pool of {} members", flat.members.size()),
          fmt::format("give 1 to {}", kMostMembers));
  Model pool;
  pool.config.model = ModelKind::pool;
  pool.config.manifold = flat.members.front().config.manifold;
  double total = 0;
  const Model* flow = nullptr;
  for (std::size_t m = 0; m < flat.members.size(); ++m) {
    const Model& member = flat.members[m];
    require(space_of(member) == space_of(flat.members.front()),
            fmt::format("{}it is on {}, but the first of the pool on {}", about(member),
                        space_of(member).name(), space_of(flat.members.front()).name()),
            "pool models of one manifold", Fault::bad_data);
    require(member.config.manifold == pool.config.manifold,
            fmt::format("{}it is on {}, but the first of the pool on {}", about(member),
                        member.config.manifold.name(), pool.config.manifold.name()),
            "pool models of one manifold", Fault::bad_data);
    total += flat.weights[m];
    if (!is_flow(member.config.model)) continue;
    require(flow == nullptr || precision_of(*flow) == precision_of(member),
            fmt::format("{}its precision is {}, but another's of the pool {}", about(member),
                        precision_of(member), flow == nullptr ? "" : precision_of(*flow)),
            "pool flows of one precision", Fault::bad_data);
    flow = &member;
  }
  for (double& weight : flat.weights) weight /= total;
  // Lifts are added up once, of the whole.
  keep_space(pool, space_of(flat.members.front()));
  for (Model& member : flat.members) keep_space(member, member.config.manifold);
  pool.content = std::move(flat);
  return pool;
}

void add_tensors(const Pool& pool, std::vector<Tensor>& tensors) {
  tensors.push_back(tensor_of_doubles(kPoolWeights, pool.weights.size(), pool.weights));
  for (std::size_t m = 0; m < pool.members.size(); ++m)
    for (Tensor& tensor : tensors_of(pool.members[m])) {
      tensor.name = member_prefix(m) + tensor.name;
      tensors.push_back(std::move(tensor));
    }
}

Pool read_pool(Model& model, const std::string& precision, const std::vector<Tensor>& tensors,
               OwnSpaces own) {
  constexpr const char* kAdvice =
      "a pool has weights [M, 1] in F64, and of each member member.N.config, member.N.precision and "
      "the tensors member.N.…: use the file as riemflow wrote it";
  const auto refuse = [&](const std::string& problem) {
    throw Error(about(model) + problem, kAdvice, Fault::bad_data);
  };
  Pool pool;
  std::uint64_t M = 0;
  pool.weights = read_doubles(model, tensors, kPoolWeights, M, 1, kAdvice);
  if (M > kMostMembers) refuse(fmt::format("tensor weights is F64 [{}, 1]", M));
  double total = 0;
  for (std::size_t m = 0; m < pool.weights.size(); ++m) {
    if (!(pool.weights[m] > 0 && pool.weights[m] <= 1 + 1e-9))
      throw Error(fmt::format("{}weight {} is {}", about(model), m, pool.weights[m]),
                  "it must be above 0, at most 1", Fault::bad_data);
    total += pool.weights[m];
  }
  require(std::abs(total - 1) <= 1e-9, fmt::format("{}the weights add up to {}", about(model), total),
          "they must to 1", Fault::bad_data);

  pool.members.resize(pool.weights.size());
  std::vector<std::vector<Tensor>> of_member(pool.members.size());
  for (const auto& [key, value] : model.metadata) {
    const auto name = parse_name(key);
    if (!name) continue;
    if (name->member >= pool.members.size())
      refuse(fmt::format("metadata {} has no weight", json_quoted(key)));
    pool.members[name->member].metadata.emplace(name->rest, value);
  }
  std::erase_if(model.metadata, [](const auto& entry) { return parse_name(entry.first).has_value(); });
  for (const Tensor& tensor : tensors) {
    if (tensor.name == kPoolWeights) continue;
    const auto name = parse_name(tensor.name);
    if (!name || name->member >= pool.members.size())
      refuse(fmt::format("tensor {} is none of its members'", json_quoted(tensor.name)));
    Tensor of_it = tensor;
    of_it.name = name->rest;
    of_member[name->member].push_back(std::move(of_it));
  }
  const auto take = [&](std::size_t m, const char* key) {
    const auto node = pool.members[m].metadata.extract(key);
    if (node.empty()) refuse(fmt::format("the metadata has no {}{}", member_prefix(m), key));
    return node.mapped();
  };
  for (std::size_t m = 0; m < pool.members.size(); ++m) {
    Model& member = pool.members[m];
    member.path = fmt::format("{}, member {}", model.path.empty() ? "the model" : model.path, m);
    const std::string config = take(m, "config");
    try {
      member.config = config_from_json(config, own);
    } catch (const Error& error) {
      throw Error(fmt::format("{}: {}", member.path, error.what()), "use the file as riemflow wrote it",
                  Fault::bad_data);
    }
    const std::string precision_of_it = take(m, "precision");
    if (member.config.model == ModelKind::pool) refuse(fmt::format("member {} is a pool", m));
    if (!(member.config.manifold == model.config.manifold))
      refuse(fmt::format("member {} is on {}, the pool on {}", m, json_quoted(member.config.manifold.name()),
                         json_quoted(model.config.manifold.name())));
    if (is_flow(member.config.model) && precision_of_it != precision)
      refuse(fmt::format("member {} is of precision {}, the pool of {}", m, json_quoted(precision_of_it),
                         precision));
    read_content(member, precision_of_it, of_member[m], own);
  }
  return pool;
}

std::optional<Model> leading_flow(const Model& model) {
  if (is_flow(model.config.model)) return model;
  const auto* pool = std::get_if<Pool>(&model.content);
  std::optional<std::size_t> best;
  for (std::size_t m = 0; pool != nullptr && m < pool->members.size(); ++m)
    if (is_flow(pool->members[m].config.model) && (!best || pool->weights[m] > pool->weights[*best]))
      best = m;
  if (!best) return std::nullopt;
  return pool->members[*best];
}

}  // namespace riemflow
