import type { HasFile, Language, SharedDefinition } from './language.ts';

const shared = `
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

const family = {
  family: 'c',
  self: ['this', '(*this)'],
  outerNames: 'repository',
  isShared: isFunctionOrInHeader,
} as const;

const sourceFile = /\.(?:c|cc|cpp|cxx)$/;

/** A macro or type of a source file is known in that file alone. */
function isFunctionOrInHeader({ path, kind }: SharedDefinition): boolean {
  return !sourceFile.test(path) || kind === 'function' || kind === 'method';
}

/** A header uses the functions of headers, and of the source files that implement one. */
function isSharedInCpp(definition: SharedDefinition, from: string, hasFile: HasFile): boolean {
  const { path } = definition;
  if (!isFunctionOrInHeader(definition)) return false;
  if (!sourceFile.test(path) || sourceFile.test(from)) return true;
  const stem = path.slice(path.lastIndexOf('/') + 1).replace(sourceFile, '');
  return ['h', 'hh', 'hpp', 'hxx'].some((ending) => hasFile(`${stem}.${ending}`));
}

export const c: Language = {
  ...family,
  implicitSelf: false,
  grammar: { package: 'tree-sitter-c', file: 'tree-sitter-c.wasm' },
  query: shared,
};

export const cpp: Language = {
  ...family,
  isShared: isSharedInCpp,
  implicitSelf: true,
  grammar: { package: 'tree-sitter-cpp', file: 'tree-sitter-cpp.wasm' },
  query: `${shared}
(function_definition declarator: (function_declarator declarator: (field_identifier) @scope.name)) @scope
(function_definition
  declarator: (_ declarator: (function_declarator declarator: (field_identifier) @scope.name))) @scope
(function_definition declarator: (function_declarator
  declarator: (qualified_identifier) @scope.qualified)) @scope
(function_definition declarator: (_ (function_declarator
  declarator: (qualified_identifier) @scope.qualified))) @scope
(class_specifier name: (type_identifier) @scope.name body: (_)) @scope
(parameter_declaration type: (_) @var.type declarator: (identifier) @var)
(parameter_declaration type: (_) @var.type declarator: (_ (identifier) @var))
(declaration type: (_) @var.type declarator: (identifier) @var)
(declaration type: (_) @var.type declarator: (init_declarator declarator: (identifier) @var))
(declaration type: (_) @var.type declarator: (init_declarator declarator: (pointer_declarator (identifier) @var)))
(field_declaration type: (_) @var.type declarator: (field_identifier) @var)
(namespace_definition name: (namespace_identifier) @scope.name) @scope

(call_expression function: (qualified_identifier scope: (_) @receiver name: (identifier) @call))
(call_expression function: (template_function name: (identifier) @call))
(call_expression function: (qualified_identifier
  scope: (_) @receiver
  name: (template_function name: (identifier) @call)))
(new_expression type: (type_identifier) @new)
(base_class_clause (type_identifier) @inherits)
(template_argument_list (type_descriptor type: (type_identifier) @type))
`,
};
