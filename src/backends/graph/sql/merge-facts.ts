import { type CleanNode, compareNodes } from './clean-facts.ts';

export type FactContent = Pick<CleanNode, 'name' | 'props'>;

/**
 * Merges what several units assert about one node. The result depends only on the set of facts: the fact with the most
 * properties gives the name, and each property has the value of the first fact that has it.
 */
export function mergeFacts(facts: readonly FactContent[]): FactContent | undefined {
  const [first, ...others] = facts.toSorted(compareNodes);
  if (first === undefined || others.length === 0) return first;
  const merged: Record<string, unknown> = {};
  for (const { props } of [first, ...others]) {
    for (const [name, value] of Object.entries(JSON.parse(props) as Record<string, unknown>)) {
      if (!Object.hasOwn(merged, name)) merged[name] = value;
    }
  }
  const ordered = Object.entries(merged).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return { name: first.name, props: JSON.stringify(Object.fromEntries(ordered)) };
}
