#include "riemflow/io/row_source.hpp"

#include <algorithm>
#include <cstring>
#include <exception>
#include <future>
#include <optional>
#include <span>
#include <thread>
#include <utility>

#include "riemflow/core/executor.hpp"

namespace riemflow::io {
namespace {

/// A row of text has 1 MB at most. A piece of 64 KB takes a quarter of a millisecond; a stretch has half of
/// that 1 MB for each thread, but all of it at least, so that it stays in the caches.
constexpr std::size_t kPiecesOfLongestRow = 16;

using Piece = RowReader::Piece;
using Rows = RowReader::Rows;
using Stop = RowReader::Stop;

struct Stretch {
  std::unique_ptr<char[]> buffer;  ///< room for what the one before left, the bytes read, and a zero
  char *begin = nullptr, *end = nullptr;
  const char* unhashed = nullptr;            ///< from here on
  std::uint64_t offset = 0;                  ///< of begin, in the rows
  bool last = false;                         ///< nothing follows
  std::exception_ptr failure;                ///< what reading on came to
  double share_before = 0, share_after = 0;  ///< of the file

  std::vector<Piece> pieces;
  std::vector<Rows> rows;         ///< of the pieces, or more
  std::size_t made = 0;           ///< pieces that have their rows
  Stop stop = Stop::limit;        ///< of the last of them
  const char* carried = nullptr;  ///< from here on the next stretch has its bytes, if it was read beside
  const char* rest = nullptr;     ///< from here on they are in no row here
  std::uint64_t line = 0;         ///< of rest

  std::uint64_t offset_of(const char* place) const {
    return offset + static_cast<std::uint64_t>(place - begin);
  }
  Piece piece_at(const char* row) const { return {row, row + 1, end, last, offset_of(row)}; }
  bool goes_on() const { return !last && !failure && stop != Stop::bad; }
};

class RowSource final : public PointSource {
 public:
  RowSource(Window window, std::unique_ptr<const RowReader> reader, std::uint64_t first_line,
            Assumptions assumptions, const ReadOptions& options);
  std::string sha256() override;
  double share_done() const override;

 private:
  std::size_t take(std::size_t most, Points<double>& chunk, std::vector<std::uint64_t>* lines,
                   Weights* weights) override;
  bool advance();
  void produce();
  void begin(Stretch& stretch, std::string_view bytes) const;
  void read_behind(const Stretch& before, const char* from);
  void hash(Stretch& stretch);
  void cut(Stretch& stretch) const;
  void make_points(Stretch& stretch, std::uint64_t line);

