// `cml ir`.
#include "app/ir_command.h"

#include <fmt/core.h>

#include "app/model_input.h"
#include "ir/text/text.h"
#include "jit/program.h"

namespace cml::app {

CommandHelp IrCommand::help() const {
  return {
      .summary = "show the transition system that a model is turned into",
      .arguments = "[options] MODEL.cml",
      .description =
          "Each thread instance has code of its own; a line is an instruction, and those "
          "with a location (L4) begin a transition.",
      .examples =
          {
              {"cml ir philosophers.cml", "what the checker explores"},
              {"cml ir -D N=2 philosophers.cml", "with another value for its constant N"},
              {"cml ir --llvm philosophers.cml", "what the JIT makes of it"},
          },
  };
}

void IrCommand::declare(Arguments& arguments) {
  arguments.positional("MODEL.cml", options_.model, "the model; `-` is standard input");
  arguments.section("Options");
  declare_definitions(arguments, definitions_, options_);
  arguments.flag("--ranges", ranges_,
                 "say where in the text each instruction comes from: line:column-line:column");
  arguments.flag("--llvm", llvm_,
                 "the step functions in LLVM's language, before they are optimised, instead");
  declare_output(arguments, options_);
}

ExitStatus IrCommand::run(Console& console) {
  const auto lowered = load_and_lower(definitions_, options_, console);
  if (!lowered) return lowered.error();
  const LoadedModel& input = *lowered->input;
  std::string text;
  if (llvm_) {
    const ir::Analyses analyses(lowered->system);
    const ir::Layout layout(analyses);
    text = jit::llvm_text(analyses, layout, {}, jit::Effort::Quick);
  } else {
    ir::PrintOptions print;
    print.ranges = ranges_;
    print.sources = &input.sources;
    text = ir::print(lowered->system, print);
  }
  return deliver(text, options_, console) ? ExitStatus::Verified : ExitStatus::Wrong;
}

}  // namespace cml::app
