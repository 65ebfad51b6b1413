#include "ir/promela/formulas.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace cml::ir::promela {
namespace {

class Formulas {
 public:
  Formulas(Context& context, Writer& out) : context_(context), out_(out) {}

  void write(const Property& property) {
    const Fairness fairness =
        property.fairness.value_or(context_.system.fairness.value_or(Fairness::Weak));
    if (fairness == Fairness::Strong)
      return context_.refuse(fmt::format("`{}` holds under strong fairness, which SPIN does not "
                                         "have",
                                         property.name),
                             property.range);
    const std::string name = context_.names.unique(property.name);
    out_.line("");
    out_.line(fmt::format("/* property {}: pan -a{} -N {} */", property.name,
                          fairness == Fairness::Weak ? " -f" : "", name));
    std::vector<std::string> texts;
    for (const Formula& part : property.parts) {
      if (context_.refused) return;
      texts.push_back(text(part, property, name, texts));
    }
    std::string whole = texts.back();
    if (const std::string assumed = is_assumed_away(); !assumed.empty())
      whole = fmt::format("(<> {}) || {}", assumed, whole);
    out_.line(fmt::format("ltl {} {{ {} }}", name, whole));
  }

 private:
  /// A number behind the property's name, and what it stands for.
  std::string macro(const std::string& property, std::size_t number, const std::string& meaning) {
    const std::string name = context_.names.unique(fmt::format("{}_{}", property, number));
    out_.line(fmt::format("#define {} ({})", name, meaning));
    return name;
  }

  std::string text(const Formula& part, const Property& property, const std::string& name,
                   const std::vector<std::string>& texts) {
    const auto unary = [&](const char* sign) {
      return fmt::format("({} {})", sign, texts[part.right]);
    };
    const auto binary = [&](const char* sign) {
      return fmt::format("({} {} {})", texts[part.left], sign, texts[part.right]);
    };
    switch (part.kind) {
      case FormulaKind::Condition:
        return macro(name, texts.size(), condition(property.conditions[part.condition]));
      case FormulaKind::Ended:
      case FormulaKind::At:
        return macro(name, texts.size(), place(part));
      case FormulaKind::Not:
        return unary("!");
      case FormulaKind::And:
        return binary("&&");
      case FormulaKind::Or:
        return binary("||");
      case FormulaKind::Implies:
        return binary("->");
      case FormulaKind::Until:
        return binary("U");
      case FormulaKind::Release:
        return binary("V");
      case FormulaKind::Always:
        return unary("[]");
      case FormulaKind::Eventually:
        return unary("<>");
    }
    return {};
  }

  std::string condition(const Invariant& code) {
    Frame frame;
    frame.slots.resize(code.code.slots.size());
    for (Frame::Slot& slot : frame.slots)
      slot = {constant(0), {}, 0, false};
    const auto decision = Decisions(context_.system, context_.objects, code.code,
                                    {Question::Kind::Property, "this condition", code.range})
                              .from(0, std::move(frame));
    if (!decision) {
      context_.refuse(decision.error().message, decision.error().range);
      return "0";
    }
    return holds(**decision).text;
  }

  Value holds(const Decision& decision) {
    switch (decision.kind) {
      case Decision::Kind::Branch:
        return choice(decision.condition, holds(*decision.yes), holds(*decision.no));
      case Decision::Kind::Fault:
        if (decision.fault != FaultKind::Assertion)
          context_.refuse("a condition that may have no value cannot be a part of SPIN's formulas",
                          decision.range);
        return constant(0);
      case Decision::Kind::Blocked:
        return constant(0);
      case Decision::Kind::Done:
        break;
    }
    return constant(1);
  }

  std::string place(const Formula& part) {
    std::string result;
    const auto is_at = [&](ThreadId thread, const std::string& location, const char* sign) {
      result += fmt::format("{}{}:at == {}", result.empty() ? "" : sign,
                            context_.processes[thread].process, location);
    };
    for (const ThreadId thread : part.threads) {
      if (part.kind == FormulaKind::Ended) is_at(thread, "ENDED", " && ");
      for (const Pc pc : part.pcs)
        is_at(thread, fmt::format("{}", context_.system.threads[thread].code.pc_location[pc]),
              " || ");
    }
    return result.empty() ? (part.kind == FormulaKind::Ended ? "1" : "0") : result;
  }

  std::string is_assumed_away() const {
    std::string result;
    for (const ThreadId thread : context_.system.threads.ids()) {
      const auto& code = context_.system.threads[thread].code.instructions;
      if (std::any_of(code.begin(), code.end(), [](const Instruction& instruction) {
            return instruction.opcode() == Opcode::Assume;
          }))
        result += fmt::format("{}{}:at == ASSUMED", result.empty() ? "" : " || ",
                              context_.processes[thread].process);
    }
    return result.empty() ? result : "(" + result + ")";
  }

  Context& context_;
  Writer& out_;
};

}  // namespace

void write_formulas(Context& context, Writer& out) {
  Formulas formulas(context, out);
  for (const Property& property : context.system.properties)
    if (!context.refused) formulas.write(property);
}

}  // namespace cml::ir::promela
