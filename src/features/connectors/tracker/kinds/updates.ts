import { z } from 'zod';
import * as field from '../../../mirror/format/field-types.ts';
import { commentSection, recordKind } from '../../../mirror/format/record-kind.ts';
import { safeName } from '../../../mirror/format/safe-name.ts';
import * as answer from './answer-fields.ts';
import * as fields from './record-fields.ts';
import { trackerKind } from './tracker-kind.ts';

// Updates of projects and of initiatives, which differ only in what they are about.

const common = {
  scope: { inProjects: true, isDated: true },
  titleOf: ({ createdAt }: { readonly createdAt: string }) => createdAt.slice(0, 10),
  namesParent: true,
} as const;

const address = { id: field.id, url: field.url };

const content = {
  health: field.line.optional(),
  author: field.person.optional(),
  ...fields.dates,
  ...fields.content,
};

export const projectUpdate = trackerKind({
  name: 'project-update',
  shape: z.object({ ...answer.update, project: answer.slugged }),
  isOn: ({ projectUpdates }) => projectUpdates,
  containersOf: ({ project }) => [{ kind: 'project', id: project.id }],
  comments: (id) => ({ projectUpdate: { id } }),
  record: recordKind({
    type: 'projectUpdate',
    /** `project`: its slug. */
    shape: z.object({ ...address, type: z.literal('projectUpdate'), project: field.id, ...content }),
    files: 'tracker/projects/*/updates/*.md',
    names: (update) => [safeName(update.project, 'lower'), fileName(update)],
    sections: [commentSection],
    people: { author: 'updated_by' },
    describe: ({ project }) => ({ kind: 'project', id: project, title: undefined }),
  }),
  render: ({ user, project, ...update }) => ({ ...update, project: project.slugId, author: user }),
  ...common,
});

export const initiativeUpdate = trackerKind({
  name: 'initiative-update',
  shape: z.object({ ...answer.update, initiative: answer.slugged }),
  isOn: ({ initiatives, projectUpdates }) => initiatives && projectUpdates,
  containersOf: ({ initiative }) => [{ kind: 'initiative', id: initiative.id }],
  comments: (id) => ({ initiativeUpdate: { id } }),
  record: recordKind({
    type: 'initiativeUpdate',
    /** `initiative`: its slug. */
    shape: z.object({ ...address, type: z.literal('initiativeUpdate'), initiative: field.id, ...content }),
    files: 'tracker/initiatives/*/updates/*.md',
    names: (update) => [safeName(update.initiative, 'lower'), fileName(update)],
    sections: [commentSection],
    people: { author: 'updated_by' },
    describe: ({ initiative }) => ({ kind: 'initiative', id: initiative, title: undefined }),
  }),
  render: ({ user, initiative, ...update }) => ({ ...update, initiative: initiative.slugId, author: user }),
  ...common,
});

const uuid = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/u;

/**
 * The day of an update and the first eight digits of its UUID; other ids are not shortened, because they may be equal.
 */
function fileName(update: { readonly id: string; readonly createdAt: string }): string {
  const { id: own, createdAt } = update;
  return safeName(`${createdAt.slice(0, 10)}-${uuid.test(own) ? own.slice(0, 8) : own}`, 'lower');
}
