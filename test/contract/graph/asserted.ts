import { expect, it } from 'vitest';
import type { GraphReader, GraphWriter } from '../../../src/backends/graph/port.ts';
import { node, ours, theirs, unit } from '../../support/graph/graph-facts.ts';

/** The contract of reading what single units assert, over the graph of the other cases. */
export function describeAsserted(
  opened: () => { readonly writer: GraphWriter; readonly reader: GraphReader },
): void {
  it('returns what some units assert about a node, without what others do', async () => {
    const graph = opened();
    const key = 'person:git:asserted';
    const [ours1, theirs2, silent] = ['commit:r1:asserted', 'commit:r2:asserted', 'commit:r1:silent'];
    await graph.writer.replaceUnits(ours, [
      unit(ours1, { nodes: [node(ours1, 'commit'), node(key, 'Zoe')] }),
      unit(theirs2, { nodes: [node(theirs2, 'commit'), node(key, 'Ann', { login: 'ann' })] }),
      unit(silent, { nodes: [node(silent, 'commit')] }),
    ]);
    const named = async (owners: readonly string[], scope = ours) => {
      const facts = owners.map((owner) => ({ owner, key }));
      return (await graph.reader.asserted(scope, facts)).nodes;
    };
    const zoe = { key, kind: 'person', name: 'Zoe', props: {} };
    const ann = { key, kind: 'person', name: 'Ann', props: { login: 'ann' } };
    expect(await named([ours1, silent])).toEqual([zoe]);
    expect(await named([theirs2])).toEqual([ann]);
    expect(await named([ours1, theirs2])).toEqual([ann]);
    for (const owners of [[], [silent], ['commit:r1:unknown']]) expect(await named(owners)).toEqual([]);
    expect(await named([ours1], theirs)).toEqual([]);
  });
}
