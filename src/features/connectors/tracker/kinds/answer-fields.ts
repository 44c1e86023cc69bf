import { z } from 'zod';
import { fieldsOf } from '../../sync/fields-of.ts';
import { maybe } from '../client/selection.ts';

// Fields that several kinds have in the answers of the provider.

export const text = z.string();

export const texts = fieldsOf(text);
export const optionalTexts = fieldsOf(maybe(text));

export const id = z.object(texts('id'));
export const optionalIds = fieldsOf(maybe(id));
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
