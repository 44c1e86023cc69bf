import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OpenedAdvisor, openAdvisor } from '../../../test/support/advisor/opened-advisor.ts';
import { createRepository } from '../../../test/support/git/git-repository.ts';
import type { CodeSearch, Query } from '../../backends/codesearch/port.ts';
import { hasPattern } from '../../backends/codesearch/query-leaves.ts';
import { referenceText } from '../../surfaces/mcp/tools/reference-text.ts';
import type { Repository } from '../repositories/repository.ts';
import { type FindReferencesInput, type FoundReferences, findReferences } from './find-references.ts';

const never = new AbortController().signal;
let advisor: OpenedAdvisor;
/** Repositories by their role; their names come from their folders. */
const repositories = { library: '', service: '', common: '' };

const library = {
  'src/lease.ts': [
    '/** Says how to renew. */',
    'export function renew(key: string): string {',
    "  return key === '' ? renew('again') : key;",
    '}',
    'export class Pool {',
    '  close(): void {}',
    '}',
    'export class Door {',
    '  close(): void {}',
    '}',
    '',
  ].join('\n'),
  'src/worker.ts': [
    'import {',
    '  Pool,',
    '  renew,',
    "} from './lease.ts';",
    'export function work(): void {',
    "  const key = 'renew';",
    '  // renew it',
    '  renew(key);',
    '  const pool = new Pool();',
    '  pool.close();',
    '}',
    '',
  ].join('\n'),
  'src/alias.ts': [
    "import { Door, renew as again } from './lease.ts';",
    ...Array.from({ length: 11 }, () => ''),
    'export function later(unknown: any): void {',
    "  again('x');",
    '  const door = new Door();',
    '  door.close();',
    '}',
    '',
  ].join('\n'),
  'src/queue.ts': [
    'export class Queue {',
    '  peek(): number[] {',
    '    return [];',
    '  }',
    '}',
    'export function size(queue: Queue): number {',
    '  const peek = queue.peek();',
    '  if (peek.length > 0) return peek.length;',
    '  return queue.peek().length;',
    '}',
    'export class Stack {',
    '  peek(): void {}',
    '}',
    '',
  ].join('\n'),
  'src/Row.java': 'class Row {\n  int peek(int at) { return at; }\n  int peek() { return 0; }\n}\n',
  'src/transport.ts': [
    'export class Transport {',
    '  dispatch(): void {}',
    '}',
    'export class Wire extends Transport {',
    '  override dispatch(): void {}',
    '}',
    'export function use(transport: Transport): void {',
    '  transport.dispatch();',
    '}',
    'export function sure(wire: Wire): void {',
    '  wire.dispatch();',
    '}',
    '',
  ].join('\n'),
  'test/lease.test.ts': "import { renew } from '../src/lease.ts';\nrenew('t');\n",
  'docs/lease.md': '# Lease\n\nCall renew in time. It renews.\n',
};
const service = { 'a.py': 'def stop(thing):\n    thing.close()\n', 'renew.txt': 'no word: renewal\n' };
const common = {
  'many.js': 'get(x);\n'.repeat(10_000),
  'other.js': `${'a'.repeat(3_000)} q ${'b'.repeat(3_000)}\nget = 1;\n`,
};

beforeAll(async () => {
  advisor = await openAdvisor();
  const { projecting } = advisor;
  for (const [role, files] of Object.entries({ library, service, common })) {
    const added: Repository = await projecting.read(await projecting.add(createRepository(files).folder));
    repositories[role as keyof typeof repositories] = added.name;
  }
});
afterAll(() => advisor.close());

function find(input: FindReferencesInput): Promise<FoundReferences> {
  const { deps, projecting } = advisor;
  return findReferences(deps, projecting.scope, input, never);
}

/** Returns items as short texts, with roles in place of the names of repositories. */
function shown({ items }: FoundReferences): readonly string[] {
  return items.map(({ address, kind, certainty, test, reason, from }) =>
    [inRoles(address), kind, certainty, ...(test ? ['test'] : []), from ?? '-', reason ?? '-'].join(' '),
  );
}

function inRoles(text: string): string {
  return Object.entries(repositories).reduce(
    (all, [role, name]) => all.replace(`${name}/`, `${role}/`),
    text,
  );
}

