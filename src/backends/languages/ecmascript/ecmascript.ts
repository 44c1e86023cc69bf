import { type LexicalRule, line, matched, quotes, raw, slashes } from '../lexical/lexical-rule.ts';
import { constructing, type UseRules } from '../lexical/use-rules.ts';
import { ecmascriptModules } from './ecmascript-modules.ts';

/** The functions that are expressions. */
const functionValue = '[(arrow_function) (function_expression) (generator_function)]';

/** The definitions of functions; `result` captures their declared result, which JavaScript lacks. */
export const functions = (result: string): string => `
(function_declaration name: (identifier) @name ${result}) @define.function
(generator_function_declaration name: (identifier) @name) @define.function
(method_definition name: (_) @name ${result}) @define.method
(variable_declarator name: (identifier) @name value: (arrow_function ${result})) @define.function
(variable_declarator name: (identifier) @name value: [(function_expression) (generator_function)]) @define.function
(variable_declarator name: (identifier) @name value: (class)) @define.class
(pair key: (property_identifier) @name value: ${functionValue}) @define.method
(pair key: (string (string_fragment) @name) value: ${functionValue} (#match? @name "^[-:._$A-Za-z0-9]+$")) @define.method
`;

/** The fields of a class, which each grammar names in its own way. */
export const fields = (node: string, name: string): string => `
(${node} ${name}: (_) @name value: ${functionValue}) @define.method
(${node} ${name}: (_) @name) @define.field
`;

/** The variables of a module; `around` returns their declaration in what encloses it. */
export const variables = (around: (declaration: string) => string): string => `
${around('(lexical_declaration kind: "const" (_ name: (identifier) @name) @define.constant)')}
${around('(lexical_declaration kind: "let" (_ name: (identifier) @name) @define.variable)')}
${around('(variable_declaration (_ name: (identifier) @name) @define.variable)')}
`;

const takenApart = `
  (object_pattern [
    (shorthand_property_identifier_pattern) @name
    (object_assignment_pattern left: (shorthand_property_identifier_pattern) @name)
    (pair_pattern value: (identifier) @name)
    (rest_pattern (identifier) @name)
  ] @define.constant)
  (array_pattern (identifier) @name @define.constant)
`;

/** The names that are taken from a module. */
const taken = `[
  (shorthand_property_identifier_pattern) @import.name @import.local
  (pair_pattern key: (property_identifier) @import.name value: (identifier) @import.local)
]`;

const source = '(string (string_fragment) @import.source)';
const dynamicImport = `function: (import) arguments: (arguments . ${source})`;
const required = `function: (identifier) @import.require arguments: (arguments . ${source})`;
const isRequire = '(#eq? @import.require "require")';

/** The modules that the callback of a promise has; `parameter` returns the pattern of its first parameter. */
export const promisedImports = (parameter: (pattern: string) => string): string => `(call_expression
  function: (_ object: (_ ${dynamicImport}) property: (property_identifier) @then)
  arguments: (arguments . (arrow_function [
    parameter: (identifier) @import.local
    parameters: (formal_parameters . ${parameter(`[(identifier) @import.local (object_pattern ${taken})]`)})
  ]))
  (#eq? @then "then"))`;

