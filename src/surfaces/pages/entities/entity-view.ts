import type { VNode } from 'preact';
import { requireConnection } from '../../../features/connectors/connections/connection-store.ts';
import {
  type EntityRecord,
  notesOfPaths,
  type RelationRecord,
} from '../../../features/knowledge/entity-record.ts';
import { placeOfKey } from '../../../features/knowledge/links/keys.ts';
import { parseRecord } from '../../../features/mirror/format/parse-record.ts';
import { partsOf, type RecordParts } from '../../../features/mirror/format/print-record.ts';
import type { Entry } from '../../../features/mirror/format/record-kind.ts';
import { findHostedRepository } from '../../../features/repositories/hosted-repository.ts';
import { NotFound } from '../../../foundation/kernel/errors.ts';
import { orUndefined } from '../../../foundation/kernel/or-undefined.ts';
import { visibleText } from '../../../foundation/kernel/text/visible-text.ts';
import type { AppView, Visit } from '../app/app-page.ts';
import { entityAddress, fileAddress } from '../files/file-address.ts';
import { age } from '../kit/html/age.ts';
import { el } from '../kit/html/element.ts';
import { foreignText } from '../kit/html/foreign-text.ts';
import { card } from '../kit/html/layout.ts';
import { name, nameText } from '../kit/html/name.ts';
import { badge, empty, pageHeading, section, table } from '../kit/html/parts.ts';
import type { PageContext } from '../pages-deps.ts';
import { neighboursDrawing } from './neighbours-drawing.ts';

interface EntityData {
  readonly entity: EntityRecord;
  readonly neighbours: readonly EntityRecord[];
  readonly edges: readonly RelationRecord[];
  readonly truncated: boolean;
  readonly mirrored: MirroredFile | undefined;
}

export function entityView(visit: Visit, data: EntityData): AppView {
  const { entity, edges, mirrored } = data;
  const certain = edges.filter(({ certainty }) => certainty === 'certain');
  const ends = new Set(certain.flatMap(({ from, to }) => [from, to]));
  const neighbours = data.neighbours.filter(({ key }) => ends.has(key));
  return {
    title: nameText(entity.name, 200),
    content: [
      pageHeading([name(entity.name), ' ', badge(entity.kind, 'quiet')]),
      facts(visit, entity, mirrored),
      ...(mirrored?.parts === undefined ? [] : recordTexts(mirrored.parts)),
      neighbours.length > 0 &&
        section('neighbours', 'Neighbours', neighboursDrawing(entity, neighbours, certain)),
      relations(visit, data),
    ],
  };
}

/** The page in place of an entity that is not in the graph, such as one of an earlier answer. */
export function unknownEntityView(visit: Visit): AppView {
  return {
    title: 'Not found',
    status: 404,
    content: card(
      'This is not in the knowledge graph',
      el('p', null, 'It was renamed or removed, its repository is not indexed yet, or the address is wrong.'),
      el('p', null, el('a', { href: visit.path('/entities') }, 'Find it by its name')),
    ),
  };
}

function facts(visit: Visit, entity: EntityRecord, mirrored: MirroredFile | undefined): VNode {
  const place = placeOfKey(entity.key);
  const { startLine } = entity.properties;
  const rows: VNode[] = [];
  if (entity.repository !== null) rows.push(...fact('Repository', name(entity.repository)));
  if (place !== undefined) {
    const lines = typeof startLine === 'number' ? String(startLine) : undefined;
    rows.push(...fact('File', el('a', { href: fileAddress(visit, { ...place, lines }) }, name(place.path))));
  }
  if (mirrored !== undefined)
    rows.push(...fact('Text', el('a', { href: mirrored.address }, 'Read the mirrored record')));
  if (entity.url !== null && entity.url.startsWith('https://')) {
    const link = el('a', { href: entity.url, rel: 'noreferrer' }, foreignText(entity.url, 120));
    rows.push(...fact('At its provider', link));
  }
  for (const [property, value] of knownOf(entity, mirrored)) {
    if (place !== undefined && property === 'path') continue;
    const time = property.endsWith('At') ? Date.parse(String(value)) : Number.NaN;
    const shown = Number.isNaN(time)
      ? el('bdi', null, foreignText(String(value), 500))
      : age(time, visit.now);
    rows.push(...fact(foreignText(inWords(property), 60), shown));
  }
  return section('facts', 'What is known', el('dl', null, ...rows));
}

