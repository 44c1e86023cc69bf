import { z } from 'zod';
import {
  date,
  flag,
  id,
  line,
  lines,
  listOf,
  number,
  oldestFirst,
  people,
  person,
  text,
  time,
  url,
} from './field-types.ts';

// The order of the keys is their order in the files. `body` and the lists of entries stand below the front matter.

const state = z.object({ name: line, type: line }).optional();

const comment = z.object({
  id,
  author: person.optional(),
  createdAt: time,
  updatedAt: time.optional(),
  resolvedAt: time.optional(),
  /** The comment that it answers. */
  parent: id.optional(),
  url,
  body: text,
});

/** A link or file that hangs on a record. `file`: its copy, relative to the file of the record. */
const attachment = z.object({
  id,
  title: line,
  subtitle: line.optional(),
  url,
  source: line.optional(),
  createdAt: time.optional(),
  creator: person.optional(),
  file: line.optional(),
});

const relation = z.object({
  /** The relation of the record to the other one: `blocks`. */
  type: id,
  /** Identifier of the other issue. */
  issue: id,
});

const comments = listOf(comment, oldestFirst);
const attachments = listOf(attachment, (value) => value.id);

const dates = {
  createdAt: time,
  updatedAt: time,
  archivedAt: time.optional(),
  trashed: flag,
};

export const issue = z.object({
  id,
  identifier: id,
  url,
  title: line,
  type: z.literal('issue'),
  state,
  /** Key of the team. */
  team: id,
  /** Slug of the project. */
  project: id.optional(),
  /** Key of the team and number of the cycle: `ENG/12`. */
  cycle: id.optional(),
  /** Names. */
  labels: lines,
  assignee: person.optional(),
  creator: person.optional(),
  priority: line.optional(),
  estimate: number,
  due: date.optional(),
  ...dates,
  /** Identifiers that the issue had in other teams. */
  previousIdentifiers: lines,
  /** Identifier of the issue that it is part of. */
  parent: id.optional(),
  relations: listOf(relation, (value) => `${value.type} ${value.issue}`),
  attachments,
  /** Slugs of the customers whose requests hang on it. */
  customers: lines,
  body: text,
  comments,
});

export const document = z.object({
  id,
  slug: id,
  url,
  /** Empty if the document is untitled. */
  title: line,
  type: z.literal('document'),
  team: id.optional(),
  project: id.optional(),
  initiative: id.optional(),
  issue: id.optional(),
  cycle: id.optional(),
  creator: person.optional(),
  updatedBy: person.optional(),
  ...dates,
  attachments,
  body: text,
  comments,
});

export const project = z.object({
  id,
  slug: id,
  url,
  title: line,
  type: z.literal('project'),
  summary: line.optional(),
  state,
  health: line.optional(),
  /** Keys. */
  teams: lines,
  /** Slugs. */
  initiatives: lines,
  labels: lines,
  lead: person.optional(),
  members: people,
  creator: person.optional(),
  priority: line.optional(),
  startDate: date.optional(),
  due: date.optional(),
  ...dates,
  completedAt: time.optional(),
  attachments,
  body: text,
  comments,
});

export const initiative = z.object({
  id,
  slug: id,
  url,
  title: line,
  type: z.literal('initiative'),
  summary: line.optional(),
  state,
  health: line.optional(),
  /** Slugs. */
  projects: lines,
  /** Slug of the initiative that it is part of. */
  parent: id.optional(),
  owner: person.optional(),
  creator: person.optional(),
  due: date.optional(),
  ...dates,
  completedAt: time.optional(),
  attachments,
  body: text,
  comments,
});

const update = {
  health: line.optional(),
  author: person.optional(),
  ...dates,
  attachments,
  body: text,
  comments,
};

export const projectUpdate = z.object({
  id,
  url,
  type: z.literal('projectUpdate'),
  /** Slug of the project. */
  project: id,
  ...update,
});

export const initiativeUpdate = z.object({
  id,
  url,
  type: z.literal('initiativeUpdate'),
  /** Slug of the initiative. */
  initiative: id,
  ...update,
});

export const cycle = z.object({
  id,
  number: z.int().min(0),
  url,
  title: line.optional(),
  type: z.literal('cycle'),
  /** Key of the team. */
  team: id,
  startsAt: time,
  endsAt: time,
  completedAt: time.optional(),
  ...dates,
  body: text,
});

const request = z.object({
  id,
  /** Identifier of the issue that answers it. */
  issue: id.optional(),
  /** Slug of the project that answers it. */
  project: id.optional(),
  author: person.optional(),
  priority: line.optional(),
  createdAt: time,
  updatedAt: time.optional(),
  url,
  body: text,
});

export const customer = z.object({
  id,
  slug: id,
  url,
  title: line,
  type: z.literal('customer'),
  domains: lines,
  owner: person.optional(),
  tier: line.optional(),
  status: line.optional(),
  ...dates,
  requests: listOf(request, oldestFirst),
});

const label = z.object({
  id,
  name: line,
  /** Key of the team; absent for a label of the workspace. */
  team: id.optional(),
  /** Id of the group of labels. */
  parent: id.optional(),
  color: line.optional(),
  description: line.optional(),
});

const user = z.object({
  id,
  name: line,
  displayName: line.optional(),
  url,
  /** True if the account was closed. */
  disabled: flag,
});

const team = z.object({
  id,
  key: id,
  name: line,
  description: line.optional(),
  /** Key of the team that it is part of. */
  parent: id.optional(),
  /** True if only members see it. */
  private: flag,
});

export const labels = z.object({ type: z.literal('labels'), items: listOf(label, (value) => value.id) });
export const users = z.object({ type: z.literal('users'), items: listOf(user, (value) => value.id) });
export const teams = z.object({ type: z.literal('teams'), items: listOf(team, (value) => value.id) });
