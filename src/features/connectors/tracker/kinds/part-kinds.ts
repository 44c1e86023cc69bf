import { z } from 'zod';
import type { EntityId } from '../../port.ts';
import { maybe } from '../client/selection.ts';
import {
  dates,
  issueReference,
  optionalIds,
  optionalTexts,
  person,
  slugged,
  texts,
} from './answer-fields.ts';
import { type Answer, type EntityShape, type Family, namesOf } from './family.ts';

/** A family of parts of the files of others. A change of one leads to those. */
export interface PartKind<Shape extends EntityShape = EntityShape> extends Family<Shape> {
  /** The kinds of the entities whose files contain it. */
  readonly parents: readonly string[];
  /** True if the parents change with what it names, so that they are asked for although some are known. */
  readonly hasManyParents?: true;
}

const partKind = <Shape extends EntityShape>(kind: PartKind<Shape>) => kind;

export const comment = partKind({
  name: 'comment',
  shape: z.object({
    ...texts('id', 'body', 'url'),
    ...optionalTexts('resolvedAt'),
    ...dates,
    user: maybe(person),
    botActor: maybe(z.object(optionalTexts('name'))),
    externalUser: maybe(person),
    ...optionalIds('parent', 'issue', 'project', 'projectUpdate', 'initiative', 'initiativeUpdate'),
    // A comment on a part of a text: the text belongs to one of these.
    documentContent: maybe(z.object(optionalIds('document', 'issue', 'project', 'initiative'))),
  }),
  isOn: ({ comments }) => comments,
  parents: ['issue', 'project-update', 'initiative-update', 'document', 'project', 'initiative'],
});

export type Comment = Answer<(typeof comment)['shape']>;

export const customerNeed = partKind({
  name: 'customer-need',
  shape: z.object({
    ...texts('id'),
    ...optionalTexts('url', 'content'),
    priority: z.number(),
    ...dates,
    creator: maybe(person),
    customer: maybe(slugged),
    issue: maybe(issueReference),
    project: maybe(slugged),
  }),
  isOn: ({ customerRequests }) => customerRequests,
  // It stands in the file of a customer, and the customer in that of an issue.
  parents: ['customer', 'issue'],
  hasManyParents: true,
});

/** A request of a customer. */
export type Need = Answer<(typeof customerNeed)['shape']>;

export const attachmentFields = {
  ...texts('id', 'title', 'url', 'createdAt'),
  ...optionalTexts('subtitle', 'sourceType'),
  creator: maybe(person),
};

/** @internal Tests create some. */
export const attachment = partKind({
  name: 'attachment',
  shape: z.object({ ...attachmentFields, ...texts('updatedAt'), issue: issueReference }),
  isOn: ({ issues }) => issues,
  parents: ['issue'],
});

export const partKinds: readonly PartKind[] = [comment, customerNeed, attachment];

type References = Readonly<Record<string, { readonly id: string } | undefined>>;

/** Returns the id of the entity of a kind that a part names, itself or by the text that it is written on. */
export function ownerIn(part: object, kind: string): string | undefined {
  const { field } = namesOf(kind);
  const names = part as References & { readonly documentContent?: References };
  return (names[field] ?? names.documentContent?.[field])?.id;
}

/** Returns the entities whose files contain a part. */
export function parentsOfPart({ parents }: PartKind, part: object): readonly EntityId[] {
  return parents.flatMap((kind) => {
    const owner = ownerIn(part, kind);
    return owner === undefined ? [] : { kind, id: owner };
  });
}
