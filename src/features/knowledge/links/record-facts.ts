import type { MirroredRecord, RecordOf } from '../../mirror/format/record.ts';
import { type EdgeKind, edgeKinds } from './edge-kinds.ts';
import type { FactList, Reason } from './fact-list.ts';
import { serviceName } from './names.ts';
import { addReferences, type TextField } from './text-references.ts';

/** The connection whose records a context repository contains below a folder. */
export interface RecordSource {
  readonly connectionId: string;
  /** The kind of the connector, which is also the folder. */
  readonly kind: string;
}

const given: Reason = { rule: 'record', evidence: '', confidence: 100 };

/** Adds what a mirrored record says. */
export function addRecord(facts: FactList, source: RecordSource, path: string, record: MirroredRecord): void {
  const write = new RecordFacts(facts, source, path);
  switch (record.type) {
    case 'issue':
      return write.issue(record);
    case 'incident':
      return write.incident(record);
    case 'document':
      return write.document(record);
    case 'project':
      return write.project(record);
    case 'initiative':
      return write.initiative(record);
    case 'cycle':
      return write.cycle(record);
    case 'projectUpdate':
      return write.update(`project:${source.connectionId}:${record.project}`, record);
    case 'initiativeUpdate':
      return write.update(`initiative:${source.connectionId}:${record.initiative}`, record);
    case 'users':
      return write.users(record);
    case 'teams':
      return write.teams(record);
    case 'labels':
      for (const { name, color } of record.items) facts.node(write.key('label', name), name, { color });
      return undefined;
    case 'services':
      return write.services(record);
    case 'customer':
      // The graph has no customers: their requests hang on issues, which name them.
      return undefined;
  }
}

type Person = { readonly id: string; readonly name: string } | undefined;
type Comments = readonly { readonly id: string; readonly body: string }[];
type Attachments = readonly { readonly id: string; readonly url?: string | undefined }[];

class RecordFacts {
  readonly #facts: FactList;
  readonly #source: RecordSource;
  readonly #path: string;

  constructor(facts: FactList, source: RecordSource, path: string) {
    this.#facts = facts;
    this.#source = source;
    this.#path = path;
  }

  key(kind: string, id: string): string {
    return `${kind}:${this.#source.connectionId}:${id}`;
  }

