// A crash says what to do about it, in one line on standard error, and ends with the status of an
// internal error. Signals that somebody else sends do what they always do.
#pragma once

namespace cml::app {

/// SIGSEGV, SIGBUS, SIGFPE, SIGILL and SIGABRT. Sanitizers tell more, so nothing is changed there.
void tell_crashes();
/// The handler gets a stack of its own, in case that the thread's is what has overflowed.
void tell_crashes_of_this_thread();

}  // namespace cml::app
