import type { Definition, FindDefinitions } from '../../port.ts';
import { openSymbolExtraction } from './symbol-extraction.ts';

/** Opens a finder of definitions. */
export function openFindDefinitions(): FindDefinitions {
  const extraction = openSymbolExtraction();
  return (language, text) => {
    const found: Definition[] = [];
    extraction.each(language, Buffer.from(text), (line, kind, name) => {
      found.push({ name: Buffer.from(name, 'latin1').toString(), kind, line });
    });
    return found;
  };
}
