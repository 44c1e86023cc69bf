import type { RecordInput } from '../../../mirror/format/record.ts';
import type { Entity } from '../client/shapes.ts';
import { commentEntries, datesOf } from './comments.ts';
import { dateOf, priorityOf, visibleTexts } from './people.ts';

type Comments = readonly Entity<'comment'>[];
type Link = Entity<'project'>['externalLinks'][number];

export function projectRecord(project: Entity<'project'>, comments: Comments): RecordInput {
  const { id, slugId, url, name, description, status, health, lead, creator, completedAt } = project;
  return {
    type: 'project',
    id,
    slug: slugId,
    url,
    title: name,
    summary: description === '' ? undefined : description,
    state: status,
    health,
    teams: project.teams.map(({ key }) => key),
    initiatives: slugsOf(project.initiatives),
    labels: visibleTexts(project.labels.map((label) => label.name)),
    lead,
    members: [...project.members],
    creator,
    priority: priorityOf(project.priorityLabel),
    startDate: dateOf(project.startDate),
    due: dateOf(project.targetDate),
    ...datesOf(project),
    completedAt,
    attachments: linkAttachments(project.externalLinks),
    body: project.content ?? '',
    comments: commentEntries(comments),
  };
}

export function initiativeRecord(initiative: Entity<'initiative'>, comments: Comments): RecordInput {
  const { id, slugId, url, name, description, status, health, owner, creator, completedAt } = initiative;
  return {
    type: 'initiative',
    id,
    slug: slugId,
    url,
    title: name,
    summary: description === '' ? undefined : description,
    state: { name: status, type: status.toLowerCase() },
    health,
    projects: slugsOf(initiative.projects),
    parent: initiative.parentInitiative?.slugId,
    owner,
    creator,
    due: dateOf(initiative.targetDate),
    ...datesOf(initiative),
    completedAt,
    attachments: linkAttachments(initiative.links),
    body: initiative.content ?? '',
    comments: commentEntries(comments),
  };
}

export function projectUpdateRecord(update: Entity<'project-update'>, comments: Comments): RecordInput {
  return { type: 'projectUpdate', project: update.project.slugId, ...updateFields(update, comments) };
}

export function initiativeUpdateRecord(update: Entity<'initiative-update'>, comments: Comments): RecordInput {
  return {
    type: 'initiativeUpdate',
    initiative: update.initiative.slugId,
    ...updateFields(update, comments),
  };
}

function updateFields(update: Entity<'project-update'> | Entity<'initiative-update'>, comments: Comments) {
  const { id, url, health, user, body } = update;
  return { id, url, health, author: user, ...datesOf(update), body, comments: commentEntries(comments) };
}

function linkAttachments(links: readonly Link[]) {
  return links.map(({ id, label, url, createdAt, creator }) => ({
    id,
    title: label,
    url,
    createdAt,
    creator,
  }));
}

function slugsOf(entities: readonly { readonly slugId: string }[]): string[] {
  return entities.map(({ slugId }) => slugId);
}
