// What the program's exit status says; scripts rely on it.
#pragma once

namespace cml::app {

enum class ExitStatus : int {
  Verified = 0,      // also: did what was asked
  Violated = 1,      // the model misbehaves
  Wrong = 2,         // the model or the command line is wrong
  Inconclusive = 3,  // a limit, or interrupted
  Internal = 4,      // our mistake
  NoFit = 5,         // a saved trace that the model cannot do any more
};

}  // namespace cml::app
