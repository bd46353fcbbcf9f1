#include "python/src/notices.h"

#include <unistd.h>

namespace linefilter::python {
namespace {

// A server that comes and goes must not fill the memory of a program that makes no call for days.
constexpr size_t kMostSentences = 64;

// No object of C++ is left by this: a daemon thread that asks for the GIL at the end of a program waits here, as in
// ReleasedGil.
void Call(PyObject* told, const std::string& sentence) noexcept {
  try {
    // A server's reply is in it, which may be no UTF-8.
    PyObject* const text = PyUnicode_DecodeUTF8(sentence.data(), static_cast<Py_ssize_t>(sentence.size()), "replace");
    PyObject* const result = text == nullptr ? nullptr : PyObject_CallFunctionObjArgs(told, text, nullptr);
    if (result == nullptr) PyErr_WriteUnraisable(told);
    Py_XDECREF(result);
    Py_XDECREF(text);
  } catch (...) {
    for (;;) pause();
  }
}

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
    // A breaker may hold it now, or have held it when this process was forked: the next call tells then.
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock) return;
    sentences.swap(sentences_);
    has_any_ = false;
  }
  for (const std::string& sentence : sentences) Call(told_.ptr(), sentence);
}

}  // namespace linefilter::python
