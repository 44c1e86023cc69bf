import type { DefinitionReader } from '../../../src/backends/codesearch/definition-reader.ts';
import { parsedDefinitions } from '../../../src/backends/codesearch/parsed-definitions.ts';
import type { Definition } from '../../../src/backends/languages/port.ts';
import { sharedParser } from './shared-parser.ts';

/** Reads definitions in the parse thread of this test process. */
export const definitionReader: DefinitionReader = parsedDefinitions(sharedParser);

/** Returns the definitions of a text. */
export async function findDefinitions(language: string, text: string): Promise<readonly Definition[]> {
  const { signal } = new AbortController();
  const [found] = await definitionReader.read([{ path: '', language, text: Buffer.from(text) }], signal);
  return found!;
}