  std::shared_ptr<HashedBytes> source_;
  std::unique_ptr<const RowReader> reader_;
  int threads_;
  std::size_t longest_row_, stretch_, piece_;  // bytes
  std::optional<Executor> executor_;           // once there is work for it
  std::uint64_t first_line_;
  Stretch now_, next_, ahead_;  // points are given, made, and bytes read
  bool ahead_is_read_ = false;  // it follows next_ or, where that is not made, now_
  bool begun_ = false, ended_ = false;
  std::size_t at_piece_ = 0, at_point_ = 0, at_left_out_ = 0;  // of now_, what has been given
  std::future<void> producing_;  // next_; last: it is over before the rest is gone
};

RowSource::RowSource(Window window, std::unique_ptr<const RowReader> reader, std::uint64_t first_line,
                     Assumptions assumptions, const ReadOptions& options)
    : PointSource(std::move(assumptions), reader->dimension(), options.skip_invalid),
      source_(window.source()),
      reader_(std::move(reader)),
      threads_(options.threads > 0 ? options.threads : static_cast<int>(std::thread::hardware_concurrency())),
      longest_row_(reader_->longest_row()),
      stretch_((longest_row_ + 1) / 2 * std::max<std::size_t>(2, static_cast<std::size_t>(threads_))),
      piece_(std::max<std::size_t>(1, longest_row_ / kPiecesOfLongestRow)),
      first_line_(first_line) {
  // What the head was found in comes first.
  begin(now_, {window.begin(), window.size()});
  now_.unhashed = now_.end;
  now_.last = window.complete();
  now_.share_after = source_->share_read();
}

std::size_t RowSource::take(std::size_t most, Points<double>& chunk, std::vector<std::uint64_t>* lines,
                            Weights* weights) {
  const auto width = static_cast<std::size_t>(dimension());
  std::size_t n = 0;
  while (n < most) {
    if (at_piece_ == now_.made) {
      if (!advance()) break;
      continue;
    }
    const Rows& rows = now_.rows[at_piece_];
    for (; at_left_out_ < rows.left_out.size() && rows.left_out[at_left_out_].before == at_point_;
         ++at_left_out_) {
      const Rows::LeftOut& row = rows.left_out[at_left_out_];
      count_skipped([&] { return reader_->error_of(now_.piece_at(row.row), rows.first_line + row.line); });
    }
    const std::size_t end =
        at_left_out_ < rows.left_out.size() ? rows.left_out[at_left_out_].before : rows.size();
    const std::size_t taken = std::min(most - n, end - at_point_);
    if (taken == 0) {
      if (rows.stop == Stop::bad)
        throw reader_->error_of(now_.piece_at(rows.end), rows.first_line + rows.lines);
      ++at_piece_;
      at_point_ = at_left_out_ = 0;
      continue;
    }
    const auto part = [&](const std::vector<double>& all, std::size_t each) {
      return std::span(all).subspan(at_point_ * each, taken * each);
    };
    const auto points = part(rows.points, width);
    chunk.values.insert(chunk.values.end(), points.begin(), points.end());
    if (lines != nullptr)
      for (std::size_t i = 0; i < taken; ++i)
        lines->push_back(rows.first_line + rows.point_lines[at_point_ + i]);
    if (weights != nullptr && !rows.weights.empty()) {
      const auto own = part(rows.weights, 1);
      weights->insert(weights->end(), own.begin(), own.end());
    }
    at_point_ += taken;
    n += taken;
  }
  return n;
}

/// now_ = the next stretch, with its points; false where there is none.
bool RowSource::advance() {
  if (ended_) return false;
  if (!begun_) {
    make_points(now_, first_line_);
    begun_ = true;
  } else {
    if (now_.failure) std::rethrow_exception(now_.failure);
    if (now_.last) {
      reader_->check_end(now_.line);
      return false;
    }
    if (producing_.valid())
      producing_.get();
    else
      produce();
    std::swap(now_, next_);
  }
  at_piece_ = at_point_ = at_left_out_ = 0;
  // Beside the caller, unless that would wait for another program.
  if (threads_ > 1 && now_.goes_on() && (ahead_is_read_ || source_->ready()))
    producing_ = std::async(std::launch::async, [this] { produce(); });
  return true;
}

/// next_ = the stretch behind now_, with its points.
void RowSource::produce() {
  if (!ahead_is_read_) {
    read_behind(now_, now_.rest);
  } else if (now_.rest != now_.carried) {  // a row did not end where it was likely to
    ahead_.begin += now_.rest - now_.carried;
    ahead_.offset = now_.offset_of(now_.rest);
    if (now_.rest < now_.carried)
      std::memcpy(ahead_.begin, now_.rest, static_cast<std::size_t>(now_.carried - now_.rest));
  }
  std::swap(next_, ahead_);
  ahead_is_read_ = false;
  make_points(next_, now_.line);
}

/// `stretch` has these bytes so far.
void RowSource::begin(Stretch& stretch, std::string_view bytes) const {
  if (stretch.buffer == nullptr)
    stretch.buffer = std::make_unique_for_overwrite<char[]>(longest_row_ + stretch_ + 1);
  stretch.end = stretch.buffer.get() + longest_row_;
  stretch.begin = stretch.end - bytes.size();
  std::memcpy(stretch.begin, bytes.data(), bytes.size());
  *stretch.end = 0;
}

/// ahead_ = the bytes of `before` from `from` on and what follows them: one reading, and more as long as it
/// does not wait.
void RowSource::read_behind(const Stretch& before, const char* from) {
  begin(ahead_, {from, static_cast<std::size_t>(before.end - from)});
  ahead_.unhashed = ahead_.end;
  ahead_.offset = before.offset_of(from);
  ahead_.last = false;
  ahead_.failure = nullptr;
  ahead_.share_before = before.share_after;
  try {
    for (std::size_t room = stretch_; room > 0;) {
      const std::size_t n = source_->read_unhashed(ahead_.end, room);
      ahead_.end += n;
      room -= n;
      ahead_.last = n == 0;
      if (ahead_.last || !source_->ready()) break;
    }
  } catch (...) {
    ahead_.failure = std::current_exception();
  }
  *ahead_.end = 0;
  ahead_.share_after = source_->share_read();
}

void RowSource::hash(Stretch& stretch) {
  source_->hash({stretch.unhashed, static_cast<std::size_t>(stretch.end - stretch.unhashed)});
  stretch.unhashed = stretch.end;
}

/// pieces and carried.
void RowSource::cut(Stretch& stretch) const {
  stretch.pieces.clear();
  const char* at = stretch.begin;
  const auto add = [&](const char* limit) {
    stretch.pieces.push_back(stretch.piece_at(at));
    stretch.pieces.back().limit = at = limit;
  };
  while (static_cast<std::size_t>(stretch.end - at) > piece_) {
    const char* const next = reader_->likely_row(at, at + piece_, stretch.end);
    if (next == nullptr) break;
    add(next);
  }
  // A short rest without an end waits for what follows it.
  const auto rest = static_cast<std::size_t>(stretch.end - at);
  if (rest > 0 && (stretch.last || stretch.pieces.empty() || rest > 2 * piece_)) add(stretch.end);
  stretch.carried = at;
}

/// All else of a stretch that begins on `line`; reads ahead_ beside it where there is something to read.
void RowSource::make_points(Stretch& stretch, std::uint64_t line) {
  cut(stretch);
  if (stretch.rows.size() < stretch.pieces.size()) stretch.rows.resize(stretch.pieces.size());
  for (Rows& rows : stretch.rows) rows.begin = nullptr;
  const auto make_piece = [&](std::size_t k) {
    // On the thread's own stack while it grows: what two threads write to shall not lie in one cache line.
    Rows rows = std::move(stretch.rows[k]);
    rows.clear();
    rows.begin = stretch.pieces[k].begin;
    reader_->make(stretch.pieces[k], rows);
    stretch.rows[k] = std::move(rows);
  };
  if (threads_ > 1 && stretch.pieces.size() > 1) {
    if (!executor_) executor_.emplace(threads_);
    const bool goes_on = !stretch.last && !stretch.failure && source_->ready();
    executor_->run(stretch.pieces.size() + 2, [&](std::size_t k, int) {
      if (k > 1)
        make_piece(k - 2);
      else if (k == 1)
        hash(stretch);
      else if (goes_on)
        read_behind(stretch, stretch.carried);
    });
    ahead_is_read_ = goes_on;
  }
  hash(stretch);
  stretch.rest = stretch.begin;
  stretch.line = line;
  stretch.made = 0;
  stretch.stop = Stop::limit;
  for (; stretch.stop == Stop::limit && stretch.made < stretch.pieces.size(); ++stretch.made) {
    Piece& piece = stretch.pieces[stretch.made];
    Rows& rows = stretch.rows[stretch.made];
    if (rows.begin != stretch.rest) {
      const char* const limit = piece.limit;
      piece = stretch.piece_at(stretch.rest);
      piece.limit = std::max<const char*>(limit, stretch.rest);  // all of it may be in a row of one before
      make_piece(stretch.made);
    }
    rows.first_line = stretch.line;
    stretch.line += rows.lines;
    stretch.rest = rows.end;
    stretch.stop = rows.stop;
  }
}

std::string RowSource::sha256() {
  if (producing_.valid()) producing_.get();
  if (ahead_is_read_) hash(ahead_);
  now_.made = at_piece_ = 0;
  ended_ = true;
  return PointSource::sha256();
}

double RowSource::share_done() const {
  double given = 1;
  if (at_piece_ < now_.made) {
    const double points = static_cast<double>(std::max<std::size_t>(1, now_.rows[at_piece_].size()));
    given = (static_cast<double>(at_piece_) + static_cast<double>(at_point_) / points) /
            static_cast<double>(now_.made);
  }
  return now_.share_before + given * (now_.share_after - now_.share_before);
}

}  // namespace

void RowReader::Rows::clear() {
  points.clear(), weights.clear(), point_lines.clear(), left_out.clear();
  begin = end = nullptr;
  lines = 0;
}

std::unique_ptr<PointSource> open_rows(Window window, std::unique_ptr<const RowReader> reader,
                                       std::uint64_t first_line, Assumptions assumptions,
                                       const ReadOptions& options) {
  return std::make_unique<RowSource>(std::move(window), std::move(reader), first_line, std::move(assumptions),
                                     options);
}

}  // namespace riemflow::io
