import { join } from 'node:path';
import { openCodeSearch } from '../../../src/backends/codesearch/embedded/open-embedded-code-search.ts';
import { openGitSourceReader } from '../../../src/backends/codesearch/git/git-source-reader.ts';
import { fileKey, symbolKey } from '../../../src/features/knowledge/links/keys.ts';
import { mirrorPath } from '../../../src/features/repositories/indexing/mirror-path.ts';
import type { Repository } from '../../../src/features/repositories/repository.ts';
import { getRepository } from '../../../src/features/repositories/repository-store.ts';
import { systemClock } from '../../../src/foundation/kernel/clock.ts';
import type { OrgScope } from '../../../src/foundation/kernel/org-scope.ts';
import { openTestIndex } from '../codesearch/open-test-index.ts';
import { seedRepository } from '../codesearch/seeded-repositories.ts';
import { workOf } from '../codesearch/served-repositories.ts';
import { openTestDatabase, type TestDatabase } from '../database/databases.ts';
import { createRepository, type TestRepository } from '../git/git-repository.ts';
import { edge, node, unit } from '../graph/graph-facts.ts';
import { type OpenedTestGraph, openTestGraph } from '../graph/opened-graph.ts';
import { openTestOauth, type TestOauth } from '../identity/oauth-http.ts';
import { silentLog } from '../silent-log.ts';
import { temporaryFolder } from '../temporary-folder.ts';

/** The service with an organization that has an indexed repository, a failed one and a knowledge graph. */
export interface OrganizationPages {
  readonly database: TestDatabase;
  readonly service: TestOauth;
  readonly scope: OrgScope;
  readonly source: TestRepository;
  readonly repository: Repository;
  /** Its knowledge graph. */
  readonly graph: Pick<OpenedTestGraph, 'writer'>;
  /** Key of a function in `src/lease.ts`. */
  readonly symbol: string;
  close(): Promise<void>;
}

/** A name with right-to-left text, an emoji sequence and markup. */
export const hostileName = 'שלום 👩‍👩‍👧 <b>x</b>';

export const files: Readonly<Record<string, string>> = {
  'src/lease.ts': `${Array.from({ length: 300 }, (_, line) => `// line ${line + 1}`).join('\n')}\nexport function renewLease(): void {}\n`,
  'src/use.ts': "import { renewLease } from './lease.ts';\n\nrenewLease(); // <script>alert(1)</script>\n",
  'src/dense.ts': Array.from(
    { length: 400 },
    (_, line) => `export const value${line} = { "a": 'b', c: [${line}, 'd'] } as const; // <e> & "f"\n`,
  ).join(''),
  'README.md': '# Service\n\nIt renews each lease.\n',
};

export async function openOrganizationPages(): Promise<OrganizationPages> {
  const [database, dataDir] = [await openTestDatabase('sqlite'), temporaryFolder()];
  const { queries } = database;
  const root = join(dataDir, 'codesearch');
  const codeSearch = openCodeSearch({ root, log: silentLog, threads: 1 });
  const sources = openGitSourceReader({
    mirrorDir: (owner, id) => mirrorPath(dataDir, owner, id),
    indexedCommit: async (owner, id) => (await getRepository(queries, owner, id))?.indexedCommit,
  });
  const graph = await openTestGraph(database, sources);
  const service = await openTestOauth(database, { codeSearch, sources, knowledge: graph });
  const scope = { organizationId: service.organizations.acme, orgSlug: 'acme' };
  const source = createRepository(files);
  const codeIndex = openTestIndex({ root, log: silentLog });
  const work = workOf({ database, codeIndex, git: { dataDir, allowHosts: [] }, clock: systemClock }, scope);
  const repository = await work.add('team/service', source);
  await seedRepository(database, scope, {
    name: 'team/broken',
    state: 'failed',
    error: { code: 'unreachable', message: 'The source does not answer. Check its address.' },
  });
  const symbol = await seedGraph(graph, scope, repository);
  return {
    database,
    service,
    scope,
    source,
    repository,
    graph,
    symbol,
    async close() {
      await service.close();
      await Promise.all([codeSearch.close(), sources.close(), graph.close()]);
      await database.close();
    },
  };
}

async function seedGraph(
  { writer }: Awaited<ReturnType<typeof openTestGraph>>,
  scope: OrgScope,
  { id }: Repository,
): Promise<string> {
  const [lease, use] = [fileKey(id, 'src/lease.ts'), fileKey(id, 'src/use.ts')];
  const symbol = symbolKey(id, 'src/lease.ts', { qualifiedName: 'renewLease', kind: 'function' });
  const label = 'label:c1:hostile';
  await writer.replaceUnits(scope, [
    unit(
      lease,
      {
        nodes: [
          node(lease, 'src/lease.ts'),
          node(symbol, 'renewLease', { startLine: 301, kind: 'function' }),
        ],
        edges: [edge(lease, 'contains', symbol)],
      },
      { repositoryId: id },
    ),
    unit(
      use,
      {
        nodes: [node(use, 'src/use.ts')],
        edges: [edge(use, 'calls', symbol, 90), edge(use, 'imports', lease)],
      },
      { repositoryId: id },
    ),
    unit(label, {
      nodes: [node(label, hostileName, { url: 'javascript:alert(1)' })],
      edges: [edge(label, 'mentions', symbol)],
    }),
  ]);
  return symbol;
}
