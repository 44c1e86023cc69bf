import type { Language } from '../language.ts';
import {
  ecmascript,
  ecmascriptQuery,
  fields,
  functions,
  jsx,
  promisedImports,
  withElements,
} from './ecmascript.ts';

const javascriptOnly = `${fields('field_definition', 'property')}
(class_heritage (identifier) @inherits)
(formal_parameters [(identifier) @local (assignment_pattern left: (identifier) @local)])
${promisedImports((pattern) => pattern)}
`;

export const javascript: Language = {
  name: 'JavaScript',
  endings: 'js mjs cjs jsx es6',
  interpreters: 'node nodejs zx',
  ...ecmascript,
  lexical: withElements,
  grammar: { package: 'tree-sitter-javascript', file: 'tree-sitter-javascript.wasm' },
  query: functions('') + ecmascriptQuery + jsx + javascriptOnly,
};
