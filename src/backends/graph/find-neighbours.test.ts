import { expect, it } from 'vitest';
import { countLoopTurns } from '../../../test/support/loop-turns.ts';
import type { Adjacency, Link, NumberedNode } from './adjacency.ts';
import { findNeighbours } from './find-neighbours.ts';

const busyMs = 12;
const scope = { organizationId: 'o' } as Parameters<Adjacency['links']>[0];

/** A store in which each of 1,200 nodes has an edge to the next one; it is busy for a while in each read. */
function chain(read: number[]): Adjacency {
  const busy = (count: number): void => {
    read.push(count);
    for (const started = performance.now(); performance.now() - started < busyMs; );
  };
  const node = (id: number): NumberedNode => ({ id, key: `${id}`, kind: 'symbol', name: `${id}`, props: {} });
  return {
    nodesByKey: async (_, keys) => {
      busy(keys.length);
      return keys.map((key) => node(Number(key)));
    },
    nodesById: async (_, ids) => ids.map(node),
    links: async (_, ids) => ids.map((src): Link => ({ src, kind: 'calls', dst: (src + 1) % 1_200 })),
    describe: async (_, links) => {
      busy(links.length);
      return links.map((link) => ({
        link,
        edge: {
          from: `${link.src}`,
          kind: link.kind,
          to: `${link.dst}`,
          rule: '',
          evidence: '',
          confidence: 100,
          owner: '',
          revision: '',
        },
      }));
    },
  };
}

it('reads many nodes and edges in several statements, between which other work goes on', async () => {
  const read: number[] = [];
  const turns = countLoopTurns();
  const from = Array.from({ length: 1_200 }, (_, id) => `${id}`);
  const traversal = { from: [...from, '7'], direction: 'out', depth: 1, perNode: 5, limit: 5_000 } as const;
  const found = await findNeighbours(chain(read), scope, traversal);
  turns.stop();
  expect([found.nodes.length, found.edges.length, found.truncated]).toEqual([1_200, 1_200, false]);
  const slices = [200, 200, 200, 200, 200, 200];
  expect(read).toEqual([...slices, ...slices]);
  expect(turns.count).toBeGreaterThanOrEqual(read.length - 1);
});