/** Returns what its record says of an entity, or what the graph has of it. */
function knownOf(
  { properties }: EntityRecord,
  mirrored: MirroredFile | undefined,
): readonly (readonly [string, unknown])[] {
  const { parts } = mirrored ?? {};
  if (parts === undefined) return Object.entries(properties);
  return [...parts.fields, ...parts.people, ...parts.refersTo].map(({ field, text }) => [field, text]);
}

/** Returns the words of a name such as `qualifiedName`: "Qualified name". */
function inWords(property: string): string {
  const words = property.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}

function fact(term: string, value: VNode): readonly VNode[] {
  return [el('dt', null, term), el('dd', null, value)];
}

function relations(visit: Visit, { entity, neighbours, edges, truncated }: EntityData): VNode {
  const names = new Map(neighbours.map((node) => [node.key, node]));
  const rows = edges.flatMap((edge) => {
    const outgoing = edge.from === entity.key;
    const other = names.get(outgoing ? edge.to : edge.from);
    if (other === undefined) return [];
    const kind = edge.kind.replaceAll('_', ' ');
    return [
      [
        el('a', { href: entityAddress(visit, other.key) }, name(other.name, 200)),
        other.kind,
        outgoing ? `→ ${kind}` : `← ${kind}`,
        edge.certainty,
        el('code', null, edge.rule),
        foreignText(edge.evidence, 300),
        `${edge.confidence} %`,
      ],
    ];
  });
  return section(
    'relations',
    'Relations and why they exist',
    rows.length === 0
      ? empty(
          el('p', null, 'Nothing is connected with it. Relations appear as more is indexed and mirrored.'),
        )
      : table({
          caption: 'Relations with the rule and the evidence of each',
          columns: ['Entity', 'Kind', 'Relation', 'Certainty', 'Rule', 'Evidence', 'Confidence'],
          rows,
        }),
    truncated && el('p', { class: 'quiet after' }, 'There are more than this page shows.'),
    notesOfPaths(entity).map((note) => el('p', { class: 'quiet after' }, note)),
  );
}

/** A mirrored record, such as an issue or an incident. */
interface MirroredFile {
  /** The address of the page of its file. */
  readonly address: string;
  /** `undefined` if the file is none of a record now. */
  readonly parts: RecordParts | undefined;
}

/** Returns the record of an entity; `undefined` for an entity without one, or whose repository is not searchable. */
export async function mirroredRecord(
  visit: Visit,
  { connections, knowledge }: Pick<PageContext, 'connections' | 'knowledge'>,
  { key, properties }: Pick<EntityRecord, 'key' | 'properties'>,
): Promise<MirroredFile | undefined> {
  const { path } = properties;
  const [, connectionId = ''] = key.split(':');
  if (typeof path !== 'string') return undefined;
  const { queries } = connections.database;
  const known = requireConnection(queries, visit.scope, connectionId);
  const connection = await known.catch(orUndefined((error) => error instanceof NotFound));
  const { binding } = connection ?? {};
  const repositoryId = binding && (await findHostedRepository(queries, visit.scope, binding));
  if (repositoryId === undefined) return undefined;
  const place = { repository: repositoryId, path };
  const file = await knowledge.sources.readFile(visit.scope, place, visit.signal);
  const kinds = knowledge.records.flatMap((records) => records.kinds);
  const parsed = file?.content === undefined ? undefined : parseRecord(kinds, path, file.content);
  return {
    address: fileAddress(visit, { repositoryId, path }),
    parts: parsed && partsOf(parsed.kind, parsed.record),
  };
}

/** Maximum number of entries of a section, and of characters of each text. */
const max = { entries: 50, text: 10_000 } as const;

/** Returns the text of a record and its lists of entries. The link to the file leads to what is left out. */
function recordTexts({ body, sections }: RecordParts): readonly (VNode | false)[] {
  return [
    body !== '' && section('text', 'Text', quoted(body)),
    ...sections.map(({ heading, entries }, index) =>
      section(
        `entries-${index}`,
        `${heading} (${entries.length})`,
        ...entries.slice(0, max.entries).flatMap(entryParts),
      ),
    ),
  ];
}

function entryParts({ createdAt, type, title, author, body }: Entry): readonly (VNode | false)[] {
  const heading = [createdAt, type, title, author?.name].filter(Boolean).join(', ');
  return [el('h3', null, el('bdi', null, foreignText(heading, 300))), body !== '' && quoted(body)];
}

/** Third-party text as it was written: nothing in it is a link, an image or HTML. */
function quoted(text: string): VNode {
  const shown = text.length > max.text ? `${text.slice(0, max.text)}…` : text;
  return el('pre', { tabIndex: 0 }, el('bdi', null, visibleText(shown.toWellFormed())));
}
