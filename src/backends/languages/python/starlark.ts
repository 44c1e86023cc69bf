import type { Language } from '../language.ts';
import { assigned, inCapitals, pythonLexical } from './python.ts';

/** Starlark has the syntax of Python, without classes and imports. A call with a name at the top is a build target. */
export const starlark: Language = {
  name: 'Starlark',
  endings: 'bzl star',
  lexical: pythonLexical,
  uses: {},
  fileNames: 'build build.bazel workspace workspace.bazel module.bazel tiltfile buck',
  grammar: { package: 'tree-sitter-python', file: 'tree-sitter-python.wasm' },
  family: 'starlark',
  self: [],
  implicitSelf: false,
  outerNames: 'nowhere',
  query: `
(function_definition name: (identifier) @name) @define.function
(module (expression_statement ${assigned('constant')} ${inCapitals}))
(module (expression_statement ${assigned('variable')}))
(module (expression_statement
  (call arguments: (argument_list
    (keyword_argument name: (identifier) @key value: (string (string_content) @name)))) @define.other)
  (#eq? @key "name"))

(call
  function: (identifier) @import.require
  arguments: (argument_list . (string (string_content) @import.source) (string (string_content) @import.name))
  (#eq? @import.require "load"))
(call
  function: (identifier) @import.require
  arguments: (argument_list
    . (string (string_content) @import.source)
    (keyword_argument name: (identifier) @import.local value: (string (string_content) @import.name)))
  (#eq? @import.require "load"))

(call function: [(identifier) @call (attribute object: (_) @receiver attribute: (identifier) @call)])
(argument_list (identifier) @value)
(keyword_argument value: (identifier) @value)
`,
};
