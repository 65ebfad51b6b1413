// Makes a context the current one for as long as the guard lives.
#pragma once

#include "frontend/sema/sema.h"

namespace cml::sema {

class Enter {
 public:
  Enter(Sema& checker, Context context)
      : checker_(checker), context_(std::move(context)), outer_(checker.context_) {
    checker_.context_ = &context_;
  }
  ~Enter() { checker_.context_ = outer_; }
  Enter(const Enter&) = delete;
  Enter& operator=(const Enter&) = delete;

  [[nodiscard]] Context& context() { return context_; }

 private:
  Sema& checker_;
  Context context_;
  Context* outer_;
};

}  // namespace cml::sema
