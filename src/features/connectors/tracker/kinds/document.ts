import { z } from 'zod';
import * as field from '../../../mirror/format/field-types.ts';
import { commentSection, recordKind } from '../../../mirror/format/record-kind.ts';
import { safeName } from '../../../mirror/format/safe-name.ts';
import { listOf, maybe } from '../client/selection.ts';
import * as answer from './answer-fields.ts';
import type { Answer } from './family.ts';
import * as fields from './record-fields.ts';
import { namedBySlug, trackerKind } from './tracker-kind.ts';

const shape = z.object({
  ...answer.texts('id', 'slugId', 'url', 'title'),
  ...answer.optionalTexts('content'),
  ...answer.dates,
  ...answer.trash,
  creator: maybe(answer.person),
  updatedBy: maybe(answer.person),
  project: maybe(answer.slugged),
  initiative: maybe(answer.slugged),
  issue: maybe(z.object({ ...answer.issueReference.shape, team: answer.teamReference })),
  team: maybe(answer.id),
  cycle: maybe(z.object({ team: answer.id })),
  /** A release belongs to the teams of its pipeline; the first ones are enough. */
  release: maybe(z.object({ pipeline: z.object({ teams: listOf(answer.id, 20) }) })),
  parentDocument: maybe(answer.id),
});

/** Returns the teams that a document names itself or by its cycle or release. */
function teamsOf({ team, cycle, release }: Answer<typeof shape>): string[] {
  const named = [team, cycle?.team, ...(release?.pipeline.teams.nodes ?? [])];
  return named.flatMap((each) => (each === undefined ? [] : [each.id]));
}

export const document = trackerKind({
  name: 'document',
  shape,
  isOn: ({ documents }) => documents,
  scope: { inProjects: true, isDated: true },
  // It belongs to one entity; a part of another document to what that one belongs to.
  containersOf(entity) {
    const { issue, project, initiative, parentDocument } = entity;
    if (issue !== undefined) return [{ kind: 'issue', id: issue.id }];
    if (project !== undefined) return [{ kind: 'project', id: project.id }];
    if (initiative !== undefined) return [{ kind: 'initiative', id: initiative.id }];
    if (parentDocument === undefined || teamsOf(entity).length > 0) return [];
    return [{ kind: 'document', id: parentDocument.id }];
  },
  factsOf: (entity) => ({ teams: teamsOf(entity) }),
  comments: (id) => ({ documentContent: { document: { id } } }),
  record: recordKind({
    type: 'document',
    shape: z.object({
      ...fields.slugged,
      type: z.literal('document'),
      team: field.id.optional(),
      project: field.id.optional(),
      initiative: field.id.optional(),
      issue: field.id.optional(),
      cycle: field.id.optional(),
      creator: field.person.optional(),
      updatedBy: field.person.optional(),
      ...fields.dates,
      ...fields.content,
    }),
    files: 'tracker/documents/*.md',
    names: ({ slug }) => [safeName(slug, 'lower')],
    sections: [commentSection],
    entity: 'document',
    people: { creator: 'created_by' },
    links: {
      project: ['in_project', 'project'],
      initiative: ['in_initiative', 'initiative'],
      team: ['in_team', 'team'],
      issue: ['mentions'],
    },
    describe: ({ slug, title }) => ({ id: slug, title }),
  }),
  render: (entity) => ({
    ...entity,
    slug: entity.slugId,
    team: entity.issue?.team.key,
    project: entity.project?.slugId,
    initiative: entity.initiative?.slugId,
    issue: entity.issue?.identifier,
    cycle: undefined,
    body: entity.content ?? '',
  }),
  titleOf: ({ title }) => title,
  ...namedBySlug('document'),
});
