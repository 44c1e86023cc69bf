import { z } from 'zod';
import * as field from '../../../mirror/format/field-types.ts';
import { commentSection, recordKind } from '../../../mirror/format/record-kind.ts';
import { safeName } from '../../../mirror/format/safe-name.ts';
import { listOf, maybe } from '../client/selection.ts';
import * as answer from './answer-fields.ts';
import * as fields from './record-fields.ts';
import { commentsOnText, namedBySlug, trackerKind } from './tracker-kind.ts';

export const project = trackerKind({
  name: 'project',
  shape: z.object({
    ...answer.texts('id', 'slugId', 'url', 'name', 'description', 'priorityLabel'),
    ...answer.optionalTexts('content', 'health', 'startDate', 'targetDate', 'completedAt'),
    ...answer.dates,
    ...answer.trash,
    status: z.object(answer.texts('name', 'type')),
    lead: maybe(answer.person),
    creator: maybe(answer.person),
    teams: listOf(answer.teamReference, 10),
    members: listOf(answer.person, 10),
    initiatives: listOf(answer.slugged, 5),
    labels: listOf(answer.named, 10),
    externalLinks: listOf(answer.link, 5),
  }),
  isOn: ({ projects }) => projects,
  scope: { inProjects: true, isDated: true, filter: (inTeams) => ({ accessibleTeams: { some: inTeams } }) },
  factsOf: (entity) => ({
    teams: entity.teams.map((team) => team.id),
    projects: [entity.id, entity.slugId],
  }),
  comments: commentsOnText('project'),
  record: recordKind({
    type: 'project',
    shape: z.object({
      ...fields.slugged,
      type: z.literal('project'),
      summary: field.line.optional(),
      state: fields.state,
      health: field.line.optional(),
      /** Keys. */
      teams: field.lines,
      /** Slugs. */
      initiatives: field.lines,
      labels: field.lines,
      lead: field.person.optional(),
      members: field.people,
      creator: field.person.optional(),
      priority: field.line.optional(),
      startDate: field.date.optional(),
      due: field.date.optional(),
      ...fields.dates,
      completedAt: field.time.optional(),
      ...fields.content,
    }),
    files: 'tracker/projects/*/project.md',
    names: ({ slug }) => [safeName(slug, 'lower')],
    sections: [commentSection],
    entity: 'project',
    people: { lead: 'led_by', members: 'has_member' },
    links: { teams: ['in_team', 'team'], initiatives: ['in_initiative', 'initiative'] },
    describe: ({ slug, title }) => ({ id: slug, title }),
  }),
  render: (entity) => ({
    ...entity,
    slug: entity.slugId,
    title: entity.name,
    summary: entity.description === '' ? undefined : entity.description,
    state: entity.status,
    teams: entity.teams.map(({ key }) => key),
    initiatives: fields.slugsOf(entity.initiatives),
    labels: fields.visibleTexts(entity.labels.map(({ name }) => name)),
    members: [...entity.members],
    priority: fields.priorityOf(entity.priorityLabel),
    startDate: fields.dateOf(entity.startDate),
    due: fields.dateOf(entity.targetDate),
    attachments: fields.linkAttachments(entity.externalLinks),
    body: entity.content ?? '',
  }),
  titleOf: ({ name }) => name,
  ...namedBySlug('project'),
});
