import type { SetupDeps } from '../../../src/features/connectors/connections/connections-deps.ts';
import type { Connector } from '../../../src/features/connectors/port.ts';
import { connectors as all } from '../../../src/features/connectors/registry.ts';
import type { GithostsDeps } from '../../../src/features/githosts/githosts-deps.ts';
import type { Database } from '../../../src/foundation/db/database.ts';
import type { Keyring } from '../../../src/foundation/secrets/keyring.ts';
import { testGithosts } from '../git/test-githosts.ts';
import { silentLog } from '../silent-log.ts';
import { temporaryFolder } from '../temporary-folder.ts';

export interface TestSetupOptions {
  readonly githosts?: GithostsDeps;
  /** Default: those of the program. */
  readonly connectors?: readonly Connector[];
  /** Default: those of the program. */
  readonly providerSettings?: Readonly<Record<string, unknown>>;
  readonly baseUrl?: string;
}

/** The settings of all connectors as they are if nobody sets them. */
export const defaultSettings: Readonly<Record<string, unknown>> = Object.fromEntries(
  all
    .flatMap(({ settings }) => Object.entries(settings.table))
    .map(([name, { type, fallback }]) => [name, fallback === undefined ? undefined : type.parse(fallback)]),
);

/** Returns the dependencies of the setup of connections. */
export function testSetup(database: Database, keyring: Keyring, options: TestSetupOptions = {}): SetupDeps {
  const { connectors = all, providerSettings = defaultSettings, baseUrl = 'https://ctx.example' } = options;
  const githosts = options.githosts ?? testGithosts(database, keyring, { baseUrl });
  const { clock, allowHosts } = githosts;
  const dataDir = temporaryFolder();
  return {
    ...githosts,
    log: silentLog,
    connectors,
    providerSettings,
    baseUrl,
    repositories: { database, clock, githosts, allowHosts, allowLocal: false, dataDir },
    git: { dataDir, allowHosts },
  };
}
