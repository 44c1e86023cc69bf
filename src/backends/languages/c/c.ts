import type { Language, SharedDefinition } from '../language.ts';

/** The patterns that C and its descendants share. */
export const cQuery = `
(function_definition declarator: (function_declarator declarator: (identifier) @name)) @define.function
(function_definition
  declarator: (_ declarator: (function_declarator declarator: (identifier) @name))) @define.function
(struct_specifier name: (type_identifier) @name body: (_)) @define.struct
(union_specifier name: (type_identifier) @name body: (_)) @define.struct
(enum_specifier name: (type_identifier) @name body: (_)) @define.enum
(enumerator name: (identifier) @name) @define.constant
(type_definition declarator: (type_identifier) @name) @define.type
(type_definition declarator: (_ (type_identifier) @name)) @define.type
(type_definition declarator: (function_declarator
  declarator: (parenthesized_declarator (pointer_declarator (type_identifier) @name)))) @define.type
(preproc_def name: (identifier) @name) @define.macro
(preproc_function_def name: (identifier) @name) @define.macro
(field_declaration declarator: (field_identifier) @name) @define.field
(field_declaration declarator: (_ (field_identifier) @name)) @define.field
(translation_unit (declaration declarator: (init_declarator declarator: (identifier) @name)) @define.variable)
(translation_unit (declaration declarator: (init_declarator declarator: (_ (identifier) @name))) @define.variable)

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
