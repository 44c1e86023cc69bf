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
      { to: `symbol:${client.id}:src/client.ts#Client.send/method`, evidence: `only line 4: ${asked}` },
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

  onSqlite('are followed by pushes to either repository', async () => {
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

  onSqlite('are unsure while two repositories provide them', async () => {
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

  /** A provider and a caller of each ecosystem, with the definitions that the caller reaches. */
  const pairs: readonly {
    readonly ecosystem: string;
    readonly provider: Readonly<Record<string, string>>;
    readonly consumer: Readonly<Record<string, string>>;
    readonly reached: readonly string[];
  }[] = [
    {
      ecosystem: 'npm with CommonJS',
      provider: {
        'package.json': '{ "name": "acme-client" }',
        'index.js': "module.exports = require('./lib/client');\n",
        'lib/client.js': 'function connect() {}\nfunction Client() {}\nmodule.exports = Client;\n',
      },
      consumer: {
        'package.json': '{ "dependencies": { "acme-client": "^1" } }',
        'shop.js':
          "const client = require('acme-client');\nfunction shop() {\n  client();\n  client.connect();\n}\n",
      },
      reached: [
        'calls lib/client.js#Client',
        'calls lib/client.js#connect',
        'depends_on package.json',
        'imports package.json',
      ],
    },
    {
      ecosystem: 'npm with a default export, under another name',
      provider: {
        'package.json': '{ "name": "acme-http", "exports": { "./http": "./dist/http/index.js" } }',
        'src/http/index.ts':
          "export { connect as open } from './connect.ts';\nexport default class Client {\n  send() {}\n}\n",
        'src/http/connect.ts': 'export function connect() {}\n',
      },
      consumer: {
        'package.json': '{ "dependencies": { "acme": "npm:acme-http@^1" } }',
        'shop.ts':
          "import Http, { open } from 'acme/http';\nexport function shop(http: Http) {\n  open();\n  http.send();\n}\n",
      },
      reached: [
        'calls src/http/connect.ts#connect',
        'calls src/http/index.ts#Client.send',
        'depends_on package.json',
        'imports package.json',
        'imports src/http/connect.ts#connect',
        'imports src/http/index.ts#Client',
        'uses src/http/index.ts#Client',
      ],
    },
    {
      ecosystem: 'npm with cycles of packages and files',
      provider: {
        'package.json': '{ "name": "acme-cycle", "dependencies": { "shop-cycle": "1" } }',
        'index.ts': "import { shop } from 'shop-cycle';\nexport * from './other.ts';\nshop();\n",
        'other.ts': "export * from './index.ts';\nexport function connect() {}\n",
      },
      consumer: {
        'package.json': '{ "name": "shop-cycle", "dependencies": { "acme-cycle": "1" } }',
        'index.ts':
          "import { connect, shop as own } from 'acme-cycle';\nexport const shop = () => connect(own);\n",
      },
      reached: [
        'calls other.ts#connect',
        'depends_on package.json',
        'imports other.ts#connect',
        'imports package.json',
      ],
    },
    {
      ecosystem: 'Python',
      provider: {
        'pyproject.toml': '[project]\nname = "acme-client"\n',
        'src/acme_client/__init__.py': 'from .transport import Client\n',
        'src/acme_client/transport.py':
          'class Client:\n    def send(self):\n        pass\n\ndef connect():\n    pass\n\ndef _hidden():\n    pass\n',
      },
      consumer: {
        'requirements.txt': 'acme-client>=2\n',
        'shop.py':
          'from acme_client import Client, transport\n\ndef shop():\n    client = Client()\n    client.send()\n    transport.connect()\n    transport._hidden()\n',
      },
      reached: [
        'calls src/acme_client/transport.py#Client',
        'calls src/acme_client/transport.py#Client.send',
        'calls src/acme_client/transport.py#connect',
        'depends_on pyproject.toml',
        'imports pyproject.toml',
        'imports src/acme_client/transport.py#Client',
      ],
    },
    {
      ecosystem: 'Go',
      provider: {
        'go.mod': 'module example.com/client\n',
        'transport/send.go':
          'package transport\n\ntype Client struct{}\n\nfunc (c *Client) Send() {}\n\nfunc Connect() {}\n\nfunc hidden() {}\n',
      },
      consumer: {
        'go.mod': 'module example.com/shop\n\nrequire example.com/client v1.2.0\n',
        'shop.go':
          'package shop\n\nimport "example.com/client/transport"\n\nfunc Shop(c *transport.Client) {\n\ttransport.Connect()\n\tc.Send()\n\ttransport.hidden()\n}\n',
      },
      reached: [
        'calls transport/send.go#Client.Send',
        'calls transport/send.go#Connect',
        'depends_on go.mod',
        'imports go.mod',
        'uses transport/send.go#Client',
      ],
    },
    {
      ecosystem: 'Rust',
      provider: {
        'Cargo.toml': '[package]\nname = "acme-client"\n',
        'src/lib.rs': 'pub mod transport;\npub use transport::connect;\n',
        'src/transport.rs': 'pub fn connect() {}\npub fn send() {}\n',
      },
      consumer: {
        'Cargo.toml': '[package]\nname = "shop"\n[dependencies]\nacme-client = "2"\n',
        'src/lib.rs':
          'use acme_client::connect;\nuse acme_client::transport::send;\npub fn shop() {\n    connect();\n    send();\n}\n',
      },
      reached: [
        'calls src/transport.rs#connect',
        'calls src/transport.rs#send',
        'depends_on Cargo.toml',
        'imports Cargo.toml',
        'imports src/transport.rs#connect',
        'imports src/transport.rs#send',
      ],
    },
    {
      ecosystem: 'Maven',
      provider: {
        'pom.xml': '<project><groupId>com.acme</groupId><artifactId>client</artifactId></project>',
        'src/main/java/com/acme/client/Client.java':
          'package com.acme.client;\n\npublic class Client {\n  public void send() {}\n}\n',
      },
      consumer: {
        'build.gradle': 'dependencies {\n  implementation "com.acme:client:2.1"\n}\n',
        'src/main/java/com/shop/Shop.java':
          'package com.shop;\n\nimport com.acme.client.Client;\n\npublic class Shop {\n  void shop() {\n    Client client = new Client();\n    client.send();\n  }\n}\n',
      },
      reached: [
        'calls src/main/java/com/acme/client/Client.java#Client',
        'calls src/main/java/com/acme/client/Client.java#Client.send',
        'depends_on pom.xml',
        'imports pom.xml',
        'imports src/main/java/com/acme/client/Client.java#Client',
        'uses src/main/java/com/acme/client/Client.java#Client',
      ],
    },
    {
      ecosystem: 'Composer',
      provider: {
        'composer.json': '{ "name": "acme/http-client" }',
        'src/Client.php':
          '<?php\nnamespace Acme\\HttpClient;\n\nclass Client {\n  public function send() {}\n}\n',
      },
      consumer: {
        'composer.json': '{ "require": { "acme/http-client": "^2" } }',
        'src/Shop.php':
          '<?php\nnamespace Shop;\n\nuse Acme\\HttpClient\\Client;\n\nfunction shop() {\n  $client = new Client();\n  return $client;\n}\n',
      },
      reached: [
        'calls src/Client.php#Client',
        'depends_on composer.json',
        'imports composer.json',
        'imports src/Client.php#Client',
      ],
    },
    {
      ecosystem: 'RubyGems',
      provider: {
        'client.gemspec': "Gem::Specification.new do |s|\n  s.name = 'acme-client'\nend\n",
        'lib/acme/client.rb': 'class Client\nend\n',
      },
      consumer: {
        Gemfile: "gem 'acme-client', '~> 2'\n",
        'shop.rb': "require 'acme/client'\n",
      },
      reached: ['depends_on client.gemspec', 'imports client.gemspec'],
    },
    {
      ecosystem: 'NuGet',
      provider: {
        'Acme.Client.csproj': '<Project></Project>',
        'Client.cs': 'namespace Acme.Client.Http;\npublic class Client {}\n',
      },
      consumer: {
        'Shop.csproj': '<Project><PackageReference Include="Acme.Client" Version="2.1" /></Project>',
        'Shop.cs': 'using Acme.Client.Http;\npublic class Shop {}\n',
      },
      reached: ['depends_on Acme.Client.csproj', 'imports Acme.Client.csproj'],
    },
    {
      ecosystem: 'CocoaPods',
      provider: { 'AcmeClient.podspec': "Pod::Spec.new do |s|\n  s.name = 'AcmeClient'\nend\n" },
      consumer: { Podfile: "pod 'AcmeClient', '~> 2'\n" },
      reached: ['depends_on AcmeClient.podspec'],
    },
  ];

  onSqlite('may be in the repository itself', async () => {
    const projecting = await start();
    const both = Object.entries({ client: provider, shop: consumer }).flatMap(([folder, files]) =>
      Object.entries(files).map(([path, text]) => [`packages/${folder}/${path}`, text]),
    );
    const { id } = await projecting.add(createRepository(Object.fromEntries(both)).folder);
    const from = `symbol:${id}:packages/shop/src/shop.ts#shop/function`;
    expect(await edgesOf(projecting, from, 'out', ['calls'])).toMatchObject([
      { to: `symbol:${id}:packages/client/src/client.ts#Client.send/method` },
      { to: `symbol:${id}:packages/client/src/connect.ts#connect/function` },
    ]);
  });

  onSqlite('are followed in each ecosystem', async () => {
    const projecting = await start();
    const together = (part: 'provider' | 'consumer') =>
      Object.fromEntries(
        pairs.flatMap((pair, index) =>
          Object.entries(pair[part]).map(([path, text]) => [`p${index}/${path}`, text]),
        ),
      );
    const client = await projecting.add(createRepository(together('provider')).folder);
    const shop = await projecting.add(createRepository(together('consumer')).folder);
    const edges = (await projecting.dump())
      .map((line) => JSON.parse(line) as { what: string; src: string; kind: string; dst: string })
      .filter(({ what, src, dst }) => what === 'edge' && src.includes(shop.id) && dst.includes(client.id));
    for (const [index, { ecosystem, reached }] of pairs.entries()) {
      const own = edges.filter(({ src }) => src.includes(`:p${index}/`));
      const found = own.map(({ kind, dst }) => `${kind} ${dst.replace(/^\w+:[^:]+:p\d+\/|\/\w+$/g, '')}`);
      expect([...new Set(found)].toSorted(), ecosystem).toEqual(reached);
    }
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
