import type { Language } from '../language.ts';
import { classes, ecmascript, ecmascriptQuery, functions, jsx } from './ecmascript.ts';

const javascriptOnly = `
(field_definition property: (_) @name value: [(arrow_function) (function_expression)]) @define.method
(field_definition property: (_) @name) @define.field
(class_heritage (identifier) @inherits)
`;

export const javascript: Language = {
  name: 'JavaScript',
  endings: 'js mjs cjs jsx es6',
  interpreters: 'node nodejs zx',
  ...ecmascript,
  grammar: { package: 'tree-sitter-javascript', file: 'tree-sitter-javascript.wasm' },
  query: functions('') + ecmascriptQuery + classes + jsx + javascriptOnly,
};
