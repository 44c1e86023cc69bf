import type { Language } from '../language.ts';
import { classes, ecmascript, ecmascriptQuery, functions } from './ecmascript.ts';

const typescriptOnly = `
(function_signature name: (identifier) @name return_type: (type_annotation (_) @result)?) @define.function @signature
(class_body (method_signature name: (_) @name) @define.method @signature)
(abstract_method_signature name: (_) @name return_type: (type_annotation (_) @result)?) @define.method
(interface_body (method_signature name: (_) @name return_type: (type_annotation (_) @result)?) @define.method)
(interface_body (property_signature name: (_) @name) @define.field)
(abstract_class_declaration name: (_) @name) @define.class
(interface_declaration name: (_) @name) @define.interface
(enum_declaration name: (_) @name) @define.enum
(enum_body (property_identifier) @name @define.constant)
(enum_assignment name: (_) @name) @define.constant
(type_alias_declaration name: (_) @name) @define.type
(internal_module name: [(identifier) (nested_identifier)] @name) @define.namespace
(module name: (identifier) @name) @define.namespace
(public_field_definition name: (_) @name value: [(arrow_function) (function_expression)]) @define.method
(public_field_definition name: (_) @name) @define.field
(required_parameter (accessibility_modifier) pattern: (identifier) @name @define.field)
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
  functions('return_type: (type_annotation (_) @result)?') + ecmascriptQuery + classes + typescriptOnly;

export const typescript: Language = {
  name: 'TypeScript',
  endings: 'ts mts cts',
  interpreters: 'deno bun tsx ts-node',
  ...ecmascript,
  grammar: { package: 'tree-sitter-typescript', file: 'tree-sitter-typescript.wasm' },
  query: typescriptQuery,
};
