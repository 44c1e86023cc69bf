import { ParsePool } from '../../../src/backends/languages/port.ts';
import { silentLog } from '../silent-log.ts';

/**
 * The parser of this test process. A parse thread loads its modules and grammars in about a second and keeps them for
 * 30 seconds, so tests share one. It ends when idle; nobody closes it.
 */
export const sharedParser = new ParsePool({ log: silentLog });
