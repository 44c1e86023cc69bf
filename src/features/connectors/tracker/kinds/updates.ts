import { z } from 'zod';
import { id, line, person, text, url } from '../../../mirror/format/field-types.ts';
import {
  commentSection,
  type Description,
  linkPeople,
  recordKind,
} from '../../../mirror/format/record-kind.ts';
import { safeName } from '../../../mirror/format/safe-name.ts';
import * as answer from './answer-fields.ts';
import { attachments, commentEntries, comments, dates, datesOf } from './record-fields.ts';
import { type Answer, type EntityDetails, trackerKind } from './tracker-kind.ts';

// Updates of projects and of initiatives, which differ only in what they are about.

const fields = {
  health: line.optional(),
  author: person.optional(),
  ...dates,
  attachments,
  body: text,
  comments,
};
const common = { id, url };
const updateAnswer = z.object(answer.update);

const projectUpdateRecord = recordKind({
  type: 'projectUpdate',
  shape: z.object({
    ...common,
    type: z.literal('projectUpdate'),
    /** Slug of the project. */
    project: id,
    ...fields,
  }),
  files: 'tracker/projects/*/updates/*.md',
  names: (update) => [safeName(update.project, 'lower'), fileName(update)],
  sections: [commentSection],
  describe: (update) => [describe('project', update.project, update)],
});

const initiativeUpdateRecord = recordKind({
  type: 'initiativeUpdate',
  shape: z.object({
    ...common,
    type: z.literal('initiativeUpdate'),
    /** Slug of the initiative. */
    initiative: id,
    ...fields,
  }),
  files: 'tracker/initiatives/*/updates/*.md',
  names: (update) => [safeName(update.initiative, 'lower'), fileName(update)],
  sections: [commentSection],
  describe: (update) => [describe('initiative', update.initiative, update)],
});

export const projectUpdate = trackerKind({
  kind: 'project-update',
  list: 'projectUpdates',
  one: 'projectUpdate',
  filter: 'ProjectUpdateFilter',
  event: 'ProjectUpdate',
  shape: z.object({ ...answer.update, project: answer.slugged }),
  scope: { isOn: ({ projectUpdates }) => projectUpdates, inProjects: true, isDated: true },
  containersOf: ({ project }) => [{ kind: 'project', id: project.id }],
  comments: {
    filter: (one) => ({ projectUpdate: { id: one } }),
    ownerOf: (comment) => comment.projectUpdate?.id,
  },
  record: projectUpdateRecord,
  render: (update, details) => ({ project: update.project.slugId, ...fieldsOf(update, details) }),
  titleOf,
  parentOf: ({ project }) => ({ kind: 'project', id: project.id }),
});

export const initiativeUpdate = trackerKind({
  kind: 'initiative-update',
  list: 'initiativeUpdates',
  one: 'initiativeUpdate',
  filter: 'InitiativeUpdateFilter',
  event: 'InitiativeUpdate',
  shape: z.object({ ...answer.update, initiative: answer.slugged }),
  scope: {
    isOn: ({ initiatives, projectUpdates }) => initiatives && projectUpdates,
    inProjects: true,
    isDated: true,
  },
  containersOf: ({ initiative }) => [{ kind: 'initiative', id: initiative.id }],
  comments: {
    filter: (one) => ({ initiativeUpdate: { id: one } }),
    ownerOf: (comment) => comment.initiativeUpdate?.id,
  },
  record: initiativeUpdateRecord,
  render: (update, details) => ({ initiative: update.initiative.slugId, ...fieldsOf(update, details) }),
  titleOf,
  parentOf: ({ initiative }) => ({ kind: 'initiative', id: initiative.id }),
});

function titleOf({ createdAt }: Answer<typeof updateAnswer>): string {
  return createdAt.slice(0, 10);
}

function fieldsOf(update: Answer<typeof updateAnswer>, details: EntityDetails) {
  const { id: own, url: address, health, user, body } = update;
  return {
    id: own,
    url: address,
    health,
    author: user,
    ...datesOf(update),
    body,
    comments: commentEntries(details.comments),
  };
}

function describe(
  kind: string,
  slug: string,
  update: { readonly id: string; readonly author?: z.output<typeof person> | undefined },
): Description {
  const people = linkPeople('updated_by', `update ${update.id}`, update.author);
  return { kind, id: slug, title: undefined, people };
}

const uuid = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/u;

/**
 * The day of an update and the first eight digits of its UUID; other ids are not shortened, because they may be equal.
 */
function fileName(update: { readonly id: string; readonly createdAt: string }): string {
  const { id: own, createdAt } = update;
  return safeName(`${createdAt.slice(0, 10)}-${uuid.test(own) ? own.slice(0, 8) : own}`, 'lower');
}
