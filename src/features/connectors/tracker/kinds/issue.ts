import { z } from 'zod';
import { type EdgeKind, edgeKinds } from '../../../../backends/graph/port.ts';
import * as field from '../../../mirror/format/field-types.ts';
import { commentSection, recordKind } from '../../../mirror/format/record-kind.ts';
import { safeName } from '../../../mirror/format/safe-name.ts';
import { listOf as listIn, maybe } from '../client/selection.ts';
import * as answer from './answer-fields.ts';
import type { Answer } from './family.ts';
import { attachmentFields } from './part-kinds.ts';
import * as fields from './record-fields.ts';
import { commentsOnText, trackerKind } from './tracker-kind.ts';

const shape = z.object({
  ...answer.texts('id', 'identifier', 'url', 'title', 'priorityLabel'),
  ...answer.optionalTexts('description', 'dueDate'),
  previousIdentifiers: z.array(answer.text),
  estimate: maybe(z.number()),
  ...answer.dates,
  ...answer.trash,
  state: z.object(answer.texts('name', 'type')),
  team: answer.teamReference,
  project: maybe(answer.slugged),
  cycle: maybe(z.object({ id: answer.text, number: z.number(), team: answer.teamReference })),
  assignee: maybe(answer.person),
  creator: maybe(answer.person),
  parent: maybe(answer.issueReference),
  labels: listIn(answer.named, 8),
  relations: listIn(z.object({ id: answer.text, type: answer.text, relatedIssue: answer.issueReference }), 2),
  inverseRelations: listIn(z.object({ id: answer.text, type: answer.text, issue: answer.issueReference }), 2),
  attachments: listIn(z.object(attachmentFields), 2),
  needs: listIn(z.object({ id: answer.text, customer: maybe(z.object(answer.texts('id', 'slugId'))) }), 2),
});

const relation = z.object({
  /** The relation of the record to the other one: `blocks`. */
  type: field.id,
  /** Identifier of the other issue. */
  issue: field.id,
});

export const issue = trackerKind({
  name: 'issue',
  shape,
  isOn: ({ issues }) => issues,
  scope: {
    inProjects: true,
    isDated: true,
    isOfTeams: true,
    filter: (inTeams) => ({ team: inTeams }),
    isLimited: ({ projects, labels, states }) =>
      [projects, labels.include, labels.exclude, states].some((list) => list.length > 0),
  },
  factsOf: ({ team, project, labels, state: { type } }) => ({
    teams: [team.id],
    projects: project === undefined ? [] : [project.id, project.slugId],
    labels: labels.flatMap((label) => [label.id, label.name]),
    state: type,
  }),
  comments: commentsOnText('issue'),
  record: recordKind({
    type: 'issue',
    shape: z.object({
      id: field.id,
      identifier: field.id,
      url: field.url,
      title: field.line,
      type: z.literal('issue'),
      state: fields.state,
      /** Key of the team. */
      team: field.id,
      /** Slug of the project. */
      project: field.id.optional(),
      /** Key of the team and number of the cycle: `ENG/12`. */
      cycle: field.id.optional(),
      /** Names. */
      labels: field.lines,
      assignee: field.person.optional(),
      creator: field.person.optional(),
      priority: field.line.optional(),
      estimate: field.number,
      due: field.date.optional(),
      ...fields.dates,
      /** Identifiers that the issue had in other teams. */
      previousIdentifiers: field.lines,
      /** Identifier of the issue that it is part of. */
      parent: field.id.optional(),
      relations: field.listOf(relation, (value) => `${value.type} ${value.issue}`),
      attachments: fields.attachments,
      /** Slugs of the customers whose requests hang on it. */
      customers: field.lines,
      body: field.text,
      comments: fields.comments,
    }),
    files: 'tracker/issues/*/*.md',
    names: ({ team, identifier }) => [safeName(team, 'upper'), safeName(identifier, 'upper')],
    sections: [commentSection],
    entity: 'issue',
    people: { assignee: 'assigned_to', creator: 'created_by' },
    links: {
      team: ['in_team', 'team'],
      project: ['in_project', 'project'],
      cycle: ['in_cycle', 'cycle'],
      labels: ['labelled', 'label'],
      parent: ['child_of'],
    },
    describe: ({ id, identifier, title, previousIdentifiers, relations, archivedAt, trashed, state }) => ({
      id,
      title: `${identifier} ${title}`,
      identifier,
      names: [identifier, ...previousIdentifiers].map((name) => name.toUpperCase()),
      state: {
        open: isOpen(state?.type) && archivedAt === undefined && trashed !== true,
        name: state?.name,
      },
      mentions: relations.map(({ type, issue: name }) => ({ edge: edgeOf(type), field: 'relations', name })),
    }),
  }),
  render: (entity) => ({
    ...entity,
    team: entity.team.key,
    project: entity.project?.slugId,
    cycle: entity.cycle && `${entity.cycle.team.key}/${entity.cycle.number}`,
    labels: fields.visibleTexts(entity.labels.map(({ name }) => name)),
    priority: fields.priorityOf(entity.priorityLabel),
    due: fields.dateOf(entity.dueDate),
    parent: entity.parent?.identifier,
    relations: relationsOf(entity),
    attachments: entity.attachments.map(({ sourceType, ...rest }) => ({ ...rest, source: sourceType })),
    customers: entity.needs.flatMap(({ customer }) => customer?.slugId ?? []),
    body: entity.description ?? '',
  }),
  titleOf: ({ identifier }) => identifier,
  namesOf: ({ identifier, previousIdentifiers }) => [identifier, ...previousIdentifiers].map(nameOf),
  nameIn: ([word, key = '']) => (word === 'issue' && key !== '' ? nameOf(key) : undefined),
  partsOf: (entity) => entity.attachments.map(({ id: each }) => ({ kind: 'attachment', id: each })),
  mentionsOf: ({ labels }) => labels.map(({ id: each }) => `labels ${each}`),
});

const nameOf = (identifier: string) => `issue ${identifier.toUpperCase()}`;

/**
 * The names of relations as the other issue has them. A relation that is not listed means the same in both directions.
 */
const inverse: Readonly<Record<string, string>> = { blocks: 'blockedBy', duplicate: 'duplicatedBy' };

function relationsOf({ relations, inverseRelations }: Answer<typeof shape>) {
  return [
    ...relations.map(({ type, relatedIssue }) => ({ type, issue: relatedIssue.identifier })),
    ...inverseRelations.map(({ type, issue: other }) => ({
      type: inverse[type] ?? type,
      issue: other.identifier,
    })),
  ];
}

function isOpen(type: string | undefined): boolean {
  return type === undefined || !/^(?:completed|cancell?ed|duplicate)$/i.test(type);
}

/** Returns the kind of an edge for a relation, whose types are those of the provider, which adds some. */
function edgeOf(type: string): EdgeKind {
  const kind = type
    .replaceAll(/(?<=[a-z])(?=[A-Z])/g, '_')
    .toLowerCase()
    .replaceAll(/[^a-z]+/g, '_');
  return edgeKinds.find((known) => known === kind) ?? 'relates_to';
}
