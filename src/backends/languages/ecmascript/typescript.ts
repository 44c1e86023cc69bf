import type { Language } from '../language.ts';
import { ecmascript, ecmascriptQuery, fields, functions, promisedImports, variables } from './ecmascript.ts';

const members = (around: string, end = ''): string => `
${around} (method_signature name: (_) @name return_type: (type_annotation (_) @result)?) @define.method)${end}
${around} (property_signature
  name: (_) @name
  type: (type_annotation (function_type return_type: (_) @result))?) @define.field)${end}
${around} (property_signature name: (_) @var type: (type_annotation (_) @var.type)))${end}
`;

const typescriptOnly = `
${promisedImports((pattern) => `(required_parameter pattern: ${pattern})`)}
(call_expression
  function: (_ object: [(identifier) (member_expression)] @var.of property: (_) @each)
  arguments: (arguments . (arrow_function parameters: (formal_parameters . (required_parameter
    pattern: (identifier) @var
    !type))))
  (#match? @each "^(every|filter|find|findIndex|flatMap|forEach|map|some)$"))
(function_signature name: (identifier) @name return_type: (type_annotation (_) @result)?) @define.function @signature
(class_body (method_signature name: (_) @name) @define.method @signature)
(abstract_method_signature name: (_) @name return_type: (type_annotation (_) @result)?) @define.method
${members('(interface_body')}
${members('(type_alias_declaration value: (object_type', ')')}
(abstract_class_declaration name: (_) @name) @define.class
(interface_declaration name: (_) @name) @define.interface
(enum_declaration name: (_) @name) @define.enum
(enum_body name: (_) @name @define.constant)
(enum_assignment name: (_) @name) @define.constant
(type_alias_declaration name: (_) @name) @define.type
(internal_module name: [(identifier) (nested_identifier)] @name) @define.namespace
(module name: [(identifier) (nested_identifier)] @name) @define.namespace
${fields('public_field_definition', 'name')}
${variables((declaration) => `(ambient_declaration ${declaration})`)}
${variables((declaration) => `([(internal_module body: (_ [${declaration} (_ declaration: ${declaration})])) (module body: (_ [${declaration} (_ declaration: ${declaration})]))])`)}
(import_require_clause (identifier) @import.local source: (string (string_fragment) @import.source))
(required_parameter [(accessibility_modifier) "readonly"] pattern: (identifier) @name @define.field)
(optional_parameter [(accessibility_modifier) "readonly"] pattern: (identifier) @name @define.field)
(required_parameter [(accessibility_modifier) "readonly"] pattern: (identifier) @field type: (type_annotation (_) @var.type))
(required_parameter pattern: (identifier) @var type: (type_annotation (_) @var.type))
(optional_parameter pattern: (identifier) @var type: (type_annotation (_) @var.type))
(variable_declarator name: (identifier) @var type: (type_annotation (_) @var.type))
(required_parameter pattern: (identifier) @local)
(optional_parameter pattern: (identifier) @local)
(public_field_definition name: (_) @var type: (type_annotation (_) @var.type))
(public_field_definition name: (_) @var value: (_ constructor: (_) @var.type))
(extends_clause value: (identifier) @inherits)
(implements_clause [(type_identifier) @inherits (generic_type name: (type_identifier) @inherits)])
(extends_type_clause [(type_identifier) @inherits (generic_type name: (type_identifier) @inherits)])
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
  functions('return_type: (type_annotation (_) @result)?') + ecmascriptQuery + typescriptOnly;

export const typescript: Language = {
  name: 'TypeScript',
  endings: 'ts mts cts',
  declarationEnds: '.d.ts .d.mts .d.cts',
  interpreters: 'deno bun tsx ts-node',
  ...ecmascript,
  grammar: { package: 'tree-sitter-typescript', file: 'tree-sitter-typescript.wasm' },
  query: typescriptQuery,
};
