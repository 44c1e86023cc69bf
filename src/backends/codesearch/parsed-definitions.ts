import { type FileParser, sourceLanguages } from '../languages/port.ts';
import type { DefinitionReader } from './definition-reader.ts';

/** Returns a reader of the definitions that a parser finds. A file that it cannot parse has none. */
export function parsedDefinitions(parser: FileParser): DefinitionReader {
  return {
    supports: (language) => sourceLanguages.has(language),
    read: async (files, signal) => {
      const sources = files.map(({ path, language, text }) => ({ path, language, text: text.toString() }));
      const results = await parser.parseFiles(sources, signal);
      return results.map((result) => ('failed' in result ? [] : result.symbols));
    },
  };
}
