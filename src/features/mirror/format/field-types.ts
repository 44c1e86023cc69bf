import { z } from 'zod';
import { compareText } from '../../../foundation/kernel/text/compare-text.ts';
import { plainLine, plainText } from './plain-text.ts';

/** Text of several lines, as Markdown. */
export const text = z.string().transform(plainText);

/** Text of one line; may be empty. */
export const line = z.string().transform(plainLine);

/** An id, key or slug. */
export const id = line.pipe(z.string().min(1));

/** A time with an offset. Files contain UTC with milliseconds. */
export const time = z.iso.datetime({ offset: true }).transform(inMilliseconds);

/** Most times have this form already, and creating a date is slow. */
function inMilliseconds(value: string): string {
  const isPrinted = value.length === '2026-01-01T00:00:00.000Z'.length && value.endsWith('Z');
  return isPrinted ? value : new Date(value).toISOString();
}

export const date = z.iso.date();

/** True, or absent. */
export const flag = z
  .boolean()
  .transform((value) => value || undefined)
  .optional();

export const number = z
  .number()
  .transform((value) => value + 0)
  .optional();

/**
 * An address for people. One that is not http or https is left out, because pages link to it; user and password are
 * removed.
 */
export const url = z.string().transform(webAddress).optional();

/**
 * The name of a person, without the domains of e-mail addresses, because they would stay in the history of Git for
 * good: providers show the address of a person without a name. Text that people wrote keeps its addresses.
 */
export const personName = line.transform(withoutDomains);

/** A person is identified by the id of the provider. The name is for readers. */
export const person = z.object({ id, name: personName });

/** A thing that is identified by its id, with its name for readers. */
export const named = z.object({ id, name: line });

/** Returns a list in an order that does not depend on the provider, without duplicates: the last one of a key stays. */
export function listOf<Item extends z.ZodType>(item: Item, keyOf: (value: z.output<Item>) => string) {
  return z
    .array(item)
    .default([])
    .transform((values) => {
      const byKey = new Map(values.map((value) => [keyOf(value), value]));
      return [...byKey].toSorted(([a], [b]) => compareText(a, b)).map(([, value]) => value);
    });
}

export const lines = listOf(id, (value) => value);
export const people = listOf(person, (value) => value.id);

/** Orders entries by time, oldest first, and entries of the same time by id. */
export function oldestFirst(entry: { readonly createdAt: string; readonly id: string }): string {
  return `${entry.createdAt} ${entry.id}`;
}

/** Shortens each address in a name to the part before the `@`. */
function withoutDomains(name: string): string {
  if (!name.includes('@')) return name;
  const words = name.split(' ').map((word) => {
    const at = word.indexOf('@');
    return at > 0 ? word.slice(0, at).replace(/^[<(]/u, '') : word;
  });
  return words.filter((word) => word !== '').join(' ');
}

function webAddress(value: string): string | undefined {
  const address = URL.parse(plainLine(value));
  if (address?.protocol !== 'https:' && address?.protocol !== 'http:') return undefined;
  address.username = '';
  address.password = '';
  return address.href;
}
