import { invalidField } from '../../../foundation/kernel/wire/invalid-field.ts';

const unitMs: Readonly<Record<string, number>> = {
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 7 * 86_400_000,
};

/** Maximum duration, in milliseconds: ten years, longer than any credential should live. */
const maxMs = 3650 * 86_400_000;

/**
 * Parses a duration such as `90d`, `12h`, `30m` or `2w` to milliseconds, above zero and at most ten years.
 * @throws InvalidInput
 */
export function parseDuration(text: string, field: string): number {
  const [, count, unit] = /^(\d{1,7})([mhdw])$/.exec(text) ?? [];
  const ms = Number(count) * (unitMs[unit ?? ''] ?? Number.NaN);
  if (ms > 0 && ms <= maxMs) return ms;
  const message = 'must be a duration such as 90d, 12h, 30m or 2w, ten years at most';
  throw invalidField(field, message, `${field} ${message}.`);
}
