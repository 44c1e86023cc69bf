import type { ImportedName } from '../parsed-file.ts';
import { type Language, typeName } from './language.ts';

/** Methods of all objects, and of strings, arrays, hashes, ranges, files and threads. */
const rubyMethods = `all? any? append backtrace call chomp class clear clone close collect compact concat count delete delete_if dig
downcase drop dup each each_key each_pair each_value each_with_index each_with_object empty? end_with? entries eql? equal?
exist? extend fetch filter filter_map find find_all first flat_map flatten flush format freeze frozen? get group_by gsub has_key?
hash include? index inject insert inspect instance_of? is_a? join key key? keys kind_of? last length lines load map match
match? max members merge merge! message method_missing min name new next nil? none? open partition path pop prepend print push puts
read reduce reject replace respond_to? reverse rewind run scan select send set shift signal size skip slice sleep sort
sort_by source split start start_with? step stop strip sub succ sum take tap test time times to_a to_h to_i to_json to_proc
to_s to_str to_sym trim uniq unshift update upcase value values wait write yield zip`;

export const ruby: Language = {
  grammar: { package: 'tree-sitter-ruby', file: 'tree-sitter-ruby.wasm' },
  family: 'ruby',
  self: ['self', 'super'],
  implicitSelf: true,
  outerNames: 'repository',
  typeReceiver: typeName,
  builtInMethods: new Set(rubyMethods.split(/\s+/)),
  query: `
(method name: (_) @scope.name) @scope
(singleton_method name: (_) @scope.name) @scope
(class name: (constant) @scope.name) @scope
(class name: (scope_resolution scope: (_) @owner name: (constant) @scope.name)) @scope
(module name: (constant) @scope.name) @scope
(module name: (scope_resolution scope: (_) @owner name: (constant) @scope.name)) @scope

(call
  !receiver
  method: (identifier) @import.require
  arguments: (argument_list . (string (string_content) @import.source)) @import.all
  (#match? @import.require "^(require|require_relative|load)$"))

(assignment left: (identifier) @var right: (call receiver: (constant) @var.type method: (identifier) @new.method)
  (#eq? @new.method "new"))

(call !receiver method: (_) @call)
(call receiver: (_) @receiver method: (_) @call)
(superclass (constant) @inherits)
(superclass (scope_resolution scope: (_) @receiver name: (constant) @inherits))
(call
  !receiver
  method: (identifier) @mixin
  arguments: (argument_list [
    (constant) @inherits
    (scope_resolution scope: (_) @receiver name: (constant) @inherits)
  ])
  (#match? @mixin "^(include|extend|prepend)$"))
(argument_list (constant) @type)
(body_statement (identifier) @call @bare)
(assignment right: (identifier) @call @bare)

(method_parameters (identifier) @local)
(optional_parameter name: (identifier) @local)
(keyword_parameter name: (identifier) @local)
(splat_parameter name: (identifier) @local)
(block_parameters (identifier) @local)
(assignment left: (identifier) @local)
(left_assignment_list (identifier) @local)
(operator_assignment left: (identifier) @local)
`,
};

export const php: Language = {
  grammar: { package: 'tree-sitter-php', file: 'tree-sitter-php.wasm' },
  family: 'php',
  self: ['$this', 'self', 'static'],
  base: ['parent'],
  implicitSelf: false,
  outerNames: 'repository',
  typeReceiver: typeName,
  packageSeparator: '\\',
  readImport: readPhpUse,
  query: `
(namespace_definition name: (namespace_name) @package)
(function_definition name: (name) @scope.name) @scope
(class_declaration name: (name) @scope.name) @scope
(interface_declaration name: (name) @scope.name) @scope
(trait_declaration name: (name) @scope.name) @scope
(enum_declaration name: (name) @scope.name) @scope
(method_declaration name: (name) @scope.name) @scope

(namespace_use_declaration) @import
(require_expression (string (string_content) @import.source)) @import.all
(require_once_expression (string (string_content) @import.source)) @import.all
(include_expression (string (string_content) @import.source)) @import.all
(include_once_expression (string (string_content) @import.source)) @import.all
(require_expression (binary_expression right: (string (string_content) @import.source))) @import.all
(require_once_expression (binary_expression right: (string (string_content) @import.source))) @import.all
(include_once_expression (binary_expression right: (string (string_content) @import.source))) @import.all

(simple_parameter type: (named_type (_) @var.type) name: (variable_name) @var)
(property_declaration type: (named_type (_) @var.type) (property_element name: (variable_name) @var))
(property_promotion_parameter type: (named_type (_) @var.type) name: (variable_name) @var)
(assignment_expression left: (variable_name) @var right: (object_creation_expression (name) @var.type))

(function_call_expression function: (name) @call)
(function_call_expression function: (qualified_name prefix: (_) @receiver (name) @call))
(member_call_expression object: (_) @receiver name: (name) @call)
(nullsafe_member_call_expression object: (_) @receiver name: (name) @call)
(scoped_call_expression scope: (_) @receiver name: (name) @call)
(object_creation_expression (name) @new)
(object_creation_expression (qualified_name prefix: (_) @receiver (name) @new))
(base_clause (name) @inherits)
(class_interface_clause (name) @inherits)
(use_declaration (name) @inherits)
(named_type (name) @type)
(attribute (name) @type)
(class_constant_access_expression . (name) @type)
`,
};

export const bash: Language = {
  grammar: { package: 'tree-sitter-bash', file: 'tree-sitter-bash.wasm' },
  family: 'bash',
  self: [],
  implicitSelf: false,
  outerNames: 'repository',
  query: `
(function_definition name: (word) @scope.name) @scope
(command
  name: (command_name (word) @import.require)
  argument: (_) @import.source
  (#match? @import.require "^(source|[.])$")) @import.all
(command name: (command_name (word) @call))
`,
};

/**
 * Reads `use A\B;`, `use A\B as C;`, `use A\{B, C as D};` and the forms with `function` and `const`.
 * @internal Exported for its tests.
 */
export function readPhpUse(text: string): Omit<ImportedName, 'line'>[] {
  const match = /^use\s+(?:function\s+|const\s+)?([^;{]*)(?:\{([^}]*)\})?/u.exec(text);
  if (match === null) return [];
  const prefix = match[2] === undefined ? '' : match[1]!.trim();
  return (match[2] ?? match[1]!).split(',').flatMap((part) => {
    const [path = '', alias] = part
      .trim()
      .replace(/^(?:function|const)\s+/, '')
      .split(/\sas\s/i);
    const whole = `${prefix}${path.trim()}`.replace(/^\\/, '');
    if (!/^[\w\\\u0080-\uffff]+$/.test(whole)) return [];
    const slash = whole.lastIndexOf('\\');
    const name = whole.slice(slash + 1);
    return [{ source: whole.slice(0, Math.max(slash, 0)), name, local: alias?.trim() ?? name }];
  });
}
