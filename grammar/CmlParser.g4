// The grammar of CML (docs/reference.md).
//
// Every decision is made by one token: prediction never runs, so the first file of a process is parsed as
// fast as the tenth, and nothing here can be ambiguous. That costs three detours, all undone by the tree
// builder (frontend/syntax/build_*.cpp): an expression is a flat list of operands and operators, whose
// precedences and quantifiers stand there; `name :` and `name =` are read as expressions first; `else` is a list.
//
// The grammar accepts a little more than the language: what people write by habit and what can be recognised
// in the tree is parsed here and refused by the builder, with the cure, because an error that the
// grammar raises costs the rest of the statement. Such places are marked "refused later".
//
// Before the parser runs, brackets are balanced, nesting is bounded, and `or`, `unshared`, `mutex` and the like, the
// words of quantifiers and those of temporal formulas are told from names (frontend/syntax/tokens.h). Labels (`cond=`)
// are what the builder reads.
parser grammar CmlParser;

options { tokenVocab = CmlLexer; }

file: item* EOF;

// ---- declarations ------------------------------------------------------------------------------

// At top level, in processes, in classes and (refused later) among statements.
item
  : modelDecl
  | disciplineDecl
  | importDecl
  | processDecl
  | daemonDecl
  | propertyDecl
  | formulaDecl
  | terminatesDecl
  | fairnessDecl
  | commutesDecl
  | constructorDecl
  | plainItem
  | SEMICOLON  // refused later
  ;

// Items that begin with a true keyword.
plainItem
  : constDecl
  | enumDecl
  | structDecl
  | objectDecl
  | atomicDecl
  | functionDecl
  | threadDecl
  | classDecl
  | invariantDecl
  | finallyDecl
  ;

modelDecl: MODEL title=STRING SEMICOLON;
disciplineDecl: DISCIPLINE which=anyName SEMICOLON;
importDecl: IMPORT (path+=anyName (DOT path+=anyName)* | module=STRING) SEMICOLON;
constDecl: CONST id=name (COLON of=type)? (ASSIGN value=expression)? SEMICOLON;

enumDecl: ENUM id=name LBRACE (values+=name (COMMA values+=name)*)? RBRACE;

structDecl: STRUCT id=name LBRACE structField* RBRACE;
structField: id=name dimension* COLON of=type SEMICOLON;

// `var` is for fields of atomic classes.
objectDecl: kind=(SHARED | LOCK | MUTEX | CONDITION | RWLOCK | SEMAPHORE | CHANNEL | VAR) objectRest;
atomicDecl: ATOMIC (classDecl | functionDecl | objectRest);
objectRest: id=name dimension* (COLON of=type)? attribute* SEMICOLON;
dimension: LBRACKET size=expression RBRACKET;
attribute
  : kind=ASSIGN value=expression
  | kind=GUARDED BY value=expression
  | kind=INIT BY value=expression
  | kind=CAPACITY value=expression
  | kind=MAX value=expression
  | kind=OF value=expression
  | kind=PREFERS id=name
  ;

functionDecl: functionHeader block;
functionHeader
  : SYNCHRONIZED? FUN id=anyName typeParameters? LPAREN parameters RPAREN (COLON result=type)?
  ;
constructorDecl: constructorHeader block;
constructorHeader: INIT LPAREN parameters RPAREN;
parameters: (list+=parameter (COMMA list+=parameter)*)?;
parameter: id=name dimension* (COLON of=type)?;
typeParameters: LESS list+=typeParameter (COMMA list+=typeParameter)* GREATER;
typeParameter: CONST? id=name;

threadDecl: threadHeader block;
daemonDecl: DAEMON threadHeader block;
threadHeader: THREAD id=name index? (open=LPAREN parameters RPAREN)?;
index: LBRACKET id=name IN range RBRACKET;

processDecl: processHeader LBRACE item* RBRACE;
processHeader: PROCESS id=name index?;

classDecl: classHeader LBRACE item* RBRACE;
classHeader: CLASS id=name typeParameters?;
commutesDecl
  : COMMUTES methods+=commutesMethod (COMMA methods+=commutesMethod)* (WHEN cond=expression)? SEMICOLON
  ;
commutesMethod: id=anyName LPAREN (names+=name (COMMA names+=name)*)? RPAREN;

