#pragma once
// A user's file as points on a manifold, a chunk at a time: memory does not grow with the file.
//
//   auto source = open_points("quakes.csv", {});
//   for (const std::string& sentence : source->assumptions().sentences()) say(sentence);
//   Points<double> chunk;
//   while (source->next(10000, chunk)) use(chunk);
//   for (const std::string& sentence : source->remarks()) say(sentence);

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "riemflow/core/error.hpp"
#include "riemflow/core/points.hpp"
#include "riemflow/core/weights.hpp"
#include "riemflow/io/assumptions.hpp"
#include "riemflow/io/bytes.hpp"
#include "riemflow/io/read_options.hpp"

namespace riemflow {

class PointSource;
namespace io {
/// Of a row that may be left out.
inline Error invalid_row(FilePlace place, const std::string& problem, const std::string& advice) {
  return Error(std::move(place), problem, advice + "; ‹skip-invalid› leaves out such rows");
}
std::unique_ptr<PointSource> open_format(Window window, const std::string& path, const ReadOptions& options);
}  // namespace io

class PointSource {
 public:
  virtual ~PointSource() = default;

  /// chunk = the next points, at most `most` > 0; false, with none, at the end. lines[i] = where chunk[i]
  /// came from, from 1: see Assumptions::row. weights[i] = its weight, finite and ≥ 0; none where there is no
  /// column of them. Throws Error (bad_data) at a row that is no point, or whose weight is none, unless they
  /// are to be skipped, and at the end if there was no point at all.
  bool next(std::size_t most, Points<double>& chunk, std::vector<std::uint64_t>* lines = nullptr,
            Weights* weights = nullptr);

  /// Complete once the source is open.
  const Assumptions& assumptions() const { return assumptions_; }
  /// One more warning among the assumptions.
  void warn(std::string sentence) { assumptions_.warnings.push_back(std::move(sentence)); }
  /// Rows left out so far because they are no points.
  std::uint64_t skipped() const { return skipped_; }
  /// What else there is to say of what has been read so far: rows skipped, shapes that are not points.
  virtual std::vector<std::string> remarks() const;
  /// Of all bytes that the points come from, hashed while they were read; reads those that are left, so that
  /// no point follows.
  virtual std::string sha256() { return bytes_->sha256(); }
  /// About what share of the file the points so far come from, 0 where that is not known.
  virtual double share_done() const { return 0; }

 protected:
  PointSource(Assumptions assumptions, int dimension, bool skip_invalid)
      : assumptions_(std::move(assumptions)), dimension_(dimension), skip_invalid_(skip_invalid) {}

  int dimension() const { return dimension_; }
  /// Appends the next points, fewer than `most` at the end only, with their lines and, where there is a
  /// column of them, their weights; either may be null. Returns how many.
  virtual std::size_t take(std::size_t most, Points<double>& chunk, std::vector<std::uint64_t>* lines,
                           Weights* weights) = 0;
  /// Why there is no point in a file that ends without one.
  virtual std::string why_empty() const { return "every row was skipped"; }
  virtual std::string advice_for_empty() const { return "give one point at least"; }

  bool skips_invalid() const { return skip_invalid_; }
  /// Counts a row that is left out. error, as io::invalid_row makes it, is not called more than once for a
  /// file.
  template <class MakeError>
  void count_skipped(MakeError&& error) {
    if (skipped_++ == 0) first_skipped_ = error().problem();
  }
  Assumptions assumptions_;

 private:
  friend std::unique_ptr<PointSource> io::open_format(io::Window, const std::string&, const ReadOptions&);
  friend std::unique_ptr<PointSource> open_columns(std::vector<std::string>, const Points<double>&,
                                                   const std::string&, const ReadOptions&);

  std::shared_ptr<io::HashedBytes> bytes_;
  int dimension_;
  bool skip_invalid_;
  std::uint64_t skipped_ = 0, read_ = 0;
  std::string first_skipped_;
};

/// "-" is standard input. Throws Error: no_input if it cannot be read, bad_data if it is not understood,
/// usage or configuration for options that make no sense.
std::unique_ptr<PointSource> open_points(const std::string& path, const ReadOptions& options);

/// The same of bytes in memory, which must outlive the source; `name` stands in messages.
std::unique_ptr<PointSource> open_points_in(std::string_view bytes, const std::string& name,
                                            const ReadOptions& options);

struct ReadPoints {
  Points<double> points;
  std::vector<std::uint64_t> lines;  ///< see PointSource::next
  Weights weights;                   ///< the same
  Assumptions assumptions;
  std::uint64_t skipped = 0;
  std::vector<std::string> remarks;
  std::string sha256;  ///< see PointSource::sha256
};

/// Of columns in memory, as of a file with this header: numbers [row][column], which must outlive the source.
std::unique_ptr<PointSource> open_columns(std::vector<std::string> names, const Points<double>& numbers,
                                          const std::string& name, const ReadOptions& options);

/// Throws Error(Fault::bad_data) for points that were read with weights which are all 0.
[[noreturn]] void refuse_no_weight(const Assumptions& assumptions, std::uint64_t points);

/// All points of a file.
ReadPoints read_points(const std::string& path, const ReadOptions& options);
ReadPoints read_all(PointSource& source);

}  // namespace riemflow
