; Indentation: one step inside braces, and behind a `case`.
[
  (block)
  (enum_declaration)
  (struct_declaration)
  (class_declaration)
  (process_declaration)
  (match_statement)
  (select_statement)
  (match_case)
  (select_case)
] @indent.begin

"}" @indent.end
"}" @indent.branch
