import type { SetupDeps } from '../../../src/features/connectors/connections/connections-deps.ts';
import { pagerdutyPlaces } from '../../../src/features/connectors/oncall/settings.ts';
import type { Connector } from '../../../src/features/connectors/port.ts';
import { connectors as all } from '../../../src/features/connectors/registry.ts';
import { linearUrls } from '../../../src/features/connectors/tracker/settings.ts';
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
  /** Default: the URLs of the providers. */
  readonly providerSettings?: Readonly<Record<string, unknown>>;
  readonly baseUrl?: string;
}

/** Returns the dependencies of the setup of connections. */
export function testSetup(database: Database, keyring: Keyring, options: TestSetupOptions = {}): SetupDeps {
  const {
    connectors = all,
    providerSettings = { ...linearUrls, ...pagerdutyPlaces },
    baseUrl = 'https://ctx.example',
  } = options;
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
