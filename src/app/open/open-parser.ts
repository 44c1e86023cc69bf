import { mkdirSync } from 'node:fs';
import { OutlineCache, ParseQueue } from '../../backends/languages/port.ts';
import type { Logger } from '../../foundation/telemetry/logger.ts';

/** A parser of files, which the index and the graph share. */
export interface OpenedParser {
  readonly parser: OutlineCache;
  close(): Promise<void>;
}

/** Opens the thread that parses files, which starts with the first file. `folder`: where temporary files may be. */
export function openParser(folder: string, log: Logger): OpenedParser {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const queue = new ParseQueue({ log });
  const parser = new OutlineCache(queue, folder);
  return {
    parser,
    async close() {
      await queue.close();
      parser.close();
    },
  };
}
