import { openCodeIndex } from '../../src/backends/codesearch/embedded/open-embedded-code-search.ts';
import type { OrganizationId } from '../../src/foundation/kernel/ids.ts';
import { indexRequest, namedRepository } from './index-request.ts';
import { silentLog } from './silent-log.ts';

/** Does one thing to an index and ends: `apply`, `tidy` or `remove`. Arguments: what, root, mirror, id, commit. */
const [what = '', root = '', gitDir = '', repository = '', to = ''] = process.argv.slice(2);
const scope = { organizationId: 'org' as OrganizationId, orgSlug: 'org' };
const { signal } = new AbortController();
const index = openCodeIndex({ root, log: silentLog });
const request = indexRequest({ scope, repository, gitDir, to });
if (what === 'apply') await index.apply(request, signal);
else if (what === 'tidy') await index.tidy(request, signal);
else if (what === 'remove') await index.remove(scope, namedRepository(repository).id);
else throw new Error(`there is no operation ${what}`);
