import { type ErrorDetails, InvalidInput } from './errors.ts';

/**
 * The refusal of one field. `path` is its plain name as the sender wrote it (`limit`, `source`), `message` continues
 * it ("must be …"); `sentence` is the whole for people where the two together would not read well.
 */
export function invalidField(
  path: string,
  message: string,
  sentence = `\`${path}\` ${message}.`,
  options: ErrorDetails = {},
): InvalidInput {
  return new InvalidInput(sentence, { ...options, errors: [{ path, message }] });
}

/** @throws InvalidInput unless `value` is a whole number from `least` to `most`. */
export function checkRange(path: string, value: number, least: number, most: number): void {
  if (Number.isInteger(value) && value >= least && value <= most) return;
  throw invalidField(path, `must be a whole number from ${least} to ${most}`);
}
