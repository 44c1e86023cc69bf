import type { HasFile, Language, SharedDefinition } from '../language.ts';
import { cFamily, cQuery, declaredFunction, isFunctionOrInHeader, sourceFile, withoutMacros } from './c.ts';

/** A header uses the functions of headers, and of the source files that implement one. */
function isSharedInCpp(definition: SharedDefinition, from: string, hasFile: HasFile): boolean {
  const { path } = definition;
  if (!isFunctionOrInHeader(definition)) return false;
  if (!sourceFile.test(path) || sourceFile.test(from)) return true;
  const stem = path.slice(path.lastIndexOf('/') + 1).replace(sourceFile, '');
  return ['h', 'hh', 'hpp', 'hxx'].some((ending) => hasFile(`${stem}.${ending}`));
}

/** The query takes no captures of a list in a list. */
const functionName = `[
  (identifier) @name
  (field_identifier) @name
  (destructor_name) @name
  (template_function name: (identifier) @name)
  (qualified_identifier) @qualified
  (operator_name) @qualified
]`;
const conversion = '[(operator_cast) @qualified (qualified_identifier) @qualified]';
const references =
  '(reference_declarator CALLED) (pointer_declarator declarator: (reference_declarator CALLED))';

const query = `
(function_definition declarator: ${declaredFunction(functionName, references)} body: (_)) @define.function
(function_definition
  declarator: [
    (function_declarator declarator: ${functionName})
    (reference_declarator (function_declarator declarator: ${functionName}))
  ]
  (default_method_clause)) @define.function
(function_definition declarator: ${conversion} body: (_)) @define.function
(ERROR [
  (function_declarator declarator: ${functionName})
  (_ (function_declarator declarator: ${functionName}))
] @define.function . "{")
${cQuery}
(field_declaration declarator: (reference_declarator (field_identifier) @name)) @define.field
[
  (class_specifier name: (type_identifier) @name body: (_))
  (class_specifier name: (template_type name: (type_identifier) @name) body: (_))
  (class_specifier name: (qualified_identifier) @qualified body: (_))
] @define.class
[
  (struct_specifier name: (template_type name: (type_identifier) @name) body: (_))
  (struct_specifier name: (qualified_identifier) @qualified body: (_))
] @define.struct
(enum_specifier name: (qualified_identifier) @qualified body: (_)) @define.enum
(concept_definition name: (identifier) @name) @define.type
(namespace_alias_definition name: (namespace_identifier) @name) @define.namespace
(alias_declaration name: (type_identifier) @name) @define.type
(parameter_declaration type: (_) @var.type declarator: [(identifier) @var (_ (identifier) @var)])
(declaration type: (_) @var.type declarator: [
  (identifier) @var
  (init_declarator declarator: [(identifier) @var (pointer_declarator (identifier) @var)])
])
(field_declaration type: (_) @var.type declarator: [(field_identifier) @var (_ (field_identifier) @var)])
(namespace_definition name: (_) @name) @define.namespace

(call_expression function: (template_function name: (identifier) @call))
(call_expression function: (qualified_identifier
  scope: (_) @path
  name: [(identifier) @call (template_function name: (identifier) @call)]))
(new_expression type: (type_identifier) @new)
(base_class_clause (type_identifier) @inherits)
(template_argument_list (type_descriptor type: (type_identifier) @type))
`;

/** The properties that languages with the grammar of C++ share. */
const shared = {
  ...cFamily,
  isShared: isSharedInCpp,
  implicitSelf: true,
  grammar: { package: 'tree-sitter-cpp', file: 'tree-sitter-cpp.wasm' },
  query,
} as const;

export const cpp: Language = {
  name: 'C++',
  aliases: 'cplusplus',
  endings: 'cc cpp cxx c++ hh hpp hxx h++ inl ipp tcc',
  ...shared,
  codeIn: (text) => ({ text: withoutMacros(text) }),
};

/** The words before a function or variable that say where it is. */
const cudaWords = /\b__(?:global|device|host|shared|constant|managed|forceinline|noinline)__/g;

export const cuda: Language = {
  name: 'Cuda',
  endings: 'cu cuh',
  ...shared,
  codeIn: (text) => ({ text: withoutMacros(text).replaceAll(cudaWords, (word) => ' '.repeat(word.length)) }),
};
