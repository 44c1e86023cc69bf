import type { VNode } from 'preact';
import { requireConnection } from '../../../features/connectors/connections/connection-store.ts';
import type { EntityRecord } from '../../../features/knowledge/entity-record.ts';
import { parseRecord } from '../../../features/mirror/format/parse-record.ts';
import type { Entry } from '../../../features/mirror/format/record-kind.ts';
import { partsOf, type RecordParts } from '../../../features/mirror/format/record-parts.ts';
import { findHostedRepository } from '../../../features/repositories/hosted-repository.ts';
import { NotFound } from '../../../foundation/kernel/errors.ts';
import { visibleText } from '../../../foundation/kernel/text/visible-text.ts';
import type { Visit } from '../app/app-page.ts';
import { fileAddress } from '../files/file-address.ts';
import { el } from '../kit/html/element.ts';
import { foreignText } from '../kit/html/foreign-text.ts';
import { section } from '../kit/html/parts.ts';
import type { PageContext } from '../pages-deps.ts';

/** A mirrored record, such as an issue or an incident. */
export interface MirroredFile {
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
  const connection = await requireConnection(queries, visit.scope, connectionId).catch((error: unknown) => {
    if (error instanceof NotFound) return undefined;
    throw error;
  });
  const { binding } = connection ?? {};
  const repositoryId = binding && (await findHostedRepository(queries, visit.scope, binding));
  if (repositoryId === undefined) return undefined;
  const file = await knowledge.sources.readFile(
    visit.scope,
    { repository: repositoryId, path },
    visit.signal,
  );
  const kinds = knowledge.records.flatMap((records) => records.kinds);
  const parsed = file?.content === undefined ? undefined : parseRecord(kinds, path, file.content);
  return {
    address: fileAddress(visit, { repositoryId, path }),
    parts: parsed && 'record' in parsed ? partsOf(parsed.kind, parsed.record) : undefined,
  };
}

/** Maximum number of entries of a section, and of characters of each text. */
const max = { entries: 50, text: 10_000 } as const;

/** Returns the text of a record and its lists of entries. The link to the file leads to what is left out. */
export function recordTexts({ body, sections }: RecordParts): readonly (VNode | false)[] {
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
