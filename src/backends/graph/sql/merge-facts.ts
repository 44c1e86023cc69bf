import type { Properties } from '../port.ts';
import { type CleanNode, cleanProps, compareNodes } from './clean-facts.ts';

export type FactContent = Pick<CleanNode, 'name' | 'props'>;

/**
 * Merges what several units assert about one node. The result depends only on the set of facts: the fact with the most
 * properties gives the name, and each property has the value of the first fact that has it.
 */
export function mergeFacts(facts: readonly FactContent[]): FactContent | undefined {
  const ordered = facts.toSorted(compareNodes);
  const [first] = ordered;
  if (first === undefined) return undefined;
  const props = Object.assign({}, ...ordered.toReversed().map((fact) => fact.props)) as Properties;
  return { name: first.name, props: cleanProps(props) };
}
