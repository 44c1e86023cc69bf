import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { edge, node, ours, unit } from '../../../../test/support/graph/graph-facts.ts';
import { silentLog } from '../../../../test/support/silent-log.ts';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import { derivedSchemas } from '../../../app/open/open-database.ts';
import { openGraphReader } from '../../../backends/graph/sql/open-graph-reader.ts';
import { openGraphWriter } from '../../../backends/graph/sql/open-graph-writer.ts';
import { type DerivedDatabase, openDerived } from '../../../foundation/db/derived/open-derived.ts';
import { showImpact } from './show-impact.ts';

let derived: DerivedDatabase;

beforeAll(async () => {
  derived = await openDerived(
    { dialect: 'sqlite', file: join(temporaryFolder(), 'graph.db') },
    derivedSchemas,
    silentLog,
  );
});
afterAll(() => derived.close());

it('shows what depends on a file with many symbols, without its own uses', async () => {
  const file = 'file:r1:src/large.ts';
  const symbols = Array.from({ length: 300 }, (_, index) =>
    node(`symbol:r1:src/large.ts#f${index}/function`, `f${index}`, { startLine: index }),
  );
  const [first, last] = [symbols[0]!.key, symbols[299]!.key];
  const caller = node('symbol:r1:src/caller.ts#run/function', 'run');
  await openGraphWriter(derived).replaceUnits(ours, [
    unit(file, {
      nodes: [node(file, 'src/large.ts'), ...symbols],
      edges: [...symbols.map(({ key }) => edge(file, 'contains', key)), edge(first, 'calls', last)],
    }),
    unit('file:r1:src/caller.ts', {
      nodes: [caller],
      edges: [edge(caller.key, 'calls', last), edge(caller.key, 'calls', first)],
    }),
  ]);
  const reader = openGraphReader(derived);
  const ofFile = await showImpact(reader, ours, file);
  expect(ofFile.dependents.map(({ node: { key } }) => key)).toEqual([caller.key]);
  expect(ofFile.truncated).toBe(false);
  const ofSymbol = await showImpact(reader, ours, last);
  expect(ofSymbol.dependents.map(({ node: { key } }) => key)).toEqual([caller.key, first]);
});

it('shows the owners and open incidents of the services that the repository implements', async () => {
  const [file, repository, service] = ['file:r2:src/pay.ts', 'repo:r2', 'service:c1:PAY'];
  await openGraphWriter(derived).replaceUnits(ours, [
    unit(file, { nodes: [node(file, 'src/pay.ts')] }),
    unit('file:r2:catalog-info.yaml', {
      nodes: [node(repository, 'payments'), node(service, 'Payments'), node('team:c1:pay', 'Payments team')],
      edges: [edge(repository, 'implements', service), edge(service, 'owned_by', 'team:c1:pay')],
    }),
    unit('file:context:incidents', {
      nodes: [
        node('incident:c1:OPEN', 'Cards are refused', { open: true }),
        node('incident:c1:DONE', 'Cards were slow', { open: false }),
      ],
      edges: ['OPEN', 'DONE'].map((id) => edge(`incident:c1:${id}`, 'affects', service)),
    }),
  ]);
  const { owners, incidents } = await showImpact(openGraphReader(derived), ours, file);
  expect(owners.map(({ node: { key } }) => key)).toEqual(['team:c1:pay']);
  expect(incidents.map(({ node: { key } }) => key)).toEqual(['incident:c1:OPEN']);
});

it('follows what certainly uses a symbol, and counts what possibly does', async () => {
  const closing = node('symbol:r3:a.ts#Pool.close/method', 'close');
  const users = ['sure', 'first', 'second'].map((name) => node(`symbol:r3:b.ts#${name}/function`, name));
  const [sure, ...unsure] = users.map(({ key }) => key);
  await openGraphWriter(derived).replaceUnits(ours, [
    unit('file:r3:a.ts', { nodes: [closing, node('file:r3:a.ts', 'a.ts')] }),
    unit('file:r3:b.ts', {
      nodes: users,
      edges: [
        edge(sure!, 'calls', closing.key, 90),
        // A name that two packages have is as unsure as one of several candidates.
        edge(unsure[0]!, 'calls', closing.key, 50),
        edge(unsure[1]!, 'calls', closing.key, 10),
      ],
    }),
  ]);
  const { dependents, possible } = await showImpact(openGraphReader(derived), ours, closing.key);
  expect(dependents.map(({ node: { key } }) => key)).toEqual([sure]);
  expect(possible.map(({ node: { key } }) => key)).toEqual(unsure);
});
