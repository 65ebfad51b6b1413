; What can be folded: bodies, and what is written in braces.
[
  (block)
  (enum_declaration)
  (struct_declaration)
  (class_declaration)
  (process_declaration)
  (match_statement)
  (select_statement)
  (block_comment)
] @fold
