import { z } from 'zod';
import { listOf, maybe } from './selection.ts';

const text = z.string();
const id = z.object({ id: text });
const person = z.object({ id: text, name: text });
const named = z.object({ id: text, name: text });
const slugged = z.object({ id: text, slugId: text, name: text });
const teamReference = z.object({ id: text, key: text });
const issueReference = z.object({ id: text, identifier: text });

const dates = { createdAt: text, updatedAt: text, archivedAt: maybe(text) };
const trash = { trashed: maybe(z.boolean()) };

const commentFields = {
  id: text,
  body: text,
  url: text,
  ...dates,
  resolvedAt: maybe(text),
  user: maybe(person),
  botActor: maybe(z.object({ name: maybe(text) })),
  externalUser: maybe(person),
  parent: maybe(id),
};

const attachmentFields = {
  id: text,
  title: text,
  subtitle: maybe(text),
  url: text,
  sourceType: maybe(text),
  createdAt: text,
  creator: maybe(person),
};

const needFields = {
  id: text,
  url: maybe(text),
  content: maybe(text),
  priority: z.number(),
  ...dates,
  creator: maybe(person),
  customer: maybe(slugged),
};

/** A link in the list of resources of a project or initiative. */
const link = z.object({ id: text, label: text, url: text, createdAt: text, creator: maybe(person) });

const issue = z.object({
  id: text,
  identifier: text,
  previousIdentifiers: z.array(text),
  url: text,
  title: text,
  description: maybe(text),
  priorityLabel: text,
  estimate: maybe(z.number()),
  dueDate: maybe(text),
  ...dates,
  ...trash,
  state: z.object({ name: text, type: text }),
  team: teamReference,
  project: maybe(slugged),
  cycle: maybe(z.object({ id: text, number: z.number(), team: teamReference })),
  assignee: maybe(person),
  creator: maybe(person),
  parent: maybe(issueReference),
  labels: listOf(named, 8),
  relations: listOf(z.object({ id: text, type: text, relatedIssue: issueReference }), 2),
  inverseRelations: listOf(z.object({ id: text, type: text, issue: issueReference }), 2),
  attachments: listOf(z.object(attachmentFields), 2),
  needs: listOf(z.object({ id: text, customer: maybe(z.object({ id: text, slugId: text })) }), 2),
});

const comment = z.object({
  ...commentFields,
  issue: maybe(issueReference),
  project: maybe(id),
  projectUpdate: maybe(id),
  initiative: maybe(id),
  initiativeUpdate: maybe(id),
  // A comment on a part of a text: the text belongs to one of these.
  documentContent: maybe(
    z.object({
      id: text,
      document: maybe(id),
      issue: maybe(id),
      project: maybe(id),
      initiative: maybe(id),
    }),
  ),
});

const document = z.object({
  id: text,
  slugId: text,
  url: text,
  /** Empty if the document is untitled. */
  title: text,
  content: maybe(text),
  ...dates,
  ...trash,
  creator: maybe(person),
  updatedBy: maybe(person),
  project: maybe(slugged),
  initiative: maybe(slugged),
  issue: maybe(z.object({ ...issueReference.shape, team: teamReference })),
  team: maybe(id),
  cycle: maybe(z.object({ team: id })),
  /** A release belongs to the teams of its pipeline; the first ones are enough. */
  release: maybe(z.object({ pipeline: z.object({ teams: listOf(id, 20) }) })),
  parentDocument: maybe(id),
});

const project = z.object({
  id: text,
  slugId: text,
  url: text,
  name: text,
  description: text,
  content: maybe(text),
  health: maybe(text),
  priorityLabel: text,
  startDate: maybe(text),
  targetDate: maybe(text),
  completedAt: maybe(text),
  ...dates,
  ...trash,
  status: z.object({ name: text, type: text }),
  lead: maybe(person),
  creator: maybe(person),
  teams: listOf(teamReference, 10),
  members: listOf(person, 10),
  initiatives: listOf(slugged, 5),
  labels: listOf(named, 10),
  externalLinks: listOf(link, 5),
});

const projectUpdate = z.object({
  id: text,
  url: text,
  body: text,
  health: text,
  ...dates,
  user: person,
  project: slugged,
});

const initiative = z.object({
  id: text,
  slugId: text,
  url: text,
  name: text,
  description: maybe(text),
  content: maybe(text),
  health: maybe(text),
  status: text,
  targetDate: maybe(text),
  completedAt: maybe(text),
  ...dates,
  ...trash,
  owner: maybe(person),
  creator: maybe(person),
  parentInitiative: maybe(slugged),
  projects: listOf(slugged, 20),
  links: listOf(link, 5),
});

