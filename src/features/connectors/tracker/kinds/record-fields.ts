import { z } from 'zod';
import {
  date,
  flag,
  id,
  line,
  listOf,
  oldestFirst,
  person,
  text,
  time,
  url,
} from '../../../mirror/format/field-types.ts';
import { plainLine } from '../../../mirror/format/plain-text.ts';
import type { Comment } from './part-kinds.ts';

// Fields that the records of several kinds have, and how they are filled from the answers of the provider.

export const state = z.object({ name: line, type: line }).optional();

const comment = z.object({
  id,
  author: person.optional(),
  createdAt: time,
  updatedAt: time.optional(),
  resolvedAt: time.optional(),
  /** The comment that it answers. */
  parent: id.optional(),
  url,
  body: text,
});

/** A link or file that hangs on a record. `file`: its copy, relative to the file of the record. */
const attachment = z.object({
  id,
  title: line,
  subtitle: line.optional(),
  url,
  source: line.optional(),
  createdAt: time.optional(),
  creator: person.optional(),
  file: line.optional(),
});

export const comments = listOf(comment, oldestFirst);
export const attachments = listOf(attachment, (value) => value.id);
export const due = date.optional();

export const dates = {
  createdAt: time,
  updatedAt: time,
  archivedAt: time.optional(),
  trashed: flag,
};

/** Returns comments as entries of the file of what they are written on. */
export function commentEntries(written: readonly Comment[]): z.input<typeof comment>[] {
  return written.map((each) => ({
    id: each.id,
    author: authorOf(each),
    createdAt: each.createdAt,
    // The provider sets both at the creation; a difference means an edit.
    updatedAt: each.updatedAt === each.createdAt ? undefined : each.updatedAt,
    resolvedAt: each.resolvedAt,
    parent: each.parent?.id,
    url: each.url,
    body: each.body,
  }));
}

/** Returns who wrote a comment: a user, an integration, or a person of a connected service. */
function authorOf({ user, botActor, externalUser }: Comment): z.input<typeof person> | undefined {
  if (user !== undefined) return user;
  if (externalUser !== undefined) return externalUser;
  return botActor === undefined ? undefined : { id: 'bot', name: botActor.name ?? 'bot' };
}

interface Dates {
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly archivedAt?: string | undefined;
  readonly trashed?: boolean | undefined;
}

/** Returns the fields of times that all kinds have. */
export function datesOf({ createdAt, updatedAt, archivedAt, trashed }: Dates) {
  return { createdAt, updatedAt, archivedAt, trashed };
}

interface Link {
  readonly id: string;
  readonly label: string;
  readonly url: string;
  readonly createdAt: string;
  readonly creator?: z.input<typeof person> | undefined;
}

export function linkAttachments(links: readonly Link[]) {
  return links.map(({ label, ...link }) => ({ ...link, title: label }));
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
