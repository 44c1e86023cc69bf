import { z } from 'zod';
import { type Complete, maybe } from '../client/selection.ts';
import { dates, id, issueReference, person, slugged, text } from './answer-fields.ts';

// The kinds that are parts of the files of others. A change of one leads to those.

export const attachmentFields = {
  id: text,
  title: text,
  subtitle: maybe(text),
  url: text,
  sourceType: maybe(text),
  createdAt: text,
  creator: maybe(person),
};

const comment = z.object({
  id: text,
  body: text,
  url: text,
  ...dates,
  resolvedAt: maybe(text),
  user: maybe(person),
  botActor: maybe(z.object({ name: maybe(text) })),
  externalUser: maybe(person),
  parent: maybe(id),
  issue: maybe(issueReference),
  project: maybe(id),
  projectUpdate: maybe(id),
  initiative: maybe(id),
  initiativeUpdate: maybe(id),
  // A comment on a part of a text: the text belongs to one of these.
  documentContent: maybe(
    z.object({
      id: text,
      document: maybe(id),
      issue: maybe(id),
      project: maybe(id),
      initiative: maybe(id),
    }),
  ),
});

export type Comment = Complete<z.output<typeof comment>>;

const customerNeed = z.object({
  id: text,
  url: maybe(text),
  content: maybe(text),
  priority: z.number(),
  ...dates,
  creator: maybe(person),
  customer: maybe(slugged),
  issue: maybe(issueReference),
  project: maybe(slugged),
});

/** A request of a customer. */
export type Need = Complete<z.output<typeof customerNeed>>;

const attachment = z.object({ ...attachmentFields, updatedAt: text, issue: issueReference });

export const partFamilies = {
  comment: { shape: comment },
  'customer-need': { shape: customerNeed },
  attachment: { shape: attachment },
} as const;

export type PartKind = keyof typeof partFamilies;

export const partKinds = Object.keys(partFamilies) as readonly PartKind[];

export function isPart(kind: string): kind is PartKind {
  return Object.hasOwn(partFamilies, kind);
}
