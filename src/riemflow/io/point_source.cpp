#include "riemflow/io/point_source.hpp"

#include <fmt/format.h>

#include "riemflow/core/error.hpp"
#include "riemflow/io/message.hpp"
#include "riemflow/io/open_format.hpp"
#include "riemflow/io/unpack.hpp"

namespace riemflow {

bool PointSource::next(std::size_t most, Points<double>& chunk, std::vector<std::uint64_t>* lines,
                       Weights* weights) {
  require(most > 0, "a chunk of no points", "ask for one at least", Fault::internal);
  chunk.dimension = dimension_;
  chunk.values.clear();
  if (lines != nullptr) lines->clear();
  if (weights != nullptr) weights->clear();
  std::size_t n = 0;
  try {
    n = take(most, chunk, lines, weights);
  } catch (const Error&) {
    bytes_->require_whole();  // what looks like a bad row may be damage to packed bytes
    throw;
  }
  read_ += n;
  if (read_ == 0)
    throw Error(FilePlace{assumptions_.path}, "there is no point in it: " + why_empty(),
                first_skipped_.empty() ? advice_for_empty() : "the first one: " + first_skipped_);
  return n > 0;
}

std::vector<std::string> PointSource::remarks() const {
  if (skipped_ == 0) return {};
  return {
      fmt::format("{} row{} skipped; the first: {}.", skipped_, skipped_ == 1 ? "" : "s", first_skipped_)};
}

std::unique_ptr<PointSource> open_points(const std::string& path, const ReadOptions& options) {
  return io::open_format(io::Window(io::open_bytes(path)), path == "-" ? "<stdin>" : path, options);
}

std::unique_ptr<PointSource> open_points_in(std::string_view bytes, const std::string& name,
                                            const ReadOptions& options) {
  return io::open_format(io::Window(io::unpacked(io::memory_bytes(bytes), name)), name, options);
}

void refuse_no_weight(const Assumptions& assumptions, std::uint64_t points) {
  const std::string column = setting_of(*assumptions.weight);
  throw Error(FilePlace{assumptions.path},
              fmt::format("the weight {} is 0 for all {} points", io::in_quotes(column), points),
              "give a weight above 0 to those that count, or choose other weights with ‹weights›")
      .of_setting("weights", column);
}

ReadPoints read_all(PointSource& source) {
  ReadPoints data;
  source.next(SIZE_MAX, data.points, &data.lines, &data.weights);
  data.assumptions = source.assumptions();
  data.skipped = source.skipped();
  data.remarks = source.remarks();
  data.sha256 = source.sha256();
  return data;
}

ReadPoints read_points(const std::string& path, const ReadOptions& options) {
  return read_all(*open_points(path, options));
}

}  // namespace riemflow
