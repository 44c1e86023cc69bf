import type { VNode } from 'preact';
import { fileKey } from '../../../features/knowledge/links/keys.ts';
import type { SourceText } from '../../../features/search/read-source.ts';
import type { AppView, Visit } from '../app/app-page.ts';
import { el } from '../kit/html/element.ts';
import { foreignText } from '../kit/html/foreign-text.ts';
import { name, nameText } from '../kit/html/name.ts';
import { pageHeading, section, table } from '../kit/html/parts.ts';
import type { Colour, ColouredLine } from './colours/coloured-lines.ts';
import { entityAddress, fileAddress } from './file-address.ts';
import { type FileRelations, lineOf } from './file-relations.ts';
import type { FileWindow } from './file-window.ts';
import { type Place, pathTrail } from './path-trail.ts';

/** Elements without attributes, because a page has thousands of them and must stay small. */
const elements: Readonly<Record<Colour, 'b' | 'i' | 'u' | 'var'>> = {
  comment: 'i',
  keyword: 'b',
  number: 'var',
  string: 'u',
};

export interface FileData {
  readonly place: Place;
  readonly text: SourceText;
  /** The lines to show, from the first of `text` on. */
  readonly lines: readonly ColouredLine[];
  readonly window: FileWindow;
  /** `undefined` for another commit than the indexed one, which the graph does not describe. */
  readonly relations: FileRelations | undefined;
  /** The page of the file at its Git host, if the host is known. */
  readonly hostPage: string | undefined;
}

export function fileView(visit: Visit, data: FileData): AppView {
  const { place, text, relations } = data;
  const last = place.path.split('/').at(-1) ?? '';
  return {
    title: nameText(last),
    content: [
      pathTrail(visit, place),
      pageHeading(name(last)),
      el('p', { class: 'quiet' }, ...facts(visit, data)),
      el('div', { class: 'card source' }, ...code(visit, data, text)),
      relations !== undefined && relations.definitions.length > 0 && definitions(visit, data, relations),
      relations !== undefined && relations.references.length > 0 && references(visit, place, relations),
    ],
  };
}

function facts(visit: Visit, { place, text, window, hostPage }: FileData) {
  const { marked } = window;
  const lines =
    marked === undefined ? undefined : `${marked.first}-${Math.min(marked.last, text.totalLines)}`;
  const permalink = fileAddress(visit, { ...place, lines, commit: text.commit });
  return [
    `${text.language}, ${text.totalLines.toLocaleString('en')} lines, at `,
    el('code', null, text.commit.slice(0, 12)),
    '. ',
    el('a', { href: permalink }, 'Permalink at this commit'),
    ...(hostPage === undefined
      ? []
      : [' · ', el('a', { href: hostPage, rel: 'noreferrer' }, 'Open at its Git host')]),
  ];
}

function definitions(
  visit: Visit,
  { place }: FileData,
  { definitions: found, truncated }: FileRelations,
): VNode {
  return section(
    'definitions',
    'Definitions in this file',
    el(
      'ul',
      { class: 'names' },
      ...found.map((entity) => {
        const line = lineOf(entity);
        const lines = line === 0 ? undefined : String(line);
        return el(
          'li',
          null,
          el('a', { href: fileAddress(visit, { ...place, lines }) }, name(entity.name, 100)),
          ' ',
          el(
            'a',
            {
              class: 'quiet',
              href: entityAddress(visit, entity.key),
              'aria-label': `References to ${entity.name}`,
            },
            'references',
          ),
        );
      }),
    ),
    truncated && more(visit, place),
  );
}

/** Leads to all that the graph knows of the file. */
function more(visit: Visit, { repositoryId, path }: Place): VNode {
  const address = entityAddress(visit, fileKey(repositoryId, path));
  return el('p', { class: 'quiet after' }, el('a', { href: address }, 'See everything known of this file'));
}

function code(visit: Visit, { place, lines, window }: FileData, text: SourceText) {
  const { marked } = window;
  const lastLine = text.startLine + lines.length - 1;
  const part = (from: number, label: string) =>
    el('p', { class: 'quiet' }, el('a', { href: partAddress(visit, place, marked, from) }, label));
  return [
    text.startLine > 1 && part(Math.max(1, text.startLine - 200), `Lines before ${text.startLine}`),
    text.totalLines === 0
      ? el('p', null, 'This file is empty.')
      : el(
          'div',
          {
            class: text.language === 'Markdown' ? 'code wrapped' : 'code',
            tabIndex: 0,
            role: 'region',
            'aria-label': `Lines ${text.startLine} to ${lastLine}`,
          },
          el(
            'table',
            { role: 'presentation' },
            ...lines.map((line, index) => row(line, text.startLine + index, marked)),
          ),
        ),
    lastLine < text.totalLines && part(lastLine + 1, `Lines after ${lastLine} of ${text.totalLines}`),
  ];
}

function row(line: ColouredLine, number: number, marked: FileWindow['marked']): VNode {
  const isMarked = marked !== undefined && number >= marked.first && number <= marked.last;
  const parts = line.map(({ text, colour }) =>
    colour === undefined ? text : el(elements[colour], null, text),
  );
  return el(
    'tr',
    { id: `L${number}`, class: isMarked ? 'marked' : undefined },
    el('td', null, number),
    el('td', null, isMarked ? el('mark', null, ...parts) : parts),
  );
}

function partAddress(visit: Visit, place: Place, marked: FileWindow['marked'], from: number): string {
  const { repositoryId, path, commit } = place;
  const lines = marked === undefined ? undefined : `${marked.first}-${Math.min(marked.last, 999_999_999)}`;
  const address = fileAddress(visit, { repositoryId, path, lines, commit });
  return `${address.split('#', 1)[0]}&from=${from}`;
}

function references(visit: Visit, place: Place, { references: found, truncated }: FileRelations): VNode {
  return section(
    'references',
    'Connected with this file',
    table({
      caption: 'What refers to this file, and why',
      columns: ['What', 'Kind', 'How', 'Evidence'],
      rows: found.map(({ entity, edge }) => [
        el('a', { href: entityAddress(visit, entity.key) }, name(entity.name, 200)),
        entity.kind,
        `${edge.certainty === 'possible' ? 'possibly ' : ''}${edge.kind.replaceAll('_', ' ')}`,
        foreignText(edge.evidence, 200),
      ]),
    }),
    truncated && more(visit, place),
  );
}
