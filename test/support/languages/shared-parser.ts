import { ParseQueue } from '../../../src/backends/languages/port.ts';
import { silentLog } from '../silent-log.ts';

/** The thread of the build that `npm test` has just made starts faster than the source. */
const built =
  process.env['ORGCTX_TEST_BUILT'] === 'true'
    ? { entry: new URL('../../../dist/parse-thread.js', import.meta.url) }
    : {};

/**
 * The parser of this test process. A parse thread needs about a second of processor time for its modules and grammars,
 * so tests share one. It ends when idle; nobody closes it.
 */
export const sharedParser = new ParseQueue({ log: silentLog, ...built });
