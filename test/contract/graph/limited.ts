import { expect, it } from 'vitest';
import type { GraphSearch, PathSearch, Traversal, UsesSearch } from '../../../src/backends/graph/port.ts';
import { edge, node, ours, theirs, unit } from '../../support/graph/graph-facts.ts';
import type { OpenGraph } from './graph.ts';

const connection = '01990000-0000-7000-8000-000000000001';
const hiddenConnection = '01990000-0000-7000-8000-000000000002';
/** What the reads below are limited to: one repository, and a connection that mirrors into it. */
const origins = ['own', connection] as const;
const hidden = { repositoryId: 'hid' };
const own = { repositoryId: 'own' };

/** The contract of reads that are limited to some origins, over the graph of the other cases. */
export function describeLimited(opened: () => OpenGraph): void {
  const neighbours = async (from: string, options: Partial<Traversal> = {}) => {
    const defaults = { direction: 'both', depth: 1, perNode: 50, limit: 50, origins } as const;
    const { nodes, edges, truncated } = await opened().reader.neighbours(ours, {
      ...defaults,
      from: [from],
      ...options,
    });
    return { keys: nodes.map(({ key }) => key).toSorted(), edges, truncated };
  };

  it('counts only edges of the origins against its limits', async () => {
    const { writer, settle } = opened();
    const [hub, near, record] = ['file:own:hub', 'file:own:near', `issue:${connection}:1`] as const;
    const others = Array.from({ length: 40 }, (_, index) => `file:hid:${index}`);
    await writer.replaceUnits(ours, [
      // Also edges that own files assert, whose ends are hidden.
      unit(
        hub,
        {
          nodes: [hub, near, record].map((key) => node(key, key)),
          edges: [
            edge(near, 'uses', hub, 60, 'own'),
            edge(record, 'touches', hub),
            ...others.slice(0, 20).map((key) => edge(hub, 'calls', key)),
          ],
        },
        own,
      ),
      unit(
        'file:hid:all',
        {
          nodes: others.map((key) => node(key, key)),
          edges: [
            ...others.map((key) => edge(key, 'calls', hub)),
            edge(near, 'uses', hub, 100, 'hidden'),
            edge(near, 'calls', hub),
          ],
        },
        hidden,
      ),
    ]);
    await settle();
    const few = await neighbours(hub, { perNode: 2, limit: 3 });
    expect([few.keys, few.truncated]).toEqual([[hub, near, record], false]);
    expect(few.edges).toMatchObject([
      { kind: 'touches', from: record },
      { kind: 'uses', from: near, rule: 'own', confidence: 60, owner: hub },
    ]);
    expect(await neighbours(hub, { perNode: 1 })).toMatchObject({ truncated: true });
    // An edge of little confidence is none, whatever another repository says of it.
    expect((await neighbours(hub, { minConfidence: 90 })).keys).toEqual([hub, record]);
    expect(await neighbours('file:hid:1')).toEqual({ keys: [], edges: [], truncated: false });
    expect(await neighbours(hub, { origins: [] })).toEqual({ keys: [], edges: [], truncated: false });
  });

  it('tells the uses of a name, and those of the origins only', async () => {
    const { writer, reader, settle } = opened();
    const defined = (path: string, name: string) =>
      node(`symbol:${path}#${name}/class`, name.replace(/.*\./, ''), { qualifiedName: name, startLine: 3 });
    const files = ['own:lock.ts', 'own:use.ts', 'hid:use.ts'].map((path) => node(`file:${path}`, path));
    const [lock, use, hiddenUse] = files.map(({ key }) => key) as [string, string, string];
    const [outer, inner, other] = ['Locked', 'Box.Locked', 'locked'].map((name) =>
      defined('own:lock.ts', name),
    );
    const [run, nested] = ['run', 'run.nested'].map((name) => defined('own:use.ts', name));
    const hiddenRun = defined('hid:use.ts', 'run');
    const contains = (from: string, to: { readonly key: string } | undefined) =>
      edge(from, 'contains', to?.key ?? '');
    await writer.replaceUnits(ours, [
      unit(
        lock,
        {
          nodes: [files[0]!, outer!, inner!, other!],
          edges: [outer, inner, other].map((each) => contains(lock, each)),
        },
        own,
      ),
      unit(
        use,
        {
          nodes: [files[1]!, run!, nested!],
          edges: [
            contains(use, run),
            contains(run!.key, nested),
            edge(run!.key, 'calls', outer!.key, 10, 'candidates'),
            edge(run!.key, 'calls', other!.key),
            edge(use, 'imports', lock, 90),
            edge(use, 'imports', inner!.key, 60),
          ],
        },
        own,
      ),
      unit(
        hiddenUse,
        {
          nodes: [files[2]!, hiddenRun],
          edges: [
            contains(hiddenUse, hiddenRun),
            edge(hiddenRun.key, 'inherits', inner!.key),
            edge(hiddenUse, 'imports', lock, 50),
          ],
        },
        hidden,
      ),
    ]);
    await settle();
    const usesOf = async (search: Omit<UsesSearch, 'isPlaced'>, isPlaced = () => false) => {
      const { definitions, edges, around, ...rest } = await reader.uses(ours, { ...search, isPlaced });
      return {
        definitions: definitions.map(({ key }) => key).toSorted(),
        edges: edges
          .map(({ from, kind, to, confidence }) => [from, kind, to, confidence].join(' '))
          .toSorted(),
        around: around.map(({ key }) => key).toSorted(),
        ...rest,
      };
    };
    const ofOwn = [
      `${use} imports ${inner!.key} 60`,
      `${use} imports ${lock} 90`,
      `${run!.key} calls ${outer!.key} 10`,
    ];
    const definitions = [outer!.key, inner!.key].toSorted();
    const all = await usesOf({ name: 'Locked' });
    expect(all).toMatchObject({ definitions, truncated: false });
    expect(all.edges).toEqual([...ofOwn, `${hiddenRun.key} inherits ${inner!.key} 100`].toSorted());
    expect(all.around).toEqual([run!.key, nested!.key, hiddenRun.key].toSorted());
    const placed = await usesOf({ name: 'Locked' }, () => true);
    expect(placed).toEqual({ ...all, around: [] });
    const limited = await usesOf({ name: 'Locked', origins });
    expect(limited).toMatchObject({ definitions, edges: ofOwn.toSorted(), truncated: false });
    expect(limited.around).toEqual([run!.key, nested!.key].toSorted());
    expect(await usesOf({ name: 'Locked', origins: ['hid'] })).toMatchObject({ definitions: [], edges: [] });
    const foreign = await reader.uses(theirs, { name: 'Locked', isPlaced: () => false });
    expect(foreign).toMatchObject({ definitions: [], edges: [], around: [] });
  });

  it('reaches nothing through what is hidden, and shared nodes only by edges of the origins', async () => {
    const { writer, reader, settle } = opened();
    const [a, b, c] = ['file:own:a', 'file:own:b', 'file:own:c'] as const;
    const record = `issue:${hiddenConnection}:1`;
    const [person, other] = ['person:git:limited', 'person:git:hidden'] as const;
    const crowd = Array.from({ length: 120 }, (_, index) => `file:hid:crowd${index}`);
    await writer.replaceUnits(ours, [
      unit(
        a,
        {
          nodes: [...[a, b, c].map((key) => node(key, key)), node(person, 'Zoe')],
          edges: [
            edge(a, 'touches', record),
            edge(record, 'touches', b),
            edge(a, 'updated_by', person),
            edge(c, 'updated_by', person),
          ],
        },
        own,
      ),
      unit(
        record,
        {
          nodes: [node(record, 'Record'), node(other, 'Ann'), ...crowd.map((key) => node(key, key))],
          edges: [
            edge(a, 'authored_by', other),
            edge(b, 'authored_by', other),
            ...crowd.map((key) => edge(a, 'calls', key)),
          ],
        },
        hidden,
      ),
    ]);
    await settle();
    expect((await neighbours(a, { depth: 3 })).keys).toEqual([a, c, person].toSorted());
    const paths = async (to: string, options: Partial<PathSearch> = {}) => {
      const search = { from: a, to, maxDepth: 4, limit: 5, origins, ...options };
      const found = await reader.paths(ours, search);
      return {
        keys: found.paths.map(({ nodes }) => nodes.map(({ key }) => key)),
        truncated: found.truncated,
      };
    };
    expect((await paths(b, { origins: undefined })).keys).not.toEqual([]);
    expect(await paths(b)).toEqual({ keys: [], truncated: false });
    expect(await paths(c)).toEqual({ keys: [[a, person, c]], truncated: false });
  });

  it('finds names of the origins behind more of others than a search reads, in pages', async () => {
    const { writer, reader, settle, store } = opened();
    const units = Array.from({ length: 11 }, (_, part) =>
      unit(
        `file:hid:names${part}`,
        {
          nodes: Array.from({ length: 470 }, (__, index) =>
            node(`symbol:hid:n#${part}x${index}/function`, `quorum${part * 470 + index} beta`),
          ),
        },
        hidden,
      ),
    );
    const names = ['quorumA beta', 'quorumB beta', 'quorumC beta', 'quorumRecord beta', 'quorumService beta'];
    const keys = ['symbol:own:n#a/function', 'symbol:own:n#b/function', 'symbol:own:n#c/function'];
    const named = [...keys, `issue:${connection}:q`, 'service:catalog:own/q'];
    await writer.replaceUnits(ours, [
      ...units,
      unit(
        'file:hid:records',
        {
          nodes: [
            node(`issue:${hiddenConnection}:q`, 'quorumQ beta'),
            node('service:catalog:hid/q', 'quorumR beta'),
            node('team:github.com:q', 'quorum team beta'),
          ],
        },
        hidden,
      ),
      unit('file:own:names', { nodes: names.map((name, index) => node(named[index] ?? '', name)) }, own),
    ]);
    await settle();
    const search = async (options: Partial<GraphSearch>) => {
      const found = await reader.search(ours, { text: 'beta', limit: 20, origins, ...options });
      expect(found.freshness.store).toBe(store);
      return { names: found.nodes.map(({ name }) => name), nextCursor: found.nextCursor };
    };
    for (const text of ['beta', 'quorum', 'quo bet']) {
      expect(await search({ text })).toEqual({ names, nextCursor: null });
      expect(await search({ text, kinds: ['issue'] })).toMatchObject({ names: ['quorumRecord beta'] });
      expect(await search({ text, origins: ['own'], kinds: ['symbol'] })).toMatchObject({
        names: names.slice(0, 3),
      });
      expect(await search({ text, origins: [] })).toEqual({ names: [], nextCursor: null });
      const paged: string[] = [];
      for (let cursor: string | undefined, page = 0; page === 0 || cursor !== undefined; page += 1) {
        const next = await search({ text, limit: 2, cursor });
        paged.push(...next.names);
        cursor = next.nextCursor ?? undefined;
      }
      expect(paged).toEqual(names);
    }
  });

  it('continues only the search that a cursor is of, also behind a node that is gone', async () => {
    const { writer, reader, settle } = opened();
    const symbols = ['a', 'b', 'c'].map((name) => node(`symbol:own:v#${name}/function`, 'veritas'));
    await writer.replaceUnits(ours, [unit('file:own:v', { nodes: symbols }, own)]);
    await settle();
    const asked = { text: 'veritas', kinds: ['symbol', 'file'], limit: 1, origins } as const;
    const { nextCursor } = await reader.search(ours, asked);
    const cursor = nextCursor ?? '';
    // The numbers of nodes count what others write.
    expect(JSON.parse(Buffer.from(cursor, 'base64url').toString())).toEqual(
      expect.not.arrayContaining([expect.any(Number)]),
    );
    const same = { ...asked, text: ' VERITAS', kinds: ['file', 'symbol', 'file'], limit: 2 } as const;
    expect((await reader.search(ours, { ...same, cursor })).nodes).toEqual(symbols.slice(1));
    const others: readonly Partial<GraphSearch>[] = [
      { text: 'verita' },
      { kinds: ['symbol'] },
      { kinds: undefined },
      { origins: ['own'] },
      { origins: undefined },
      { cursor: cursor.slice(0, -2) },
      { cursor: 'x' },
      { cursor: Buffer.from('null').toString('base64url') },
    ];
    for (const other of others)
      await expect(reader.search(ours, { ...asked, cursor, ...other })).rejects.toMatchObject({
        status: 400,
        message: expect.stringContaining('belongs to another query or is damaged; start again'),
      });
    await writer.replaceUnits(ours, [unit('file:own:v', { nodes: symbols.slice(1) }, own)]);
    await settle();
    expect((await reader.search(ours, { ...same, cursor })).nodes).toEqual(symbols.slice(1));
  });
}