// `invariant name: e;`
invariantDecl: INVARIANT first=expression (COLON second=expression)? SEMICOLON;
finallyDecl: FINALLY block;
// What else must hold: here, that the calls of a class are linearizable.
propertyDecl: PROPERTY id=name COLON of=type IMPLEMENTS specification=type SEMICOLON;
// Properties of executions. The token pass tells the first from the one above.
formulaDecl: FORMULA id=name index? COLON formula=expression underFairness? SEMICOLON;
terminatesDecl: TERMINATES underFairness? SEMICOLON;
underFairness: UNDER kind=name FAIRNESS;
fairnessDecl: FAIRNESS kind=name SEMICOLON;

// ---- types -------------------------------------------------------------------------------------

type: typeName (nullable+=QUESTION | dimension)*;
typeName
  : BOOL
  | INT (LPAREN range RPAREN)?
  | THREAD
  | LOCK
  | SEMAPHORE
  | CHANNEL (LESS element=type GREATER)?
  | id=name (typeArguments | LPAREN of=parentheses RPAREN)?  // in parentheses: `mod(N)`, `set(0..<N)`
  ;
typeArguments: LESS list+=typeArgument (COMMA list+=typeArgument)* GREATER;
// A bare name is a type here; `Sema` finds out whether it is a constant.
typeArgument
  : of=type
  | MINUS? literal=(INTEGER | TRUE | FALSE)
  | LPAREN value=expression RPAREN
  ;
range: lo=expression op=(RANGE | RANGE_BELOW) hi=expression;
// An expression or a range.
parentheses: first=expression (op=(RANGE | RANGE_BELOW) second=expression)?;

// ---- statements --------------------------------------------------------------------------------

block: LBRACE statement* RBRACE;

statement
  : block
  | ifStatement
  | plainStatement
  ;

condition: cond=expression;

ifStatement: IF condition block elseClause*;
// Only the last is without `if`: refused later.
elseClause: ELSE (IF condition)? block;

plainStatement
  : keyword=(VAR | LET) id=name dimension* (COLON of=type)? (ASSIGN (value=expression | whole=atomicValue))?
    SEMICOLON
  | keyword=WHILE condition block
  | keyword=LOOP block
  | keyword=FOR forHeader block
  | keyword=(BREAK | CONTINUE | SKIP_STATEMENT) SEMICOLON
  | keyword=RETURN value=expression? SEMICOLON
  | keyword=YIELD value=expression SEMICOLON  // elsewhere than at the end of an atomicValue: refused later
  | keyword=WITH how=MODE? condition block
  | keyword=(AWAIT | ASSUME | JOIN) value=expression SEMICOLON
  | keyword=ASSERT value=expression (COMMA text=STRING)? SEMICOLON
  | keyword=FAIL text=STRING? SEMICOLON
  | keyword=(COVER | LABEL) text=STRING SEMICOLON
  | keyword=ATOMIC block
  | keyword=MATCH condition LBRACE matchCase* RBRACE
  | keyword=SELECT LBRACE selectCase* RBRACE
  | keyword=EITHER block (OR block)*
  | target=expression
    (op=assignment (value=expression | whole=atomicValue) | UNTIL cond=expression)? SEMICOLON
  | misplaced
  | empty=SEMICOLON  // refused later
  ;
// Declarations do not stand among statements: refused later.
misplaced
  : constDecl
  | enumDecl
  | structDecl
  | nestedObject
  | functionDecl
  | threadDecl
  | classDecl
  | invariantDecl
  | finallyDecl
  | importDecl
  ;
nestedObject: kind=(SHARED | LOCK | MUTEX | CONDITION | RWLOCK | SEMAPHORE | CHANNEL) objectRest;
assignment
  : ASSIGN
  | ADD_ASSIGN
  | SUBTRACT_ASSIGN
  | MULTIPLY_ASSIGN
  | DIVIDE_ASSIGN
  | REMAINDER_ASSIGN
  ;
// Without a second: what is received from a channel until it is closed.
forHeader: id=name IN first=expression (op=(RANGE | RANGE_BELOW) second=expression)?;
// `let v = atomic { … yield e; };`; after another `=`: refused later.
atomicValue: ATOMIC block;
matchCase: matchHeader statement*;
matchHeader
  : CASE values+=expression (COMMA values+=expression)* COLON
  | DEFAULT COLON
  ;
