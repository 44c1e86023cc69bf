import { type Language, type SharedDefinition } from '../language.ts';
import { block, type LexicalRule, line, matched, quoted, raw } from '../lexical/lexical-rule.ts';
import { constructing, importing, type UseRules } from '../lexical/use-rules.ts';
import { cModules } from './c-modules.ts';

/** Returns the patterns of a declared name: alone, or as a pointer, an array, a function or a pointer to a function. */
function declared(name: string): string {
  return `
    ${name}
    (pointer_declarator declarator: [${name} (_ !parameters declarator: ${name})])
    (array_declarator declarator: [${name} (_ !parameters declarator: ${name})])
    (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: [
      ${name} (array_declarator declarator: ${name})])))`;
}

/** Returns the patterns of a declared function, behind the pointers and references of its result. */
export function declaredFunction(name: string, references = ''): string {
  const called = `(function_declarator declarator: ${name})`;
  return `[
    ${called}
    (pointer_declarator declarator: [
      ${called} (pointer_declarator declarator: [${called} (pointer_declarator declarator: ${called})])])
    (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: ${called})))
    ${references.replaceAll('CALLED', called)}
  ]`;
}

/** The patterns that C and its descendants share. */
export const cQuery = `
(struct_specifier name: (type_identifier) @name body: (_)) @define.struct
(union_specifier name: (type_identifier) @name body: (_)) @define.struct
(enum_specifier name: (type_identifier) @name body: (_)) @define.enum
(enumerator name: (identifier) @name) @define.constant
(type_definition type: [(struct_specifier !name) (union_specifier !name) (enum_specifier !name)]
  declarator: (type_identifier) @name) @define.type
(type_definition declarator: [
  ${declared('(type_identifier) @name')}
  (function_declarator declarator: (type_identifier) @name)
] @define.type)
(preproc_def name: (identifier) @name) @define.macro
(preproc_function_def name: (identifier) @name) @define.macro
(field_declaration declarator: [${declared('(field_identifier) @name')}]) @define.field
(declaration (storage_class_specifier "extern")
  declarator: [${declared('(identifier) @name')}]) @define.container
(declaration (type_qualifier ["const" "constexpr"]) declarator: (init_declarator declarator: [
  (identifier) @name (array_declarator declarator: (identifier) @name)])) @define.constant
(declaration declarator: (init_declarator declarator: [${declared('(identifier) @name')}])) @define.variable
(declaration declarator: [${declared('(identifier) @name')}]) @define.variable

(preproc_include path: (_) @import.source) @import.all

(call_expression function: (identifier) @call)
(call_expression function: (field_expression argument: (_) @receiver field: (field_identifier) @call))
(struct_specifier name: (type_identifier) @type !body)
(parameter_declaration type: (type_identifier) @type)
(declaration type: (type_identifier) @type)
(field_declaration type: (type_identifier) @type)
(argument_list (identifier) @value)
(initializer_pair value: (identifier) @value)
`;

