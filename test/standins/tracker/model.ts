import { randomUUID } from 'node:crypto';

/** An entity: its scalar fields by their names in the schema, and `<field>Id` or `<field>Ids` for what it refers to. */
export interface Row {
  readonly id: string;
  /** Name of its type in the schema. */
  readonly typename: string;
  updatedAt: string;
  archivedAt: string | null;
  [field: string]: unknown;
}

export interface Change {
  readonly action: 'create' | 'update' | 'remove';
  readonly row: Row;
  /** The former values of the changed fields. */
  readonly updatedFrom?: Readonly<Record<string, unknown>>;
}

/** One workspace of the tracker in memory. */
export interface Workspace {
  readonly id: string;
  /** Fields of `organization`. */
  readonly organization: Row;
  /** The person whose tokens the stand-in gives out. */
  readonly viewer: Row;
  /** Ids of teams that the viewer does not see. */
  readonly hiddenTeams: Set<string>;
  now(): number;
  /** Moves the clock of the provider. */
  advance(ms: number): void;
  /** Stops the clock of `updatedAt` at a time, so that many entities have the same; `undefined` lets it run. */
  freeze(at: number | undefined): void;

  add(type: string, fields?: Readonly<Record<string, unknown>>): Row;
  /** Changes fields. `quiet` leaves `updatedAt` and sends no event, as changes that are not meaningful do. */
  update(row: Row, fields: Readonly<Record<string, unknown>>, options?: { quiet?: boolean }): void;
  archive(row: Row): void;
  /** Deletes it so that it can be restored: it stays with `trashed`. */
  trash(row: Row): void;
  restore(row: Row): void;
  /** Deletes it for good. */
  purge(row: Row): void;
  /** Gives the workspace another name, and all entities the addresses that follow from it. */
  rename(name: string): void;
  /** Moves an issue to a team, where it gets another identifier. */
  move(issue: Row, team: Row): void;

  all(type: string): readonly Row[];
  get(type: string, id: unknown): Row | undefined;
  isVisible(row: Row): boolean;
  /** Called after each change. */
  onChange: (change: Change) => void;
}

/** Fields of the schema that the rows of each type have if nothing else is given. */
const defaults: Readonly<Record<string, (n: number) => Readonly<Record<string, unknown>>>> = {
  Team: (n) => ({
    key: `T${n}`,
    name: `Team ${n}`,
    displayName: `Team ${n}`,
    description: null,
    visibility: 'public',
  }),
  User: (n) => ({
    name: `User ${n}`,
    displayName: `user${n}`,
    email: `user${n}@example.com`,
    active: true,
    app: false,
  }),
  WorkflowState: () => ({ name: 'Todo', type: 'unstarted', color: '#888888', position: 1 }),
  ProjectStatus: () => ({ name: 'In Progress', type: 'started', color: '#888888', position: 1 }),
  Issue: (n) => ({
    title: `Issue ${n}`,
    description: null,
    priority: 0,
    priorityLabel: 'No priority',
    previousIdentifiers: [],
    labelIds: [],
    trashed: null,
  }),
  Comment: (n) => ({ body: `Comment ${n}`, resolvedAt: null }),
  Document: (n) => ({ title: `Document ${n}`, content: '', trashed: null }),
  Project: (n) => ({
    name: `Project ${n}`,
    description: '',
    content: null,
    priorityLabel: 'No priority',
    trashed: null,
    teamIds: [],
    memberIds: [],
    labelIds: [],
  }),
  ProjectUpdate: (n) => ({ body: `Update ${n}`, health: 'onTrack' }),
  Initiative: (n) => ({
    name: `Initiative ${n}`,
    content: null,
    status: 'Active',
    trashed: null,
    projectIds: [],
  }),
  InitiativeUpdate: (n) => ({ body: `Update ${n}`, health: 'onTrack' }),
  Cycle: (n) => ({
    number: n,
    name: null,
    startsAt: '2026-01-05T00:00:00.000Z',
    endsAt: '2026-01-19T00:00:00.000Z',
  }),
  IssueLabel: (n) => ({ name: `Label ${n}`, color: '#123456', isGroup: false }),
  ProjectLabel: (n) => ({ name: `Label ${n}`, color: '#123456', isGroup: false }),
  Customer: (n) => ({ name: `Customer ${n}`, domains: [`customer${n}.example`] }),
  CustomerStatus: () => ({ name: 'active', displayName: 'Active' }),
  CustomerNeed: (n) => ({ content: `Request ${n}`, priority: 0 }),
  Attachment: (n) => ({ title: `Attachment ${n}`, url: `https://example.com/attachment/${n}` }),
  IssueRelation: () => ({ type: 'blocks' }),
  EntityExternalLink: (n) => ({ label: `Link ${n}`, url: `https://example.com/link/${n}` }),
  DocumentContent: () => ({}),
  Release: (n) => ({ name: `Release ${n}`, trashed: null }),
  ReleasePipeline: (n) => ({ name: `Pipeline ${n}`, teamIds: [] }),
};

