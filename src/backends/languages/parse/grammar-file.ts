import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { Language } from '../language.ts';

/**
 * Returns the file of a grammar: in its package when run from source, in the folder `grammars` beside the chunk in the
 * bundle, because the packages are 4 to 65 MB and only the grammars are shipped.
 */
export function grammarFile({ grammar }: Language): string {
  return import.meta.url.endsWith('.ts')
    ? createRequire(import.meta.url).resolve(`${grammar.package}/${grammar.file}`)
    : fileURLToPath(new URL(`./grammars/${grammar.file}`, import.meta.url));
}
