import { isDeepStrictEqual } from 'node:util';
import type { OncallConfiguration } from '../configuration.ts';

/** The additions of a new configuration to a former one. Removing something needs no requests. */
export interface Widening {
  /** The services with incidents that were out of scope. */
  readonly services: readonly string[];
  /** Time before which those were created, if only older incidents were added. */
  readonly until?: number;
}

/** Returns what a configuration adds; `rendering` if the files themselves have another content. */
export function widenedBy(former: OncallConfiguration, next: OncallConfiguration): Widening | 'rendering' {
  if (!isDeepStrictEqual(next.content, former.content)) return 'rendering';
  const known = new Set(former.scope.services.map(({ id }) => id));
  const all = next.scope.services.map(({ id }) => id).toSorted();
  const added = all.filter((id) => !known.has(id));
  const isWider =
    admitsMore(former.scope.statuses, next.scope.statuses) ||
    admitsMore(former.scope.urgencies, next.scope.urgencies);
  if (isWider) return { services: all };
  const { since } = former.scope;
  if (since === undefined || (next.scope.since ?? '') >= since) return { services: added };
  return added.length > 0 ? { services: all } : { services: all, until: Date.parse(since) };
}

/** Returns whether a list of values admits more than a former one. An empty list admits everything. */
function admitsMore(former: readonly string[], next: readonly string[]): boolean {
  return former.length > 0 && (next.length === 0 || next.some((value) => !former.includes(value)));
}
