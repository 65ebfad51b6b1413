; Colours for CML. No node is captured twice, so it does not matter whether an editor lets the first pattern win or the
; last. Names that are just used have no colour of their own.

[
  "if" "else" "while" "loop" "for" "in" "match" "case" "default" "select" "either" "or" "break" "continue" "skip" "with" "join"
  "await" "until" "when" "assert" "assume" "fail" "cover" "label" "under"
] @keyword

["return" "yield"] @keyword.return
"import" @keyword.import
["fun" "thread" "process" "class" "struct" "enum" "const" "var" "let" "invariant" "finally" "property" "terminates" "model"
  "discipline" "fairness" "commutes"] @keyword

["shared" "atomic" "synchronized" "daemon" "mutex" "condition" "rwlock" "guarded" "by" "init" "capacity" "max" "of" "prefers"
  "implements" "unshared" "read" "write" "lock" "semaphore" "channel"] @keyword.modifier

["bool" "int"] @type.builtin
(modular_type name: (identifier) @type.builtin)
(set_type name: (identifier) @type.builtin)
["new" "spawn" "choose" "forall" "exists" "count" "always" "eventually" "implies" "release"] @keyword.operator

(boolean) @boolean
(null) @constant.builtin
(this) @variable.builtin
(integer) @number
(string) @string
(doc_comment) @comment.documentation
[(line_comment) (block_comment)] @comment

(thread_declaration name: (identifier) @type)
(process_declaration name: (identifier) @type)
(class_declaration name: (identifier) @type)
(struct_declaration name: (identifier) @type)
(enum_declaration name: (identifier) @type)
(enum_declaration value: (identifier) @constant)
(type_parameter name: (identifier) @type)
(named_type name: (identifier) @type)
(new_expression class: (identifier) @type)
(spawn_expression thread: (identifier) @type)
(const_declaration name: (identifier) @constant)
(function_declaration name: (identifier) @function)
(commuting_method name: (identifier) @function)
(call_expression function: (identifier) @function)
(call_expression function: (member_expression member: (identifier) @function.method))
(property_declaration name: (identifier) @function)
(invariant_declaration name: (identifier) @function)
(parameter name: (identifier) @variable.parameter)
(object_declaration name: (identifier) @variable)
(struct_field name: (identifier) @variable)
(variable_statement name: (identifier) @variable)
(for_statement name: (identifier) @variable)
(index name: (identifier) @variable)
(quantified_expression name: (identifier) @variable)
(named_argument name: (identifier) @variable)
(module_path) @module
(under_fairness kind: (identifier) @constant)
(fairness_declaration kind: (identifier) @constant)
(discipline_declaration which: (identifier) @constant)

["=" "+=" "-=" "*=" "/=" "%=" "||" "&&" "==" "!=" "<=" ">=" "+" "-" "|" "^" "*" "/" "%" "<<" ">>" "&" "!" "~" ".." "..<" "?"]
  @operator
(binary_expression operator: ["<" ">"] @operator)
(type_parameters ["<" ">"] @punctuation.bracket)
(type_arguments ["<" ">"] @punctuation.bracket)
(channel_type ["<" ">"] @punctuation.bracket)
["(" ")" "[" "]" "{" "}"] @punctuation.bracket
["," ";" ":" "."] @punctuation.delimiter