const initiativeUpdate = z.object({
  id: text,
  url: text,
  body: text,
  health: text,
  ...dates,
  user: person,
  initiative: slugged,
});

const cycle = z.object({
  id: text,
  number: z.number(),
  name: maybe(text),
  description: maybe(text),
  startsAt: text,
  endsAt: text,
  completedAt: maybe(text),
  ...dates,
  team: teamReference,
});

const issueLabel = z.object({
  id: text,
  name: text,
  color: text,
  description: maybe(text),
  isGroup: z.boolean(),
  ...dates,
  parent: maybe(named),
  /** Absent for a label of the workspace. */
  team: maybe(teamReference),
});

const user = z.object({
  id: text,
  name: text,
  displayName: text,
  email: text,
  url: text,
  active: z.boolean(),
  ...dates,
});

const customer = z.object({
  id: text,
  slugId: text,
  url: text,
  name: text,
  domains: z.array(text),
  ...dates,
  owner: maybe(person),
  tier: maybe(z.object({ displayName: text })),
  status: z.object({ displayName: text }),
});

const customerNeed = z.object({
  ...needFields,
  issue: maybe(issueReference),
  project: maybe(slugged),
});

const attachment = z.object({ ...attachmentFields, updatedAt: text, issue: issueReference });

const team = z.object({
  id: text,
  key: text,
  name: text,
  description: maybe(text),
  /** `public`, `private`, or `restricted`: not private, inside a private team. */
  visibility: text,
  ...dates,
  parent: maybe(teamReference),
});

/** A family of entities: how to list them, how to fetch one, and the fields of each. */
interface Family {
  /** The field of the query that lists them. */
  readonly list: string;
  /** The field that returns one by its id. */
  readonly one: string;
  /** The type of the list's filter. */
  readonly filter: string;
  /** Further arguments of the list. */
  readonly arguments?: string;
  readonly shape: z.ZodObject;
}

/** The families by the kind of their entities, as webhooks and jobs name it. */
export const families = {
  issue: { list: 'issues', one: 'issue', filter: 'IssueFilter', shape: issue },
  comment: { list: 'comments', one: 'comment', filter: 'CommentFilter', shape: comment },
  document: {
    list: 'documents',
    one: 'document',
    filter: 'DocumentFilter',
    shape: document,
  },
  project: {
    list: 'projects',
    one: 'project',
    filter: 'ProjectFilter',
    shape: project,
  },
  'project-update': {
    list: 'projectUpdates',
    one: 'projectUpdate',
    filter: 'ProjectUpdateFilter',
    shape: projectUpdate,
  },
  initiative: { list: 'initiatives', one: 'initiative', filter: 'InitiativeFilter', shape: initiative },
  'initiative-update': {
    list: 'initiativeUpdates',
    one: 'initiativeUpdate',
    filter: 'InitiativeUpdateFilter',
    shape: initiativeUpdate,
  },
  cycle: { list: 'cycles', one: 'cycle', filter: 'CycleFilter', shape: cycle },
  'issue-label': { list: 'issueLabels', one: 'issueLabel', filter: 'IssueLabelFilter', shape: issueLabel },
  user: {
    list: 'users',
    one: 'user',
    filter: 'UserFilter',
    arguments: 'includeDisabled: true',
    shape: user,
  },
  customer: { list: 'customers', one: 'customer', filter: 'CustomerFilter', shape: customer },
  'customer-need': {
    list: 'customerNeeds',
    one: 'customerNeed',
    filter: 'CustomerNeedFilter',
    shape: customerNeed,
  },
  attachment: { list: 'attachments', one: 'attachment', filter: 'AttachmentFilter', shape: attachment },
  team: { list: 'teams', one: 'team', filter: 'TeamFilter', shape: team },
} as const satisfies Readonly<Record<string, Family>>;

export type Kind = keyof typeof families;

/** @internal Tests validate the queries of all kinds against the provider's schema. */
export const kinds = Object.keys(families) as readonly Kind[];

/** Returns a family without its own types, for code that serves all of them. */
export function familyOf(kind: Kind): Family {
  return families[kind];
}

/** A parsed shape whose lists are complete: plain arrays. */
type Complete<T> = {
  readonly [K in keyof T]: T[K] extends { nodes: (infer Item)[]; pageInfo: unknown } ? readonly Item[] : T[K];
};

/** An entity with the whole of its lists. Its comments are entities of their own: their number is not limited. */
export type Entity<K extends Kind> = Complete<z.output<(typeof families)[K]['shape']>>;
