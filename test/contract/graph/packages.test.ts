import { afterEach, expect, it } from 'vitest';
import type { GraphEdge } from '../../../src/backends/graph/port.ts';
import type { Repository } from '../../../src/features/repositories/repository.ts';
import { describeEachDatabase, itWhen } from '../../support/database/databases.ts';
import { createRepository } from '../../support/git/git-repository.ts';
import { openProjecting, type Projecting } from '../../support/graph/projecting.ts';

const provider = {
  'package.json': '{\n  "name": "@acme/client",\n  "main": "dist/index.js"\n}\n',
  'src/index.ts': "export { connect } from './connect.ts';\nexport * from './client.ts';\n",
  'src/connect.ts': 'export function connect() {\n  return 1;\n}\nexport function hidden() {}\n',
  'src/client.ts': 'export class Client {\n  send() {\n    return 1;\n  }\n}\n',
};

const consumer = {
  'package.json':
    '{\n  "name": "shop",\n  "dependencies": {\n    "zod": "^4",\n    "@acme/client": "^2.1.0"\n  }\n}\n',
  'src/shop.ts':
    "import { Client, connect } from '@acme/client';\nexport function shop(client: Client) {\n  connect();\n  return client.send();\n}\n",
};

describeEachDatabase('packages of other repositories', (open, dialect) => {
  const opened: Projecting[] = [];
  afterEach(async () => {
    for (const each of opened.splice(0)) await each.close();
  });
  const start = async (): Promise<Projecting> => {
    const projecting = await openProjecting(open);
    opened.push(projecting);
    return projecting;
  };
  const onSqlite = itWhen(dialect === 'sqlite');

  async function edgesOf(
    { graph, scope }: Projecting,
    key: string,
    direction: 'in' | 'out',
    kinds: readonly string[],
  ): Promise<readonly GraphEdge[]> {
    const { edges } = await graph.neighbours(scope, {
      from: [key],
      direction,
      kinds,
      depth: 1,
      perNode: 50,
      limit: 50,
    });
    return edges.toSorted((a, b) => (`${a.from} ${a.to}` < `${b.from} ${b.to}` ? -1 : 1));
  }
  const connectOf = ({ id }: Repository): string => `symbol:${id}:src/connect.ts#connect/function`;
  const callersOf = async (projecting: Projecting, repository: Repository): Promise<readonly string[]> => {
    const edges = await edgesOf(projecting, connectOf(repository), 'in', ['calls']);
    return edges.map(({ from, confidence }) => `${from.replace(/:[^:]+:/, ' ')} ${confidence}`);
  };
  const caller = 'symbol src/shop.ts#shop/function 90';

  it('are called, with the manifest line and the version as evidence', async () => {
    const projecting = await start();
    // The caller comes first: its calls wait for the provider.
    const shop = await projecting.add(createRepository(consumer).folder);
    const client = await projecting.add(createRepository(provider).folder);
    const from = `symbol:${shop.id}:src/shop.ts#shop/function`;
    const asked = '@acme/client ^2.1.0 (package.json line 5)';
    expect(await edgesOf(projecting, from, 'out', ['calls'])).toMatchObject([
      { to: `symbol:${client.id}:src/client.ts#Client.send/method`, evidence: `line 4: ${asked}` },
      { to: connectOf(client), rule: 'package', evidence: `line 3: ${asked}`, confidence: 90 },
    ]);
    expect(await edgesOf(projecting, `file:${shop.id}:src/shop.ts`, 'out', ['imports'])).toMatchObject([
      { to: `file:${client.id}:package.json`, evidence: `line 1: ${asked}` },
      { to: `symbol:${client.id}:src/client.ts#Client/class` },
      { to: connectOf(client) },
    ]);
    expect(await edgesOf(projecting, `file:${shop.id}:package.json`, 'out', ['depends_on'])).toMatchObject([
      { to: `file:${client.id}:package.json`, evidence: 'line 5: @acme/client ^2.1.0' },
    ]);
  });

  it('are followed by pushes to either repository', async () => {
    const projecting = await start();
    const [source, user] = [createRepository(provider), createRepository(consumer)];
    const client = await projecting.add(source.folder);
    const shop = await projecting.add(user.folder);
    const change = async (repository: Repository, commit: () => void): Promise<readonly string[]> => {
      commit();
      await projecting.push(repository);
      return callersOf(projecting, client);
    };
    expect(await callersOf(projecting, client)).toEqual([caller]);
    const text = provider['package.json'];
    const rename = (to: string) => () => source.commit({ 'package.json': text.replace('@acme/client', to) });
    expect(await change(client, rename('@acme/other'))).toEqual([]);
    expect(await change(client, rename('@acme/client'))).toEqual([caller]);
    const unexported = provider['src/index.ts'].replace('{ connect }', '{ hidden }');
    expect(await change(client, () => source.commit({ 'src/index.ts': unexported }))).toEqual([]);
    expect(await change(client, () => source.commit({ 'src/index.ts': provider['src/index.ts'] }))).toEqual([
      caller,
    ]);
    const version = consumer['package.json'].replace('^2.1.0', '^3');
    await change(shop, () => user.commit({ 'package.json': version }));
    expect(await edgesOf(projecting, connectOf(client), 'in', ['calls'])).toMatchObject([
      { evidence: 'line 3: @acme/client ^3 (package.json line 5)' },
    ]);
    expect(await change(shop, () => user.commit({ 'package.json': '{"name":"shop"}' }))).toEqual([]);
    expect(await change(shop, () => user.commit({ 'package.json': version }))).toEqual([caller]);
    await projecting.remove(client);
    expect(await edgesOf(projecting, `file:${shop.id}:src/shop.ts`, 'out', ['imports'])).toEqual([]);
  });

  it('are unsure while two repositories provide them', async () => {
    const projecting = await start();
    const client = await projecting.add(createRepository(provider).folder);
    await projecting.add(createRepository(consumer).folder);
    const other = await projecting.add(createRepository(provider).folder);
    const unsure = ['symbol src/shop.ts#shop/function 50'];
    expect(await callersOf(projecting, client)).toEqual(unsure);
    expect(await callersOf(projecting, other)).toEqual(unsure);
    await projecting.remove(other);
    expect(await callersOf(projecting, client)).toEqual([caller]);
  });

  onSqlite('give an equal graph when it is built again', async () => {
    const projecting = await start();
    const [source, user] = [createRepository(provider), createRepository(consumer)];
    const client = await projecting.add(source.folder);
    const shop = await projecting.add(user.folder);
    source.commit({ 'src/index.ts': "export * from './client.ts';\n" });
    await projecting.push(client);
    source.commit({
      'src/more.ts': 'export const more = () => 1;\n',
      'src/index.ts':
        "export * from './more.ts';\nexport * from './client.ts';\nexport * from './connect.ts';\n",
    });
    await projecting.push(client);
    user.commit({ 'package.json': consumer['package.json'].replace('^2.1.0', '~2') });
    await projecting.push(shop);
    const dump = await projecting.dump();
    expect(dump.filter((line) => line.includes('export:npm:@acme/client.')).length).toBeGreaterThan(5);
    await projecting.rebuild();
    expect(await projecting.dump()).toEqual(dump);
  });
});