/** The patterns of JavaScript, which TypeScript shares. */
export const ecmascriptQuery = `
(assignment_expression
  left: (_
    object: (_ object: (identifier) @owner property: (property_identifier) @prototype)
    property: (property_identifier) @name)
  right: ${functionValue}
  (#eq? @prototype "prototype")) @define.method
(assignment_expression
  left: [
    (_ property: (property_identifier) @name)
    (_ index: (string (string_fragment) @name))
  ]
  right: ${functionValue}) @define.function
(assignment_expression
  left: (_ property: (property_identifier) @name)
  right: (class)) @define.class
(function_expression name: (identifier) @name) @define.function
(generator_function name: (identifier) @name) @define.function
(class name: (_) @name) @define.class
(export_statement "default" @name value: (class !name)) @define.class
(export_statement "default" @name value: [(arrow_function) (function_expression !name) (generator_function !name)])
  @define.function
(export_statement
  "default" @name
  value: (binary_expression right: [(arrow_function) (function_expression) (parenthesized_expression)])) @define.function
(call_expression
  function: [(identifier) (member_expression)] @define
  arguments: (arguments . (_) . (string (string_fragment) @name) . ${functionValue} @define.function)
  (#match? @define "^((Object|Reflect)[.])?define(Property|Getter|Setter)$"))
(call_expression
  function: [(identifier) (member_expression)] @define
  arguments: (arguments . (_) . (string (string_fragment) @name) . (object
    (_ [name: (_) key: (_)] @get (#eq? @get "get"))) @define.function)
  (#match? @define "^((Object|Reflect)[.])?defineProperty$"))
${variables((declaration) => `(program [${declaration} (_ declaration: ${declaration})])`)}
(program [
  (lexical_declaration (_ name: [${takenApart}]))
  (variable_declaration (_ name: [${takenApart}]))
  (_ declaration: (lexical_declaration (_ name: [${takenApart}])))
])

(import_statement source: ${source})
(import_statement (import_clause (identifier) @import.default) source: ${source})
(import_statement (import_clause (namespace_import (identifier) @import.local)) source: ${source})
(import_statement
  (import_clause (named_imports (import_specifier name: (_) @import.name alias: (_)? @import.local)))
  source: ${source})
(export_statement
  (export_clause (export_specifier name: (_) @import.name alias: (_)? @import.local))
  source: ${source})
(export_statement !source (export_clause (export_specifier name: (_) @import.name alias: (_) @export.local)))
(export_statement "default" @export.local value: (identifier) @import.name)
(export_statement
  "default" @export.local
  declaration: [
    (function_declaration name: (identifier) @import.name)
    (generator_function_declaration name: (identifier) @import.name)
    (class_declaration name: (_) @import.name)
  ])
(assignment_expression
  left: (_ object: (identifier) @export.whole property: (property_identifier) @export.local)
  right: (identifier) @import.name
  (#eq? @export.whole "module")
  (#eq? @export.local "exports"))
(export_statement "*" @import.all source: ${source})
(export_statement (namespace_export (identifier) @import.local) source: ${source})
(call_expression ${dynamicImport})
(variable_declarator
  name: [(identifier) @import.local (object_pattern ${taken})]
  value: (await_expression (_ ${dynamicImport})))
(variable_declarator
  name: (identifier) @import.local
  value: (_ object: (_ ${required}) property: (property_identifier) @import.name)
  ${isRequire})
(call_expression ${required} ${isRequire})
(variable_declarator name: [(identifier) @import.local (object_pattern ${taken})] value: (_ ${required}) ${isRequire})

(variable_declarator name: (identifier) @var value: [
  (_ constructor: (_) @var.type)
  (await_expression (_ function: [(identifier) (member_expression)] @var.call arguments: (_)))
  (member_expression) @var.from
])
(variable_declarator
  name: (identifier) @var
  value: (_ function: [(identifier) (member_expression)] @var.call arguments: (_))
  (#not-eq? @var.call "require"))
(assignment_expression
  left: (_ object: (this) property: (_) @field)
  right: (_ constructor: (_) @var.type))
(for_in_statement left: (identifier) @var right: [(identifier) (member_expression)] @var.of)
(return_statement (_) @returned)
(arrow_function body: [(call_expression) (new_expression) (arrow_function) (identifier) (await_expression)] @returned)
(arrow_function) @block
(function_expression) @block

(shorthand_property_identifier_pattern) @local
(variable_declarator name: (identifier) @local)
(pair_pattern value: (identifier) @local)
(array_pattern (identifier) @local)
(rest_pattern (identifier) @local)
(for_in_statement left: (identifier) @local)
(catch_clause parameter: (identifier) @local)
(arrow_function parameter: (identifier) @local)

(call_expression function: [(identifier) @call (_ object: (_) @receiver property: (_) @call)])
(new_expression constructor: [(identifier) @new (_ object: (_) @receiver property: (_) @new)])
(decorator (identifier) @call)
(arguments (identifier) @value)
(class_declaration name: (_) @name) @define.class
`;

export const jsx = `
(jsx_opening_element name: (identifier) @value)
(jsx_self_closing_element name: (identifier) @value)
(jsx_attribute (jsx_expression (identifier) @value))
`;

const builtInTypes = [Array, Date, Function, Map, Number, Object, Promise, RegExp, Set, String, Uint8Array];
/** Further members, of types of the web: reading them from these types would load the HTTP client of Node. */
const webMembers = `abort append arrayBuffer attribute blob body bodyUsed bytes cache cancel clone credentials
destination duplex formData getAll getReader getSetCookie hash headers host hostname href integrity
isHistoryNavigation isReloadNavigation json keepalive locked method mode ok origin password pathname pipeThrough
pipeTo port protocol redirect redirected referrer referrerPolicy searchParams signal status statusText stream tee text
textStream type url username`;

const lexical: readonly LexicalRule[] = [
  line(/^#!/y, { first: '#' }),
  ...slashes,
  ...quotes,
  raw('`', '`', { escape: '\\', hole: '${' }),
  matched('string', '/', /\/(?:[^/\\[\r\n]|\\.|\[(?:[^\]\\\r\n]|\\.){0,500}\]){1,1000}\/[a-z]{0,10}/y, {
    value: true,
  }),
];

/** An element of JSX, but not the type parameters of a function. */
const element: LexicalRule = {
  kind: 'code',
  open: /<(?=[A-Za-z_$>])(?![\w$]{1,100}(?:\s{0,20},|\s{1,20}extends\b))(?!(?:[A-Z]\w?|T[A-Z]\w{0,50})>\s{0,20}\()/y,
  first: '<',
  value: true,
  as: 'element',
};
export const withElements: readonly LexicalRule[] = [...lexical, element];

/** Imports, exports of what is imported, and modules that an expression loads. */
const uses: UseRules = {
  importStart: /^\s*(?:export\s+)?import\b(?![.:;]|\s*[=(])|^\s*export\s*(?:type\s*)?[{*]/,
  importAfter: /^[\w\s,{}:$]{0,500}=\s*(?:await\s+import|require)\s*\(/,
  ...constructing,
};

export const ecmascript = {
  lexical,
  uses,
  family: 'ecmascript',
  self: ['this'],
  base: ['super'],
  implicitSelf: false,
  outerNames: 'nowhere',
  modules: ecmascriptModules,
  wildcardsBind: false,
  builtInMethods: new Set([
    ...builtInTypes.flatMap(({ prototype }) => Object.getOwnPropertyNames(prototype)),
    ...webMembers.split(/\s+/),
  ]),
} as const;
