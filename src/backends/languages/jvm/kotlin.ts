import { readImportPaths } from '../import-paths.ts';
import { type Language, typeName } from '../language.ts';
import { backtickName, character, nestedSlashes, quoted, raw } from '../lexical/lexical-rule.ts';
import { dollarHoles, java, jvmFamily } from './java.ts';

/** Functions of the standard library that Java does not have. */
const builtInMethods = `all also and any apply associate associateBy async await buildList buildString distinct drop
dropLast emit filterIsInstance filterNot filterNotNull first firstOrNull flatMap fold forEach forEachIndexed getOrDefault
getOrElse getOrNull getOrPut getValue groupBy ifEmpty indices invoke isNotEmpty isNullOrEmpty joinToString last lastOrNull
launch let lines map mapIndexed mapNotNull mapValues max maxOf min minOf none or orEmpty plus provideDelegate reduce removePrefix
removeSuffix repeat reversed run runBlocking setValue shl shr single sorted sortedBy substringAfter substringBefore sum sumOf take
takeIf takeLast takeUnless to toByteArray toInt toList toLong toMap toMutableList toSet toTypedArray until update ushr use with
withContext withIndex xor zip`;

export const kotlin: Language = {
  name: 'Kotlin',
  endings: 'kt kts',
  lexical: [
    ...nestedSlashes,
    raw('"""', '"""', dollarHoles),
    quoted('"', dollarHoles),
    character,
    backtickName,
  ],
  interpreters: 'kotlin kotlinc kscript',
  grammar: { package: '@tree-sitter-grammars/tree-sitter-kotlin', file: 'tree-sitter-kotlin.wasm' },
  ...jvmFamily,
  typeReceiver: typeName,
  builtInMethods: new Set([...java.builtInMethods!, ...builtInMethods.split(/\s+/)]),
  readImport: (text) => readImportPaths(text, '.'),
  codeIn: (text) => ({ text: hideKeywords(text) }),
  query: `
(package_header (qualified_identifier) @package)
(class_declaration "interface" name: (identifier) @name) @define.interface
(class_declaration (modifiers (class_modifier "annotation")) name: (identifier) @name) @define.interface
(class_declaration (modifiers (class_modifier "enum")) name: (identifier) @name) @define.enum
(class_declaration name: (identifier) @name) @define.class
(object_declaration name: (identifier) @name) @define.class
(companion_object name: (identifier) @name) @define.class
(infix_expression . (identifier) @first . (identifier) @second . (identifier) @name
  (#eq? @first "annotation")
  (#eq? @second "class")) @define.interface
(infix_expression . (identifier) . (identifier) @second . (identifier) @name
  (#any-of? @second "class" "object")) @define.class
(ERROR "class" . (identifier) @name @define.class)
(ERROR "fun" . (identifier) @name @define.function)
(type_alias type: (identifier) @name) @define.type
(function_declaration
  [(user_type (identifier) @owner) (nullable_type (user_type (identifier) @owner))]
  .
  name: (identifier) @name) @define.method
(class_body (function_declaration name: (identifier) @name) @define.method)
(function_declaration name: (identifier) @name) @define.function
(secondary_constructor "constructor" @name) @define.method
(enum_entry (identifier) @name) @define.constant
(class_parameter ["val" "var"] . (identifier) @name) @define.field
(property_declaration
  (modifiers (property_modifier "const"))
  (variable_declaration . (identifier) @name)) @define.constant
(source_file (property_declaration (variable_declaration . (identifier) @name)) @define.variable)
(source_file (property_declaration
  (multi_variable_declaration (variable_declaration . (identifier) @name))) @define.variable)
(class_body (property_declaration (variable_declaration . (identifier) @name)) @define.variable)
(enum_class_body (property_declaration (variable_declaration . (identifier) @name)) @define.variable)

(import) @import

(parameter . (identifier) @var [(user_type) (nullable_type (user_type))] @var.type)
(class_parameter (identifier) @var . [(user_type) (nullable_type (user_type))] @var.type)
(variable_declaration . (identifier) @var [(user_type) (nullable_type (user_type))] @var.type)
(property_declaration
  (variable_declaration . (identifier) @var .)
  (call_expression . (identifier) @var.type (#match? @var.type "^[A-Z]")))
(property_declaration
  (variable_declaration . (identifier) @var .)
  (call_expression . (navigation_expression) @var.call))
(property_declaration
  (variable_declaration . (identifier) @var .)
  (call_expression . (identifier) @var.call (#not-match? @var.call "^[A-Z]")))

(property_declaration (variable_declaration . (identifier) @var .) (navigation_expression) @var.from)

(variable_declaration . (identifier) @local)
(parameter . (identifier) @local)

(call_expression . (identifier) @call)
(call_expression . (navigation_expression (_) @receiver . (identifier) @call .))
(callable_reference . (identifier) @call .)
(navigation_expression (_) @receiver "::" . (identifier) @call)
(infix_expression (_) @receiver . (identifier) @call . (_))
(delegation_specifier [
  (user_type (identifier) @inherits .)
  (constructor_invocation (user_type (identifier) @inherits .))
  (explicit_delegation (user_type (identifier) @inherits .))
])
(user_type (identifier) @type)
(value_argument (identifier) @value)
`,
};

/** Changes names such as `in1` at the beginning of a line: the grammar reads a keyword and `1`. */
function hideKeywords(text: string): string {
  return text.replaceAll(
    /^([ \t]*)(?:as|by|constructor|else|get|in|instanceof|set|where)(?=[\d_])/gm,
    (found, indent: string) => `${indent}x${found.slice(indent.length + 1)}`,
  );
}
