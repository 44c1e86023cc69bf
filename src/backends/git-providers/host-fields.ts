import { type FieldError, InvalidInput } from '../../foundation/kernel/errors.ts';
import { closestName } from '../../foundation/kernel/text/closest-name.ts';
import { withoutEnd } from '../../foundation/kernel/text/cut-text.ts';
import { fieldName, pointerTo } from '../../foundation/kernel/wire/json-pointer.ts';
import type { GitProviderField } from './port.ts';

type Fields = Readonly<Record<string, string>>;

const maxFieldLength = 16_384;

/** Checks that only known fields are given and every required one is. @throws InvalidInput naming all of them */
export function checkFields(kind: string, known: readonly GitProviderField[], given: Fields): void {
  const names = known.map(({ name }) => name);
  const unknown = Object.keys(given)
    .filter((name) => !names.includes(name))
    .map((name) => fieldError(name, `is not a field of the kind ${kind}${suggestion(name, names)}`));
  const missing = known
    .filter(({ name, required }) => required && (given[name] ?? '') === '')
    .map(({ name, description }) => fieldError(name, `is required: ${description}`));
  const invalid = Object.entries(given)
    .filter(([, value]) => value.length > maxFieldLength || /[\0\x7f]/.test(value))
    .map(([name]) => fieldError(name, `must be text of at most ${maxFieldLength} characters`));
  refuse([...unknown, ...missing, ...invalid]);
}

/** Returns the error of one field, whose message continues its name. */
export function fieldError(name: string, message: string): FieldError {
  return { path: pointerTo([name]), message };
}

/** @throws InvalidInput if there are errors */
export function refuse(errors: readonly FieldError[]): void {
  if (errors.length === 0) return;
  const sentence = errors.map(({ path, message }) => `\`${fieldName(path)}\` ${message}.`).join(' ');
  throw new InvalidInput(sentence, { errors });
}

function suggestion(word: string, names: readonly string[]): string {
  const meant = closestName(word, names);
  return meant === undefined ? '' : `, did you mean \`${meant}\``;
}

/**
 * Returns a URL of a host without trailing slashes; a path is kept, because a host may lie below one.
 * @throws InvalidInput
 */
export function hostUrl(field: string, text: string): string {
  const url = URL.parse(text.trim());
  const isHost = url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
  if (!isHost || url.search !== '' || url.hash !== '') {
    refuse([fieldError(field, 'must be the https URL of a Git host, without a user, a password or a query')]);
  }
  return `${url?.origin}${withoutEnd(url?.pathname ?? '', '/')}`;
}

/** Returns the text as a header or a user name can carry it. @throws InvalidInput */
export function printable(field: string, text: string): string {
  const trimmed = text.trim();
  if (!/^[\x21-\x7e]+$/.test(trimmed)) {
    refuse([fieldError(field, 'must be printable ASCII characters without spaces')]);
  }
  return trimmed;
}
