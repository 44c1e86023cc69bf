import { freePort } from '../../src/app/bind-port.ts';
import { createLogger } from '../../src/foundation/telemetry/logger.ts';
import { openTestDatabase } from '../support/databases.ts';
import { openTestPages } from '../support/pages.ts';

/** The server that `sign-in-flood.ts` measures, in a process of its own: REST and pages over one SQLite database. */
const log = createLogger({ level: 'fatal', name: 'bench', pretty: false, destination: 'stderr' });
const database = await openTestDatabase('sqlite');
const port = await freePort('127.0.0.1');
const baseUrl = `http://127.0.0.1:${port}`;
// The flood comes from many addresses, as one from a botnet does: one address alone is refused without any hash.
const { server, keys } = await openTestPages(database, { baseUrl, log, http: { trustProxy: true } });
await server.listen({ host: '127.0.0.1', port });
process.send?.({ baseUrl, apiKey: keys.member });
process.once('disconnect', () => process.exit());
