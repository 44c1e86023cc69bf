import { z } from 'zod';
import * as field from '../../../mirror/format/field-types.ts';
import { commentSection, recordKind } from '../../../mirror/format/record-kind.ts';
import { safeName } from '../../../mirror/format/safe-name.ts';
import * as answer from './answer-fields.ts';
import type { Comment } from './part-kinds.ts';
import * as fields from './record-fields.ts';
import { trackerKind } from './tracker-kind.ts';

// Updates of projects and of initiatives, which differ only in what they are about.

const common = {
  health: field.line.optional(),
  author: field.person.optional(),
  ...fields.dates,
  ...fields.content,
};

const projectUpdateRecord = recordKind({
  type: 'projectUpdate',
  shape: z.object({
    id: field.id,
    url: field.url,
    type: z.literal('projectUpdate'),
    /** Slug of the project. */
    project: field.id,
    ...common,
  }),
  files: 'tracker/projects/*/updates/*.md',
  names: (update) => [safeName(update.project, 'lower'), fileName(update)],
  sections: [commentSection],
  people: { author: 'updated_by' },
  describe: (update) => ({ kind: 'project', id: update.project, title: undefined }),
});

const initiativeUpdateRecord = recordKind({
  type: 'initiativeUpdate',
  shape: z.object({
    id: field.id,
    url: field.url,
    type: z.literal('initiativeUpdate'),
    /** Slug of the initiative. */
    initiative: field.id,
    ...common,
  }),
  files: 'tracker/initiatives/*/updates/*.md',
  names: (update) => [safeName(update.initiative, 'lower'), fileName(update)],
  sections: [commentSection],
  people: { author: 'updated_by' },
  describe: (update) => ({ kind: 'initiative', id: update.initiative, title: undefined }),
});

export const projectUpdate = trackerKind({
  kind: 'project-update',
  shape: z.object({ ...answer.update, project: answer.slugged }),
  scope: { isOn: ({ projectUpdates }) => projectUpdates, inProjects: true, isDated: true },
  containersOf: ({ project }) => [{ kind: 'project', id: project.id }],
  record: projectUpdateRecord,
  render: (update, { comments }) => ({
    ...update,
    project: update.project.slugId,
    author: update.user,
    comments: fields.commentEntries(comments),
  }),
  ...commonOf('projectUpdate'),
});

export const initiativeUpdate = trackerKind({
  kind: 'initiative-update',
  shape: z.object({ ...answer.update, initiative: answer.slugged }),
  scope: {
    isOn: ({ initiatives, projectUpdates }) => initiatives && projectUpdates,
    inProjects: true,
    isDated: true,
  },
  containersOf: ({ initiative }) => [{ kind: 'initiative', id: initiative.id }],
  record: initiativeUpdateRecord,
  render: (update, { comments }) => ({
    ...update,
    initiative: update.initiative.slugId,
    author: update.user,
    comments: fields.commentEntries(comments),
  }),
  ...commonOf('initiativeUpdate'),
});

function commonOf(kind: 'projectUpdate' | 'initiativeUpdate') {
  return {
    comments: {
      filter: (one: object) => ({ [kind]: { id: one } }),
      ownerOf: (comment: Comment) => comment[kind]?.id,
    },
    titleOf: ({ createdAt }: { readonly createdAt: string }) => createdAt.slice(0, 10),
    namesParent: true,
  } as const;
}

const uuid = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/u;

/**
 * The day of an update and the first eight digits of its UUID; other ids are not shortened, because they may be equal.
 */
function fileName(update: { readonly id: string; readonly createdAt: string }): string {
  const { id: own, createdAt } = update;
  return safeName(`${createdAt.slice(0, 10)}-${uuid.test(own) ? own.slice(0, 8) : own}`, 'lower');
}
