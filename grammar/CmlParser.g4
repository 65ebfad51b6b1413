// The grammar of CML (docs/reference.md).
//
// It accepts a little more than the language: what people write by habit and what can be told from the
// tree (a body without braces, a declaration in the wrong place, a chain of expression statements) is
// parsed here and refused by the tree builder, with the cure, because an error that the grammar raises
// costs the rest of the statement. Such places are marked "refused later".
//
// Rules of speed: every decision but a few is made by one token; expressions are left-recursive, which
// needs no full-context prediction; `else if` is a loop. Brackets are balanced and nesting is bounded
// before the parser runs (`frontend/syntax/tokens.cpp`). Labels (`cond=`) are what the builder reads.
parser grammar CmlParser;

options { tokenVocab = CmlLexer; }

file: item* EOF;

// ---- declarations ------------------------------------------------------------------------------

// At top level, in processes, in classes and (refused later) among statements.
item
  : modelDecl
  | importDecl
  | processDecl
  | daemonDecl
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
  | functionDecl
  | threadDecl
  | classDecl
  | invariantDecl
  | finallyDecl
  ;

modelDecl: MODEL title=STRING SEMICOLON;
importDecl: IMPORT (path+=anyName (DOT path+=anyName)* | module=STRING) SEMICOLON;
constDecl: CONST id=name (COLON of=type)? (ASSIGN value=expression)? SEMICOLON;

enumDecl: ENUM id=name LBRACE (values+=name (COMMA values+=name)* COMMA?)? RBRACE;

structDecl: STRUCT id=name LBRACE structField* RBRACE;
structField: id=name dimension* COLON of=type SEMICOLON;

// `var` is for fields of atomic classes.
objectDecl
  : kind=(SHARED | ATOMIC | LOCK | SEMAPHORE | CHANNEL | VAR) id=name dimension* (COLON of=type)?
    attribute* SEMICOLON
  ;
dimension: LBRACKET size=expression RBRACKET;
attribute
  : kind=ASSIGN value=expression
  | kind=GUARDED BY value=expression
  | kind=INIT BY value=expression
  | kind=CAPACITY value=expression
  | kind=MAX value=expression
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
classHeader: ATOMIC? CLASS id=name typeParameters?;
commutesDecl
  : COMMUTES methods+=commutesMethod (COMMA methods+=commutesMethod)* (WHEN cond=expression)? SEMICOLON
  ;
commutesMethod: id=anyName LPAREN (names+=name (COMMA names+=name)*)? RPAREN;

invariantDecl: INVARIANT (id=name COLON)? cond=expression SEMICOLON;
finallyDecl: FINALLY block;

// ---- types -------------------------------------------------------------------------------------

type: typeName (nullable+=QUESTION | dimension)*;
typeName
  : BOOL
  | INT (LPAREN range RPAREN)?
  | THREAD
  | LOCK
  | SEMAPHORE
  | CHANNEL LESS element=type GREATER
  | id=name typeArguments?
  ;
typeArguments: LESS list+=typeArgument (COMMA list+=typeArgument)* GREATER;
// A bare name is a type here; the checker finds out whether it is a constant.
typeArgument
  : of=type
  | MINUS? literal=(INTEGER | TRUE | FALSE)
  | LPAREN value=expression RPAREN
  ;
range: lo=expression op=(RANGE | RANGE_BELOW) hi=expression;

// ---- statements --------------------------------------------------------------------------------

block: LBRACE statement* RBRACE;

statement
  : block
  | ifStatement
  | plainStatement
  ;

// Where a statement is not a block it is refused later: bodies need braces.
body
  : block
  | ifStatement
  | plainStatement
  ;
elseBody
  : block
  | plainStatement
  ;
condition: cond=expression;

ifStatement: IF condition body (ELSE IF condition body)* (ELSE otherwise=elseBody)?;

plainStatement
  : keyword=(VAR | LET) id=name dimension* (COLON of=type)? (ASSIGN value=expression)? SEMICOLON
  | keyword=WHILE condition body
  | keyword=LOOP body
  | keyword=FOR forHeader body
  | keyword=(BREAK | CONTINUE | SKIP_STATEMENT) SEMICOLON
  | keyword=RETURN value=expression? SEMICOLON
  | keyword=WITH condition body
  | keyword=(AWAIT | ASSUME | JOIN) value=expression SEMICOLON
  | keyword=ASSERT value=expression (COMMA text=STRING)? SEMICOLON
  | keyword=FAIL text=STRING? SEMICOLON
  | keyword=COVER text=STRING SEMICOLON
  | keyword=ATOMIC block
  | keyword=SELECT LBRACE selectCase* RBRACE
  | keyword=EITHER branch (OR branch)*
  | target=expression (op=assignment value=expression | UNTIL cond=expression)? SEMICOLON
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
nestedObject
  : kind=(SHARED | ATOMIC | LOCK | SEMAPHORE | CHANNEL) id=name dimension* (COLON of=type)?
    attribute* SEMICOLON
  ;
assignment
  : ASSIGN
  | ADD_ASSIGN
  | SUBTRACT_ASSIGN
  | MULTIPLY_ASSIGN
  | DIVIDE_ASSIGN
  | REMAINDER_ASSIGN
  ;
forHeader: id=name IN range;
branch: block;
selectCase
  : caseHeader statement*
  ;
caseHeader
  : CASE (binding=name ASSIGN)? operation=expression COLON
  | DEFAULT COLON
  ;

// ---- expressions -------------------------------------------------------------------------------

// Arrays stand only as initialisers, `spawn` only as a statement or a whole right-hand side, strings
// never: refused later.
expression
  : base=expression DOT member=anyName
  | base=expression LBRACKET subscript=expression RBRACKET
  | base=expression call=LPAREN arguments RPAREN
  | prefix=(MINUS | NOT) operand=expression
  | left=expression op=(STAR | SLASH | PERCENT) right=expression
  | left=expression op=(PLUS | MINUS) right=expression
  | left=expression op=(LESS | LESS_EQUAL | GREATER | GREATER_EQUAL) right=expression
  | left=expression op=(EQUAL | NOT_EQUAL) right=expression
  | left=expression op=LOGICAL_AND right=expression
  | left=expression op=LOGICAL_OR right=expression
  | <assoc=right> left=expression op=QUESTION middle=expression COLON right=expression
  | atom=primary
  ;
primary
  : literal=(INTEGER | TRUE | FALSE | NULL_LITERAL | THIS | STRING)
  | id=name
  | open=LPAREN inner=expression RPAREN
  | keyword=NEW UNSHARED? id=name typeArguments? LPAREN arguments RPAREN
  | keyword=SPAWN id=name LPAREN arguments RPAREN
  | keyword=CHOOSE LPAREN range RPAREN
  | open=LBRACKET (elements+=expression (COMMA elements+=expression)* COMMA?)? RBRACKET
  ;
arguments: (list+=argument (COMMA list+=argument)*)?;
argument: (id=name COLON)? value=expression;

// ---- names -------------------------------------------------------------------------------------

name
  : IDENTIFIER
  | BY
  | CAPACITY
  | COMMUTES
  | DAEMON
  | GUARDED
  | INIT
  | MAX
  | MODEL
  | OR
  | PROCESS
  | UNSHARED
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
  | GUARDED
  | INIT
  | MAX
  | MODEL
  | OR
  | PROCESS
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
  ;
