import { readImportPaths } from '../import-paths.ts';
import { type Language, typeName } from '../language.ts';
import { block, heredoc, matched, raw, variableName } from '../lexical/lexical-rule.ts';
import { constructing, importing } from '../lexical/use-rules.ts';
import { phpModules } from './php-modules.ts';

/** A file that is included, by its name or by the end of it. */
const included =
  '[(string (string_content) @import.source) (binary_expression right: (string (string_content) @import.source))]';

const inStrings = { escape: '\\', hole: '{$', names: variableName } as const;

export const php: Language = {
  name: 'PHP',
  endings: 'php phtml php5 php7 php8',
  lexical: [
    // A text begins outside of the code.
    raw('?>', '<?', { kind: 'code', as: 'around' }),
    matched('comment', '/', /\/\/(?:[^?\r\n]|\?(?!>)){0,5000}/y),
    matched('comment', '#', /#(?!\[)(?:[^?\r\n]|\?(?!>)){0,5000}/y),
    block('/*', '*/'),
    heredoc(/<<<[ \t]{0,20}'(\w{1,100})'/y),
    heredoc(/<<<[ \t]{0,20}"?(\w{1,100})"?/y, inStrings),
    raw("'", "'", { escape: '\\' }),
    raw(/(["`])/y, '$1', { first: '"`', ...inStrings }),
  ],
  uses: { ...importing('use|(?:require|include)(?:_once)?'), ...constructing },
  filesAreClasses: true,
  interpreters: 'php',
  grammar: { package: 'tree-sitter-php', file: 'tree-sitter-php.wasm' },
  family: 'php',
  self: ['$this', 'self', 'static'],
  base: ['parent'],
  implicitSelf: false,
  outerNames: 'repository',
  modules: phpModules,
  typeReceiver: typeName,
  packageSeparator: '\\',
  readImport: (text) => readImportPaths(text, '\\'),
  query: `
(namespace_definition name: (namespace_name) @package)
(namespace_definition name: (namespace_name) @name @define.module)
(function_definition name: (name) @name return_type: (_)? @result) @define.function
(class_declaration name: (name) @name) @define.class
(trait_declaration name: (name) @name) @define.class
(interface_declaration name: (name) @name) @define.interface
(enum_declaration name: (name) @name) @define.enum
(enum_case name: (name) @name) @define.constant
(method_declaration name: (name) @name return_type: (_)? @result) @define.method
(const_element (name) @name) @define.constant
(property_element name: (variable_name (name) @name)) @define.field
(property_promotion_parameter name: (variable_name (name) @name)) @define.field
(use_as_clause "as" (name) @name .) @define.method
(function_call_expression
  function: [(name) @defining (qualified_name . prefix: "\\\\" (name) @defining)]
  arguments: (arguments . (argument [(string (string_content) @name) (encapsed_string (string_content) @name)]))
  (#eq? @defining "define")) @define.constant

(namespace_use_declaration) @import
([(require_expression ${included}) (require_once_expression ${included})] @import.all)
([(include_expression ${included}) (include_once_expression ${included})] @import.all)

(simple_parameter type: [(named_type) (optional_type)] @var.type name: (variable_name) @var)
(property_promotion_parameter type: [(named_type) (optional_type)] @var.type name: (variable_name) @var)
(property_declaration type: [(named_type) (optional_type)] @var.type (property_element name: (variable_name) @var))
(property_promotion_parameter type: [(named_type) (optional_type)] @var.type name: (variable_name) @field)
(assignment_expression left: (variable_name) @var right: (object_creation_expression (name) @var.type))
(assignment_expression left: (variable_name) @var right: [(member_access_expression) (nullsafe_member_access_expression)] @var.from)

(function_call_expression function: [(name) @call (qualified_name prefix: (_) @receiver (name) @call)])
(member_call_expression object: (_) @receiver name: (name) @call)
(nullsafe_member_call_expression object: (_) @receiver name: (name) @call)
(scoped_call_expression scope: (_) @receiver name: (name) @call)
(object_creation_expression [(name) @new (qualified_name prefix: (_) @receiver (name) @new)])
(base_clause (name) @inherits)
(class_interface_clause (name) @inherits)
(use_declaration (name) @inherits)
(named_type (name) @type)
(attribute (name) @type)
(class_constant_access_expression . (name) @type)
`,
};
