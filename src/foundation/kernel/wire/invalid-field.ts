import { type ErrorDetails, InvalidInput } from '../errors.ts';

/**
 * Returns an error for one invalid field. `path` is its plain name as the sender wrote it (`limit`, `source`), and
 * `message` continues it ("must be …"). `sentence` replaces the combination of both when that would not read well.
 */
export function invalidField(
  path: string,
  message: string,
  sentence = `\`${path}\` ${message}.`,
  options: ErrorDetails = {},
): InvalidInput {
  return new InvalidInput(sentence, { ...options, errors: [{ path, message }] });
}

/** Checks that `value` is a whole number from `min` to `max`. @throws InvalidInput */
export function checkRange(path: string, value: number, min: number, max: number): void {
  if (Number.isInteger(value) && value >= min && value <= max) return;
  throw invalidField(path, `must be a whole number from ${min} to ${max}`);
}
