import { invalidField } from '../../foundation/kernel/wire/invalid-field.ts';

const maxNameLength = 200;

/** Returns the parts of a qualified name (`Lease.renew`, `lease::renew()`, `Acme\Lease`, `(*Lease).Renew` of Go). */
export function partsOfName(text: string): readonly string[] {
  return text
    .trim()
    .replace(/^\(\*?([^()]{1,200})\)(?=\.)/, '$1')
    .replace(/\(\)?$/, '')
    .split(/::|[.#\\]|->/)
    .filter((part) => part !== '');
}

/** Returns the last part of a name; the text itself if it has no part. */
export function unqualified(text: string): string {
  return partsOfName(text).at(-1) ?? text;
}

/** Returns the last part of a name, as `unqualified` does. @throws InvalidInput for a text that is no name */
export function lastPart(text: string): string {
  const name = partsOfName(text).at(-1);
  if (name === undefined) throw refuseName('is empty; pass the name of a function, class, type or similar');
  if (name.length > maxNameLength) throw refuseName(`is longer than ${maxNameLength} characters`);
  if (/[\n\0]/.test(name) || !name.isWellFormed())
    throw refuseName(
      'is not a name: it contains a line break, a NUL byte or half a character (a lone surrogate)',
    );
  return name;
}

function refuseName(what: string): Error {
  return invalidField('name', what, `The name ${what}.`);
}
