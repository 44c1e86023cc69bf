import type { DefinitionReader } from '../../../src/backends/codesearch/definition-reader.ts';
import { parsedDefinitions } from '../../../src/backends/codesearch/parsed-definitions.ts';
import { type Definition, ParsePool } from '../../../src/backends/languages/port.ts';
import { silentLog } from '../silent-log.ts';

const pool = new ParsePool({ log: silentLog });

/** Reads definitions in a thread of this process, which ends when idle. */
export const definitionReader: DefinitionReader = parsedDefinitions(pool);

/** Returns the definitions of a text. */
export async function findDefinitions(language: string, text: string): Promise<readonly Definition[]> {
  const { signal } = new AbortController();
  const [found] = await definitionReader.read([{ path: '', language, text: Buffer.from(text) }], signal);
  return found!;
}
