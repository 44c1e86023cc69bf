import { z } from 'zod';
import * as field from '../../../mirror/format/field-types.ts';
import { commentSection, recordKind } from '../../../mirror/format/record-kind.ts';
import { safeName } from '../../../mirror/format/safe-name.ts';
import { listOf, maybe } from '../client/selection.ts';
import * as answer from './answer-fields.ts';
import * as fields from './record-fields.ts';
import { commentsOnText, namedBySlug, trackerKind } from './tracker-kind.ts';

export const initiative = trackerKind({
  name: 'initiative',
  shape: z.object({
    ...answer.texts('id', 'slugId', 'url', 'name', 'status'),
    ...answer.optionalTexts('description', 'content', 'health', 'targetDate', 'completedAt'),
    ...answer.dates,
    ...answer.trash,
    owner: maybe(answer.person),
    creator: maybe(answer.person),
    parentInitiative: maybe(answer.slugged),
    projects: listOf(answer.slugged, 20),
    links: listOf(answer.link, 5),
  }),
  isOn: ({ initiatives }) => initiatives,
  scope: { inProjects: true, isDated: true, outlives: true },
  containersOf: ({ projects }) => projects.map((project) => ({ kind: 'project', id: project.id })),
  comments: commentsOnText('initiative'),
  isSweptWhole: true,
  record: recordKind({
    type: 'initiative',
    shape: z.object({
      ...fields.slugged,
      type: z.literal('initiative'),
      summary: field.line.optional(),
      state: fields.state,
      health: field.line.optional(),
      /** Slugs. */
      projects: field.lines,
      /** Slug of the initiative that it is part of. */
      parent: field.id.optional(),
      owner: field.person.optional(),
      creator: field.person.optional(),
      due: field.date.optional(),
      ...fields.dates,
      completedAt: field.time.optional(),
      ...fields.content,
    }),
    files: 'tracker/initiatives/*/initiative.md',
    names: ({ slug }) => [safeName(slug, 'lower')],
    sections: [commentSection],
    entity: 'initiative',
    people: { owner: 'owned_by' },
    links: { parent: ['child_of', 'initiative'] },
    describe: ({ slug, title }) => ({ id: slug, title }),
  }),
  render: (entity) => ({
    ...entity,
    slug: entity.slugId,
    title: entity.name,
    summary: entity.description === '' ? undefined : entity.description,
    state: { name: entity.status, type: entity.status.toLowerCase() },
    projects: fields.slugsOf(entity.projects),
    parent: entity.parentInitiative?.slugId,
    due: fields.dateOf(entity.targetDate),
    attachments: fields.linkAttachments(entity.links),
    body: entity.content ?? '',
  }),
  titleOf: ({ name }) => name,
  ...namedBySlug('initiative'),
});
