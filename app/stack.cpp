// The limit is raised where that is allowed (the kernel looks at it whenever the stack grows); else
// a thread with a stack of its own does the work.
#include "app/stack.h"

#include <pthread.h>
#include <sys/resource.h>
#include <system_error>
#include <thread>

#include "app/crash.h"

namespace cml::app {
namespace {

/// glibc gives new threads a stack as large as the limit; where there is no limit, 2 MiB.
void give_threads_enough() {
  pthread_attr_t attributes;
  if (::pthread_attr_init(&attributes) != 0) return;
  if (::pthread_attr_setstacksize(&attributes, kEnoughStack) == 0)
    ::pthread_setattr_default_np(&attributes);
  ::pthread_attr_destroy(&attributes);
}

bool has_enough() {
  rlimit limit = {};
  if (::getrlimit(RLIMIT_STACK, &limit) != 0) return true;
  if (limit.rlim_cur == kEnoughStack) return true;
  give_threads_enough();
  if (limit.rlim_cur > kEnoughStack) return true;  // "unlimited" is the largest number
  if (limit.rlim_max < kEnoughStack) return false;
  limit.rlim_cur = kEnoughStack;
  return ::setrlimit(RLIMIT_STACK, &limit) == 0;
}

}  // namespace

void with_enough_stack(const std::function<void()>& work) {
  if (!has_enough()) {
    try {
      std::thread([&work] {
        report_crashes_of_this_thread();
        work();
      }).join();
      return;
    } catch (const std::system_error&) {  // there is no thread to be had
    }
  }
  work();
}

}  // namespace cml::app
