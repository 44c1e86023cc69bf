import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openAnswers } from '../../../src/app/open/open-answers.ts';
import { openCurrentDatabase } from '../../../src/app/open/open-database.ts';
import { startWorker } from '../../../src/app/processes/worker.ts';
import { findCtags } from '../../../src/backends/codesearch/zoekt/index/find-ctags.ts';
import { admitUser } from '../../../src/features/identity/people/admit-user.ts';
import { getRepository } from '../../../src/features/repositories/repository-store.ts';
import { addRepository } from '../../../src/features/repositories/setup/add-repository.ts';
import { loadConfig } from '../../../src/foundation/config/load-config.ts';
import { systemClock as clock } from '../../../src/foundation/kernel/clock.ts';
import { findSymbol } from '../../../src/surfaces/mcp/tools/find-symbol.ts';
import { listTree } from '../../../src/surfaces/mcp/tools/list-tree.ts';
import { readFile } from '../../../src/surfaces/mcp/tools/read-file.ts';
import { searchCode } from '../../../src/surfaces/mcp/tools/search-code.ts';
import { svcAdvisor } from '../../../src/surfaces/mcp/tools/svc-advisor.ts';
import type { CallContext, Tool } from '../../../src/surfaces/mcp/tools/tool.ts';
import { findZoekt, startZoekt } from '../../support/codesearch/zoekt.ts';
import { createRepository } from '../../support/git/git-repository.ts';
import { silentLog } from '../../support/silent-log.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { patient } from './query.ts';

const { folder } = await findZoekt();
const ctags = await findCtags();

const source = createRepository({
  'src/lease.go':
    'package lease\n\n// Acquire takes a lease.\nfunc Acquire(key string) Lease {\n\treturn Lease{key}\n}\n\ntype Lease struct {\n\tkey string\n}\n',
  'src/lease_test.go': 'package lease\n\nfunc TestAcquire(t *testing.T) {\n\tAcquire("x")\n}\n',
  'docs/Ünïcode guide.md': '# Leases\n\nStraße 👍 Acquire, then renew a lease.\n',
});
source.git('branch', 'rel/1.0');

type Call = (tool: Tool, args: object) => Promise<string>;

/** Opens a worker and a server with these settings, and indexes one repository. */
async function openDeployment(started: AsyncDisposableStack, env: Record<string, string>): Promise<Call> {
  const dataDir = temporaryFolder();
  const settings = loadConfig({ env: { ...env, DATA_DIR: dataDir }, cwd: dataDir, homeDir: dataDir });
  const database = await openCurrentDatabase(settings, 'command', silentLog, { create: true });
  started.defer(() => database.close());
  const person = { email: 'ada@example.com', orgSlug: 'acme' };
  const { organization, user } = await admitUser({ database, clock }, person);
  const scope = { organizationId: organization.id, orgSlug: 'acme' };
  const deps = { database, clock, allowLocal: true, allowHosts: [], dataDir };
  const { id } = await addRepository(
    deps,
    scope,
    { kind: 'host' },
    { source: source.folder, name: 'acme/lease' },
  );
  const worker = await startWorker(settings, silentLog, { reconcileMs: 200 });
  started.defer(() => worker.stop(1000));
  const state = async () => (await getRepository(database.queries, scope, id))?.state;
  await vi.waitFor(async () => expect(await state()).toBe('indexed'), { timeout: 120_000 });
  const answers = openAnswers(settings, database, silentLog);
  started.defer(() => answers.close());
  const context = {
    deps: { answers },
    access: { scope, principal: { userId: user.id }, role: 'owner' },
    log: silentLog,
    signal: patient,
    progress: () => undefined,
  } as unknown as CallContext;
  return async (tool, args) => {
    const answer = await tool.call(args, context);
    const [part] = answer.content;
    const text = part?.type === 'text' ? part.text : '';
    if (answer.isError === true) throw new Error(text);
    return text;
  };
}

describe.skipIf(folder === undefined)('with a real Zoekt', () => {
  const started = new AsyncDisposableStack();
  let embedded: Call;
  let zoekt: Call;
  beforeAll(async () => {
    const running = started.use(await startZoekt(folder ?? '', join(temporaryFolder(), 'index')));
    embedded = await openDeployment(started, {});
    zoekt = await openDeployment(started, {
      CODESEARCH_KIND: 'zoekt',
      CODESEARCH_URL: running.url,
      ZOEKT_INDEX_DIR: running.indexDir,
      ZOEKT_GIT_INDEX: running.gitIndex,
    });
  });
  afterAll(() => started.disposeAsync());

  it.each([
    'Acquire',
    'acquire lang:go',
    '/^func .*Acquire/',
    '"a lease" or Lease{key}',
    'lease -file:test',
    'file:guide',
    'repo:acme straße',
    '-repo:acme Acquire',
    'case:yes lease',
    'branch:HEAD Acquire',
  ])('search_code returns the same files and lines: %s', async (query) => {
    const [own = '', theirs = ''] = await Promise.all(
      [embedded, zoekt].map((call) => call(searchCode, { query })),
    );
    expect(filesOf(theirs)).toEqual(filesOf(own));
  });

  it.each([{ path: 'src/lease.go' }, { path: 'docs/Ünïcode guide.md', lines: '3' }])(
    'read_file returns the same text: %j',
    async (args) => {
      const input = { repository: 'acme/lease', ...args };
      expect(await zoekt(readFile, input)).toEqual(await embedded(readFile, input));
    },
  );

  it('list_tree returns the same entries', async () => {
    for (const path of ['', 'src']) {
      const input = { repository: 'acme/lease', path };
      expect(await zoekt(listTree, input)).toEqual(await embedded(listTree, input));
    }
  });

  it.skipIf(ctags === undefined)('find_symbol returns the same definitions', async () => {
    // ctags also reports the headings of a text as symbols, with a kind of their own.
    for (const input of [{ name: 'Acquire' }, { name: 'Lease', kind: 'struct' }]) {
      expect(await zoekt(findSymbol, input)).toEqual(await embedded(findSymbol, input));
    }
  });

  it('svc_advisor cites the file that answers the question', async () => {
    const text = await zoekt(svcAdvisor, { prompt: 'How does Acquire take a lease?' });
    expect(text).toMatch(/^\[1\] acme\/lease\/src\/lease\.go:/m);
  });
});

/** Returns the lines of a page in an order that does not depend on the ranking of the engine. */
function filesOf(text: string): string[] {
  return text.split('\n').toSorted();
}
