import type { Language } from '../language.ts';
import { ecmascript, jsx, withElements } from './ecmascript.ts';
import { typescriptQuery } from './typescript.ts';

export const tsx: Language = {
  name: 'TSX',
  endings: 'tsx',
  ...ecmascript,
  lexical: withElements,
  grammar: { package: 'tree-sitter-typescript', file: 'tree-sitter-tsx.wasm' },
  query: typescriptQuery + jsx,
};
