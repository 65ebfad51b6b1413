// Walking a checked model: the parts of an expression or statement, in the order of evaluation.
//
//   for_each_operand(expr, [&](ExprId part) { … });
//   for_each_part(stmt, [&](ExprId part) { … }, [&](const Block& block) { … });
//
// Analyses that treat most nodes alike write the exceptions and leave the rest to these. They visit
// one level; the caller recurses. A target of an assignment is visited like a value: whether it is
// read or written is the caller's business.
#pragma once

#include <variant>

#include "frontend/model.h"

namespace cml::model {

template <class OnExpr>
void for_each_operand(const Expr& expr, OnExpr&& on_expr) {
  std::visit(
      [&](const auto& node) {
        using Node = std::decay_t<decltype(node)>;
        if constexpr (std::is_same_v<Node, ObjectRef>) {
          if (node.process_index) on_expr(*node.process_index);
        } else if constexpr (std::is_same_v<Node, FieldRef> || std::is_same_v<Node, MonitorRef>) {
          on_expr(node.object);
        } else if constexpr (std::is_same_v<Node, StructField>) {
          on_expr(node.base);
        } else if constexpr (std::is_same_v<Node, Index>) {
          on_expr(node.base);
          on_expr(node.index);
        } else if constexpr (std::is_same_v<Node, Unary>) {
          on_expr(node.operand);
        } else if constexpr (std::is_same_v<Node, Binary>) {
          on_expr(node.left);
          on_expr(node.right);
        } else if constexpr (std::is_same_v<Node, Conditional>) {
          on_expr(node.condition);
          on_expr(node.if_true);
          on_expr(node.if_false);
        } else if constexpr (std::is_same_v<Node, Call>) {
          if (node.receiver) on_expr(*node.receiver);
          for (ExprId argument : node.arguments)
            on_expr(argument);
        } else if constexpr (std::is_same_v<Node, StructMake>) {
          for (std::uint32_t field : node.evaluation_order)
            on_expr(node.fields[field]);
        } else if constexpr (std::is_same_v<Node, New> || std::is_same_v<Node, Spawn>) {
          for (ExprId argument : node.arguments)
            on_expr(argument);
        } else if constexpr (std::is_same_v<Node, Choose>) {
          on_expr(node.lo);
          on_expr(node.hi);
        } else if constexpr (std::is_same_v<Node, SetSize> || std::is_same_v<Node, ChooseFrom>) {
          on_expr(node.set);
        } else if constexpr (std::is_same_v<Node, Operation>) {
          on_expr(node.target);
          for (ExprId argument : node.arguments)
            on_expr(argument);
        } else if constexpr (std::is_same_v<Node, OwnedBy>) {
          on_expr(node.lock);
          if (node.process_index) on_expr(*node.process_index);
          if (node.index) on_expr(*node.index);
        } else if constexpr (std::is_same_v<Node, ArrayMake> || std::is_same_v<Node, SetMake>) {
          for (ExprId element : node.elements)
            on_expr(element);
        }
      },
      expr.node);
}

template <class OnExpr, class OnBlock>
void for_each_part(const Stmt& stmt, OnExpr&& on_expr, OnBlock&& on_block) {
  std::visit(
      [&](const auto& node) {
        using Node = std::decay_t<decltype(node)>;
        if constexpr (std::is_same_v<Node, BlockStmt>) {
          on_block(node.block);
        } else if constexpr (std::is_same_v<Node, LocalDecl>) {
          if (node.initial) on_expr(*node.initial);
        } else if constexpr (std::is_same_v<Node, Assign>) {
          on_expr(node.target);
          on_expr(node.value);
        } else if constexpr (std::is_same_v<Node, ExprStmt>) {
          on_expr(node.expr);
        } else if constexpr (std::is_same_v<Node, If>) {
          for (const If::Arm& arm : node.arms) {
            on_expr(arm.condition);
            on_block(arm.body);
          }
          if (node.otherwise) on_block(*node.otherwise);
        } else if constexpr (std::is_same_v<Node, While>) {
          on_expr(node.condition);
          on_block(node.body);
        } else if constexpr (std::is_same_v<Node, Loop> || std::is_same_v<Node, Atomic>) {
          on_block(node.body);
        } else if constexpr (std::is_same_v<Node, For>) {
          on_expr(node.lo);
          on_expr(node.hi);
          on_block(node.body);
        } else if constexpr (std::is_same_v<Node, Return>) {
          if (node.value) on_expr(*node.value);
        } else if constexpr (std::is_same_v<Node, With>) {
          on_expr(node.lock);
          on_block(node.body);
        } else if constexpr (std::is_same_v<Node, WaitUntil>) {
          on_expr(node.target);
          on_expr(node.condition);
        } else if constexpr (std::is_same_v<Node, Await> || std::is_same_v<Node, Assert> ||
                             std::is_same_v<Node, Assume>) {
          on_expr(node.condition);
        } else if constexpr (std::is_same_v<Node, Match>) {
          on_expr(node.value);
          for (const Match::Case& c : node.cases)
            on_block(c.body);
          if (node.otherwise) on_block(*node.otherwise);
        } else if constexpr (std::is_same_v<Node, Select>) {
          for (const Select::Case& c : node.cases) {
            if (c.target.valid()) on_expr(c.target);
            if (c.value) on_expr(*c.value);
          }
          for (const Select::Case& c : node.cases)
            if (c.guard) on_expr(*c.guard);
          for (const Select::Case& c : node.cases)
            on_block(c.body);
          if (node.otherwise) on_block(*node.otherwise);
        } else if constexpr (std::is_same_v<Node, Either>) {
          for (const Block& branch : node.branches)
            on_block(branch);
        } else if constexpr (std::is_same_v<Node, Join>) {
          on_expr(node.handle);
        }
      },
      stmt.node);
}

}  // namespace cml::model
