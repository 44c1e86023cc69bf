import { afterAll, beforeAll, expect, it } from 'vitest';
import { type OpenedAdvisor, openAdvisor } from '../../../test/support/advisor/opened-advisor.ts';
import { createRepository } from '../../../test/support/git/git-repository.ts';
import { silentLog } from '../../../test/support/silent-log.ts';
import { findSymbol as tool } from '../../surfaces/mcp/tools/find-symbol.ts';
import type { ToolContext } from '../../surfaces/mcp/tools/tool.ts';
import { findSymbol } from '../search/find-symbol.ts';
import { qualifiedDefinitions } from './qualified-definitions.ts';

const never = new AbortController().signal;
let advisor: OpenedAdvisor;
let name = '';

beforeAll(async () => {
  advisor = await openAdvisor();
  const { projecting } = advisor;
  const files = {
    'pool.ts':
      'export class Pool {\n  close(): void {}\n}\nexport class Door extends Pool {}\nexport class Shop {\n  close(): void {}\n}\n',
    'Sail.java':
      'class Sail {\n  void furl(int a) {}\n  void furl(String a) {}\n  class Jib {\n    void furl() {}\n  }\n}\nclass Oar {\n  void furl() {}\n}\n',
    'util.go': 'package util\n\nfunc Close() {}\n',
    'tap.go':
      'package util\n\ntype Tap struct{}\ntype Keg struct{}\n\nfunc (t *Tap) Drip() {}\nfunc (k *Keg) Drip() {}\n',
  };
  name = (await projecting.read(await projecting.add(createRepository(files).folder))).name;
  const boxes = Array.from({ length: 30 }, (_, at) => [
    `box${at}.ts`,
    'export class Box {\n  fold(): void {}\n}\n',
  ]);
  await projecting.add(createRepository(Object.fromEntries(boxes)).folder);
  await projecting.add(createRepository({ 'close.py': 'def close():\n    pass\n' }).folder);
});
afterAll(() => advisor.close());

async function find(symbol: string, limit = 20): Promise<readonly string[]> {
  const { deps, projecting } = advisor;
  const among = await qualifiedDefinitions(deps, projecting.scope, symbol, never);
  const { items, nextCursor } = await findSymbol(
    deps,
    projecting.scope,
    { name: symbol, among, limit },
    never,
  );
  if (among !== undefined) expect(nextCursor).toBeNull();
  return items.map(({ repository, path, line }) => `${repository === name ? '' : 'other/'}${path}:${line}`);
}

it('finds the definitions that a qualified name means, and all where none is known', async () => {
  expect(await find('Pool.close')).toEqual(['pool.ts:2']);
  expect(await find('Shop::close()')).toEqual(['pool.ts:6']);
  expect(await find('util.Close')).toEqual(['util.go:3']);
  expect(await find('(*Tap).Drip')).toEqual(['tap.go:6']);
  expect(await find('(Keg).Drip')).toEqual(['tap.go:7']);
  expect(await find('Sail.furl')).toEqual(['Sail.java:2', 'Sail.java:3']);
  expect(await find('Jib.furl')).toEqual(['Sail.java:5']);
  expect(await find('Box.fold', 100)).toHaveLength(30);
  // A member that the type inherits.
  expect(await find('Door.close')).toEqual(['pool.ts:2']);
  const all = ['other/close.py:1', 'pool.ts:2', 'pool.ts:6', 'util.go:3'];
  expect((await find('close')).toSorted()).toEqual(all);
  expect((await find('Nobody.close')).toSorted()).toEqual(all);
});

it('lists those with the last part if none is found, and says so', async () => {
  const { deps, projecting } = advisor;
  const context = {
    deps: { answers: deps, knowledge: deps.knowledge },
    access: { scope: projecting.scope },
    log: silentLog,
    signal: never,
    progress: () => {},
  } as unknown as ToolContext;
  const ask = async (args: object): Promise<string> => {
    const { content } = await tool.call(args, context);
    return content.map((part) => ('text' in part ? part.text : '')).join('');
  };
  expect(await ask({ name: 'Pool.close' })).toMatch(/^1 definition\.\n/u);
  const none = /^By the last part of Nobody\.close: 4 definitions/u;
  expect(await ask({ name: 'Nobody.close' })).toMatch(none);
  // The only one is no function.
  expect(await ask({ name: 'Pool.close', kind: 'function' })).toMatch(
    /^By the last part of Pool\.close: 2 definitions/u,
  );
});

it('leaves nothing out of a repository whose graph is older than its index', async () => {
  const { queries } = advisor.projecting.database;
  const setGraph = (graph_commit: string | null) =>
    queries.updateTable('repositories').set({ graph_commit }).where('name', '=', name).execute();
  const former = await queries
    .selectFrom('repositories')
    .select('graph_commit')
    .where('name', '=', name)
    .executeTakeFirstOrThrow();
  await setGraph('c'.repeat(40));
  expect((await find('Pool.close')).toSorted()).toEqual(['pool.ts:2', 'pool.ts:6', 'util.go:3']);
  await setGraph(former.graph_commit);
  expect(await find('Pool.close')).toEqual(['pool.ts:2']);
});
