import { type ErrorDetails, InvalidInput } from '../errors.ts';
import { pointerTo } from './json-pointer.ts';

/**
 * Returns an error for one invalid field. `field` is its plain name as the sender wrote it (`limit`, `source`), and
 * `message` continues it ("must be …"). `sentence` replaces the combination of both when that would not read well.
 */
export function invalidField(
  field: string,
  message: string,
  sentence = `\`${field}\` ${message}.`,
  options: ErrorDetails = {},
): InvalidInput {
  return new InvalidInput(sentence, { ...options, errors: [{ path: pointerTo([field]), message }] });
}

/** Checks that `value` is a whole number from `min` to `max`. @throws InvalidInput */
export function checkRange(field: string, value: number, min: number, max: number): void {
  if (Number.isInteger(value) && value >= min && value <= max) return;
  throw invalidField(field, `must be a whole number from ${min} to ${max}`);
}
