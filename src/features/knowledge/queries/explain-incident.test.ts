import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { edge, node, ours, unit } from '../../../../test/support/graph/graph-facts.ts';
import { silentLog } from '../../../../test/support/silent-log.ts';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import { derivedSchemas } from '../../../app/open/open-database.ts';
import { openGraphReader } from '../../../backends/graph/sql/open-graph-reader.ts';
import { openGraphWriter } from '../../../backends/graph/sql/open-graph-writer.ts';
import { type DerivedDatabase, openDerived } from '../../../foundation/db/derived/open-derived.ts';
import { explainIncident } from './explain-incident.ts';
import { showImpact } from './show-impact.ts';

const [hot, old] = ['file:r1:src/hot.ts', 'file:r1:src/old.ts'];
const day = 24 * 3600;
const began = Date.parse('2026-05-05T05:05:05Z') / 1000;
let derived: DerivedDatabase;

beforeAll(async () => {
  derived = await openDerived(
    { dialect: 'sqlite', file: join(temporaryFolder(), 'graph.db') },
    derivedSchemas,
    silentLog,
  );
  const symbol = (name: string, startLine: number, endLine: number) =>
    node(`symbol:r1:src/hot.ts#${name}/method`, name, { startLine, endLine });
  const symbols = [symbol('Pump', 1, 50), symbol('Pump.start', 10, 20), symbol('Pump.stop', 21, 30)];
  const contains = symbols.map(({ key }) => edge(hot, 'contains', key));
  const frame = {
    ...edge('incident:c1:Q1', 'fails_in', hot, 95, 'stack-frame'),
    evidence: 'body /app/src/hot.ts:12',
  };
  // More commits than a node shows edges of, the newest last.
  const commits = Array.from({ length: 150 }, (_, index) => ({
    index,
    at: began - (149 - index) * 0.2 * day,
  }));
  await openGraphWriter(derived).replaceUnits(ours, [
    unit(hot, { nodes: [node(hot, 'src/hot.ts'), node(old, 'src/old.ts'), ...symbols], edges: contains }),
    ...[...commits, { index: 150, at: began + 1 }].map(({ index, at }) =>
      unit(`commit:r1:${index}`, {
        nodes: [node(`commit:r1:${index}`, `Change ${index}`, { time: at })],
        edges: [edge(`commit:r1:${index}`, 'touches', hot)],
      }),
    ),
    unit('commit:r1:ancient', {
      nodes: [node('commit:r1:ancient', 'Ancient', { time: began - 400 * day })],
      edges: [edge('commit:r1:ancient', 'touches', old), edge('commit:r1:ancient', 'touches', hot)],
    }),
    ...['Q1', 'Q2'].map((id) =>
      unit(`file:context:${id}`, {
        nodes: [node(`incident:c1:${id}`, id, { createdAt: '2026-05-05T05:05:05Z' })],
        edges: [id === 'Q1' ? frame : edge('incident:c1:Q2', 'mentions', old)],
      }),
    ),
  ]);
});
afterAll(() => derived.close());

it('shows the innermost symbol at the line of a stack frame, and the latest commits before the incident', async () => {
  const { places, commits, truncated } = await explainIncident(
    openGraphReader(derived),
    ours,
    'incident:c1:Q1',
  );
  expect(places.map(({ node: { key }, edge: { rule } }) => [key, rule])).toEqual([
    [hot, 'stack-frame'],
    ['symbol:r1:src/hot.ts#Pump.start/method', 'stack-frame'],
  ]);
  const latest = Array.from({ length: 100 }, (_, index) => `Change ${149 - index}`);
  expect(commits.map(({ node: { name } }) => name)).toEqual(latest);
  expect(truncated).toBe(true);
});

it('shows older commits if there are none in the days before', async () => {
  const { commits } = await explainIncident(openGraphReader(derived), ours, 'incident:c1:Q2');
  expect(commits.map(({ node: { name } }) => name)).toEqual(['Ancient']);
});

it('shows the latest commits to a file with many', async () => {
  const { commits } = await showImpact(openGraphReader(derived), ours, hot);
  expect(commits.map(({ node: { name } }) => name)).toEqual(
    Array.from({ length: 100 }, (_, index) => `Change ${150 - index}`),
  );
});
