// The grammar of CML for editors that colour and fold by tree-sitter: what grammar/CmlParser.g4 says, as far as an
// editor needs it. It accepts a little more than the language, and leaves all that is wrong to the language server.
//
// Words that mean something in one place only (`max`, `count`, `label`, …) are names everywhere else: a word is a keyword
// here only where the parser can go on with one, and where both can stand the word behind it decides. So a name may be one
// of `contextual`, an `identifier` in the tree all the same.
//
// `src/parser.c` is made from this file by `tree-sitter generate --abi 14`.

const PREC = {
  conditional: 1, implies: 2, or: 3, and: 4, until: 5, always: 6, equality: 7, comparison: 8, sum: 9, product: 10, prefix: 11,
  postfix: 12,
};

const contextual = [
  "by", "capacity", "commutes", "daemon", "discipline", "fairness", "guarded", "implements", "init", "max", "model", "of", "or",
  "prefers", "process", "property", "terminates", "unshared", "until", "when", "mutex", "condition", "rwlock", "read", "write",
  "label", "forall", "exists", "count", "release", "under",
];

const commaSep = (rule) => optional(commaSep1(rule));
const commaSep1 = (rule) => seq(rule, repeat(seq(",", rule)));

module.exports = grammar({
  name: "cml",

  word: ($) => $.identifier,
  extras: ($) => [/[ \t\r\n]/, $.doc_comment, $.line_comment, $.block_comment],
  supertypes: ($) => [$._statement, $._expression, $._declaration],

  conflicts: ($) => [
    [$._name, $.with_statement],      // `with read {`: a lock of this name; `with read r {`: for reading
    [$._name, $.quantified_expression],
    [$.block, $.set_expression],      // `{}` where a statement begins
    [$._expression, $.named_type],  // `property p: Queue implements …` and `property p: x == 1`
  ],

  rules: {
    source_file: ($) => repeat($._declaration),

    // ---- words ---------------------------------------------------------------------------------

    identifier: () => /[A-Za-z_][A-Za-z0-9_]*/,
    _name: ($) => choice($.identifier, ...contextual.map((word) => alias(word, $.identifier))),
    integer: () => token(choice(/0x[0-9A-Fa-f](_?[0-9A-Fa-f])*/, /[0-9](_?[0-9])*/)),
    string: () => token(seq('"', repeat(choice(/[^"\\\r\n]/, /\\[^\r\n]/)), '"')),
    boolean: () => choice("true", "false"),
    null: () => "null",
    this: () => "this",
    doc_comment: () => token(prec(2, seq("///", optional(seq(/[^/\r\n]/, /[^\r\n]*/))))),
    line_comment: () => token(prec(1, seq("//", /[^\r\n]*/))),
    block_comment: () => token(seq("/*", /[^*]*\*+([^/*][^*]*\*+)*/, "/")),

    // ---- declarations --------------------------------------------------------------------------

    _declaration: ($) =>
      choice(
        $.model_declaration, $.discipline_declaration, $.fairness_declaration, $.import_declaration, $.const_declaration,
        $.enum_declaration, $.struct_declaration, $.object_declaration, $.function_declaration, $.constructor_declaration,
        $.thread_declaration, $.process_declaration, $.class_declaration, $.commutes_declaration, $.invariant_declaration,
        $.finally_declaration, $.property_declaration, $.terminates_declaration,
      ),

    model_declaration: ($) => seq("model", field("title", $.string), ";"),
    discipline_declaration: ($) => seq("discipline", field("which", $._name), ";"),
    fairness_declaration: ($) => seq("fairness", field("kind", $._name), ";"),
    import_declaration: ($) => seq("import", choice($.module_path, $.string), ";"),
    module_path: ($) => seq($._name, repeat(seq(".", $._name))),
    const_declaration: ($) =>
      seq("const", field("name", $._name), optional(seq(":", field("type", $._type))), optional(seq("=", field("value", $._expression))), ";"),

    enum_declaration: ($) => seq("enum", field("name", $._name), "{", commaSep(field("value", $._name)), optional(","), "}"),
    struct_declaration: ($) => seq("struct", field("name", $._name), "{", repeat($.struct_field), "}"),
    struct_field: ($) => seq(field("name", $._name), repeat($.dimension), ":", field("type", $._type), ";"),

    object_declaration: ($) =>
      seq(
        field("kind", choice("shared", "lock", "mutex", "condition", "rwlock", "semaphore", "channel", "var", "atomic")),
        field("name", $._name), repeat($.dimension), optional(seq(":", field("type", $._type))), repeat($._attribute), ";",
      ),
    dimension: ($) => seq("[", $._expression, "]"),
    _attribute: ($) =>
      choice(
        seq("=", field("value", $._expression)),
        seq("guarded", "by", field("guard", $._expression)),
        seq("init", "by", field("by", $._expression)),
        seq("capacity", field("capacity", $._expression)),
        seq("max", field("max", $._expression)),
        seq("of", field("of", $._expression)),
        seq("prefers", field("prefers", $._name)),
      ),

    function_declaration: ($) =>
      seq(
        optional("atomic"), optional("synchronized"), "fun", field("name", $._name), optional($.type_parameters), $.parameters,
        optional(seq(":", field("result", $._type))), field("body", $.block),
      ),
    constructor_declaration: ($) => seq("init", $.parameters, field("body", $.block)),
    parameters: ($) => seq("(", commaSep($.parameter), ")"),
    parameter: ($) => seq(field("name", $._name), repeat($.dimension), optional(seq(":", field("type", $._type)))),
    type_parameters: ($) => seq("<", commaSep1($.type_parameter), ">"),
    type_parameter: ($) => seq(optional("const"), field("name", $._name)),

    thread_declaration: ($) =>
      seq(optional("daemon"), "thread", field("name", $._name), optional($.index), optional($.parameters), field("body", $.block)),
    process_declaration: ($) =>
      seq("process", field("name", $._name), optional($.index), "{", repeat($._declaration), "}"),
    class_declaration: ($) =>
      seq(optional("atomic"), "class", field("name", $._name), optional($.type_parameters), "{", repeat($._declaration), "}"),
    index: ($) => seq("[", field("name", $._name), "in", $.range, "]"),

    commutes_declaration: ($) =>
      seq("commutes", commaSep1($.commuting_method), optional(seq("when", field("condition", $._expression))), ";"),
    commuting_method: ($) => seq(field("name", $._name), "(", commaSep($._name), ")"),
    invariant_declaration: ($) =>
      seq("invariant", optional(seq(field("name", $._name), ":")), field("condition", $._expression), ";"),
    finally_declaration: ($) => seq("finally", field("body", $.block)),
    property_declaration: ($) =>
      seq(
        "property", field("name", $._name), optional($.index), ":",
        choice(
          seq(field("class", $.named_type), "implements", field("specification", $.named_type)),
          seq(field("formula", $._expression), optional($.under_fairness)),
        ),
        ";",
      ),
    terminates_declaration: ($) => seq("terminates", optional($.under_fairness), ";"),
    under_fairness: ($) => seq("under", field("kind", $._name), "fairness"),

    // ---- types ---------------------------------------------------------------------------------

    _type: ($) => choice($.primitive_type, $.range_type, $.channel_type, $.modular_type, $.set_type, $.named_type, $.nullable_type, $.array_type),
    primitive_type: () => choice("bool", "int", "thread", "lock", "semaphore", "channel"),
    range_type: ($) => seq("int", "(", $.range, ")"),
    channel_type: ($) => seq("channel", "<", $._type, ">"),
    modular_type: ($) => seq(field("name", $._name), "(", $._expression, ")"),  // `mod(N)`: the only one
    set_type: ($) => seq(field("name", $._name), "(", $.range, ")"),  // `set(0..<N)`: the only one
    named_type: ($) => prec.right(seq(field("name", $._name), optional($.type_arguments))),
    nullable_type: ($) => seq($._type, "?"),
    array_type: ($) => seq($._type, $.dimension),
    type_arguments: ($) => seq("<", commaSep1($.type_argument), ">"),
    type_argument: ($) =>
      choice($._type, seq(optional("-"), $.integer), $.boolean, seq("(", $._expression, ")")),
    range: ($) => seq(field("from", $._expression), choice("..", "..<"), field("to", $._expression)),

    // ---- statements ----------------------------------------------------------------------------

    block: ($) => seq("{", repeat($._statement), "}"),

    _statement: ($) =>
      choice(
        $.block, $.if_statement, $.variable_statement, $.while_statement, $.loop_statement, $.for_statement, $.jump_statement,
        $.return_statement, $.yield_statement, $.with_statement, $.waiting_statement, $.check_statement, $.fail_statement,
        $.cover_statement, $.label_statement, $.atomic_statement, $.match_statement, $.select_statement, $.either_statement,
        $.assignment_statement, $.expression_statement,
      ),

    if_statement: ($) =>
      prec.right(seq("if", field("condition", $._expression), field("then", $.block), optional($.else_clause))),
    else_clause: ($) => seq("else", choice($.block, $.if_statement)),
    variable_statement: ($) =>
      seq(
        choice("var", "let"), field("name", $._name), repeat($.dimension), optional(seq(":", field("type", $._type))),
        optional(seq("=", field("value", choice($._expression, $.atomic_value)))), ";",
      ),
    while_statement: ($) => seq("while", field("condition", $._expression), field("body", $.block)),
    loop_statement: ($) => seq("loop", field("body", $.block)),
    for_statement: ($) =>
      seq("for", field("name", $._name), "in", field("values", choice($.range, $._expression)), field("body", $.block)),
    jump_statement: () => seq(choice("break", "continue", "skip"), ";"),
    return_statement: ($) => seq("return", optional($._expression), ";"),
    yield_statement: ($) => seq("yield", $._expression, ";"),
    with_statement: ($) =>
      seq("with", optional(field("mode", choice("read", "write"))), field("lock", $._expression), field("body", $.block)),
    waiting_statement: ($) => seq(choice("await", "assume", "join"), $._expression, ";"),
    check_statement: ($) => seq("assert", field("condition", $._expression), optional(seq(",", field("message", $.string))), ";"),
    fail_statement: ($) => seq("fail", optional($.string), ";"),
    cover_statement: ($) => seq("cover", $.string, ";"),
    label_statement: ($) => seq("label", $.string, ";"),
    atomic_statement: ($) => seq("atomic", $.block),
    atomic_value: ($) => seq("atomic", $.block),
    match_statement: ($) => seq("match", field("value", $._expression), "{", repeat($.match_case), "}"),
    match_case: ($) => seq(choice(seq("case", commaSep1($._expression)), "default"), ":", repeat($._statement)),
    select_statement: ($) => seq("select", "{", repeat($.select_case), "}"),
    select_case: ($) =>
      seq(
        choice(
          seq(
            "case", optional(seq(field("target", $._expression), "=")), field("operation", $._expression),
            optional(seq("when", field("guard", $._expression))),
          ),
          seq("case", "await", field("condition", $._expression)),
          "default",
        ),
        ":", repeat($._statement),
      ),
    either_statement: ($) => prec.right(seq("either", $.block, repeat(seq("or", $.block)))),
    assignment_statement: ($) =>
      seq(
        field("target", $._expression), field("operator", choice("=", "+=", "-=", "*=", "/=", "%=")),
        field("value", choice($._expression, $.atomic_value)), ";",
      ),
    expression_statement: ($) => seq($._expression, ";"),

    // ---- expressions ---------------------------------------------------------------------------

    _expression: ($) =>
      choice(
        $._name, $.integer, $.string, $.boolean, $.null, $.this, $.parenthesized_expression, $.array_expression, $.set_expression, $.new_expression,
        $.spawn_expression, $.choose_expression, $.member_expression, $.index_expression, $.call_expression, $.prefix_expression,
        $.temporal_expression, $.quantified_expression, $.binary_expression, $.conditional_expression,
      ),
    parenthesized_expression: ($) => seq("(", $._expression, ")"),
    array_expression: ($) => seq("[", commaSep($._expression), "]"),
    set_expression: ($) => seq("{", commaSep($._expression), "}"),
    new_expression: ($) => seq("new", optional("unshared"), field("class", $._name), optional($.type_arguments), $.arguments),
    spawn_expression: ($) => seq("spawn", field("thread", $._name), $.arguments),
    choose_expression: ($) => seq("choose", "(", choice($.range, $._expression), ")"),
    member_expression: ($) => prec(PREC.postfix, seq(field("object", $._expression), ".", field("member", $.identifier))),
    index_expression: ($) => prec(PREC.postfix, seq(field("array", $._expression), "[", field("index", $._expression), "]")),
    call_expression: ($) => prec(PREC.postfix, seq(field("function", $._expression), $.arguments)),
    arguments: ($) => seq("(", commaSep(choice($._expression, $.named_argument)), ")"),
    named_argument: ($) => seq(field("name", $._name), ":", field("value", $._expression)),
    prefix_expression: ($) => prec(PREC.prefix, seq(field("operator", choice("-", "!", "~")), $._expression)),
    temporal_expression: ($) => prec(PREC.always, seq(field("operator", choice("always", "eventually")), $._expression)),
    quantified_expression: ($) =>
      prec.right(seq(
        field("quantifier", choice("forall", "exists", "count")), field("name", $._name), "in",
        choice($.range, $._expression), ":", field("body", $._expression),
      )),
    binary_expression: ($) => {
      const left = [
        [PREC.or, "||"], [PREC.and, "&&"], [PREC.equality, choice("==", "!=")], [PREC.comparison, choice("<", "<=", ">", ">=", "in")],
        [PREC.sum, choice("+", "-", "|", "^")], [PREC.product, choice("*", "/", "%", "<<", ">>", "&")],
      ];
      const right = [[PREC.implies, "implies"], [PREC.until, choice("until", "release")]];
      const operation = (operator) =>
        seq(field("left", $._expression), field("operator", operator), field("right", $._expression));
      return choice(
        ...left.map(([level, operator]) => prec.left(level, operation(operator))),
        ...right.map(([level, operator]) => prec.right(level, operation(operator))),
      );
    },
    conditional_expression: ($) =>
      prec.right(PREC.conditional, seq(
        field("condition", $._expression), "?", field("then", $._expression), ":", field("else", $._expression),
      )),
  },
});