  issue(record: RecordOf<'issue'>): void {
    const { identifier } = record;
    const key = this.#facts.node(this.key('issue', record.id), `${identifier} ${record.title}`, {
      ...this.#common(record),
      identifier,
      open: isOpenState(record.state?.type) && record.archivedAt === undefined && record.trashed !== true,
      state: record.state?.name,
    });
    const names = [identifier, ...record.previousIdentifiers].map((name) => name.toUpperCase());
    for (const name of names) {
      this.#facts.node(`alias:${name}`, name);
      this.#facts.alias(name, key, 'identifier');
    }
    this.#to(key, 'in_team', this.key('team', record.team), 'team');
    this.#toSlug(key, 'in_project', 'project', record.project);
    this.#toSlug(key, 'in_cycle', 'cycle', record.cycle);
    for (const label of record.labels) this.#to(key, 'labelled', this.key('label', label), 'labels');
    this.#person(key, 'assigned_to', record.assignee, 'assignee');
    this.#person(key, 'created_by', record.creator, 'creator');
    this.#toIssue(key, 'child_of', record.parent, 'parent', names);
    for (const { type, issue } of record.relations)
      this.#toIssue(key, relationKind(type), issue, 'relations', names);
    this.#texts(key, record, names);
  }

  incident(record: RecordOf<'incident'>): void {
    const key = this.#facts.node(this.key('incident', record.id), record.title, {
      ...this.#common(record),
      open: !/^(?:resolved|closed)$/i.test(record.status),
      state: record.status,
      urgency: record.urgency,
    });
    // Identifiers of issues have a hyphen, so an incident cannot take the name of one.
    const name = record.id.toUpperCase();
    if (/^[A-Z0-9]{4,40}$/.test(name)) {
      this.#facts.node(`alias:${name}`, name);
      this.#facts.alias(name, key, 'identifier');
    }
    if (record.service !== undefined) {
      const { id } = record.service;
      const service = this.#facts.node(this.key('service', id), record.service.name);
      this.#facts.alias(serviceName(id), service, 'service');
      this.#to(key, 'affects', service, 'service');
    }
    for (const person of record.assignees) this.#person(key, 'assigned_to', person, 'assignees');
    if (record.mergedInto !== undefined)
      this.#to(key, 'merged_into', this.key('incident', record.mergedInto), 'mergedInto');
    const fields: TextField[] = [
      { field: 'title', text: record.title },
      { field: 'body', text: record.body },
      ...record.alerts.map(({ id, title, body }) => ({ field: `alert ${id}`, text: `${title}\n${body}` })),
      ...record.timeline.map(({ id, body }) => ({ field: `event ${id}`, text: body })),
      ...record.notes.map(({ id, body }) => ({ field: `note ${id}`, text: body })),
    ];
    addReferences(this.#facts, key, fields, { code: true, frames: true });
  }

  document(record: RecordOf<'document'>): void {
    const key = this.#facts.node(this.key('document', record.slug), record.title, this.#common(record));
    this.#toSlug(key, 'in_project', 'project', record.project);
    this.#toSlug(key, 'in_initiative', 'initiative', record.initiative);
    if (record.team !== undefined) this.#to(key, 'in_team', this.key('team', record.team), 'team');
    this.#toIssue(key, 'mentions', record.issue, 'issue', []);
    this.#person(key, 'created_by', record.creator, 'creator');
    this.#texts(key, record, []);
  }

  project(record: RecordOf<'project'>): void {
    const key = this.#facts.node(this.key('project', record.slug), record.title, this.#common(record));
    for (const team of record.teams) this.#to(key, 'in_team', this.key('team', team), 'teams');
    for (const slug of record.initiatives) this.#toSlug(key, 'in_initiative', 'initiative', slug);
    this.#person(key, 'led_by', record.lead, 'lead');
    for (const member of record.members) this.#person(key, 'has_member', member, 'members');
    this.#texts(key, record, []);
  }

  initiative(record: RecordOf<'initiative'>): void {
    const key = this.#facts.node(this.key('initiative', record.slug), record.title, this.#common(record));
    this.#toSlug(key, 'child_of', 'initiative', record.parent);
    this.#person(key, 'owned_by', record.owner, 'owner');
    this.#texts(key, record, []);
  }

  cycle(record: RecordOf<'cycle'>): void {
    const id = `${record.team}/${record.number}`;
    const key = this.#facts.node(this.key('cycle', id), record.title ?? `Cycle ${id}`, {
      ...this.#common(record),
      startsAt: record.startsAt,
      endsAt: record.endsAt,
    });
    this.#to(key, 'in_team', this.key('team', record.team), 'team');
  }

  update(of: string, record: RecordOf<'projectUpdate' | 'initiativeUpdate'>): void {
    this.#person(of, 'updated_by', record.author, `update ${record.id}`);
    this.#texts(of, record, []);
  }

  users({ items }: RecordOf<'users'>): void {
    for (const { id, name, displayName, url, disabled } of items) {
      this.#facts.node(this.#personKey(id), name, { displayName, url, disabled });
    }
  }

  teams({ items }: RecordOf<'teams'>): void {
    for (const { key: id, name, description, parent } of items) {
      const key = this.#facts.node(this.key('team', id), name, { description });
      if (parent !== undefined) this.#to(key, 'child_of', this.key('team', parent), 'parent');
    }
  }

  services({ items }: RecordOf<'services'>): void {
    for (const { id, name, url, description, disabled } of items) {
      const key = this.#facts.node(this.key('service', id), name, { url, description, disabled });
      this.#facts.alias(serviceName(id), key, 'service');
    }
  }

  #common({ url, ...record }: { readonly url?: string | undefined; readonly createdAt?: string }) {
    return { url, path: this.#path, createdAt: record.createdAt };
  }

  #to(from: string, kind: EdgeKind, to: string, field: string): void {
    this.#facts.edge(from, kind, to, { ...given, evidence: field });
  }

  #toSlug(from: string, kind: EdgeKind, target: string, slug: string | undefined): void {
    if (slug !== undefined) this.#to(from, kind, this.key(target, slug), target);
  }

  #toIssue(
    from: string,
    kind: EdgeKind,
    name: string | undefined,
    field: string,
    own: readonly string[],
  ): void {
    if (name === undefined || own.includes(name.toUpperCase())) return;
    this.#facts.mention(from, kind, name.toUpperCase(), { ...given, evidence: field });
  }

  #personKey(id: string): string {
    return `person:${this.#source.kind}:${id}`;
  }

  #person(from: string, kind: EdgeKind, person: Person, field: string): void {
    if (person === undefined) return;
    this.#to(from, kind, this.#facts.node(this.#personKey(person.id), person.name), field);
  }

  #texts(
    key: string,
    record: {
      readonly title?: string | undefined;
      readonly body: string;
      readonly comments: Comments;
      readonly attachments: Attachments;
    },
    own: readonly string[],
  ): void {
    const fields: TextField[] = [
      { field: 'title', text: record.title ?? '' },
      ...record.attachments.map(({ id, url = '' }) => ({ field: `attachment ${id}`, text: url })),
      { field: 'body', text: record.body },
      ...record.comments.map(({ id, body }) => ({ field: `comment ${id}`, text: body })),
    ];
    addReferences(this.#facts, key, fields, { except: own, code: true });
  }
}

function isOpenState(type: string | undefined): boolean {
  return type === undefined || !/^(?:completed|cancell?ed|duplicate)$/i.test(type);
}

/** Returns the kind of an edge for a relation, whose types are those of the provider, which adds some. */
function relationKind(type: string): EdgeKind {
  const kind = type
    .replaceAll(/(?<=[a-z])(?=[A-Z])/g, '_')
    .toLowerCase()
    .replaceAll(/[^a-z]+/g, '_');
  return edgeKinds.find((known) => known === kind) ?? 'relates_to';
}
