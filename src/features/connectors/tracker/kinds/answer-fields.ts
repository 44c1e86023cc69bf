import { z } from 'zod';
import { maybe } from '../client/selection.ts';

// Fields that several kinds have in the answers of the provider.

export const text = z.string();

/** Returns fields that each have a text. */
export function texts<const Name extends string>(...names: readonly Name[]) {
  return Object.fromEntries(names.map((name) => [name, text])) as Readonly<Record<Name, typeof text>>;
}

const optionalText = maybe(text);

/** Returns fields that each have a text or none. */
export function optionalTexts<const Name extends string>(...names: readonly Name[]) {
  return Object.fromEntries(names.map((name) => [name, optionalText])) as Readonly<
    Record<Name, typeof optionalText>
  >;
}

export const id = z.object(texts('id'));
export const named = z.object(texts('id', 'name'));
export const person = z.object(texts('id', 'name'));
export const slugged = z.object(texts('id', 'slugId', 'name'));
export const teamReference = z.object(texts('id', 'key'));
export const issueReference = z.object(texts('id', 'identifier'));

export const dates = { ...texts('createdAt', 'updatedAt'), ...optionalTexts('archivedAt') };
export const trash = { trashed: maybe(z.boolean()) };

/** A link in the list of resources of a project or initiative. */
export const link = z.object({ ...texts('id', 'label', 'url', 'createdAt'), creator: maybe(person) });

/** The fields of an update of a project or initiative, besides what it is about. */
export const update = { ...texts('id', 'url', 'body', 'health'), ...dates, user: person };
