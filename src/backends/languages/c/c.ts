import type { Language, SharedDefinition } from '../language.ts';

/** The patterns that C and its descendants share. */
export const cQuery = `
(function_definition declarator: (function_declarator declarator: (identifier) @scope.name)) @scope
(function_definition
  declarator: (pointer_declarator declarator: (function_declarator declarator: (identifier) @scope.name))) @scope
(struct_specifier name: (type_identifier) @scope.name body: (_)) @scope
(union_specifier name: (type_identifier) @scope.name body: (_)) @scope
(enum_specifier name: (type_identifier) @scope.name body: (_)) @scope

(preproc_include path: (_) @import.source) @import.all

(call_expression function: (identifier) @call @declared)
(call_expression function: (field_expression argument: (_) @receiver field: (field_identifier) @call))
(struct_specifier name: (type_identifier) @type !body)
(parameter_declaration type: (type_identifier) @type)
(declaration type: (type_identifier) @type)
(field_declaration type: (type_identifier) @type)
(argument_list (identifier) @value)
(initializer_pair value: (identifier) @value)

(declaration declarator: (function_declarator declarator: (identifier) @declared))
(declaration declarator: (pointer_declarator declarator: (function_declarator declarator: (identifier) @declared)))
`;

/** The properties that C and its descendants share. */
export const cFamily = {
  family: 'c',
  self: ['this', '(*this)'],
  outerNames: 'repository',
  isShared: isFunctionOrInHeader,
} as const;

export const sourceFile = /\.(?:c|cc|cpp|cxx)$/;

/** A macro or type of a source file is known in that file alone. */
export function isFunctionOrInHeader({ path, kind }: SharedDefinition): boolean {
  return !sourceFile.test(path) || kind === 'function' || kind === 'method';
}

export const c: Language = {
  name: 'C',
  endings: 'c h idc',
  ...cFamily,
  implicitSelf: false,
  grammar: { package: 'tree-sitter-c', file: 'tree-sitter-c.wasm' },
  query: cQuery,
};
