// The words of CML (docs/reference.md, "Lexical structure").
//
// The lexer reads bytes, so that positions are byte offsets. `frontend/syntax/byte_stream.h` shows it
// every byte beyond ASCII as 0x7F (NON_ASCII): outside comments and strings such bytes are never legal,
// and inside them it does not matter which they are.
//
// What is wrong has rules of its own at the end of this file (unclosed strings and comments, malformed
// numbers and names, stray characters), so that no input makes the lexer fail and each of them gets a
// message of its own, from `frontend/syntax/tokens.cpp`.
lexer grammar CmlLexer;

channels { COMMENTS }

// Names that the token pass makes these, where they mean something: `forall`, `exists` and `count` where
// they begin an expression (`forall i in …`); `mutex`, `condition` and `rwlock` where they begin a
// declaration; `read` and `write` in `with read r`; `label` before a string; `property` before a temporal
// formula, and in it `always` and `eventually`, `until`, `release` and `implies`, and the last `under`.
// The last two are the braces of a set literal, `{1, 3}`, which it tells from those of blocks.
tokens {
  QUANTIFIER, MUTEX, CONDITION, RWLOCK, MODE, LABEL, FORMULA, TEMPORAL_PREFIX, TEMPORAL_INFIX, UNDER, SET_OPEN, SET_CLOSE
}

// ---- keywords ----------------------------------------------------------------------------------

ASSERT: 'assert';
ASSUME: 'assume';
ATOMIC: 'atomic';
AWAIT: 'await';
BOOL: 'bool';
BREAK: 'break';
CASE: 'case';
CHANNEL: 'channel';
CHOOSE: 'choose';
CLASS: 'class';
CONST: 'const';
CONTINUE: 'continue';
COVER: 'cover';
DEFAULT: 'default';
EITHER: 'either';
ELSE: 'else';
ENUM: 'enum';
FAIL: 'fail';
FALSE: 'false';
FINALLY: 'finally';
FOR: 'for';
FUN: 'fun';
IF: 'if';
IMPORT: 'import';
IN: 'in';
INT: 'int';
INVARIANT: 'invariant';
JOIN: 'join';
LET: 'let';
LOCK: 'lock';
LOOP: 'loop';
MATCH: 'match';
NEW: 'new';
NULL_LITERAL: 'null';
RETURN: 'return';
SELECT: 'select';
SEMAPHORE: 'semaphore';
SHARED: 'shared';
SKIP_STATEMENT: 'skip';
SPAWN: 'spawn';
STRUCT: 'struct';
SYNCHRONIZED: 'synchronized';
THIS: 'this';
THREAD: 'thread';
TRUE: 'true';
VAR: 'var';
WHILE: 'while';
WITH: 'with';
YIELD: 'yield';

// Words that mean something in one place only and are ordinary names everywhere else. Where `or` and
// `unshared` are names, the token pass makes them an IDENTIFIER.
BY: 'by';
CAPACITY: 'capacity';
COMMUTES: 'commutes';
DAEMON: 'daemon';
DISCIPLINE: 'discipline';
FAIRNESS: 'fairness';
GUARDED: 'guarded';
IMPLEMENTS: 'implements';
INIT: 'init';
MAX: 'max';
MODEL: 'model';
OF: 'of';
OR: 'or';
PREFERS: 'prefers';
PROCESS: 'process';
PROPERTY: 'property';
TERMINATES: 'terminates';
UNSHARED: 'unshared';
UNTIL: 'until';
WHEN: 'when';

// ---- names and literals ------------------------------------------------------------------------

IDENTIFIER: LETTER LETTER_OR_DIGIT*;
INTEGER: '0' | [1-9] ('_'? [0-9])* | '0x' HEX_DIGIT ('_'? HEX_DIGIT)*;
STRING: '"' STRING_CHARACTER* '"';

// ---- operators and punctuation -----------------------------------------------------------------

LBRACE: '{';
RBRACE: '}';
LPAREN: '(';
RPAREN: ')';
LBRACKET: '[';
RBRACKET: ']';
SEMICOLON: ';';
COMMA: ',';
COLON: ':';
DOT: '.';
RANGE: '..';
RANGE_BELOW: '..<';
QUESTION: '?';
ASSIGN: '=';
ADD_ASSIGN: '+=';
SUBTRACT_ASSIGN: '-=';
MULTIPLY_ASSIGN: '*=';
DIVIDE_ASSIGN: '/=';
REMAINDER_ASSIGN: '%=';
LOGICAL_OR: '||';
LOGICAL_AND: '&&';
SHIFT_LEFT: '<<';  // `>>` is two tokens, since it also closes two lists of type arguments
EQUAL: '==';
NOT_EQUAL: '!=';
LESS: '<';
LESS_EQUAL: '<=';
GREATER: '>';
GREATER_EQUAL: '>=';
PLUS: '+';
MINUS: '-';
STAR: '*';
SLASH: '/';
PERCENT: '%';
NOT: '!';
BIT_AND: '&';
BIT_OR: '|';
BIT_XOR: '^';
BIT_NOT: '~';

// ---- what the parser does not see --------------------------------------------------------------

BLANK: [ \t\r\n]+ -> skip;
LINE_COMMENT: '//' ~[\r\n]* -> channel(COMMENTS);
BLOCK_COMMENT: '/*' COMMENT_PART* '*'+ '/' -> channel(COMMENTS);

// ---- what is wrong -----------------------------------------------------------------------------

UNCLOSED_COMMENT: '/*' COMMENT_PART* '*'*;
UNCLOSED_STRING: '"' STRING_CHARACTER* '\\'?;
SINGLE_QUOTED: '\'' (~['\\\r\n] | '\\' ~[\r\n])* '\'';
BAD_INTEGER: [0-9] LETTER_OR_DIGIT*;
BAD_NAME: (LETTER | NON_ASCII) (LETTER_OR_DIGIT | NON_ASCII)*;
STRAY: .;

fragment LETTER: [A-Za-z_];
fragment LETTER_OR_DIGIT: [A-Za-z0-9_];
fragment HEX_DIGIT: [0-9A-Fa-f];
fragment NON_ASCII: '\u007F';
fragment STRING_CHARACTER: ~["\\\r\n] | '\\' ~[\r\n];
fragment COMMENT_PART: ~'*' | '*'+ ~[*/];
