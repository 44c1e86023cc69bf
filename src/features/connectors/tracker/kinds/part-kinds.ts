import { z } from 'zod';
import type { EntityId } from '../../port.ts';
import { type Complete, maybe } from '../client/selection.ts';
import type { TrackerConfiguration } from '../configuration.ts';
import { dates, id, issueReference, optionalTexts, person, slugged, text, texts } from './answer-fields.ts';

// The kinds that are parts of the files of others. A change of one leads to those.

export const attachmentFields = {
  ...texts('id', 'title', 'url', 'createdAt'),
  ...optionalTexts('subtitle', 'sourceType'),
  creator: maybe(person),
};

const comment = z.object({
  ...texts('id', 'body', 'url'),
  ...optionalTexts('resolvedAt'),
  ...dates,
  user: maybe(person),
  botActor: maybe(z.object(optionalTexts('name'))),
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
  ...optionalTexts('url', 'content'),
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

interface PartFamily<Shape extends z.ZodObject> {
  readonly shape: Shape;
  /** Returns whether a configuration asks for it. */
  isOn(content: TrackerConfiguration['content']): boolean;
  /** Returns the entities whose files contain a part, by their kinds. */
  parentsOf(part: Complete<z.output<Shape>>): Readonly<Record<string, Reference>>;
  /** True if the parents change with what it names, so that they are asked for although some are known. */
  readonly hasManyParents?: true;
}

type Reference = { readonly id: string } | undefined;

const partFamily = <Shape extends z.ZodObject>(family: PartFamily<Shape>) => family;

export const partFamilies = {
  comment: partFamily({
    shape: comment,
    isOn: ({ comments }) => comments,
    parentsOf: ({ documentContent: content, projectUpdate, initiativeUpdate, ...of }) => ({
      issue: of.issue ?? content?.issue,
      'project-update': projectUpdate,
      'initiative-update': initiativeUpdate,
      document: content?.document,
      project: of.project ?? content?.project,
      initiative: of.initiative ?? content?.initiative,
    }),
  }),
  'customer-need': partFamily({
    shape: customerNeed,
    isOn: ({ customerRequests }) => customerRequests,
    // It stands in the file of a customer, and the customer in that of an issue.
    parentsOf: ({ customer, issue }) => ({ customer, issue }),
    hasManyParents: true,
  }),
  attachment: partFamily({
    shape: attachment,
    isOn: ({ issues }) => issues,
    parentsOf: ({ issue }) => ({ issue }),
  }),
} as const;

export type PartKind = keyof typeof partFamilies;

export const partKinds = Object.keys(partFamilies) as readonly PartKind[];

/** Returns a family without its own types, for code that serves all of them. */
export function partFamilyOf(kind: PartKind): PartFamily<z.ZodObject> {
  return partFamilies[kind];
}

/** Returns the entities whose files contain a part. */
export function parentsOfPart(kind: PartKind, part: object): readonly EntityId[] {
  const parents = Object.entries(partFamilyOf(kind).parentsOf(part as never));
  return parents.flatMap(([of, parent]) => (parent === undefined ? [] : { kind: of, id: parent.id }));
}

export function isPart(kind: string): kind is PartKind {
  return Object.hasOwn(partFamilies, kind);
}
