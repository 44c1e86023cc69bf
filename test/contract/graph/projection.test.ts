import { afterEach, expect, it } from 'vitest';
import { explainIncident } from '../../../src/features/knowledge/queries/explain-incident.ts';
import { findOwners } from '../../../src/features/knowledge/queries/find-owners.ts';
import { showImpact } from '../../../src/features/knowledge/queries/show-impact.ts';
import type { Repository } from '../../../src/features/repositories/repository.ts';
import { describeEachDatabase, itWhen } from '../../support/database/databases.ts';
import { createRepository, type TestRepository } from '../../support/git/git-repository.ts';
import { openProjecting, type Projecting } from '../../support/graph/projecting.ts';
import { memoryLog } from '../../support/memory-log.ts';
import { printRecord, type RecordInput } from '../../support/mirror/records.ts';

const code = {
  'src/cart/checkout.ts':
    "import { total } from './total.ts';\nexport function checkout() {\n  return total();\n}\n",
  'src/cart/total.ts': 'export function total() {\n  return 1;\n}\n',
  'src/cart/cart.ts': "import { checkout } from './checkout.ts';\nexport const run = () => checkout();\n",
  '.github/CODEOWNERS': '* @ada\n/src/cart/ @acme/cart\n',
  'catalog-info.yaml':
    'kind: Component\nmetadata:\n  name: shop\n  annotations:\n    oncall.example/service-id: PSHOP01\nspec:\n  owner: user:grace\n',
  'README.md': 'Uses UTF-8 and SHA-256.\n',
};

const doors =
  'export class Door {\n  shut() {}\n}\nexport class Gate {\n  shut() {}\n}\nexport function open(): Door {\n  return held;\n}\n';

const createdAt = '2025-03-03T01:02:03Z';
const issue = (id: string, identifier: string, fields: object = {}): RecordInput => ({
  type: 'issue',
  id,
  identifier,
  title: `Issue ${identifier}`,
  team: 'ENG',
  state: { name: 'Todo', type: 'unstarted' },
  createdAt,
  updatedAt: createdAt,
  body: '',
  ...fields,
});
const incident: RecordInput = {
  type: 'incident',
  id: 'Q1',
  title: 'Checkout fails',
  status: 'triggered',
  service: { id: 'PSHOP01', name: 'Shop' },
  assignees: [{ id: 'PADA', name: 'Ada' }],
  createdAt,
  body: 'See ENG-1.',
  alerts: [
    { id: 'A1', title: 'TypeError', createdAt, body: 'at checkout (/srv/app/src/cart/checkout.ts:2:7)' },
  ],
};
const filesOf = (...records: readonly RecordInput[]): Record<string, string> =>
  Object.fromEntries(
    records.map((record) => printRecord(record)).map(({ path, content }) => [path, content]),
  );

/** The real parse thread, which exits when it is given the file at a path. */
function threadThatDiesIn(path: string): URL {
  const thread = new URL('../../../src/backends/languages/parse/parse-thread.ts', import.meta.url);
  const source = `import { parentPort } from 'node:worker_threads';
    await import(${JSON.stringify(thread.href)});
    parentPort.on('message', (task) => { if (task.path === ${JSON.stringify(path)}) process.exit(1); });`;
  return new URL(`data:text/javascript,${encodeURIComponent(source)}`);
}

