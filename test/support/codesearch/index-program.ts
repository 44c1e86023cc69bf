import type { OrganizationId } from '../../../src/foundation/kernel/ids.ts';
import { silentLog } from '../silent-log.ts';
import { indexRequest, namedRepository } from './index-request.ts';
import { openTestIndex } from './open-test-index.ts';

/**
 * A program that runs one operation on an index and exits. Arguments: operation (`apply`, `define`,
 * `compact` or `remove`), root
 * folder, mirror, repository id, commit.
 */
const [operation = '', root = '', gitDir = '', repository = '', to = ''] = process.argv.slice(2);
const scope = { organizationId: 'org' as OrganizationId, orgSlug: 'org' };
const { signal } = new AbortController();
const index = openTestIndex({ root, log: silentLog });
const request = indexRequest({ scope, repository, gitDir, to });
if (operation === 'apply') await index.apply(request, signal);
else if (operation === 'define') await index.define(request, signal);
else if (operation === 'compact') await index.compact(request, signal);
else if (operation === 'remove') await index.remove(scope, namedRepository(repository).id);
else throw new Error(`Unknown operation: ${operation}.`);
