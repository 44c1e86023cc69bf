import type { RecordInput } from '../../../mirror/format/record.ts';
import type { Entity } from '../client/shapes.ts';
import { commentEntries, datesOf } from './comments.ts';
import { dateOf, priorityOf, visibleTexts } from './people.ts';

export function issueRecord(issue: Entity<'issue'>, comments: readonly Entity<'comment'>[]): RecordInput {
  const { id, identifier, url, title, state, team, project, cycle, assignee, creator, estimate } = issue;
  return {
    type: 'issue',
    id,
    identifier,
    url,
    title,
    state,
    team: team.key,
    project: project?.slugId,
    cycle: cycle && `${cycle.team.key}/${cycle.number}`,
    labels: visibleTexts(issue.labels.map(({ name }) => name)),
    assignee,
    creator,
    priority: priorityOf(issue.priorityLabel),
    estimate,
    due: dateOf(issue.dueDate),
    ...datesOf(issue),
    previousIdentifiers: [...issue.previousIdentifiers],
    parent: issue.parent?.identifier,
    relations: relationsOf(issue),
    attachments: issue.attachments.map(({ sourceType, ...attachment }) => ({
      ...attachment,
      source: sourceType,
    })),
    customers: issue.needs.flatMap(({ customer }) => customer?.slugId ?? []),
    body: issue.description ?? '',
    comments: commentEntries(comments),
  };
}

/**
 * The names of relations as the other issue has them. A relation that is not listed means the same in both directions.
 */
const inverse: Readonly<Record<string, string>> = { blocks: 'blockedBy', duplicate: 'duplicatedBy' };

function relationsOf({ relations, inverseRelations }: Entity<'issue'>) {
  return [
    ...relations.map(({ type, relatedIssue }) => ({ type, issue: relatedIssue.identifier })),
    ...inverseRelations.map(({ type, issue }) => ({ type: inverse[type] ?? type, issue: issue.identifier })),
  ];
}
