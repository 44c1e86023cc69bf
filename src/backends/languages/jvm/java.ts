import { readImportPaths } from '../import-paths.ts';
import { type Language, typeName } from '../language.ts';
import { quotes, slashes, tripleQuotes, variableName } from '../lexical/lexical-rule.ts';
import { filesOfFunctions, jvmModules } from './jvm-modules.ts';

/** Methods of all objects, and of strings, classes, collections and streams. */
const builtInMethods = `accept add addAll append apply cast charAt clear clone close collect compare compareTo contains
containsKey copy count endsWith entrySet equals filter find first flush forEach format get getAnnotation getBytes getClass
getKey getMessage getName getSimpleName getType getValue hasNext hashCode indexOf intValue isAssignableFrom isEmpty
isInstance iterator join keySet last length longValue map matches next of parse peek poll pop print printf println push put
putAll read remove replace reset run set size skip sort split start startsWith stop stream submit substring test toArray
toLowerCase toString toUpperCase trim valueOf values wait write`;

/** The code in strings of Groovy, Kotlin and Scala. */
export const dollarHoles = { hole: '${', names: variableName } as const;

/** The properties that Java, Kotlin and Scala share: they use the definitions of each other. */
export const jvmFamily = {
  family: 'java',
  self: ['this'],
  base: ['super'],
  implicitSelf: true,
  outerNames: 'package',
  filesAreClasses: true,
  // Gradle: `src/jvmTest`, `src/androidTest`, `src/testDebug`.
  testFolders: /(?:^|\/)src\/(?:test[A-Z]\w*|[a-z]\w*Test)\//,
  modules: jvmModules,
  moduleFiles: filesOfFunctions,
} as const;

export const java: Language = {
  name: 'Java',
  endings: 'java',
  lexical: [...slashes, tripleQuotes[0], ...quotes],
  interpreters: 'java jbang',
  grammar: { package: 'tree-sitter-java', file: 'tree-sitter-java.wasm' },
  ...jvmFamily,
  typeReceiver: new RegExp(`${typeName.source}|\\.class$`),
  builtInMethods: new Set(builtInMethods.split(/\s+/)),
  readImport: (text) => readImportPaths(text, '.'),
  query: `
(package_declaration (_) @package)
(class_declaration name: (identifier) @name) @define.class
(record_declaration name: (identifier) @name) @define.class
(interface_declaration name: (identifier) @name) @define.interface
(annotation_type_declaration name: (identifier) @name) @define.interface
(enum_declaration name: (identifier) @name) @define.enum
(ERROR "class" . (identifier) @name @define.class)
(annotation_type_element_declaration name: (identifier) @name) @define.method
(method_declaration type: (_) @result name: (identifier) @name) @define.method
(constructor_declaration name: (identifier) @name) @define.method
(compact_constructor_declaration name: (identifier) @name) @define.method
(enum_constant name: (identifier) @name) @define.constant
(constant_declaration declarator: (variable_declarator name: (identifier) @name)) @define.constant
(field_declaration
  (modifiers ["static" "final"] ["static" "final"])
  declarator: (variable_declarator name: (identifier) @name)) @define.constant
(field_declaration declarator: (variable_declarator name: (identifier) @name)) @define.field
(record_declaration parameters: (formal_parameters [
  (formal_parameter name: (identifier) @name)
  (spread_parameter (variable_declarator name: (identifier) @name))
] @define.field))

(import_declaration) @import

(local_variable_declaration type: (_) @var.type declarator: (variable_declarator name: (identifier) @var))
(field_declaration type: (_) @var.type declarator: (variable_declarator name: (identifier) @var))
(local_variable_declaration
  declarator: (variable_declarator name: (identifier) @var value: (object_creation_expression type: (_) @var.type)))
(formal_parameter type: (_) @var.type name: (identifier) @var)
(resource type: (_) @var.type name: (identifier) @var)
(enhanced_for_statement type: (_) @var.type name: (identifier) @var)
(catch_formal_parameter (catch_type (_) @var.type) name: (identifier) @var)
(lambda_expression parameters: [(identifier) @local (inferred_parameters (identifier) @local)])

(method_invocation !object name: (identifier) @call)
(method_invocation object: (_) @receiver name: (identifier) @call)
(object_creation_expression type: [(type_identifier) @new (generic_type (type_identifier) @new)])
(method_reference . (_) @receiver (identifier) @call .)
(superclass [(type_identifier) @inherits (generic_type (type_identifier) @inherits)])
(super_interfaces (type_list [(type_identifier) @inherits (generic_type (type_identifier) @inherits)]))
(extends_interfaces (type_list (type_identifier) @inherits))
(marker_annotation name: (identifier) @type)
(annotation name: (identifier) @type)
(type_identifier) @type
`,
};
