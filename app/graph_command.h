// `cml graph`: pictures of a model, for Graphviz.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/check_options.h"
#include "app/command.h"
#include "app/model_input.h"
#include "checker/graphs.h"

namespace cml::app {

class GraphCommand : public Command {
 public:
  [[nodiscard]] std::string_view name() const override { return "graph"; }
  [[nodiscard]] CommandHelp help() const override;
  void declare(Arguments& arguments) override;
  [[nodiscard]] ExitStatus run(Console& console) override;

 private:
  struct Picture {
    checker::Graph graph;
    std::string title;
    std::string note = {};  // for people, on standard error
  };
  enum class Form : std::uint8_t { Dot, Svg };

  [[nodiscard]] Expected<Picture, ExitStatus> states(const LoadedModel& input, Console& console);
  [[nodiscard]] Expected<Picture, ExitStatus> flow(const LoadedModel& input,
                                                   Console& console) const;
  [[nodiscard]] Expected<Picture, ExitStatus> waits(const LoadedModel& input,
                                                    Console& console) const;

  std::vector<std::string> definitions_;  // as written: NAME=value
  bool states_ = false;
  bool locks_ = false;
  bool waits_ = false;
  std::optional<std::string> flow_;
  Form form_ = Form::Dot;
  std::uint64_t max_states_ = 0;  // 0: as many as are usual
  CheckOptions options_ = {.search = default_search()};
};

}  // namespace cml::app
