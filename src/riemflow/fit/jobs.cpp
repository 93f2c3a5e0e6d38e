#include "riemflow/fit/jobs.hpp"

#include <algorithm>
#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

#include "riemflow/core/cancel.hpp"
#include "riemflow/core/stopwatch.hpp"

namespace riemflow {
namespace {

/// How far all jobs are is known by the time since they began: they say nothing of themselves. What a job is
/// expected to take is a guess, which those that are over correct. All but run() under the mutex.
class JobTable {
 public:
  JobTable(const std::vector<Job>& jobs, const JobWork& work, Results& results, TaskObserver& observer)
      : jobs_(jobs), work_(work), results_(results), observer_(observer) {
    for (const Job& job : jobs) expected_ += job.seconds;
  }

  std::vector<FailedJob> run(int side_by_side) {
    {
      std::vector<std::jthread> threads;
      workers_ = side_by_side;
      for (int t = 0; t < side_by_side; ++t) threads.emplace_back([this] { take_jobs(); });
      ObservedTask task(observer_, "Runs", 1);
      std::unique_lock lock(mutex_);
      while (workers_ > 0 || !sentences_.empty()) {
        changed_.wait_for(lock, std::chrono::milliseconds(100));
        const std::vector<std::string> sentences = std::exchange(sentences_, {});
        const double done = share();
        const std::string note = what_runs();
        lock.unlock();  // the observer takes its time
        for (const std::string& sentence : sentences) observer_.say(sentence);
        if (!note.empty()) task.reach(done, 1, note.c_str());
        lock.lock();
      }
    }
    if (lost_) std::rethrow_exception(lost_);
    return std::move(failed_);
  }

 private:
  void take_jobs() {
    const CancelScope scope([this] { return observer_.cancelled(); });
    std::unique_lock lock(mutex_);
    while (next_ < jobs_.size() && !observer_.cancelled()) {
      const Job& job = jobs_[next_++];
      try {
        one(job, lock);
      } catch (...) {
        if (!lock.owns_lock()) lock.lock();
        lost_ = std::current_exception();
        next_ = jobs_.size();
      }
    }
    --workers_;
    changed_.notify_all();
  }

  /// Throws where a result could not be written: no point in computing more.
  void one(const Job& job, std::unique_lock<std::mutex>& lock) {
    results_.take_in();
    if (results_.has(job.cell, job.seed)) {
      over_ += job.seconds;
      return say(job, "another process has done it");
    }
    const auto begun = running_[&job] = Clock::now();
    changed_.notify_all();
    lock.unlock();
    std::string problem;
    Json run;
    try {
      run = work_(job);
      run["seconds"] = seconds_since(begun);
    } catch (const Cancelled&) {
      lock.lock();
      running_.erase(&job);
      return;
    } catch (const std::exception& error) {
      problem = error.what();
    }
    lock.lock();
    running_.erase(&job);
    over_ += job.seconds;
    if (!problem.empty()) {
      failed_.push_back({job, problem});
      return say(job, "failed: " + problem);
    }
    taken_ += seconds_since(begun);
    foreseen_ += job.seconds;
    results_.add(job.cell, job.seed, std::move(run));
    const double done = share();
    say(job, fmt::format("{}  ETA {}", clock_text(seconds_since(begun)),
                         clock_text(seconds_since(start_) * (1 - done) / std::max(done, 1e-9))));
  }

  void say(const Job& job, const std::string& text) {
    sentences_.push_back(
        fmt::format("{}/{}  {}, seed {}: {}", ++done_, jobs_.size(), job.cell, job.seed, text));
    changed_.notify_all();
  }

  double share() const {
    constexpr double kMostOfOne = 0.95;  // a job that takes longer than foreseen is not over
    const double slower = foreseen_ > 0 ? std::max(taken_ / foreseen_, 1e-6) : 1;
    double done = over_;
    for (const auto& [job, begun] : running_)
      done += std::min(kMostOfOne * job->seconds, seconds_since(begun) / slower);
    return done / expected_;
  }

  std::string what_runs() const {
    if (running_.empty()) return "";
    const Job& job = *running_.begin()->first;
    return running_.size() > 1 ? fmt::format("{} side by side", running_.size())
                               : fmt::format("{}, seed {}", job.cell, job.seed);
  }

  const std::vector<Job>& jobs_;
  const JobWork& work_;
  Results& results_;
  TaskObserver& observer_;
  std::mutex mutex_;
  std::condition_variable changed_;
  int workers_ = 0;
  std::size_t next_ = 0, done_ = 0;
  std::vector<std::string> sentences_;  // for the observer
  std::vector<FailedJob> failed_;
  std::exception_ptr lost_;
  double expected_ = 0, over_ = 0;   // seconds as foreseen, of all jobs and of those that are over
  double taken_ = 0, foreseen_ = 0;  // of those that were worked on
  std::map<const Job*, Clock::time_point> running_;
  Clock::time_point start_ = Clock::now();
};

}  // namespace

std::vector<Job> jobs_left(std::vector<Cell> cells, const Results& results, const SeedRange& seeds) {
  std::stable_sort(cells.begin(), cells.end(),
                   [](const Cell& a, const Cell& b) { return a.seconds > b.seconds; });
  std::vector<Job> jobs;
  for (std::uint64_t seed = seeds.first; seed <= seeds.last; ++seed)
    for (const Cell& cell : cells)
      if (!results.has(cell.name, seed)) jobs.push_back({cell.name, seed, cell.seconds});
  return jobs;
}

std::vector<FailedJob> work_off(const std::vector<Job>& jobs, const JobWork& work, int side_by_side,
                                Results& results, TaskObserver& observer) {
  if (jobs.empty()) return {};
  return JobTable(jobs, work, results, observer).run(side_by_side);
}

}  // namespace riemflow
