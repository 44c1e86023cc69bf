import { z } from 'zod';
import * as field from '../../../mirror/format/field-types.ts';
import { plainLine } from '../../../mirror/format/plain-text.ts';
import type { link } from './answer-fields.ts';
import type { Comment } from './part-kinds.ts';

// Fields that the records of several kinds have, and how they are filled from the answers of the provider.

export const state = z.object({ name: field.line, type: field.line }).optional();

const comment = z.object({
  id: field.id,
  author: field.person.optional(),
  createdAt: field.time,
  updatedAt: field.time.optional(),
  resolvedAt: field.time.optional(),
  /** The comment that it answers. */
  parent: field.id.optional(),
  url: field.url,
  body: field.text,
});

/** A link or file that hangs on a record. `file`: its copy, relative to the file of the record. */
const attachment = z.object({
  id: field.id,
  title: field.line,
  subtitle: field.line.optional(),
  url: field.url,
  source: field.line.optional(),
  createdAt: field.time.optional(),
  creator: field.person.optional(),
  file: field.line.optional(),
});

export const comments = field.listOf(comment, field.oldestFirst);
export const attachments = field.listOf(attachment, (value) => value.id);

/** The fields at the start of a record whose address ends with a slug. The title may be empty. */
export const slugged = { id: field.id, slug: field.id, url: field.url, title: field.line };

/** What people wrote, and what hangs on it. */
export const content = { attachments, body: field.text, comments };

export const dates = {
  createdAt: field.time,
  updatedAt: field.time,
  archivedAt: field.time.optional(),
  trashed: field.flag,
};

/** Returns comments as entries of the file of what they are written on. */
export function commentEntries(written: readonly Comment[]): z.input<typeof comment>[] {
  return written.map((each) => ({
    ...each,
    author: authorOf(each),
    // The provider sets both times at the creation; a difference means an edit.
    updatedAt: each.updatedAt === each.createdAt ? undefined : each.updatedAt,
    parent: each.parent?.id,
  }));
}

/** Returns who wrote a comment: a user, an integration, or a person of a connected service. */
function authorOf({ user, botActor, externalUser }: Comment): z.input<typeof field.person> | undefined {
  if (user !== undefined) return user;
  if (externalUser !== undefined) return externalUser;
  return botActor === undefined ? undefined : { id: 'bot', name: botActor.name ?? 'bot' };
}

export function linkAttachments(links: readonly z.output<typeof link>[]) {
  return links.map(({ label, ...rest }) => ({ ...rest, title: label }));
}

export function slugsOf(entities: readonly { readonly slugId: string }[]): string[] {
  return entities.map(({ slugId }) => slugId);
}

/** Returns a priority; `undefined` for the word that the provider has for none. */
export function priorityOf(label: string): string | undefined {
  const priority = label.toLowerCase();
  return priority === 'no priority' ? undefined : priority;
}

/** Returns a date; `undefined` if the provider gave something else. */
export function dateOf(value: string | undefined): string | undefined {
  return value !== undefined && /^\d{4}-\d\d-\d\d$/u.test(value) ? value : undefined;
}

/** Returns the texts of which something is left without invisible characters. A name that has none says nothing. */
export function visibleTexts(texts: readonly string[]): string[] {
  return texts.filter((each) => plainLine(each) !== '');
}
