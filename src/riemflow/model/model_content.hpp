#pragma once
// The content of a model from its tensors and into them, kind by kind. A file may be anyone's: nothing in it
// is believed. Those that read throw Error(Fault::bad_data).

#include "riemflow/model/model_file.hpp"

namespace riemflow {

/// What the tensors of a flow's base are named after.
inline constexpr const char* kBasePrefix = "base.";

/// Spaces of the caller's own that may stand in a file.
using OwnSpaces = std::span<const Space>;

/// model: its configuration, metadata and path; of a pool the members' metadata are taken out, and of a
/// covered manifold the name.
void read_content(Model& model, const std::string& precision, const std::vector<Tensor>& tensors,
                  OwnSpaces own);

FlowParameters read_flow(const Model& model, const std::string& precision,
                         const std::vector<Tensor>& tensors);
KernelsOfModel read_kernels(const Model& model, const std::string& prefix,
                            const std::vector<Tensor>& tensors);
MixtureParameters read_mixture(const Model& model, const std::vector<Tensor>& tensors);
Pool read_pool(Model& model, const std::string& precision, const std::vector<Tensor>& tensors, OwnSpaces own);

void add_tensors(const Model& model, const FlowParameters& flow, std::vector<Tensor>& tensors);
void add_tensors(const KernelParameters& kernels, const std::string& prefix, std::vector<Tensor>& tensors);
void add_tensors(const Model& model, const MixtureParameters& mixture, std::vector<Tensor>& tensors);
void add_tensors(const Pool& pool, std::vector<Tensor>& tensors);
/// The tensor [rows, columns] of that name in double; rows = 0: as many as it has, at least one, which rows
/// then is. `advice` says what there should be.
std::vector<double> read_doubles(const Model& model, const std::vector<Tensor>& tensors,
                                 const std::string& name, std::uint64_t& rows, std::uint64_t columns,
                                 const char* advice);
/// As [rows, as many as that leaves].
Tensor tensor_of_doubles(const std::string& name, std::size_t rows, const std::vector<double>& values);
/// "member.3."
std::string member_prefix(std::size_t m);

}  // namespace riemflow
