import { z } from 'zod';
import { maybe } from '../client/selection.ts';

// Fields that several kinds have in the answers of the provider.

export const text = z.string();
export const id = z.object({ id: text });
export const person = z.object({ id: text, name: text });
export const named = z.object({ id: text, name: text });
export const slugged = z.object({ id: text, slugId: text, name: text });
export const teamReference = z.object({ id: text, key: text });
export const issueReference = z.object({ id: text, identifier: text });

export const dates = { createdAt: text, updatedAt: text, archivedAt: maybe(text) };
export const trash = { trashed: maybe(z.boolean()) };

/** A link in the list of resources of a project or initiative. */
export const link = z.object({ id: text, label: text, url: text, createdAt: text, creator: maybe(person) });

/** The fields of an update of a project or initiative, besides what it is about. */
export const update = { id: text, url: text, body: text, health: text, ...dates, user: person };
