#include "python/src/notices.h"

#include <utility>

namespace linefilter::python {
namespace {

// A server that comes and goes must not fill the memory of a program that makes no call for days.
constexpr size_t kMostSentences = 64;

}  // namespace

RedisServers Notices::Watch(const RedisServers& servers) {
  RedisServers watched = servers;
  if (told_.is_none()) return watched;
  watched.notice = [](void* context, const char* sentence) {
    Notices& notices = *static_cast<Notices*>(context);
    const std::lock_guard lock(notices.mutex_);
    notices.sentences_.emplace_back(sentence);
    if (notices.sentences_.size() > kMostSentences) notices.sentences_.pop_front();
    notices.has_any_ = true;
  };
  watched.notice_context = this;
  return watched;
}

void Notices::Tell() noexcept {
  if (!has_any_) return;
  std::deque<std::string> sentences;
  {
    // Who says something now, or did so when this process was forked, is not waited for.
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock) return;
    sentences.swap(sentences_);
    has_any_ = false;
  }
  for (const std::string& sentence : sentences) {
    try {
      // A server's reply is in it, which may be no UTF-8.
      told_(py::reinterpret_steal<py::object>(
          PyUnicode_DecodeUTF8(sentence.data(), static_cast<Py_ssize_t>(sentence.size()), "replace")));
    } catch (py::error_already_set& error) {
      error.discard_as_unraisable(told_);
    } catch (...) {  // of memory
    }
  }
}

}  // namespace linefilter::python
