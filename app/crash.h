// Handlers for crashes: one line on standard error says what to do about it, and the process ends
// with the status of an internal error. Signals that another process sends have their usual effect.
#pragma once

namespace cml::app {

/// Handles SIGSEGV, SIGBUS, SIGFPE, SIGILL and SIGABRT. Sanitizers report more, so programs built
/// with one keep their handlers.
void report_crashes();
/// Gives the handler a stack of its own in this thread: the thread's may be what has overflowed.
void report_crashes_of_this_thread();

}  // namespace cml::app