describeEachDatabase('the projection of repositories', (open, dialect) => {
  const opened: Projecting[] = [];
  afterEach(async () => {
    for (const each of opened.splice(0)) await each.close();
  });
  type Options = Parameters<typeof openProjecting>;
  const start = async (...args: [Options[1]?, Options[2]?]): Promise<Projecting> => {
    const projecting = await openProjecting(open, ...args);
    opened.push(projecting);
    return projecting;
  };
  const onSqlite = itWhen(dialect === 'sqlite');
  const file = ({ id }: Repository, path: string): string => `file:${id}:${path}`;
  const symbol = ({ id }: Repository, path: string, name: string): string =>
    `symbol:${id}:${path}#${name}/function`;

  async function shop(projecting: Projecting): Promise<readonly [TestRepository, Repository]> {
    const source = createRepository(code);
    source.commit({ 'src/cart/total.ts': `${code['src/cart/total.ts']}// 2\n` }, 'Fixes ENG-1: totals (#7)');
    source.commit({}, 'Read UTF-8 and SHA-256, as ENG-404 asks');
    return [source, await projecting.add(source.folder)];
  }

  it('records how far the graph is', async () => {
    const projecting = await start();
    const source = createRepository({ 'a.ts': 'export const one = 1;\n' });
    const repository = await projecting.add(source.folder);
    source.commit({ 'b.ts': "import { one } from './a.ts';\n" });
    await projecting.push(repository);
    expect((await projecting.read(repository)).graphCommit).toBe(source.git('rev-parse', 'HEAD'));
    const imports = { from: [file(repository, 'a.ts')], direction: 'in', kinds: ['imports'] } as const;
    const { edges } = await projecting.graph.neighbours(projecting.scope, {
      ...imports,
      depth: 1,
      perNode: 10,
      limit: 10,
    });
    expect(edges).toMatchObject([{ from: file(repository, 'b.ts'), rule: 'import', confidence: 100 }]);
  });

  onSqlite('connects code, commits, owners, issues and incidents, and says why', async () => {
    const projecting = await start();
    const { graph, scope } = projecting;
    const [source, repository] = await shop(projecting);
    expect((await projecting.read(repository)).graphCommit).toBe(source.git('rev-parse', 'HEAD'));
    const context = createRepository(filesOf(issue('i1', 'ENG-1'), incident));
    const mirrored = await projecting.add(context.folder);
    expect((await graph.stats(scope)).nodes).not.toHaveProperty('issue');
    const tracker = await projecting.bind(mirrored, 'tracker');
    const oncall = await projecting.bind(mirrored, 'oncall');

    const impact = await showImpact(graph, scope, symbol(repository, 'src/cart/total.ts', 'total'));
    expect(impact.dependents).toMatchObject([
      {
        node: { key: symbol(repository, 'src/cart/checkout.ts', 'checkout') },
        edge: { kind: 'calls', rule: 'imported', evidence: 'line 3', confidence: 90 },
      },
    ]);
    expect(impact.owners).toMatchObject([
      { node: { key: 'team:github.com:acme/cart' }, edge: { evidence: 'CODEOWNERS /src/cart/' } },
    ]);
    expect(impact.issues).toMatchObject([
      { node: { key: `issue:${tracker}:i1` }, edge: { kind: 'closes', rule: 'closing-verb' } },
    ]);
    expect(impact.incidents.map(({ node }) => node.key)).toEqual([`incident:${oncall}:Q1`]);
    const owners = await findOwners(graph, scope, { repositoryId: repository.id, path: 'README.md' });
    expect(owners.owners.map(({ node }) => node.key)).toEqual(['person:github.com:ada']);

    const explained = await explainIncident(graph, scope, `incident:${oncall}:Q1`);
    expect(explained.places).toMatchObject([
      { node: { key: file(repository, 'src/cart/checkout.ts') }, edge: { rule: 'stack-frame' } },
      {
        node: { key: symbol(repository, 'src/cart/checkout.ts', 'checkout') },
        edge: { rule: 'stack-frame' },
      },
    ]);
    expect(explained.repositories.map(({ node }) => node.name)).toEqual([repository.name]);
    expect(explained.issues.map(({ node }) => node.name)).toEqual(['ENG-1 Issue ENG-1']);
    expect(explained.people.map(({ node }) => node.name)).toContain('Ada');
    const names = (await projecting.dump()).filter((line) => /"edge".*(?:UTF-8|SHA-256|ENG-404)/.test(line));
    expect(names).toEqual([]);
  });

  onSqlite('has the same facts after pushes as after the graph was deleted and built again', async () => {
    const projecting = await start();
    const [source, repository] = await shop(projecting);
    const context = createRepository(filesOf(issue('i1', 'ENG-1'), incident));
    const mirrored = await projecting.add(context.folder);
    await projecting.bind(mirrored, 'tracker');
    const pushes: Record<string, string>[] = [
      { '.github/CODEOWNERS': '* @grace\n' },
      { '.mailmap': 'Tess <tess@example.com> <test@example.com>\n' },
      { 'src/cart/checkout.ts': `${code['src/cart/checkout.ts']}export const more = () => checkout();\n` },
      { 'src/other/total.ts': 'export function total() {\n  return 2;\n}\nexport const unusedName = 1;\n' },
      {
        'src/door.ts': doors,
        'src/close.ts':
          "import { open } from './door.ts';\nexport function close() {\n  const it = open();\n  it.shut();\n}\n",
      },
      { 'src/cart/total.ts': 'export function sum() {\n  return 1;\n}\n' },
    ];
    for (const [index, files] of pushes.entries()) {
      source.commit(files, `Change ${index} for ENG-${index}`);
      // The later pushes only change what the former ones left.
      if (index === 1) projecting.restart();
      await projecting.push(repository);
    }
    source.git('rm', '--quiet', 'src/cart/cart.ts', 'src/other/total.ts');
    source.commit({}, 'Remove');
    context.commit(filesOf(issue('i2', 'ENG-2', { relations: [{ type: 'blocks', issue: 'ENG-1' }] })));
    await projecting.push(mirrored);
    await projecting.push(repository);
    // The call in another file means another method now.
    source.commit({ 'src/door.ts': doors.replace('open(): Door', 'open(): Gate') }, 'Open the gate');
    await projecting.push(repository);
    const dump = await projecting.dump();
    await projecting.rebuild();
    expect(await projecting.dump()).toEqual(dump);
    expect(dump.some((line) => line.includes('src/cart/cart.ts#run'))).toBe(false);
    expect(dump.some((line) => line.includes('"blocks"'))).toBe(true);
    expect(dump.some((line) => line.includes('close/function') && line.includes('Gate.shut/method'))).toBe(
      true,
    );
  });

  onSqlite('follows renames, also after the commits before them were projected', async () => {
    const projecting = await start();
    const source = createRepository(code);
    const repository = await projecting.add(source.folder);
    const first = source.git('rev-parse', 'HEAD');
    const move = async (from: string, to: string): Promise<string> => {
      source.git('mv', from, to);
      const moved = source.commit({}, `Move ${from}`);
      await projecting.push(repository);
      return moved;
    };
    const touching = async (path: string): Promise<readonly string[]> => {
      const { graph, scope } = projecting;
      const { commits } = await showImpact(graph, scope, file(repository, path));
      return commits.map(({ node, edge }) => `${node.key.split(':').at(-1)} ${edge.rule} ${edge.evidence}`);
    };
    const second = await move('src/cart/total.ts', 'src/cart/sum.ts');
    projecting.restart();
    const third = await move('src/cart/sum.ts', 'src/sum.ts');
    expect((await touching('src/sum.ts')).toSorted()).toEqual(
      [
        `${first} rename renamed from src/cart/total.ts`,
        `${second} rename renamed from src/cart/sum.ts`,
        `${third} diff src/sum.ts`,
      ].toSorted(),
    );
    // The first path belongs to another file now.
    const fourth = source.commit({ 'src/cart/total.ts': 'export const other = 1;\n' }, 'Take the path');
    await projecting.push(repository);
    expect(await touching('src/cart/total.ts')).toContain(`${fourth} diff src/cart/total.ts`);
    await move('src/sum.ts', 'src/last.ts');
    const dump = await projecting.dump();
    await projecting.rebuild();
    expect(await projecting.dump()).toEqual(dump);
    expect(await touching('src/last.ts')).toHaveLength(3);
  });

  onSqlite('follows a rewritten history, and forgets a removed repository', async () => {
    const projecting = await start();
    const [source, repository] = await shop(projecting);
    const lost = source.commit({ 'lost.ts': 'export const lost = 1;\n' }, 'Lost');
    await projecting.push(repository);
    source.git('reset', '--quiet', '--hard', 'HEAD~1');
    source.commit({ 'kept.ts': 'export const kept = 1;\n' }, 'Kept');
    await projecting.push(repository);
    const dump = await projecting.dump();
    expect(dump.filter((line) => line.includes(lost) || line.includes('lost.ts'))).toEqual([]);
    expect(dump.some((line) => line.includes('kept.ts'))).toBe(true);
    await projecting.remove(repository);
    expect((await projecting.dump()).filter((line) => line.includes(repository.id))).toEqual([]);
  });

  onSqlite('takes what a catalog says of a service as a claim of its repository only', async () => {
    const projecting = await start();
    const { graph, scope } = projecting;
    const [, own] = await shop(projecting);
    const catalog = code['catalog-info.yaml'].replace('name: shop', 'name: taken\n  title: Taken');
    const other = await projecting.add(createRepository({ 'catalog-info.yaml': catalog }).folder);
    const context = await projecting.add(createRepository(filesOf(incident)).folder);
    const oncall = await projecting.bind(context, 'oncall');
    const key = `service:${oncall}:PSHOP01`;
    const { nodes, edges } = await graph.neighbours(scope, {
      from: [key],
      direction: 'in',
      kinds: ['implements'],
      depth: 1,
      perNode: 10,
      limit: 10,
    });
    expect(nodes.find((node) => node.key === key)?.name).toBe('Shop');
    const claim = {
      rule: 'catalog',
      evidence: 'catalog-info.yaml oncall.example/service-id',
      confidence: 100,
    };
    const claimOf = ({ id }: Repository) => ({
      from: `repo:${id}`,
      owner: `file:${id}:catalog-info.yaml`,
      ...claim,
    });
    expect(edges).toHaveLength(2);
    expect(edges).toEqual(
      expect.arrayContaining([own, other].map((each) => expect.objectContaining(claimOf(each)))),
    );
    await projecting.remove(other);
    const { nodes: kept } = await graph.get(scope, [key, `service:catalog:${own.id}/shop`]);
    expect(kept.map(({ name }) => name)).toEqual(['Shop', 'shop']);
  });

  onSqlite('costs only a file that its grammar cannot parse', async () => {
    const projecting = await start({ entry: threadThatDiesIn('src/crash.ts') });
    const importing = "import { crash } from './crash.ts';\nexport const use = () => crash();\n";
    const source = createRepository({
      ...code,
      'src/crash.ts': 'export const crash = 1;\n',
      'src/use.ts': importing,
      'src/same-name.ts': 'export function crash() {}\n',
    });
    const repository = await projecting.add(source.folder);
    expect(await projecting.read(repository)).toMatchObject({
      state: 'indexed',
      graphCommit: source.git('rev-parse', 'HEAD'),
    });
    const { nodes } = await projecting.graph.get(projecting.scope, [
      file(repository, 'src/crash.ts'),
      `symbol:${repository.id}:src/crash.ts#crash/constant`,
      symbol(repository, 'src/cart/total.ts', 'total'),
    ]);
    expect(nodes).toHaveLength(2);
    const dependents = async (path: string) => {
      const impact = await showImpact(projecting.graph, projecting.scope, file(repository, path));
      return impact.dependents.map(({ node }) => node.key);
    };
    expect(await dependents('src/crash.ts')).toEqual([file(repository, 'src/use.ts')]);
    expect(await dependents('src/same-name.ts')).toEqual([]);
  });

  it('loses the time of a file that crashes its grammar once, and says on the record what is left out', async () => {
    const log = memoryLog();
    const projecting = await start({ entry: threadThatDiesIn('crash.ts'), log: log.log });
    const source = createRepository({ 'crash.ts': 'export const crash = 1;\n' });
    const repository = await projecting.add(source.folder);
    const leftOut = async () => (await projecting.read(repository)).graphLeftOut;
    const crashes = () => log.lines.filter(({ msg }) => msg === 'a file could not be parsed').length;
    const crashed = { counts: { crashed: 1 }, examples: [{ path: 'crash.ts', reason: 'crashed' }] };
    expect(await leftOut()).toEqual(crashed);
    projecting.restart();
    source.commit({ 'a.ts': 'export const one = 1;\n' });
    await projecting.push(repository);
    expect([await leftOut(), crashes()]).toEqual([crashed, 1]);
    source.commit({ 'crash.ts': 'export const crash = 2;\n' });
    await projecting.push(repository);
    expect([await leftOut(), crashes()]).toEqual([crashed, 2]);
    source.git('rm', '--quiet', 'crash.ts');
    source.commit({});
    await projecting.push(repository);
    expect(await leftOut()).toEqual({ counts: {}, examples: [] });
  });

  it('says on the record whose owners it did not read, because CODEOWNERS takes too long', async () => {
    const projecting = await start();
    const lines = Array.from({ length: 5_000 }, (_, index) => `/**/a/**/a/**/a/**/b${index}/* @o\n`);
    const deep = `${'a/'.repeat(20)}c.md`;
    const source = createRepository({ CODEOWNERS: lines.join(''), [deep]: 'One\n' });
    const repository = await projecting.add(source.folder);
    expect((await projecting.read(repository)).graphLeftOut).toEqual({
      counts: { owners_not_read: 1 },
      examples: [{ path: deep, reason: 'owners_not_read' }],
    });
  });

  it('leaves out the files after those that used up its time, until the next push', async () => {
    const projecting = await start({ entry: threadThatDiesIn('a.ts') }, { parseMs: 1 });
    const paths = ['a.ts', 'b.ts', 'c.ts', 'd.ts'];
    const source = createRepository(
      Object.fromEntries(paths.map((path) => [path, `// ${path}\nexport function one() {}\n`])),
    );
    const repository = await projecting.add(source.folder);
    const known = async () => {
      const keys = paths.map((path) => symbol(repository, path, 'one'));
      const { nodes } = await projecting.graph.get(projecting.scope, keys);
      return keys.map((key) => nodes.some((node) => node.key === key));
    };
    const leftOut = async () => (await projecting.read(repository)).graphLeftOut.counts;
    // The second file was handed over together with the first one.
    expect(await leftOut()).toEqual({ crashed: 1, budget: 2 });
    expect(await known()).toEqual([false, true, false, false]);
    source.commit({ 'README.md': 'One\n' });
    await projecting.push(repository);
    expect(await leftOut()).toEqual({ crashed: 1 });
    expect(await known()).toEqual([false, true, true, true]);
  });
});
