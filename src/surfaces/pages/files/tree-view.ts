import type { VNode } from 'preact';
import type { SourceListing } from '../../../features/search/read-source.ts';
import type { AppView, Visit } from '../app/app-page.ts';
import { el } from '../kit/html/element.ts';
import { name, nameText } from '../kit/html/name.ts';
import { empty, nextPage, pageHeading, table } from '../kit/html/parts.ts';
import { fileAddress, folderAddress } from './file-address.ts';
import { type Place, pathTrail } from './path-trail.ts';

export interface TreeData {
  readonly place: Place;
  readonly listing: SourceListing;
  /** Number of entries before the shown ones. */
  readonly offset: number;
}

/** Maximum number of entries on a page. */
const pageEntries = 200;

export function treeView(visit: Visit, { place, listing, offset }: TreeData): AppView {
  const folder = place.path === '' ? 'All files' : (place.path.split('/').at(-1) ?? '');
  const shown = listing.entries.slice(offset, offset + pageEntries);
  const next = offset + pageEntries;
  const href = folderAddress(visit, place);
  const more = `${href}${href.includes('?') ? '&' : '?'}offset=${next}`;
  return {
    title: nameText(folder),
    content: [
      pathTrail(visit, place),
      pageHeading(name(folder)),
      el('p', { class: 'quiet' }, 'At ', el('code', null, listing.commit.slice(0, 12))),
      el(
        'div',
        { class: 'card' },
        shown.length === 0
          ? empty(el('p', null, 'This folder has no entries.'))
          : table({
              caption: 'Entries of the folder',
              columns: ['Name', 'Kind', 'Size'],
              rows: shown.map((entry) => [
                entryLink(visit, place, entry),
                entry.kind,
                entry.kind === 'file' ? `${entry.bytes.toLocaleString('en')} bytes` : '',
              ]),
            }),
        nextPage(next < listing.entries.length ? more : undefined, 'More entries'),
      ),
    ],
  };
}

function entryLink(visit: Visit, place: Place, { path, kind }: SourceListing['entries'][number]): VNode {
  const label = name(path.split('/').at(-1) ?? path);
  const address = { repositoryId: place.repositoryId, path, commit: place.commit };
  if (kind === 'file') return el('a', { href: fileAddress(visit, address) }, label);
  return kind === 'directory' ? el('a', { href: folderAddress(visit, address) }, label) : label;
}
