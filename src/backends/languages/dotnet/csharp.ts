import { readImportPaths } from '../import-paths.ts';
import { type Language, typeName } from '../language.ts';
import { matched, quoted, raw, slashes } from '../lexical/lexical-rule.ts';
import { constructing, importing } from '../lexical/use-rules.ts';
import type { ImportedPath } from '../outline.ts';
import { csharpModules } from './csharp-modules.ts';

/** Methods of all objects, and of strings, collections and tasks. */
const builtInMethods = `Add AddRange Any Append Cast Clear Clone Close CompareTo Concat ConfigureAwait Contains ContainsKey
Copy CopyTo Count Create Dispose DisposeAsync EndsWith Equals First FirstOrDefault Format From GetEnumerator GetHashCode
GetType IndexOf Insert Invoke Join Last LastOrDefault Max Min MoveNext Open Parse Read Remove Replace Reset Run Select Set
Single SingleOrDefault Skip Sort Split Start StartsWith Stop Substring Sum Take ToArray ToDictionary ToList ToString Trim
TryGetValue TryParse Union Wait Where Write WriteLine`;

export const csharp: Language = {
  name: 'C#',
  aliases: 'csharp',
  endings: 'cs csx cake',
  lexical: [
    ...slashes,
    raw(/(?<!@\$?)("{3,})/y, '$1', { first: '"' }),
    raw(/(?<=\$@|@\$)"/y, '"', { first: '"', doubled: true, hole: '{' }),
    raw(/(?<=@)"/y, '"', { first: '"', doubled: true }),
    quoted('"', { open: /(?<=\$)"/y, first: '"', hole: '{' }),
    quoted('"'),
    quoted("'"),
    matched('code', '#', /#[ \t]{0,20}(?:region|endregion|error|warning)\b[^\r\n]{0,500}/y),
  ],
  uses: { ...importing('(?:global\\s+)?using(?!\\s+var\\b)'), ...constructing },
  filesAreClasses: true,
  grammar: { package: 'tree-sitter-c-sharp', file: 'tree-sitter-c_sharp.wasm' },
  family: 'csharp',
  self: ['this'],
  base: ['base'],
  implicitSelf: true,
  outerNames: 'package',
  modules: csharpModules,
  typeReceiver: new RegExp(
    `${typeName.source}|^(?:bool|byte|char|decimal|double|float|int|long|object|short|string)$`,
  ),
  builtInMethods: new Set(builtInMethods.split(/\s+/)),
  readImport: readUsing,
  query: `
(namespace_declaration name: (_) @package)
(file_scoped_namespace_declaration name: (_) @package)
(namespace_declaration name: (_) @name @define.module)
(file_scoped_namespace_declaration name: (_) @name @define.module)
(class_declaration name: (identifier) @name) @define.class
(interface_declaration name: (identifier) @name) @define.interface
(struct_declaration name: (identifier) @name) @define.struct
(record_declaration "struct" name: (identifier) @name) @define.struct
(record_declaration name: (identifier) @name) @define.class
(record_declaration (parameter_list (parameter name: (identifier) @name) @define.field))
(enum_declaration name: (identifier) @name) @define.enum
(enum_member_declaration name: (identifier) @name) @define.constant
(ERROR "class" . (identifier) @name @define.class)
(ERROR "interface" . (identifier) @name @define.interface)
(delegate_declaration name: (identifier) @name) @define.type
(method_declaration returns: (_) @result name: (identifier) @name) @define.method
(constructor_declaration name: (identifier) @name body: (_)
  (#not-any-of? @name "catch" "extension" "for" "foreach" "if" "lock" "switch" "using" "while")) @define.method
(destructor_declaration name: (identifier) @name) @define.method
(operator_declaration operator: _ @name) @define.method
(conversion_operator_declaration ["implicit" "explicit"] @name) @define.method
(local_function_statement name: (identifier) @name) @define.function
(property_declaration name: (identifier) @name) @define.field
(event_declaration name: (identifier) @name) @define.field
(indexer_declaration "this" @name) @define.field
(field_declaration (modifier) @const (variable_declaration (variable_declarator name: (identifier) @name))
  (#eq? @const "const")) @define.constant
(field_declaration (variable_declaration (variable_declarator name: (identifier) @name))) @define.field
(event_field_declaration (variable_declaration (variable_declarator name: (identifier) @name))) @define.field

(using_directive) @import

(parameter type: (_) @var.type name: (identifier) @var)
(property_declaration type: (_) @var.type name: (identifier) @var)
(variable_declaration type: (_) @var.type (variable_declarator name: (identifier) @var))
(variable_declaration
  type: (implicit_type)
  (variable_declarator name: (identifier) @var [
    (object_creation_expression type: (_) @var.type)
    (invocation_expression function: [(identifier) (member_access_expression)] @var.call)
    (member_access_expression) @var.from
  ]))

(invocation_expression function: [(identifier) @call (generic_name (identifier) @call)])
(invocation_expression function: (member_access_expression
  expression: (_) @receiver
  name: [(identifier) @call (generic_name (identifier) @call)]))
(invocation_expression function: (conditional_access_expression
  condition: (_) @receiver
  (member_binding_expression name: (identifier) @call)))
(object_creation_expression type: [(identifier) @new (generic_name (identifier) @new)])
(base_list [(identifier) @inherits (generic_name (identifier) @inherits)])
(parameter type: (identifier) @type)
(variable_declaration type: (identifier) @type)
(property_declaration type: (identifier) @type)
(method_declaration returns: (identifier) @type)
(type_argument_list (identifier) @type)
(attribute name: (identifier) @type)
(argument (identifier) @value)
`,
};

/** Reads `using A.B;`, `using static A.B;` and `using C = A.B;`. */
function readUsing(text: string): readonly ImportedPath[] {
  const [, alias, path = ''] =
    /^(?:global\s+)?using\s+(?:static\s+)?(?:(\w+)\s*=\s*)?(?:global::)?(.*)$/s.exec(text) ?? [];
  return readImportPaths(alias === undefined ? `${path.replace(/;$/, '')}.*` : `${path} as ${alias}`, '.');
}
