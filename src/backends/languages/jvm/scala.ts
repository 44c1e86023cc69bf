import { readImportPaths } from '../import-paths.ts';
import { type Language, typeName } from '../language.ts';
import { backtickName, character, nestedSlashes, quoted, raw } from '../lexical/lexical-rule.ts';
import { dollarHoles, java, jvmFamily } from './java.ts';

/** Functions of the standard library that Java does not have. */
const builtInMethods = `assert bimap collectFirst combineAll diff drop dropWhile eq exists filterNot flatMap flatten fold foldLeft
foldRight forall foreach fromString getOrElse groupBy head headOption indices isDefined isDefinedAt keys lastOption leftMap
lift map max mkString min ne nonEmpty none orElse partition pure raise recover reduce require reverse size sliding some sorted sortBy
sum tail take takeWhile to toArray toInt toList toLong toMap toOption toSeq toSet toVector traverse unapply until updated view
void withFilter zip zipWithIndex`;

/** Values outside of functions and blocks. */
const values = `[
  (val_definition pattern: [(identifier) @name (identifiers (identifier) @name) (tuple_pattern (identifier) @name)])
  (var_definition pattern: [(identifier) @name (identifiers (identifier) @name) (tuple_pattern (identifier) @name)])
] @define.variable`;

export const scala: Language = {
  name: 'Scala',
  endings: 'scala sc sbt',
  lexical: [
    ...nestedSlashes,
    raw(/(?<=\w)"""/y, '"""', { first: '"', ...dollarHoles }),
    raw('"""', '"""'),
    quoted('"', { open: /(?<=\w)"/y, first: '"', ...dollarHoles }),
    quoted('"'),
    character,
    backtickName,
  ],
  interpreters: 'scala scala-cli',
  grammar: { package: 'tree-sitter-scala', file: 'tree-sitter-scala.wasm' },
  ...jvmFamily,
  typeReceiver: typeName,
  nestedPackages: true,
  builtInMethods: new Set([...java.builtInMethods!, ...builtInMethods.split(/\s+/)]),
  // Neither given values nor names that are hidden (`b => _`) are imported by name.
  readImport: (text) =>
    readImportPaths(text, '.').filter(({ name, local }) => name === '*' || (name !== 'given' && local)),
  query: `
(package_clause name: (package_identifier) @package)
(class_definition name: (_) @name) @define.class
(object_definition name: (_) @name) @define.class
(package_object name: (_) @name) @define.class
(full_enum_case name: (_) @name) @define.class
(trait_definition name: (_) @name) @define.interface
(enum_definition name: (_) @name) @define.enum
(simple_enum_case name: (_) @name) @define.constant
(ERROR ["class" "object"] . (identifier) @name @define.class)
(ERROR "trait" . (identifier) @name @define.interface)
(type_definition name: (_) @name) @define.type
(extension_definition
  parameters: (parameters (parameter type: [(type_identifier) @owner (generic_type type: (type_identifier) @owner)]))
  body: (function_definition name: (_) @name) @define.method)
(function_definition name: (_) @name) @define.function
(function_declaration name: (_) @name) @define.function
(given_definition name: (_) @name body: (with_template_body)) @define.class
(given_definition name: (_) @name) @define.variable
(class_definition "case" class_parameters: (class_parameters (class_parameter name: (_) @name) @define.field))
(class_parameter ["val" "var"] name: (_) @name) @define.field
(val_declaration name: (_) @name) @define.variable
(var_declaration name: (_) @name) @define.variable
(compilation_unit ${values})
(template_body ${values})
(with_template_body ${values})
(enum_body ${values})

(import_declaration) @import

(parameter name: (_) @var type: (_) @var.type)
(class_parameter name: (_) @var type: (_) @var.type)
(val_definition pattern: (identifier) @var type: (_) @var.type)
(var_definition pattern: (identifier) @var type: (_) @var.type)
(val_definition pattern: (identifier) @var !type value: (instance_expression (type_identifier) @var.type))
(val_definition pattern: (identifier) @var !type value: (call_expression function: (identifier) @var.type)
  (#match? @var.type "^[A-Z]"))

([(val_definition pattern: (identifier) @local) (var_definition pattern: (identifier) @local)])
(call_expression function: [(identifier) @call (field_expression value: (_) @receiver field: (identifier) @call)])
(generic_function function: [(identifier) @call (field_expression value: (_) @receiver field: (identifier) @call)])
(infix_expression left: (_) @receiver operator: (identifier) @call)
(instance_expression [(type_identifier) @new (generic_type type: (type_identifier) @new)])
(extends_clause type: [(type_identifier) @inherits (generic_type type: (type_identifier) @inherits)])
(type_identifier) @type
(arguments (identifier) @value)
`,
};
