import { kinds as mirrored } from '../kinds/kinds.ts';
import { partFamilies } from '../kinds/part-kinds.ts';
import type { Answer, Family } from '../kinds/tracker-kind.ts';

/** The families by the kind of their entities, as webhooks and jobs name it. */
export const families = { ...mirrored, ...partFamilies };

export type Kind = keyof typeof families;

export const kinds = Object.keys(families) as readonly Kind[];

/** Returns a family without its own types, for code that serves all of them. */
export function familyOf(kind: Kind): Family {
  return families[kind];
}

/** Returns the provider's names of a kind, such as `issueLabel` and `IssueLabel`: of the field, and of the type. */
export function namesOf(kind: Kind): { readonly field: string; readonly type: string } {
  const type = kind.replaceAll(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return { field: type.charAt(0).toLowerCase() + type.slice(1), type };
}

/** An entity with the whole of its lists. Its comments are entities of their own: their number is not limited. */
export type Entity<K extends Kind> = Answer<(typeof families)[K]['shape']>;
