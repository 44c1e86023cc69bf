import type { HasFile, Language, SharedDefinition } from '../language.ts';
import { cFamily, cQuery, isFunctionOrInHeader, sourceFile } from './c.ts';

/** A header uses the functions of headers, and of the source files that implement one. */
function isSharedInCpp(definition: SharedDefinition, from: string, hasFile: HasFile): boolean {
  const { path } = definition;
  if (!isFunctionOrInHeader(definition)) return false;
  if (!sourceFile.test(path) || sourceFile.test(from)) return true;
  const stem = path.slice(path.lastIndexOf('/') + 1).replace(sourceFile, '');
  return ['h', 'hh', 'hpp', 'hxx'].some((ending) => hasFile(`${stem}.${ending}`));
}

export const cpp: Language = {
  name: 'C++',
  endings: 'cc cpp cxx c++ hh hpp hxx h++ inl ipp tcc',
  ...cFamily,
  isShared: isSharedInCpp,
  implicitSelf: true,
  grammar: { package: 'tree-sitter-cpp', file: 'tree-sitter-cpp.wasm' },
  query: `${cQuery}
(function_definition declarator: (function_declarator
  declarator: [(field_identifier) (destructor_name) (operator_name)] @name)) @define.method
(function_definition declarator: (_ (function_declarator
  declarator: [(field_identifier) (destructor_name) (operator_name)] @name))) @define.method
(function_definition declarator: (function_declarator
  declarator: (qualified_identifier) @qualified)) @define.method
(function_definition declarator: (_ (function_declarator
  declarator: (qualified_identifier) @qualified))) @define.method
(function_definition declarator: (_ (_ (function_declarator
  declarator: [(identifier) (field_identifier) (operator_name)] @name)))) @define.function
(class_specifier name: (type_identifier) @name body: (_)) @define.class
(alias_declaration name: (type_identifier) @name) @define.type
(parameter_declaration type: (_) @var.type declarator: (identifier) @var)
(parameter_declaration type: (_) @var.type declarator: (_ (identifier) @var))
(declaration type: (_) @var.type declarator: (identifier) @var)
(declaration type: (_) @var.type declarator: (init_declarator declarator: (identifier) @var))
(declaration type: (_) @var.type declarator: (init_declarator declarator: (pointer_declarator (identifier) @var)))
(field_declaration type: (_) @var.type declarator: (field_identifier) @var)
(namespace_definition name: (_) @name) @define.namespace

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
