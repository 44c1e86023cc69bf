import type { Language } from '../language.ts';
import { ecmascript, jsx } from './ecmascript.ts';
import { typescriptQuery } from './typescript.ts';

export const tsx: Language = {
  name: 'TSX',
  endings: 'tsx',
  ...ecmascript,
  grammar: { package: 'tree-sitter-typescript', file: 'tree-sitter-tsx.wasm' },
  query: typescriptQuery + jsx,
};