selectCase
  : caseHeader statement*
  ;
caseHeader
  : CASE first=expression (ASSIGN second=expression)? (WHEN guard=expression)? COLON  // `case x = c.recv():`
  | CASE AWAIT awaited=expression COLON
  | DEFAULT COLON
  ;

// ---- expressions -------------------------------------------------------------------------------

// Arrays stand only as initialisers, `spawn` only as a statement or a whole right-hand side, strings
// never: refused later.
expression
  : operands+=operand (operators+=infix operands+=operand)*
    (QUESTION middle=expression COLON right=expression)?
  ;
infix
  : LOGICAL_OR
  | LOGICAL_AND
  | EQUAL
  | NOT_EQUAL
  | LESS
  | LESS_EQUAL
  | GREATER shift=GREATER?  // `>>`
  | GREATER_EQUAL
  | PLUS
  | MINUS
  | BIT_OR
  | BIT_XOR
  | STAR
  | SLASH
  | PERCENT
  | BIT_AND
  | SHIFT_LEFT
  | IN
  | TEMPORAL_INFIX
  ;
operand
  : prefixes+=prefix*
    ( literal=(INTEGER | TRUE | FALSE | NULL_LITERAL | THIS | STRING)
    | id=name
    | open=LPAREN inner=expression RPAREN
    | keyword=NEW UNSHARED? id=name typeArguments? LPAREN arguments RPAREN
    | keyword=SPAWN id=name LPAREN arguments RPAREN
    | keyword=CHOOSE LPAREN of=parentheses RPAREN
    | open=LBRACKET (elements+=expression (COMMA elements+=expression)*)? RBRACKET
    | open=SET_OPEN (elements+=expression (COMMA elements+=expression)*)? SET_CLOSE
    )
    postfixes+=postfix*
  ;
// A quantifier reaches as far right as it can: the rest of the expression is its body. A temporal
// operator takes a comparison.
prefix
  : sign=(MINUS | NOT | BIT_NOT | TEMPORAL_PREFIX)
  | word=QUANTIFIER id=name IN first=expression (op=(RANGE | RANGE_BELOW) second=expression)? COLON
  ;
postfix
  : DOT member=anyName
  | LBRACKET subscript=expression RBRACKET
  | LPAREN arguments RPAREN
  ;
arguments: (list+=argument (COMMA list+=argument)*)?;
argument: first=expression (COLON second=expression)?;  // `name: e` for the fields of a struct

// ---- names -------------------------------------------------------------------------------------

name
  : IDENTIFIER
  | BY
  | CAPACITY
  | COMMUTES
  | DAEMON
  | DISCIPLINE
  | FAIRNESS
  | GUARDED
  | IMPLEMENTS
  | INIT
  | MAX
  | MODEL
  | OF
  | PREFERS
  | PROCESS
  | PROPERTY
  | TERMINATES
  | UNTIL
  | WHEN
  ;

// After `.` and `fun` every word is a name.
anyName
  : IDENTIFIER
  | BY
  | CAPACITY
  | COMMUTES
  | DAEMON
  | DISCIPLINE
  | FAIRNESS
  | GUARDED
  | IMPLEMENTS
  | INIT
  | MAX
  | MODEL
  | OF
  | OR
  | PREFERS
  | PROCESS
  | PROPERTY
  | TERMINATES
  | UNSHARED
  | UNTIL
  | WHEN
  | ASSERT
  | ASSUME
  | ATOMIC
  | AWAIT
  | BOOL
  | BREAK
  | CASE
  | CHANNEL
  | CHOOSE
  | CLASS
  | CONST
  | CONTINUE
  | COVER
  | DEFAULT
  | EITHER
  | ELSE
  | ENUM
  | FAIL
  | FALSE
  | FINALLY
  | FOR
  | FUN
  | IF
  | IMPORT
  | IN
  | INT
  | INVARIANT
  | JOIN
  | LET
  | LOCK
  | LOOP
  | MATCH
  | NEW
  | NULL_LITERAL
  | RETURN
  | SELECT
  | SEMAPHORE
  | SHARED
  | SKIP_STATEMENT
  | SPAWN
  | STRUCT
  | SYNCHRONIZED
  | THIS
  | THREAD
  | TRUE
  | VAR
  | WHILE
  | WITH
  | YIELD
  ;