/** What is deleted with an entity, without an event: types and their fields that refer to it. */
const partsOf: Readonly<Record<string, readonly (readonly [field: string, type: string])[]>> = {
  Issue: [
    ['issueId', 'Comment'],
    ['issueId', 'Attachment'],
    ['issueId', 'IssueRelation'],
    ['relatedIssueId', 'IssueRelation'],
    ['issueId', 'CustomerNeed'],
  ],
  Project: [['projectId', 'ProjectUpdate']],
  Initiative: [['initiativeId', 'InitiativeUpdate']],
  Customer: [['customerId', 'CustomerNeed']],
};

/** What an entity cannot be without: the field that refers to it, and its type. */
const neededBy: Readonly<Record<string, readonly [field: string, type: string]>> = {
  Attachment: ['issueId', 'Issue'],
  InitiativeUpdate: ['initiativeId', 'Initiative'],
  ProjectUpdate: ['projectId', 'Project'],
};

/** Fields through which a row is visible only if another one is. */
const owners = [
  ['teamId', 'Team'],
  ['issueId', 'Issue'],
] as const;

export function createWorkspace(name: string, webOrigin: string): Workspace {
  let skewMs = 0;
  let frozen: number | undefined;
  const tables = new Map<string, Map<string, Row>>();
  const issueNumbers = new Map<string, number>();
  let urlKey = name.toLowerCase();

  const now = (): number => Date.now() + skewMs;
  const stamp = (): string => new Date(frozen ?? now()).toISOString();

  function table(type: string): Map<string, Row> {
    const known = tables.get(type) ?? new Map<string, Row>();
    tables.set(type, known);
    return known;
  }

  function insert(type: string, fields: Readonly<Record<string, unknown>>): Row {
    const rows = table(type);
    const id = randomUUID();
    const at = stamp();
    const row: Row = {
      slugId: id.replaceAll('-', '').slice(0, 12),
      url: `${webOrigin}/${urlKey}/${type.toLowerCase()}/${id}`,
      createdAt: at,
      ...defaults[type]?.(rows.size + 1),
      ...fields,
      id: typeof fields['id'] === 'string' ? fields['id'] : id,
      typename: type,
      updatedAt: typeof fields['updatedAt'] === 'string' ? fields['updatedAt'] : at,
      archivedAt: typeof fields['archivedAt'] === 'string' ? fields['archivedAt'] : null,
    };
    if (type === 'Issue') number(row);
    rows.set(row.id, row);
    return row;
  }

  function number(issue: Row): void {
    const team = workspace.get('Team', issue['teamId']);
    if (team === undefined) throw new Error('an issue needs a team');
    const next = (issueNumbers.get(team.id) ?? 0) + 1;
    issueNumbers.set(team.id, next);
    issue['number'] = next;
    issue['identifier'] = `${String(team['key'])}-${next}`;
    issue['url'] = `${webOrigin}/${urlKey}/issue/${String(issue['identifier'])}`;
    const states = workspace.all('WorkflowState');
    const present = states.find(({ id }) => id === issue['stateId']);
    // Each team has states of its own.
    if (present?.['teamId'] === team.id) return;
    issue['stateId'] = (
      states.find(({ teamId }) => teamId === team.id) ?? insert('WorkflowState', { teamId: team.id })
    ).id;
  }

  const workspace: Workspace = {
    id: randomUUID(),
    organization: undefined as never,
    viewer: undefined as never,
    hiddenTeams: new Set(),
    now,
    advance: (ms) => void (skewMs += ms),
    freeze: (at) => void (frozen = at),
    add(type, fields = {}) {
      if (defaults[type] === undefined) throw new Error(`the stand-in has no entities of the type ${type}`);
      const [field, owner] = neededBy[type] ?? [];
      if (field !== undefined && workspace.get(owner ?? '', fields[field]) === undefined) {
        throw new Error(`an entity of the type ${type} needs the ${field} of an entity that exists`);
      }
      const row = insert(type, references(type, fields, workspace));
      workspace.onChange({ action: 'create', row });
      return row;
    },
    update(row, fields, { quiet = false } = {}) {
      const updatedFrom = Object.fromEntries(Object.keys(fields).map((field) => [field, row[field]]));
      Object.assign(row, fields);
      if (quiet) return;
      row.updatedAt = stamp();
      workspace.onChange({ action: 'update', row, updatedFrom });
    },
    archive: (row) => workspace.update(row, { archivedAt: stamp() }),
    trash(row) {
      Object.assign(row, { trashed: true, archivedAt: stamp(), updatedAt: stamp() });
      workspace.onChange({ action: 'remove', row });
    },
    restore: (row) => workspace.update(row, { trashed: null, archivedAt: null }),
    purge(row) {
      table(row.typename).delete(row.id);
      for (const [field, type] of partsOf[row.typename] ?? []) {
        for (const part of workspace.all(type)) if (part[field] === row.id) table(type).delete(part.id);
      }
      workspace.onChange({ action: 'remove', row });
    },
    rename(to) {
      const former = `${webOrigin}/${urlKey}/`;
      urlKey = to.toLowerCase();
      Object.assign(workspace.organization, { name: to, urlKey });
      for (const row of [...tables.values()].flatMap((rows) => [...rows.values()])) {
        row['url'] = String(row['url']).replace(former, `${webOrigin}/${urlKey}/`);
      }
    },
    move(issue, team) {
      const previous = [...(issue['previousIdentifiers'] as string[]), String(issue['identifier'])];
      const before = { teamId: issue['teamId'], identifier: issue['identifier'] };
      Object.assign(issue, { teamId: team.id, previousIdentifiers: previous, updatedAt: stamp() });
      number(issue);
      workspace.onChange({ action: 'update', row: issue, updatedFrom: before });
    },
    all: (type) => [...table(type).values()],
    get: (type, id) => (typeof id === 'string' ? table(type).get(id) : undefined),
    isVisible(row) {
      if (row.typename === 'Team') return !workspace.hiddenTeams.has(row.id);
      return owners.every(([field, type]) => {
        const owner = workspace.get(type, row[field]);
        return owner === undefined || workspace.isVisible(owner);
      });
    },
    onChange: () => {},
  };
  const organization = insert('Organization', { id: workspace.id, name, urlKey });
  const viewer = insert('User', { name: 'Ada Lovelace', displayName: 'ada', email: 'ada@example.com' });
  return Object.assign(workspace, { organization, viewer });
}

/** Fills in what the schema demands of a type. */
function references(
  type: string,
  fields: Readonly<Record<string, unknown>>,
  workspace: Workspace,
): Readonly<Record<string, unknown>> {
  if (type === 'Project') return { statusId: onlyOne(workspace, 'ProjectStatus').id, ...fields };
  if (type === 'Customer') return { statusId: onlyOne(workspace, 'CustomerStatus').id, ...fields };
  if (type === 'ProjectUpdate' || type === 'InitiativeUpdate')
    return { userId: workspace.viewer.id, ...fields };
  if (type === 'Issue') return { creatorId: workspace.viewer.id, ...fields };
  return fields;
}

function onlyOne(workspace: Workspace, type: string): Row {
  return workspace.all(type)[0] ?? workspace.add(type);
}
