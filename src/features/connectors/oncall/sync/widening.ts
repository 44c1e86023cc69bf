import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { OncallConfiguration } from '../configuration.ts';
import type { OncallScope } from './oncall-scope.ts';

const wideningShape = z.object({
  /** The services with incidents that were out of scope. */
  services: z.array(z.string()),
  /** Time before which those were created, if only older incidents were added. */
  until: z.number().optional(),
});

/** The additions of a new configuration to a former one. Removing something needs no requests. */
export type Widening = z.output<typeof wideningShape>;

/** Returns the services that a comparison reads, in their order. `added`: the widening that it reads. */
export function servicesOf(scope: OncallScope, added: unknown): readonly string[] {
  return added === undefined ? [...scope.services].toSorted() : wideningShape.parse(added).services;
}

/** Returns the end of the range that a comparison reads; `undefined` for the present time. */
export function untilOf(added: unknown): number | undefined {
  return added === undefined ? undefined : wideningShape.parse(added).until;
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
