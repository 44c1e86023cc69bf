import type { Language } from '../language.ts';
import { cLike, raw } from '../lexical/lexical-rule.ts';
import { goModules } from './go-modules.ts';

/** Methods of interfaces and common types of the standard library. */
const builtInMethods = `Accept Add Addr After Before Body Bytes Call Cancel Cleanup Clone Close CompareAndSwap Contains Cookie
Cookies Copy Day Deadline Decode Del Delete Do Done Elem Encode Equal Err Error Errorf Exec Execute Fail FailNow Fatal Fatalf
Field Flush Format FormValue Get Grow Header Helper Hour Hijack Index Int Interface Is IsDir IsNil IsValid IsZero Key Keys
Kind Len Less Listen Load Lock Log Logf Lookup MarshalJSON MarshalText Method MinLen Mode ModTime Name Network Next Now Nanosecond
Parse Ping Pop Pos Print Printf Println Push Put Query Range RLock RUnlock Read ReadAll ReadAt ReadByte ReadFrom ReadRune
ReadString Release RemoteAddr Reset RoundTrip Run Scan Seconds Seek Serve ServeHTTP Set Shutdown Size Skip Sleep Start Stat Stop
Store String Sub Swap Sync Sys Text Time Truncate Type Unix Unlock UnmarshalJSON UnmarshalText Unwrap Value Values Wait
Write WriteAt WriteByte WriteHeader WriteRune WriteString WriteTo Year`;

export const go: Language = {
  name: 'Go',
  aliases: 'golang',
  endings: 'go',
  lexical: [...cLike, raw('`', '`')],
  generatedEnds: '.pb.go',
  grammar: { package: 'tree-sitter-go', file: 'tree-sitter-go.wasm' },
  family: 'go',
  self: [],
  implicitSelf: false,
  outerNames: 'package',
  packagesAreFolders: true,
  implementsUnnamed: true,
  modules: goModules,
  publicName: /^\p{Lu}/u,
  moduleName: packageName,
  builtInMethods: new Set(builtInMethods.split(/\s+/)),
  query: `
(package_clause (package_identifier) @package)
(function_declaration name: (identifier) @name result: (_)? @result (#not-eq? @name "_")) @define.function
(func_literal) @block
(method_declaration
  receiver: (parameter_list
    (parameter_declaration
      name: (identifier)? @self
      type: [
        (type_identifier) @owner
        (pointer_type (type_identifier) @owner)
        (generic_type type: (type_identifier) @owner)
        (pointer_type (generic_type type: (type_identifier) @owner))
      ]))
  name: (field_identifier) @name
  result: (_)? @result) @define.method
(type_spec name: (type_identifier) @name type: (struct_type)) @define.struct
(type_spec name: (type_identifier) @name type: (interface_type)) @define.interface
(type_spec name: (type_identifier) @name) @define.type
(type_alias name: (type_identifier) @name) @define.type
(method_elem name: (field_identifier) @name) @define.method
(field_declaration name: (field_identifier) @name (#not-eq? @name "_")) @define.field
(source_file (const_declaration (const_spec name: (identifier) @name (#not-eq? @name "_")) @define.constant))
(source_file (var_declaration (var_spec name: (identifier) @name (#not-eq? @name "_")) @define.variable))
(source_file (var_declaration (var_spec_list
  (var_spec name: (identifier) @name (#not-eq? @name "_")) @define.variable)))

(import_spec name: (_)? @import.local path: (_) @import.source)

(parameter_declaration name: (identifier) @var type: (_) @var.type)
(var_spec name: (identifier) @var type: (_) @var.type)
(field_declaration name: (field_identifier) @var type: (_) @var.type)
(short_var_declaration
  left: (expression_list . (identifier) @var .)
  right: (expression_list . [
    (composite_literal type: (_) @var.type)
    (unary_expression operand: (composite_literal type: (_) @var.type))
    (selector_expression) @var.from
  ] .))
(short_var_declaration
  left: (expression_list . (identifier) @var)
  right: (expression_list . [
    (type_assertion_expression type: (_) @var.type)
    (call_expression function: [(identifier) (selector_expression)] @var.call)
  ]))
(range_clause
  left: (expression_list (identifier) (identifier) @var .)
  right: [(identifier) (selector_expression)] @var.of)

(short_var_declaration left: (expression_list (identifier) @local))
(range_clause left: (expression_list (identifier) @local))

(call_expression function: (identifier) @call)
(call_expression function: (selector_expression operand: (_) @receiver field: (field_identifier) @call))
(call_expression function: (index_expression operand: (identifier) @call))
(composite_literal type: [(type_identifier) @new (qualified_type package: (_) @receiver name: (type_identifier) @new)])
(field_declaration !name type: [
  (type_identifier) @inherits
  (generic_type type: (type_identifier) @inherits)
  (qualified_type package: (_) @receiver name: (type_identifier) @inherits)
])
(interface_type (type_elem [
  (type_identifier) @inherits
  (qualified_type package: (_) @receiver name: (type_identifier) @inherits)
]))
(parameter_declaration type: (type_identifier) @type)
(field_declaration type: (type_identifier) @type)
(pointer_type (type_identifier) @type)
(slice_type (type_identifier) @type)
(qualified_type package: (_) @receiver name: (type_identifier) @type)
(argument_list (identifier) @value)
`,
};

/** Returns the usual name of the package at a path: `yaml` of `gopkg.in/yaml.v3` and of `x/go-yaml/v2`. */
function packageName(source: string): string | undefined {
  const segments = source.split('/').filter((segment) => !/^v\d+$/.test(segment));
  return segments.at(-1)?.replaceAll(/\.v\d+$|^go-|-go$/g, '');
}
