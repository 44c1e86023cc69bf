import type { Facts } from '../../entities/entity.ts';
import type { OncallConfiguration } from '../configuration.ts';

/** The incidents that a configuration mirrors. */
export interface OncallScope {
  readonly services: ReadonlySet<string>;
  has(facts: Facts): boolean;
}

export function scopeOf({ scope }: OncallConfiguration): OncallScope {
  const services = new Set(scope.services.map(({ id }) => id));
  const { since = '', statuses, urgencies } = scope;
  return {
    services,
    has({ service, created, status, urgency }) {
      // A mirrored service has no other facts.
      if (!services.has(String(service))) return false;
      return (
        (created === undefined || String(created) >= since) &&
        (status === undefined || allows(statuses, status)) &&
        (urgency === undefined || allows(urgencies, urgency))
      );
    },
  };
}

/** Returns whether a list allows a value. An empty one allows all. */
function allows(list: readonly string[], value: unknown): boolean {
  return list.length === 0 || list.includes(String(value));
}
