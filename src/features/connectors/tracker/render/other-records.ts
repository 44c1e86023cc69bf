import type { RecordInput } from '../../../mirror/format/record.ts';
import type { Entity } from '../client/shapes.ts';
import { commentEntries, datesOf } from './comments.ts';
import { visibleTexts } from './people.ts';

export function documentRecord(
  document: Entity<'document'>,
  comments: readonly Entity<'comment'>[],
): RecordInput {
  const { id, slugId, url, title, project, initiative, issue, creator, updatedBy } = document;
  return {
    type: 'document',
    id,
    slug: slugId,
    url,
    title,
    team: issue?.team.key,
    project: project?.slugId,
    initiative: initiative?.slugId,
    issue: issue?.identifier,
    creator,
    updatedBy,
    ...datesOf(document),
    body: document.content ?? '',
    comments: commentEntries(comments),
  };
}

export function cycleRecord(cycle: Entity<'cycle'>): RecordInput {
  const { id, number, name, startsAt, endsAt, completedAt, team } = cycle;
  return {
    type: 'cycle',
    id,
    number,
    title: name,
    team: team.key,
    startsAt,
    endsAt,
    completedAt,
    ...datesOf(cycle),
    body: cycle.description ?? '',
  };
}

export function customerRecord(
  customer: Entity<'customer'>,
  needs: readonly Entity<'customer-need'>[],
): RecordInput {
  const { id, slugId, url, name, domains, owner, tier, status } = customer;
  return {
    type: 'customer',
    id,
    slug: slugId,
    url,
    title: name,
    domains: visibleTexts(domains),
    owner,
    tier: tier?.displayName,
    status: status.displayName,
    ...datesOf(customer),
    requests: needs.map((need) => ({
      id: need.id,
      issue: need.issue?.identifier,
      project: need.project?.slugId,
      author: need.creator,
      priority: need.priority > 0 ? 'important' : undefined,
      createdAt: need.createdAt,
      updatedAt: need.updatedAt === need.createdAt ? undefined : need.updatedAt,
      url: need.url,
      body: need.content ?? '',
    })),
  };
}
