#pragma once
// A fitted model, and the model as a safetensors file (io/safetensors.hpp), readable from any language
// without us: one tensor [rows, columns] for each block of the field's ParameterLayout, and as metadata
//   format             "riemflow-model"
//   format_version     "1"
//   precision          "float" or "double", of the parameters
//   manifold           as in the configuration
//   config             the whole FlowConfig (model/config_json.hpp)
//   base               "default", or the name of a base that the caller must supply (of Riemannian flows)
//   riemflow_version, seed, data_sha256, data_name
//   space              of a covered manifold (model/space.hpp) its name; `manifold` is then its cover
//   provenance         JSON text: command line, summary of the training, scores
//   standardisation    JSON text: {"shift": […], "scale": […]}, a number for each of a point; none: identity.
//                      Of a pool each member has its own
//   checksum           "sha256:…" of all else in the file, checked when it is read; files of 0.1 have none
// A mixture of von Mises–Fisher distributions has the tensors weights [K, 1], means [K, d + 1] and
// concentrations [K, 1], always in double precision. A kernel density has centres [n, ambient], weights
// [n, 1], bandwidths [n, 1], wide [1, 1] and, of anisotropic kernels, shapes [n, Σ ambient² of the factors]
// (kernel/kernels.hpp), in double too; a flow over one has them as base.centres, … and base = "kde". A
// pool has its weights [M, 1], and of each member the tensors under member.N.… and the metadata, config and
// precision among it, under member.N.….
// Anything else in the metadata is kept. Tensors named state.… are the trainer's, to resume from.

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "riemflow/core/task_observer.hpp"
#include "riemflow/distribution/mixture_sums.hpp"
#include "riemflow/flow/flow.hpp"
#include "riemflow/flow/flow_config.hpp"
#include "riemflow/io/safetensors.hpp"
#include "riemflow/kernel/kernel_mixture.hpp"
#include "riemflow/model/density.hpp"

