import { z } from 'zod';
import { date, id, line, lines, person, text, time, url } from '../../../mirror/format/field-types.ts';
import { commentSection, linkPeople, linkTo, recordKind } from '../../../mirror/format/record-kind.ts';
import { safeName } from '../../../mirror/format/safe-name.ts';
import { listOf, maybe } from '../client/selection.ts';
import * as answer from './answer-fields.ts';
import {
  attachments,
  commentEntries,
  comments,
  dateOf,
  dates,
  datesOf,
  linkAttachments,
  slugsOf,
  state,
} from './record-fields.ts';
import { commentsOnText, namedBySlug, trackerKind } from './tracker-kind.ts';

const record = recordKind({
  type: 'initiative',
  shape: z.object({
    id,
    slug: id,
    url,
    title: line,
    type: z.literal('initiative'),
    summary: line.optional(),
    state,
    health: line.optional(),
    /** Slugs. */
    projects: lines,
    /** Slug of the initiative that it is part of. */
    parent: id.optional(),
    owner: person.optional(),
    creator: person.optional(),
    due: date.optional(),
    ...dates,
    completedAt: time.optional(),
    attachments,
    body: text,
    comments,
  }),
  files: 'tracker/initiatives/*/initiative.md',
  names: ({ slug }) => [safeName(slug, 'lower')],
  sections: [commentSection],
  entity: 'initiative',
  describe: (initiative) => [
    {
      id: initiative.slug,
      title: initiative.title,
      people: linkPeople('owned_by', 'owner', initiative.owner),
      refersTo: linkTo('child_of', 'initiative', 'initiative', initiative.parent),
    },
  ],
});

export const initiative = trackerKind({
  kind: 'initiative',
  list: 'initiatives',
  one: 'initiative',
  filter: 'InitiativeFilter',
  event: 'Initiative',
  shape: z.object({
    id: answer.text,
    slugId: answer.text,
    url: answer.text,
    name: answer.text,
    description: maybe(answer.text),
    content: maybe(answer.text),
    health: maybe(answer.text),
    status: answer.text,
    targetDate: maybe(answer.text),
    completedAt: maybe(answer.text),
    ...answer.dates,
    ...answer.trash,
    owner: maybe(answer.person),
    creator: maybe(answer.person),
    parentInitiative: maybe(answer.slugged),
    projects: listOf(answer.slugged, 20),
    links: listOf(answer.link, 5),
  }),
  scope: { isOn: ({ initiatives }) => initiatives, inProjects: true, isDated: true, outlives: true },
  containersOf: ({ projects }) => projects.map((project) => ({ kind: 'project', id: project.id })),
  comments: commentsOnText('initiative'),
  record,
  render: (entity, details) => ({
    id: entity.id,
    slug: entity.slugId,
    url: entity.url,
    title: entity.name,
    summary: entity.description === '' ? undefined : entity.description,
    state: { name: entity.status, type: entity.status.toLowerCase() },
    health: entity.health,
    projects: slugsOf(entity.projects),
    parent: entity.parentInitiative?.slugId,
    owner: entity.owner,
    creator: entity.creator,
    due: dateOf(entity.targetDate),
    ...datesOf(entity),
    completedAt: entity.completedAt,
    attachments: linkAttachments(entity.links),
    body: entity.content ?? '',
    comments: commentEntries(details.comments),
  }),
  titleOf: ({ name }) => name,
  ...namedBySlug('initiative'),
});
