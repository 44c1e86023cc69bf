import { readImportPaths } from '../import-paths.ts';
import { type Language, typeName } from '../language.ts';
import { character, longDouble, nestedSlashes, raw } from '../lexical/lexical-rule.ts';
import { importing } from '../lexical/use-rules.ts';
import { rustModules } from './rust-modules.ts';

/** Methods of common traits, and of strings, collections, options, iterators, paths and files. */
const builtInMethods = `abs all and_then any as_bytes as_mut as_ref as_str borrow borrow_mut bytes chain chars clear clone
cloned cmp collect contains contains_key copied count drain drop ends_with entry enumerate eq expect extend extension
file_name file_type filter find find_map first flat_map flush fmt fold get get_mut hash index insert into into_iter is_dir
is_empty is_err is_file is_none is_ok is_some is_symlink iter iter_mut join keys last len lines lock map map_err max
metadata min modified next nth ok open or_else parent parse path peek pop position push push_str read read_line recv
remove replace resize retain rev send seek skip sort split spawn starts_with sum swap take to_owned to_string to_vec trim
truncate unwrap unwrap_or unwrap_or_default valid_up_to values wait windows with_capacity write write_all zip`;

/** Returns the pattern of an item in the call of a macro such as `cfg_net! { fn bind() {} }`, whose text has no tree. */
const inMacro = (word: string, kind: string): string =>
  `(source_file (macro_invocation (token_tree "${word}" . (identifier) @name @define.${kind})))`;

/** What is called: a name, a member of a value, or a name in a module or type. */
const called = `
  (identifier) @call
  (field_expression value: (_) @receiver field: (field_identifier) @call)
  (scoped_identifier path: (_) @path name: (identifier) @call)`;

export const rust: Language = {
  name: 'Rust',
  endings: 'rs',
  lexical: [
    ...nestedSlashes,
    raw(/(?<=(?:^|\W)[bc]?r(#{0,255}))"/y, '"$1', { first: '"' }),
    ...longDouble,
    character,
  ],
  uses: importing('(?:pub(?:\\s*\\([\\w:\\s]*\\))?\\s+)?(?:use|extern\\s+crate)'),
  interpreters: 'rust-script cargo',
  grammar: { package: 'tree-sitter-rust', file: 'tree-sitter-rust.wasm' },
  family: 'rust',
  self: ['self', 'Self'],
  implicitSelf: false,
  outerNames: 'nowhere',
  modules: rustModules,
  typeReceiver: typeName,
  builtInMethods: new Set(builtInMethods.split(/\s+/)),
  // A module in another file is imported by its declaration: `pub mod clock;`.
  readImport: (text) =>
    readImportPaths(text.replace(/^(?:pub\b.*)?\bmod\s+(?:r#)?(\w+);$/s, 'self::$1::self'), '::'),
  moduleFiles: (name) => [`${name}.rs`, `${name}/mod.rs`],
  query: `
(function_item name: (identifier) @name return_type: (_)? @result) @define.function
(function_signature_item name: (identifier) @name return_type: (_)? @result) @define.function
(struct_item name: (type_identifier) @name) @define.struct
(union_item name: (type_identifier) @name) @define.struct
(enum_item name: (type_identifier) @name) @define.enum
(enum_variant name: (identifier) @name) @define.constant
(trait_item name: (type_identifier) @name) @define.interface
(type_item name: (type_identifier) @name) @define.type
(associated_type name: (type_identifier) @name) @define.type
(macro_definition name: (identifier) @name) @define.macro
(mod_item name: (identifier) @name body: (_)) @define.namespace
(const_item name: (identifier) @name (#not-eq? @name "_")) @define.constant
(static_item name: (identifier) @name) @define.variable
(field_declaration name: (field_identifier) @name) @define.field
(impl_item type: [
  (type_identifier) @name
  (primitive_type) @name
  (scoped_type_identifier name: (type_identifier) @name)
  (generic_type type: (type_identifier) @name)
  (generic_type type: (scoped_type_identifier name: (type_identifier) @name))
  (reference_type type: (type_identifier) @name)
  (reference_type type: (generic_type type: (type_identifier) @name))
]) @define.container
(impl_item
  trait: [(type_identifier) @name (generic_type type: (type_identifier) @name)]
  type: [(array_type) (tuple_type) (unit_type) (pointer_type) (function_type) (dynamic_type)]) @define.container
${inMacro('fn', 'function')}
${inMacro('struct', 'struct')}
${inMacro('enum', 'enum')}
${inMacro('trait', 'interface')}

(use_declaration argument: (_) @import)
(mod_item !body) @import

(parameter pattern: (identifier) @var type: (_) @var.type)
(let_declaration pattern: (identifier) @var type: (_) @var.type)
(let_declaration pattern: (identifier) @var value: [
  (struct_expression name: (_) @var.type)
  (call_expression function: [(identifier) (scoped_identifier) (field_expression)] @var.call)
  (try_expression (call_expression function: [(identifier) (scoped_identifier) (field_expression)] @var.call))
  (field_expression) @var.from
])
(field_declaration name: (field_identifier) @var type: (_) @var.type)

(let_declaration pattern: [(identifier) @local (tuple_pattern (identifier) @local)])
(for_expression pattern: (identifier) @local)
(closure_parameters (identifier) @local)

(call_expression function: [${called} (generic_function function: [${called}])])
(macro_invocation macro: (identifier) @call)
(struct_expression name: (type_identifier) @new)
(impl_item trait: (type_identifier) @inherits)
(parameter type: (type_identifier) @type)
(reference_type type: (type_identifier) @type)
(field_declaration type: (type_identifier) @type)
(function_item return_type: (type_identifier) @type)
(type_arguments (type_identifier) @type)
(arguments (identifier) @value)
`,
};
