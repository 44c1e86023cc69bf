import type { Language } from './language.ts';

/** The definitions of functions; `result` captures their declared result, which JavaScript lacks. */
const functions = (result: string): string => `
(function_declaration name: (identifier) @scope.name ${result}) @scope
(generator_function_declaration name: (identifier) @scope.name) @scope
(method_definition name: (_) @scope.name ${result}) @scope
(variable_declarator name: (identifier) @scope.name value: (arrow_function ${result})) @scope
(variable_declarator name: (identifier) @scope.name value: [(function_expression) (class)]) @scope
`;

const shared = `
(program (lexical_declaration (variable_declarator name: (identifier) @scope.name) @scope))
(program (export_statement (lexical_declaration (variable_declarator name: (identifier) @scope.name) @scope)))
(program (variable_declaration (variable_declarator name: (identifier) @scope.name) @scope))
(assignment_expression
  left: (member_expression property: (property_identifier) @scope.name)
  right: [(arrow_function) (function_expression)]) @scope
(assignment_expression right: (function_expression name: (identifier) @scope.name) @scope)
(export_statement "default" @scope.name value: [(arrow_function) (function_expression) (class)]) @scope
(export_statement
  "default" @scope.name
  value: (binary_expression right: [(arrow_function) (function_expression) (parenthesized_expression)])) @scope
(export_statement
  value: (binary_expression right: (function_expression name: (identifier) @scope.name) @scope))
(call_expression
  function: [(identifier) (member_expression)] @define
  arguments: (arguments . (_) . (string (string_fragment) @scope.name) . (_) @scope)
  (#match? @define "^((Object|Reflect)[.])?define(Property|Getter|Setter)$"))

(import_statement source: (string (string_fragment) @import.source))
(import_statement (import_clause (identifier) @import.default) source: (string (string_fragment) @import.source))
(import_statement
  (import_clause (namespace_import (identifier) @import.local))
  source: (string (string_fragment) @import.source))
(import_statement
  (import_clause (named_imports (import_specifier name: (_) @import.name alias: (_)? @import.local)))
  source: (string (string_fragment) @import.source))
(export_statement
  (export_clause (export_specifier name: (_) @import.name alias: (_)? @import.local))
  source: (string (string_fragment) @import.source))
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
  left: (member_expression object: (identifier) @export.whole property: (property_identifier) @export.local)
  right: (identifier) @import.name
  (#eq? @export.whole "module")
  (#eq? @export.local "exports"))
(export_statement "*" @import.all source: (string (string_fragment) @import.source))
(call_expression function: (import) arguments: (arguments . (string (string_fragment) @import.source)))
(variable_declarator
  name: (identifier) @import.local
  value: (call_expression
    function: (identifier) @import.require
    arguments: (arguments . (string (string_fragment) @import.source)))
  (#eq? @import.require "require"))
(variable_declarator
  name: (identifier) @import.local
  value: (member_expression
    object: (call_expression
      function: (identifier) @import.require
      arguments: (arguments . (string (string_fragment) @import.source)))
    property: (property_identifier) @import.name)
  (#eq? @import.require "require"))
(call_expression
  function: (identifier) @import.require
  arguments: (arguments . (string (string_fragment) @import.source))
  (#eq? @import.require "require"))
(variable_declarator
  name: (object_pattern (shorthand_property_identifier_pattern) @import.name)
  value: (call_expression
    function: (identifier) @import.require
    arguments: (arguments . (string (string_fragment) @import.source)))
  (#eq? @import.require "require"))

(variable_declarator name: (identifier) @var value: (new_expression constructor: (_) @var.type))
(variable_declarator
  name: (identifier) @var
  value: (call_expression function: [(identifier) (member_expression)] @var.call)
  (#not-eq? @var.call "require"))
(variable_declarator
  name: (identifier) @var
  value: (await_expression (call_expression function: [(identifier) (member_expression)] @var.call)))
(arrow_function) @block
(function_expression) @block

(call_expression function: (identifier) @call)
(call_expression function: (member_expression object: (_) @receiver property: (_) @call))
(new_expression constructor: (identifier) @new)
(new_expression constructor: (member_expression object: (_) @receiver property: (_) @new))
(decorator (identifier) @call)
(arguments (identifier) @value)
`;

const jsx = `
(jsx_opening_element name: (identifier) @value)
(jsx_self_closing_element name: (identifier) @value)
(jsx_attribute (jsx_expression (identifier) @value))
`;

const classes = `
(class_declaration name: (_) @scope.name) @scope
`;

const javascriptOnly = `
(field_definition property: (_) @scope.name value: [(arrow_function) (function_expression)]) @scope
(class_heritage (identifier) @inherits)
`;

const typescriptOnly = `
(function_signature name: (identifier) @signature)
(class_body (method_signature name: (_) @signature))
(abstract_class_declaration name: (_) @scope.name) @scope
(interface_declaration name: (_) @scope.name) @scope
(enum_declaration name: (_) @scope.name) @scope
(type_alias_declaration name: (_) @scope.name) @scope
(internal_module name: (identifier) @scope.name) @scope
(public_field_definition name: (_) @scope.name value: [(arrow_function) (function_expression)]) @scope
(required_parameter (accessibility_modifier) pattern: (identifier) @field type: (type_annotation (_) @var.type))
(required_parameter pattern: (identifier) @var type: (type_annotation (_) @var.type))
(optional_parameter pattern: (identifier) @var type: (type_annotation (_) @var.type))
(variable_declarator name: (identifier) @var type: (type_annotation (_) @var.type))
(public_field_definition name: (_) @var type: (type_annotation (_) @var.type))
(public_field_definition name: (_) @var value: (new_expression constructor: (_) @var.type))
(extends_clause value: (identifier) @inherits)
(implements_clause (type_identifier) @inherits)
(extends_type_clause (type_identifier) @inherits)
(type_annotation (type_identifier) @type)
(type_arguments (type_identifier) @type)
(generic_type name: (type_identifier) @type)
(union_type (type_identifier) @type)
(array_type (type_identifier) @type)
(as_expression (type_identifier) @type)
(satisfies_expression (type_identifier) @type)
`;

const typedFunctions = functions('return_type: (type_annotation (_) @scope.result)?');

const builtInTypes = [Array, Date, Function, Map, Number, Object, Promise, RegExp, Set, String, Uint8Array];
const webTypes = [AbortController, Blob, FormData, Headers, ReadableStream, Request, Response, URL];

const ecmascript = {
  family: 'ecmascript',
  self: ['this'],
  base: ['super'],
  implicitSelf: false,
  outerNames: 'nowhere',
  builtInMethods: new Set(
    [...builtInTypes, ...webTypes].flatMap(({ prototype }) => Object.getOwnPropertyNames(prototype)),
  ),
} as const;

export const javascript: Language = {
  ...ecmascript,
  grammar: { package: 'tree-sitter-javascript', file: 'tree-sitter-javascript.wasm' },
  query: functions('') + shared + classes + jsx + javascriptOnly,
};

export const typescript: Language = {
  ...ecmascript,
  grammar: { package: 'tree-sitter-typescript', file: 'tree-sitter-typescript.wasm' },
  query: typedFunctions + shared + classes + typescriptOnly,
};

export const tsx: Language = {
  ...ecmascript,
  grammar: { package: 'tree-sitter-typescript', file: 'tree-sitter-tsx.wasm' },
  query: typedFunctions + shared + classes + jsx + typescriptOnly,
};
