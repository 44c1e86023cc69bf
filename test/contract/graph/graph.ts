import { beforeAll, describe, expect, it } from 'vitest';
import type { GraphReader, GraphWriter, SubGraph, Traversal } from '../../../src/backends/graph/port.ts';
import { edge, file, issue, mention, node, ours, theirs, unit } from '../../support/graph/graph-facts.ts';
import { describeAsserted } from './asserted.ts';
import { describeLimited } from './limited.ts';

export interface OpenGraph {
  readonly store: 'sql' | 'neo4j';
  readonly writer: GraphWriter;
  readonly reader: GraphReader;
  /** Resolves when the reader answers from its own store. */
  settle(): Promise<void>;
}

const symbol = (path: string, name: string): string => `symbol:r1:${path}#${name}/function`;

/** The contract of the graph, over one graph for each group of cases. */
export function describeGraph(name: string, open: () => Promise<OpenGraph>): void {
  describe(`a graph in ${name}`, () => {
    let graph: OpenGraph;
    beforeAll(async () => {
      graph = await open();
    });

    const related = async (from: string, options: Partial<Traversal> = {}): Promise<SubGraph> => {
      await graph.settle();
      const defaults = { direction: 'both', depth: 1, perNode: 50, limit: 50 } as const;
      const found = await graph.reader.neighbours(ours, { ...defaults, from: [from], ...options });
      expect(found.freshness.store).toBe(graph.store);
      return found;
    };
    const keys = ({ nodes }: Pick<SubGraph, 'nodes'>): readonly string[] =>
      nodes.map(({ key }) => key).toSorted();
    const triples = ({ edges }: Pick<SubGraph, 'edges'>): readonly string[] =>
      edges.map(({ from, kind, to }) => `${from} ${kind} ${to}`).toSorted();
    const found = async (text: string, options = {}): Promise<readonly string[]> => {
      await graph.settle();
      const { nodes } = await graph.reader.search(ours, { text, limit: 20, ...options });
      return nodes.map(({ name: one }) => one);
    };

    describeAsserted(() => graph);
    describeLimited(() => graph);

    it('returns nodes with their properties, in the order of the keys, without unknown ones', async () => {
      await graph.writer.replaceUnits(ours, [
        unit('u-get', {
          nodes: [
            node('document:r1:größe 日本\u{1F600}', 'größe', {
              url: 'https://x/',
              startLine: 3,
              open: true,
              gone: undefined,
            }),
            node('team:c1:t', 'Team'),
          ],
        }),
      ]);
      await graph.settle();
      const asked = ['team:c1:t', 'document:r1:none', 'document:r1:größe 日本\u{1F600}', 'team:c1:t'];
      const { nodes, freshness } = await graph.reader.get(ours, asked);
      expect(nodes).toEqual([
        { key: 'team:c1:t', kind: 'team', name: 'Team', props: {} },
        {
          key: 'document:r1:größe 日本\u{1F600}',
          kind: 'document',
          name: 'größe',
          props: { url: 'https://x/', startLine: 3, open: true },
        },
      ]);
      expect(freshness).toEqual({ store: graph.store, sequence: expect.any(Number) });
      expect(freshness.sequence).toBeGreaterThan(0);
    });

    it('follows edges in each direction, with the reason of each', async () => {
      await graph.writer.replaceUnits(ours, [
        file('a.ts', ['alpha'], [symbol('b.ts', 'beta')]),
        file('b.ts', ['beta']),
      ]);
      const out = await related(symbol('a.ts', 'alpha'), { direction: 'out' });
      expect(out.edges).toEqual([
        {
          from: symbol('a.ts', 'alpha'),
          kind: 'calls',
          to: symbol('b.ts', 'beta'),
          rule: 'imported-name',
          evidence: `imported-name of ${symbol('a.ts', 'alpha')}`,
          confidence: 90,
          owner: 'file:r1:a.ts',
          revision: 'v1',
        },
      ]);
      expect(out.truncated).toBe(false);
      const callers = await related(symbol('b.ts', 'beta'), { direction: 'in', kinds: ['calls'] });
      expect(keys(callers)).toEqual([symbol('a.ts', 'alpha'), symbol('b.ts', 'beta')]);
      expect(await related(symbol('b.ts', 'beta'), { direction: 'out' })).toMatchObject({ edges: [] });
      const two = await related('file:r1:a.ts', { direction: 'out', depth: 2 });
      expect(keys(two)).toEqual(['file:r1:a.ts', symbol('a.ts', 'alpha'), symbol('b.ts', 'beta')]);
      expect(keys(await related('file:r1:a.ts', { depth: 3 }))).toContain('file:r1:b.ts');
    });

    it('replaces everything that a unit asserted, and keeps what others assert', async () => {
      const shared = node('label:c1:bug', 'bug');
      const from = (owner: string) => edge(`issue:c1:${owner}`, 'labelled', 'label:c1:bug', 80, owner);
      await graph.writer.replaceUnits(ours, [
        unit('i1', { nodes: [node('issue:c1:i1', 'One'), shared], edges: [from('i1')] }),
        unit('i2', { nodes: [node('issue:c1:i2', 'Two'), shared], edges: [from('i2')] }),
      ]);
      await graph.writer.replaceUnits(ours, [
        unit('i1', { nodes: [node('issue:c1:i1', 'One again')] }, { revision: 'v2' }),
      ]);
      const label = await related('label:c1:bug');
      expect(triples(label)).toEqual(['issue:c1:i2 labelled label:c1:bug']);
      expect(await found('one')).toEqual(['One again']);
      await graph.writer.removeUnits(ours, ['i2', 'unknown']);
      expect(keys(await related('label:c1:bug'))).toEqual([]);
      expect(await found('two')).toEqual([]);
    });

    it('changes nothing when the same units are written again', async () => {
      const units = [file('same.ts', ['same'], [symbol('b.ts', 'beta')]), issue('same', 'SAME-1')];
      await graph.writer.replaceUnits(ours, units);
      const before = await related('file:r1:same.ts', { depth: 3 });
      await graph.writer.replaceUnits(ours, [...units, ...units].toReversed());
      expect(await related('file:r1:same.ts', { depth: 3 })).toEqual(before);
    });

    it('shows an edge only while both of its ends are asserted', async () => {
      const caller = file('caller.ts', ['caller'], [symbol('late.ts', 'late')]);
      await graph.writer.replaceUnits(ours, [caller]);
      const from = symbol('caller.ts', 'caller');
      expect(triples(await related(from, { direction: 'out' }))).toEqual([]);
      await graph.writer.replaceUnits(ours, [file('late.ts', ['late'])]);
      expect(triples(await related(from, { direction: 'out' }))).toHaveLength(1);
      await graph.writer.replaceUnits(ours, [file('late.ts', ['renamed'])]);
      expect(triples(await related(from, { direction: 'out' }))).toEqual([]);
      expect((await graph.reader.get(ours, [symbol('late.ts', 'late')])).nodes).toEqual([]);
    });

    it('merges what several units assert, whatever their order', async () => {
      const facts = [
        unit('m1', { nodes: [node('person:github:1', 'Ada', {})] }),
        unit('m2', { nodes: [node('person:github:1', 'Ada Lovelace', { url: 'https://a/', login: 'ada' })] }),
        unit('m3', { nodes: [node('person:github:1', 'A.', { team: 'x', url: 'https://b/' })] }),
      ];
      const read = async () => {
        await graph.settle();
        const { nodes } = await graph.reader.get(ours, ['person:github:1']);
        return nodes;
      };
      const merged = { name: 'Ada Lovelace', props: { login: 'ada', team: 'x', url: 'https://a/' } };
      for (const one of facts) await graph.writer.replaceUnits(ours, [one]);
      expect(await read()).toMatchObject([merged]);
      await graph.writer.removeUnits(ours, ['m1', 'm2', 'm3']);
      for (const one of facts.toReversed()) await graph.writer.replaceUnits(ours, [one]);
      expect(await read()).toMatchObject([merged]);
      await graph.writer.removeUnits(ours, ['m2']);
      expect(await read()).toMatchObject([{ name: 'A.', props: { team: 'x', url: 'https://b/' } }]);
    });

    it('gives an edge that several units assert the reason with the highest confidence', async () => {
      const ends = unit('ends', { nodes: [node('pr:r1:7', 'Pull 7'), node('issue:c1:seven', 'Seven')] });
      const of = (owner: string, confidence: number, revision: string) =>
        unit(owner, { edges: [edge('pr:r1:7', 'uses', 'issue:c1:seven', confidence, owner)] }, { revision });
      await graph.writer.replaceUnits(ours, [ends, of('weak', 60, 'w1'), of('strong', 100, 's1')]);
      const best = async () => (await related('pr:r1:7')).edges;
      expect(await best()).toMatchObject([
        { rule: 'strong', confidence: 100, owner: 'strong', revision: 's1' },
      ]);
      await graph.writer.replaceUnits(ours, [of('strong', 100, 's2')]);
      expect(await best()).toMatchObject([{ rule: 'strong', revision: 's2' }]);
      await graph.writer.removeUnits(ours, ['strong']);
      expect(await best()).toMatchObject([{ rule: 'weak', confidence: 60 }]);
    });

    it('does not follow edges of little confidence unless asked', async () => {
      await graph.writer.replaceUnits(ours, [
        unit('guess', {
          nodes: [node('service:c1:a', 'a service'), node('service:c1:b', 'b service')],
          edges: [edge('service:c1:a', 'uses', 'service:c1:b', 20)],
        }),
      ]);
      expect((await related('service:c1:a')).edges).toEqual([]);
      expect((await related('service:c1:a', { minConfidence: 20 })).edges).toHaveLength(1);
    });

    it('resolves a mention when its target arrives, and no longer when it leaves', async () => {
      const commit = unit('commit:r1:c', {
        nodes: [node('commit:r1:c', 'Fix the parser')],
        mentions: [
          mention('commit:r1:c', 'mentions', 'ENG-7'),
          mention('commit:r1:c', 'closes', 'OLD-7', 100),
        ],
      });
      const of = async () => triples(await related('commit:r1:c'));
      await graph.writer.replaceUnits(ours, [commit]);
      expect(await of()).toEqual([]);
      await graph.writer.replaceUnits(ours, [issue('i7', 'ENG-7')]);
      expect(await of()).toEqual(['commit:r1:c mentions issue:c1:i7']);
      // The issue moved: its former identifier names it too.
      const moved = issue('i7', 'ENG-7');
      const former = unit(moved.owner, {
        nodes: [...moved.facts.nodes, node('alias:OLD-7', 'OLD-7')],
        edges: [...moved.facts.edges, edge('alias:OLD-7', 'alias_of', 'issue:c1:i7')],
      });
      await graph.writer.replaceUnits(ours, [former]);
      expect(await of()).toEqual(['commit:r1:c closes issue:c1:i7', 'commit:r1:c mentions issue:c1:i7']);
      const [fixes] = (await related('commit:r1:c', { kinds: ['closes'] })).edges;
      expect(fixes).toMatchObject({ rule: 'identifier', confidence: 100, owner: 'commit:r1:c' });
      await graph.writer.replaceUnits(ours, [unit('commit:r1:c', { nodes: commit.facts.nodes })]);
      expect(await of()).toEqual([]);
      await graph.writer.replaceUnits(ours, [commit]);
      expect(await of()).toHaveLength(2);
      await graph.writer.removeUnits(ours, [moved.owner]);
      expect(await of()).toEqual([]);
    });

    it('lowers the confidence of a mention whose name two nodes have', async () => {
      await graph.writer.replaceUnits(ours, [
        issue('twin1', 'TWIN-1'),
        issue('twin2', 'TWIN-1'),
        unit('t', {
          nodes: [node('commit:r1:t', 't')],
          mentions: [mention('commit:r1:t', 'mentions', 'TWIN-1')],
        }),
      ]);
      const ambiguous = await related('commit:r1:t', { direction: 'out' });
      expect(ambiguous.edges.map(({ confidence }) => confidence)).toEqual([50, 50]);
      await graph.writer.removeUnits(ours, ['file:context:twin2']);
      const unique = await related('commit:r1:t', { direction: 'out' });
      expect(unique.edges.map(({ to, confidence }) => [to, confidence])).toEqual([['issue:c1:twin1', 90]]);
    });

    it('limits the edges of one node and the nodes of an answer, and says so', async () => {
      const hub = node('label:c1:hub', 'hub');
      const members = Array.from({ length: 120 }, (_, index) => `issue:c1:h${index}`);
      const units = members.map((key) =>
        unit(key, { nodes: [node(key, key), hub], edges: [edge(key, 'labelled', hub.key)] }),
      );
      await graph.writer.replaceUnits(ours, units);
      const few = await related(hub.key, { perNode: 10 });
      expect([few.nodes.length, few.edges.length, few.truncated]).toEqual([11, 10, true]);
      const some = await related(hub.key, { perNode: 200, limit: 30 });
      expect([some.nodes.length, some.edges.length, some.truncated]).toEqual([30, 29, true]);
      const all = await related(hub.key, { perNode: 120, limit: 121 });
      expect([all.nodes.length, all.edges.length, all.truncated]).toEqual([121, 120, false]);
      // The limit holds for `from` too.
      const many = await related(hub.key, { from: members, limit: 20, depth: 3 });
      expect([many.nodes.length, many.truncated]).toEqual([20, true]);
    });

    it('ends in cycles, and in nodes that name themselves', async () => {
      const parts = ['x', 'y', 'z'];
      const units = parts.map((part, index) =>
        unit(`cycle-${part}`, {
          nodes: [node(`file:r1:${part}`, part)],
          edges: [
            edge(`file:r1:${part}`, 'imports', `file:r1:${parts[(index + 1) % 3]}`),
            edge(`file:r1:${part}`, 'imports', `file:r1:${part}`),
          ],
        }),
      );
      await graph.writer.replaceUnits(ours, units);
      const all = await related('file:r1:x', { depth: 3 });
      expect([all.nodes.length, all.edges.length, all.truncated]).toEqual([3, 6, false]);
    });

    it('finds the shortest paths, in both directions of the edges', async () => {
      const keysOf = ['p0', 'p1', 'p2', 'q1', 'far'].map((key) => `document:r1:${key}`);
      const [p0 = '', p1 = '', p2 = '', q1 = '', far = ''] = keysOf;
      await graph.writer.replaceUnits(ours, [
        unit('paths', {
          nodes: keysOf.map((key) => node(key, key)),
          edges: [
            edge(p0, 'blocks', p1),
            edge(p2, 'blocks', p1),
            edge(p0, 'blocks', q1),
            edge(q1, 'blocks', p2),
          ],
        }),
      ]);
      await graph.settle();
      const { paths, truncated, freshness } = await graph.reader.paths(ours, {
        from: p0,
        to: p2,
        maxDepth: 4,
        limit: 5,
      });
      expect(freshness.store).toBe(graph.store);
      expect(
        paths
          .map(({ nodes }) => nodes.map(({ key }) => key))
          .toSorted((a, b) => (String(a) < String(b) ? -1 : 1)),
      ).toEqual([
        [p0, p1, p2],
        [p0, q1, p2],
      ]);
      expect(paths.map(({ edges }) => edges.length)).toEqual([2, 2]);
      expect(truncated).toBe(false);
      const one = await graph.reader.paths(ours, { from: p0, to: p2, maxDepth: 4, limit: 1 });
      expect([one.paths.length, one.truncated]).toEqual([1, true]);
      for (const to of [far, p0, 'document:r1:unknown'])
        expect((await graph.reader.paths(ours, { from: p0, to, maxDepth: 6, limit: 5 })).paths).toEqual([]);
      expect((await graph.reader.paths(ours, { from: p0, to: p2, maxDepth: 1, limit: 5 })).paths).toEqual([]);
    });

    it('finds names by their beginning first, then by their words, in pages', async () => {
      const names = ['zapQuery', 'zap', 'unzapped', 'HTTPZapServer', 'read_zap_file', 'Zap größe', '日本zap'];
      await graph.writer.replaceUnits(ours, [
        unit(
          'names',
          {
            nodes: names
              .map((one, index) => node(`symbol:r9:n#${index}/function`, one))
              .concat(node('team:c1:zap', 'zap team')),
          },
          { repositoryId: 'r9' },
        ),
      ]);
      const all = ['zap', 'Zap größe', 'zap team', 'zapQuery', 'HTTPZapServer', 'read_zap_file'];
      expect((await found('zap')).slice(0, 6)).toEqual(all);
      expect(await found('zap', { kinds: ['team'] })).toEqual(['zap team']);
      expect(await found('zap', { origins: ['r9'], kinds: ['symbol', 'team'] })).not.toContain('zap team');
      expect(await found('ZAP')).toEqual(await found('zap'));
      expect(await found('zapquery', { whole: true })).toEqual(['zapQuery']);
      expect(await found('zapq', { whole: true })).toEqual([]);
      expect(await found('file zap')).toEqual(['read_zap_file']);
      expect((await found('日本')).concat(await found('GRÖSS'))).toEqual(['日本zap']);
      expect(await found('größ')).toContain('Zap größe');
      for (const hostile of ['"', "'", '*', ' AND ', '(', '\\', '\u{E000}', '', '%', "zap' | 'x"])
        expect(Array.isArray(await found(hostile))).toBe(true);
      const paged: string[] = [];
      for (let cursor: string | undefined, page = 0; page === 0 || cursor !== undefined; page += 1) {
        const next = await graph.reader.search(ours, { text: 'zap', limit: 2, cursor });
        paged.push(...next.nodes.map(({ name: one }) => one));
        cursor = next.nextCursor ?? undefined;
      }
      expect(paged).toEqual(await found('zap'));
      await expect(graph.reader.search(ours, { text: 'zap', limit: 2, cursor: 'x' })).rejects.toThrow(
        /another query/,
      );
    });

    it('leaves out keys that are too long, and counts them', async () => {
      const long = `file:r1:${'é'.repeat(2_000)}`;
      const { dropped } = await graph.writer.replaceUnits(ours, [
        unit('long', {
          nodes: [node(long, 'long'), node('file:r1:short', 'x'.repeat(5_000))],
          edges: [edge('file:r1:short', 'imports', long)],
        }),
      ]);
      expect(dropped).toBe(2);
      await graph.settle();
      const { nodes } = await graph.reader.get(ours, [long, 'file:r1:short']);
      expect(nodes.map(({ name: one }) => one.length)).toEqual([300]);
      const odd = unit('odd', { nodes: [node('file:r1:od\0d\uD800', 'nul\0', { text: '\uDC00\0' })] });
      await graph.writer.replaceUnits(ours, [odd]);
    });

    it('removes a repository with all of its units', async () => {
      const many = Array.from({ length: 250 }, (_, index) =>
        unit(`gone-${index}`, { nodes: [node(`file:r2:${index}`, `gone ${index}`)] }, { repositoryId: 'r2' }),
      );
      await graph.writer.replaceUnits(ours, [...many, file('stays.ts', ['stays'])]);
      expect((await found('gone', { kinds: ['file'] })).length).toBe(20);
      await graph.writer.removeRepository(ours, 'r2');
      expect(await found('gone')).toEqual([]);
      expect(await found('stays')).not.toEqual([]);
    });

    it('shows an organization nothing of another one', async () => {
      const key = 'file:r1:secret.ts';
      await graph.writer.replaceUnits(theirs, [
        file('secret.ts', ['secretName'], [symbol('a.ts', 'alpha')]),
        issue('secret', 'ENG-99'),
      ]);
      await graph.writer.replaceUnits(ours, [
        unit('spy', {
          nodes: [node('commit:r1:spy', 'spy')],
          mentions: [mention('commit:r1:spy', 'closes', 'ENG-99')],
        }),
      ]);
      const before = await statsOf(graph, ours);
      expect((await graph.reader.get(ours, [key])).nodes).toEqual([]);
      expect(await found('secret')).toEqual([]);
      expect(keys(await related(key, { depth: 3 }))).toEqual([]);
      expect(triples(await related('commit:r1:spy'))).toEqual([]);
      const path = { from: 'commit:r1:spy', to: key, maxDepth: 6, limit: 5 };
      expect((await graph.reader.paths(ours, path)).paths).toEqual([]);
      const secret = symbol('secret.ts', 'secretName');
      expect((await statsOf(graph, theirs)).nodes).toEqual({ alias: 1, file: 1, issue: 1, symbol: 1 });
      const own = await graph.reader.neighbours(theirs, {
        from: [key, symbol('a.ts', 'alpha')],
        direction: 'both',
        depth: 3,
        perNode: 9,
        limit: 9,
      });
      expect(keys(own)).toEqual([key, secret].toSorted());
      // Neither removals nor replacements reach into another organization.
      await graph.writer.removeRepository(theirs, 'r1');
      await graph.writer.removeUnits(theirs, ['spy', 'file:r1:a.ts']);
      expect(await statsOf(graph, ours)).toEqual(before);
      expect(await statsOf(graph, theirs)).toMatchObject({ nodes: {}, edges: 0 });
    });

    it('counts the nodes of each kind and the different edges', async () => {
      await graph.writer.replaceUnits(theirs, [
        unit('s1', {
          nodes: [node('team:c:1', 'a'), node('team:c:2', 'b')],
          edges: [edge('team:c:1', 'related', 'team:c:2')],
        }),
        unit('s2', { nodes: [node('team:c:1', 'a')], edges: [edge('team:c:1', 'related', 'team:c:2', 40)] }),
      ]);
      expect(await statsOf(graph, theirs)).toMatchObject({ nodes: { team: 2 }, edges: 1 });
      await graph.writer.removeUnits(theirs, ['s2']);
      expect(await statsOf(graph, theirs)).toMatchObject({ nodes: { team: 2 }, edges: 1 });
      await graph.writer.removeUnits(theirs, ['s1']);
      expect(await statsOf(graph, theirs)).toMatchObject({ nodes: {}, edges: 0 });
    });
  });
}

async function statsOf(graph: OpenGraph, scope: typeof ours) {
  await graph.settle();
  const { nodes, edges, freshness } = await graph.reader.stats(scope);
  expect(freshness.store).toBe(graph.store);
  return { nodes, edges };
}