describe('findReferences', () => {
  it('asks with patterns that count as its own, also behind a slow pattern of a caller', async () => {
    const { deps, projecting } = advisor;
    const asked: Query[] = [];
    const codeSearch: CodeSearch = {
      ...deps.codeSearch,
      search: (scope, request, signal) => {
        asked.push(request.query);
        return deps.codeSearch.search(scope, request, signal);
      },
    };
    await findReferences({ ...deps, codeSearch }, projecting.scope, { name: 'renew' }, never);
    expect(asked.length).toBeGreaterThan(1);
    expect(asked.filter(hasPattern)).toEqual([]);
  });

  it('lists a call of a base as a possible use of what overrides it', async () => {
    const found = await find({ address: `${repositories.library}/src/transport.ts:5` });
    expect(shown(found)).toEqual([
      'library/src/transport.ts:5 definition certain - -',
      'library/src/transport.ts:11 call certain sure same-file',
      'library/src/transport.ts:8 call possible use overrides',
    ]);
    // The definition of the base certainly means itself.
    expect(found.elsewhere).toBe(1);
  });

  it('finds every line of a name and its uses under another one, with kinds and certainty', async () => {
    const found = await find({ name: 'renew' });
    expect(shown(found)).toEqual([
      'library/src/lease.ts:2 definition certain - -',
      'library/src/alias.ts:1 import certain - import',
      'library/src/alias.ts:14 call certain later alias again',
      'library/src/lease.ts:3 call certain renew inside-its-definition',
      'library/src/worker.ts:3 import certain - import',
      'library/src/worker.ts:6 text certain work imported',
      'library/src/worker.ts:7 text certain work imported',
      'library/src/worker.ts:8 call certain work imported',
      'library/test/lease.test.ts:1 import certain test - imported',
      'library/test/lease.test.ts:2 call certain test - imported',
      'library/docs/lease.md:3 text text - -',
      'library/src/lease.ts:1 text text - -',
    ]);
    expect(found).toMatchObject({ total: 12, certain: 10, possible: 0, text: 2, elsewhere: 0, notices: [] });
    const inTest = { to: `${repositories.library}/src/lease.ts:2`, line: "renew('t');" };
    expect(found.items).toContainEqual(expect.objectContaining(inTest));
  });

  it('tells no meaning of a line with a variable that has the name of the method whose result it is', async () => {
    const found = await find({ name: 'Queue.peek', repositories: [repositories.library] });
    expect(shown(found)).toEqual([
      'library/src/queue.ts:2 definition certain - -',
      'library/src/queue.ts:7 call certain size same-file',
      'library/src/queue.ts:9 call certain size same-file',
      'library/src/queue.ts:8 read text - -',
    ]);
    // `Stack.peek`, and both definitions of `Row.peek`, which are one symbol.
    expect(found.elsewhere).toBe(3);
  });

  it('leaves out and counts the lines that certainly mean another definition', async () => {
    const byName = await find({ name: 'Pool.close' });
    const lines = [
      'library/src/lease.ts:6 definition certain - -',
      'library/src/worker.ts:10 call certain work imported',
      expect.stringMatching(/^service\/a\.py:2 call (?:text|possible) /),
    ];
    expect(shown(byName)).toEqual(lines);
    expect(byName.elsewhere).toBe(2);
    const byAddress = await find({ address: `${repositories.library}/src/lease.ts:6` });
    expect(shown(byAddress)).toEqual(lines);
    const byKey = await find({ address: await keyOf('Pool.close') });
    expect(shown(byKey)).toEqual(lines);
    expect((await find({ name: 'close' })).total).toBe(5);
  });

  it('pages inside of a file without gaps, and counts all lines', async () => {
    const first = await find({ name: 'get', limit: 200 });
    expect(first).toMatchObject({ total: 10_001 });
    expect(first.incomplete).toBeUndefined();
    expect(first.items[199]?.address).toMatch(/many\.js:200$/);
    const { items, nextCursor } = await find({ name: 'get', limit: 3, cursor: first.nextCursor ?? '' });
    expect(items.map(({ address }) => address.replace(/.*:/, ''))).toEqual(['201', '202', '203']);
    expect(nextCursor).not.toBeNull();
  });

  it('finds lines of one kind across pages, however far they are', async () => {
    const kinds: string[] = [];
    let pages = 0;
    let cursor: string | null | undefined;
    while (cursor !== null) {
      const page = await find({ name: 'get', kind: 'write', ...(cursor === undefined ? {} : { cursor }) });
      kinds.push(...page.items.map(({ address }) => inRoles(address)));
      cursor = page.nextCursor;
      pages += 1;
    }
    expect(kinds).toEqual(['common/other.js:2']);
    expect(pages).toBe(6);
  });

  it('searches one letter in the named repositories only, and cuts a long line around it', async () => {
    expect((await find({ name: 'x', repositories: [repositories.common] })).total).toBe(10_000);
    const { items } = await find({ name: 'q', repositories: [repositories.common] });
    expect(items).toMatchObject([{ line: expect.stringMatching(/^a{900,} q b{900,}$/) }]);
    expect(items[0]?.line).toHaveLength(2_000);
  });

  it('writes at most 7,000 characters by default, with the cursor of what follows', async () => {
    const page = await find({ name: 'get', limit: 200 });
    const text = referenceText(page, false);
    expect(text.length).toBeLessThanOrEqual(7_000);
    const lines = text.split('\n');
    expect(lines[0]).toMatch(/^10001 lines with `get`: .* \d+ of 10001 here\./);
    const cursor = /cursor=(\S+)\)$/.exec(lines.at(-1) ?? '')?.[1];
    const next = await find({ name: 'get', limit: 200, ...(cursor === undefined ? {} : { cursor }) });
    expect(next.items[0]?.address).toMatch(new RegExp(`:${lines.length - 1}$`));
  });

  it('says which repositories are missing or behind', async () => {
    const { queries } = advisor.projecting.database;
    const set = (value: { indexed_commit?: string | null; graph_commit?: string }) =>
      queries.updateTable('repositories').where('name', '=', repositories.service).set(value).execute();
    const { indexed_commit: commit } = await queries
      .selectFrom('repositories')
      .where('name', '=', repositories.service)
      .select('indexed_commit')
      .executeTakeFirstOrThrow();
    await set({ graph_commit: 'a'.repeat(40) });
    const behind = await find({ name: 'close' });
    expect(behind.notices).toEqual([expect.stringContaining(`wrong or missing: ${repositories.service}.`)]);
    expect((await find({ name: 'close', repositories: [repositories.library] })).notices).toEqual([]);
    await set({ indexed_commit: null });
    const missing = await find({ name: 'close' });
    expect(missing.notices).toEqual([`Not indexed yet, so its lines are missing: ${repositories.service}.`]);
    await set({ indexed_commit: commit, graph_commit: commit ?? '' });
  });

  it.each([
    ['renew', 'definitions', /^More lines match than are listed/],
    ['Nothing.renew', 'definitions', /^More lines match than are listed/],
    ['renew', 'deadline', /^The search reached its time limit/],
  ] as const)('says of %s that lines are missing, even if %s are, too', async (name, ofSymbols, notice) => {
    const { deps, projecting } = advisor;
    const codeSearch: Pick<CodeSearch, 'search'> = {
      search: async (scope, request, signal) => ({
        ...(await deps.codeSearch.search(scope, request, signal)),
        incomplete: request.query.kind === 'word' && request.query.text === 'renew' ? 'limit' : ofSymbols,
      }),
    };
    const { notices } = await findReferences({ ...deps, codeSearch }, projecting.scope, { name }, never);
    expect(notices[0]).toMatch(notice);
  });

  it('says that no definition has a qualified name', async () => {
    const { notices, total } = await find({ name: 'Nothing.close' });
    expect([total, notices]).toEqual([
      5,
      [expect.stringMatching(/No definition is known as Nothing\.close.* its last part/)],
    ]);
    const text = referenceText(await find({ name: 'Nothing.close' }), false);
    expect(text).toMatch(/^No definition is known as Nothing\.close: [^\n]* 5 lines with `close`/u);
    expect(text.split('No definition')).toHaveLength(2);
  });

  it.each(['x'.repeat(1_100), 'a line\nof it', 'half \ud800'])(
    'lists the lines with the last part of a name whose text no search takes',
    async (owner) => {
      expect(await find({ name: `${owner}.close` })).toMatchObject({ name: 'close', total: 5 });
    },
  );

  it.each(['pkg.lease.Pool.close', 'src.lease.Pool.close', 'src\\lease::Pool'])(
    'finds a definition by a name with its package: %s',
    async (name) => {
      const { definitions, notices } = await find({ name });
      expect([definitions, notices]).toEqual([[expect.stringMatching(/lease\.ts:[56]$/)], []]);
    },
  );

  it('lists the lines with the text of a qualified name that no definition has', async () => {
    const { name, text, items, definitions, notices } = await find({ name: 'pool.close' });
    expect([name, text, definitions]).toEqual(['pool.close', 1, []]);
    expect(items).toMatchObject([{ line: '  pool.close();', kind: 'call', certainty: 'text' }]);
    expect(notices).toEqual([expect.stringMatching(/No definition is known as pool\.close.* this text/)]);
  });

  it.each([
    [{}, 'Pass either'],
    [{ name: 'a', address: 'b' }, 'Pass either'],
    [{ name: '' }, 'empty'],
    [{ name: 'a\nb' }, 'not a name'],
    [{ name: 'a'.repeat(201) }, 'longer than 200'],
    [{ name: 'a', limit: 201 }, 'limit'],
    [{ name: 'a', cursor: 'x' }, 'cursor'],
    [{ name: 'a', repositories: ['nowhere'] }, 'no searchable repository'],
    [{ address: 'nowhere/a.ts:1' }, 'names no file of a repository here'],
    [{ address: 'symbol:x:a.ts#a/function' }, 'No definition is known'],
  ])('refuses %j', async (input, message) => {
    await expect(find(input)).rejects.toThrow(message);
  });

  it('refuses the address of a whole file, and of a line without a definition', async () => {
    const file = `${repositories.library}/src/lease.ts`;
    await expect(find({ address: file })).rejects.toThrow('must name the line');
    await expect(find({ address: `${file}:4` })).rejects.toThrow(`No definition is known at \`${file}:4\``);
    await expect(find({ address: `${file}:3` })).rejects.toThrow(
      `No definition is known at \`${file}:3\`. Did you mean \`renew\` around it, at \`${file}:2\`?`,
    );
    await expect(find({ address: `${repositories.library}/src/transport.ts:8` })).rejects.toThrow(
      `\`${repositories.library}/src/transport.ts:7\`?`,
    );
    await expect(find({ address: `${file}:900` })).rejects.toThrow('No definition is known');
  });

  it('computes equal questions at once and further pages once, until the index changes', async () => {
    const { deps, projecting } = advisor;
    let searches = 0;
    const counted: typeof deps = {
      ...deps,
      codeSearch: {
        ...deps.codeSearch,
        search: (...given) => {
          searches += 1;
          return deps.codeSearch.search(...given);
        },
      },
    };
    const ask = (input: FindReferencesInput, scope = projecting.scope): Promise<FoundReferences> =>
      findReferences(counted, scope, input, never);
    const { folder, commit } = createRepository({ 'a.ts': 'export const shared = 1;\n'.repeat(3) });
    const added = await projecting.add(folder);
    const all = await Promise.all(Array.from({ length: 12 }, () => ask({ name: 'shared', limit: 1 })));
    const own = searches;
    expect(own).toBe(2);
    expect(all.map(({ total }) => total)).toEqual(Array.from({ length: 12 }, () => 3));
    await ask({ name: 'shared', limit: 1, cursor: all[0]?.nextCursor ?? '' });
    expect(searches).toBe(own);
    const [other, limited] = [await projecting.addOrganization('other'), new Set<typeof added.id>()];
    expect((await ask({ name: 'shared' }, other)).total).toBe(0);
    expect((await ask({ name: 'shared' }, { ...projecting.scope, repositories: limited })).total).toBe(0);
    commit({ 'b.ts': 'shared;\n' });
    await projecting.push(added);
    expect((await ask({ name: 'shared' })).total).toBe(4);
  });

  it('stops when the caller is gone', async () => {
    const { deps, projecting } = advisor;
    const gone = AbortSignal.abort(new Error('gone'));
    await expect(findReferences(deps, projecting.scope, { name: 'get' }, gone)).rejects.toThrow();
  });
});

async function keyOf(qualifiedName: string): Promise<string> {
  const { deps, projecting } = advisor;
  const { nodes } = await deps.knowledge.graph.search(projecting.scope, {
    text: 'close',
    kinds: ['symbol'],
    limit: 10,
  });
  return nodes.find(({ props }) => props['qualifiedName'] === qualifiedName)?.key ?? '';
}
