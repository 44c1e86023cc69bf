import type { Language } from '../language.ts';
import { classes, ecmascript, ecmascriptQuery, functions } from './ecmascript.ts';

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

/** The patterns of TypeScript with and without JSX. */
export const typescriptQuery =
  functions('return_type: (type_annotation (_) @scope.result)?') + ecmascriptQuery + classes + typescriptOnly;

export const typescript: Language = {
  name: 'TypeScript',
  endings: 'ts mts cts',
  interpreters: 'deno bun tsx ts-node',
  ...ecmascript,
  grammar: { package: 'tree-sitter-typescript', file: 'tree-sitter-typescript.wasm' },
  query: typescriptQuery,
};
