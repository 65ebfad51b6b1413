// Processes share no memory: code of a process must not use `shared` and `lock` objects or threads
// of the top level, not even by way of a function or class that stands at top level
// (docs/reference.md, "Threads and processes"). What code names directly is refused where the name
// is bound; this looks through the calls.
#include <fmt/format.h>

#include "frontend/sema/rules.h"

namespace cml::sema {

void check_isolation(const RuleContext& context) {
  const model::Model& model = context.model;
  for (const CodeBody& code : context.bodies) {
    if (!code.process || code.is_finally) continue;
    scan(
        model, code.body->block,
        [&](model::ExprId id, bool) {
          const model::Expr& expr = model.exprs[id];
          const auto callee = called_by(model, expr);
          if (!callee || model.functions[*callee].process) return;
          const auto& belongs = context.effects.of(*callee).belongs;
          if (!belongs) return;
          context.reporter
              .report(Code::OtherProcess, expr.range,
                      fmt::format("`{}` uses memory or threads of the top level, which is another "
                                  "process: processes share no memory",
                                  model.functions[*callee].name),
                      code.note)
              .also(belongs->where, fmt::format("here it {}", belongs->what))
              .cure(
                  "pass what it needs as arguments; processes interact through `atomic`, "
                  "`semaphore` and `channel`");
        },
        [](const model::Stmt&) {});
  }
}

}  // namespace cml::sema