/** Comments, strings and characters; the rest of a line of the preprocessor may be prose. */
export const cLexical: readonly LexicalRule[] = [
  line('//', { escape: '\\' }),
  block('/*', '*/'),
  raw(/(?<=R)"([^()\\\s]{0,16})\(/y, ')$1"', { first: '"' }),
  quoted('"'),
  // An apostrophe between digits separates them.
  quoted("'", { open: /(?<![\dA-Fa-f])'|(?<=\bu8)'/y, first: "'" }),
  matched('string', '<', /(?<=^[ \t]{0,20}#[ \t]{0,20}(?:include|import)[ \t]{0,20})<[^>\r\n]{1,500}>/my),
  matched('code', '#', /#[ \t]{0,20}(?:error|warning)\b[^\r\n]{0,500}/y),
];

/** Includes, the modules of Objective-C, and the names and modules of C++. */
export const cUses: UseRules = {
  ...importing('#\\s*(?:include|import)|@import|(?:export\\s+)?import|using'),
  ...constructing,
};

/** The properties that C and its descendants share. */
export const cFamily = {
  lexical: cLexical,
  uses: cUses,
  family: 'c',
  self: ['this', '(*this)'],
  outerNames: 'repository',
  modules: cModules,
  isShared: isFunctionOrInHeader,
  macrosEnclose: true,
} as const;

export const sourceFile = /\.(?:c|cc|c\+\+|cpp|cu|cxx)$/;

/** A macro or type of a source file is known in that file alone. */
export function isFunctionOrInHeader({ path, kind }: SharedDefinition): boolean {
  return !sourceFile.test(path) || kind === 'function' || kind === 'method';
}

/** The words of a type, and a macro before its name. Only a definition goes on with `{` or `:`. */
const macroBeforeName =
  /\b((?:class|struct|union)[ \t]{1,8})([A-Z_][A-Z\d_]{2,60}(?:\([^()\n]{0,100}\))?)(?=[ \t]{1,8}(?!final\b)[A-Za-z_]\w{0,200}(?:[ \t]{1,8}final)?\s{0,80}(?:\{|:[^:]))/g;
/** The end of the parameters of a function, and a macro before its body. */
const macroBeforeBody =
  /(\)(?:[ \t]{1,80}|[ \t]{0,8}\r?\n[ \t]{1,80})(?:(?:const|override)\s{1,80})?)([A-Z_][A-Z\d_]{2,60}(?:\([^()\n]{0,100}\))?)(?=\s{0,80}\{)/g;

/** A macro alone on a line of a class, before a part of it. */
const macroInClass =
  /^([ \t]{1,40})([A-Z_][A-Z\d_]{2,60}(?:\([^()\n]{0,200}\))?)(?=\s{1,80}(?:public|private|protected|signals|Q_SIGNALS)\b)/gm;
/** A macro of Qt alone on a line. */
const qtMacro = /^([ \t]{0,40})(Q_[A-Z]{3,60}(?:\([^()\n]{0,200}\))?)(?=[ \t]{0,8}\r?$)/gm;
/** The words of Qt for the parts of a class: `public slots:` and `signals:`. */
const qtSection =
  /^([ \t]{0,40}(?:(?:public|private|protected)[ \t]{1,8})?)((?:Q_)?(?:slots|SLOTS|signals:|SIGNALS:))/gm;
const unreadable = [macroBeforeName, macroBeforeBody, macroInClass, qtMacro, qtSection];

const blank = (_: string, before: string, macro: string): string => before + ' '.repeat(macro.length);

/**
 * Blanks the macros that no grammar can read: those of `class API_EXPORT Lease {` and `void renew() EXCLUDES(mutex) {`,
 * and those of Qt.
 */
export function withoutMacros(text: string): string {
  return unreadable.reduce((read, pattern) => read.replaceAll(pattern, blank), text);
}

/** Matches a line that only C++ has. */
const cppLine =
  /^[ \t]{0,40}(?:(?:public|private|protected)[ \t]{0,8}(?:\w{1,20}[ \t]{0,8})?:|namespace\b[\w: \t]{0,200}\{|template[ \t]{0,8}<|class[ \t]{1,8}\w[\w \t]{0,200}(?:[:{]|$)|enum[ \t]{1,8}(?:class\b|\w{1,200}[ \t]{0,8}:)|using[ \t]{1,8}\w[\w \t]{0,200}=|virtual\b|#[ \t]{0,8}include[ \t]{0,8}<[a-z_/]{1,60}>)|\bstd::/m;

export const c: Language = {
  name: 'C',
  endings: 'c h idc',
  ...cFamily,
  implicitSelf: false,
  grammar: { package: 'tree-sitter-c', file: 'tree-sitter-c.wasm' },
  codeIn: (text) => ({ text: withoutMacros(text) }),
  actual: ({ path, text }) => (/\.h$/i.test(path) && cppLine.test(text) ? 'C++' : 'C'),
  query: `
(function_definition declarator: ${declaredFunction('(identifier) @name')} body: (_)) @define.function
(ERROR [(function_declarator declarator: (identifier) @name) (_ (function_declarator declarator: (identifier) @name))] @define.function . "{")
${cQuery}`,
};