namespace riemflow {

inline constexpr int kModelFormatVersion = 1;

/// A flow: its parameters in the order of the layout, and the kernel density that it carries along, if it
/// does.
struct FlowParameters {
  std::variant<std::vector<float>, std::vector<double>> values;
  std::shared_ptr<const KernelMixture> base;
};

struct Model;
/// The members of a pool, each a whole model that is no pool, and their weights.
struct Pool {
  std::vector<Model> members;
  std::vector<double> weights;
};

/// Kernels are built when a model is made or read, and shared by its copies and its densities.
using KernelsOfModel = std::shared_ptr<const KernelMixture>;

struct Model {
  FlowConfig config;  ///< of a flow; of others the manifold and the kind
  std::variant<FlowParameters, KernelsOfModel, MixtureParameters, Pool> content;  ///< as config.model says
  std::map<std::string, std::string> metadata;  ///< the keys above from `base` on, and any others
  std::vector<Tensor> state;                    ///< names start with "state."
  std::string path;                             ///< where it was read from, for messages
  std::optional<Space> space = {};              ///< of a covered manifold that itself (model/space.hpp)
};

/// "float" or "double": of a flow that of its parameters, of a pool that of its flows.
std::string precision_of(const Model& model);
/// The text of a key of the metadata, empty where it is not there.
std::string metadata_of(const Model& model, const std::string& key);
/// "FILE: ", what a message about a model begins with.
std::string about(const Model& model);
/// The kernels of a kernel density, or of a flow's base; null where there are none.
KernelsOfModel kernels_of(const Model& model);
/// The mixture, the pool of a model that is one: Error otherwise.
const MixtureParameters& mixture_of(const Model& model);
const Pool& pool_of(const Model& model);
/// How many numbers it is made of.
std::size_t numbers_in(const Model& model);

/// The standardisation of Euclidean coordinates, as metadata.
void keep_standardisation(Model& model, const Standardisation& standardisation);
/// The inverse. Throws Error(Fault::bad_data) unless it is as above, with scales > 0, and Euclidean
/// coordinates alone are changed.
Standardisation standardisation_of(const Model& model);

/// The flow with parameters of its layout, such as a moving average, or with its own.
template <class T>
Model make_model(const Transport<T>& flow, std::span<const T> parameters);
template <class T>
Model make_model(const Transport<T>& flow) {
  return make_model(flow, flow.parameters());
}
/// A mixture on a sphere.
Model make_model(const Space& manifold, const MixtureParameters& mixture);
/// A kernel density.
Model make_model(const Space& manifold, KernelsOfModel kernels);
Model make_model(const Space& manifold, const KernelParameters& kernels);
/// A width of 600 m on the Earth. The density is right far beyond; coordinates of data are not.
inline constexpr double kMostConcentration = 1e8;

inline constexpr std::size_t kMostMembers = 1000;
/// A pool of models of one manifold, whose flows are of one precision: Error(Fault::bad_data) otherwise.
/// weights ≥ 0, scaled to sum 1; members without weight are left out, pools give their members, and states of
/// training stay behind.
Model make_pool(const std::vector<Model>& members, const std::vector<double>& weights);
/// The model itself if it is a flow; of a pool the flow with the largest weight; none otherwise.
std::optional<Model> leading_flow(const Model& model);

/// The flow of a model of precision T, bit for bit on the CPU, in standardised coordinates. threads: 0 means
/// one for each core. base: needed if, and only if, the model's is neither the default nor in the file.
/// Throws Error(Fault::bad_data) where that is not so, and as make_transport.
template <class T>
std::unique_ptr<Transport<T>> make_flow(const Model& model, int threads = 0,
                                        std::shared_ptr<const Distribution<T>> base = nullptr,
                                        Device device = Device::cpu);

struct Evaluation {
  double tolerance = 0;  ///< of the solver, relative and absolute; 0: the model's own
  int threads = 0;       ///< 0: one for each core
  Device device = Device::cpu;
};

/// The density of any model, in its own precision and in the coordinates of the user. Of a pool, divergences
/// are exact, and a GPU is used by the members that can.
std::unique_ptr<Density> make_density(const Model& model, const Evaluation& how = {});
/// The same with exact divergences, which the observer is told of where the model was trained otherwise:
/// densities that are to be added up cannot be Hutchinson's estimates, whose logarithm is right on average
/// and whose density is too large.
std::unique_ptr<Density> make_exact_density(Model model, const Evaluation& how, TaskObserver& observer);
/// Exact log-densities at points; NaN where it failed.
std::vector<double> log_densities_of_model(const Model& model, const Evaluation& how,
                                           const Points<double>& points);

/// Throws Error(Fault::numerical) if a parameter is not finite, Error(Fault::internal) if the model could not
/// be read back, Error(Fault::cannot_write). The file that was there stays unless the whole of the new one is
/// on the disk.
void save_model(const std::string& path, const Model& model);
/// Throws Error(Fault::no_input), or Error(Fault::bad_data) unless all is as above: of a flow the names,
/// shapes and type of the configuration's layout, of a mixture weights ≥ 0 of sum 1 ± 1e-9, means of length 1
/// ± 1e-6 and concentrations from 0 to kMostConcentration, of a kernel density what KernelMixture asks for,
/// of a pool weights > 0 of sum 1 ± 1e-9; every number finite. A file has names of spaces: own are those that
/// the library does not know.
Model load_model(const std::string& path, std::span<const Space> own = {});

/// The same without the file; `name` stands for it in messages.
SafeTensors model_to_tensors(const Model& model);
Model model_from_tensors(SafeTensors content, const std::string& name, std::span<const Space> own = {});
/// The parameters as they are in the file.
std::vector<Tensor> tensors_of(const Model& model);
/// The metadata as they are in the file but for what is of the file itself: of a pool with those of its
/// members.
std::map<std::string, std::string> metadata_in_file(const Model& model);

}  // namespace riemflow
