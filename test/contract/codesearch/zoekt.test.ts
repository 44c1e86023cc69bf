import { join } from 'node:path';
import { afterAll, describe } from 'vitest';
import { openZoektCodeIndex } from '../../../src/backends/codesearch/zoekt/open-zoekt-code-index.ts';
import { openZoektCodeSearch } from '../../../src/backends/codesearch/zoekt/open-zoekt-code-search.ts';
import { createHttpClient } from '../../../src/foundation/net/http-client.ts';
import { findZoekt, startZoekt } from '../../support/codesearch/zoekt.ts';
import { definitionReader } from '../../support/languages/find-definitions.ts';
import { silentLog } from '../../support/silent-log.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { describeCodeSearch } from './codesearch.ts';

const { folder } = await findZoekt();

describe.skipIf(folder === undefined)('with a real Zoekt', () => {
  const http = createHttpClient({ allowHosts: [] });
  const started = new AsyncDisposableStack();
  started.defer(() => http.close());
  afterAll(() => started.disposeAsync());

  describeCodeSearch('zoekt', async () => {
    const zoekt = started.use(await startZoekt(folder ?? '', join(temporaryFolder(), 'index')));
    return {
      index: openZoektCodeIndex({ ...zoekt, http, log: silentLog }),
      search: openZoektCodeSearch({ url: zoekt.url, http, definitions: definitionReader }),
    };
  });
});
