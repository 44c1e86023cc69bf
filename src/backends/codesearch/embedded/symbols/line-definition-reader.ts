import { setImmediate as nextTick } from 'node:timers/promises';
import type { DefinitionReader, DefinitionSource } from '../../definition-reader.ts';
import type { Definition } from '../../port.ts';
import { openSymbolExtraction, supportsSymbols } from './symbol-extraction.ts';

/** Maximum time before yielding to the event loop, in milliseconds. One file may take longer. */
const maxBlockMs = 10;

/** Opens a reader of definitions by the rules for lines, in this thread. */
export function openLineDefinitionReader(): DefinitionReader {
  const extraction = openSymbolExtraction();
  const definitionsOf = ({ language, text }: DefinitionSource): Definition[] => {
    const found: Definition[] = [];
    extraction.each(language, text, (line, kind, name) => {
      found.push({ name: Buffer.from(name, 'latin1').toString(), kind, line });
    });
    return found;
  };
  return {
    supports: supportsSymbols,
    read: async (files, signal) => {
      const read: Definition[][] = [];
      let yieldedAt = performance.now();
      for (const file of files) {
        signal.throwIfAborted();
        read.push(definitionsOf(file));
        if (performance.now() - yieldedAt < maxBlockMs) continue;
        await nextTick();
        yieldedAt = performance.now();
      }
      return read;
    },
  };
}
