import { mkdirSync } from 'node:fs';
import { OutlineCache, ParsePool } from '../../backends/languages/port.ts';
import type { Logger } from '../../foundation/telemetry/logger.ts';

/** A parser of files, which the index and the graph share. */
export interface OpenedParser {
  readonly parser: OutlineCache;
  close(): Promise<void>;
}

/** Opens the threads that parse files, which start with the first file. `folder`: where temporary files may be. */
export function openParser(folder: string, log: Logger): OpenedParser {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const pool = new ParsePool({ log });
  const parser = new OutlineCache(pool, folder);
  return {
    parser,
    async close() {
      await pool.close();
      parser.close();
    },
  };
}
