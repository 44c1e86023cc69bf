import type { VNode } from 'preact';
import type { AppView, Visit } from '../app/app-page.ts';
import { el } from '../kit/html/element.ts';
import { foreignText } from '../kit/html/foreign-text.ts';
import { card } from '../kit/html/layout.ts';
import { name } from '../kit/html/name.ts';
import { fileAddress, folderAddress } from './file-address.ts';
import { type Place, pathTrail } from './path-trail.ts';

/** Returns the page of a file that is gone, as after a citation of an earlier answer. */
export function missingView(visit: Visit, place: Place): AppView {
  const { repositoryId, repository, path, commit } = place;
  const parent = path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '';
  return {
    title: 'File not found',
    status: 404,
    content: [
      pathTrail(visit, { ...place, path: '' }),
      card(
        'This file is not here',
        el(
          'p',
          null,
          name(path, 500),
          ' is not in ',
          name(repository),
          commit === undefined
            ? ' now.'
            : ` at the commit ${foreignText(commit, 64)}, or the commit is gone.`,
        ),
        el(
          'ul',
          null,
          commit !== undefined &&
            link(fileAddress(visit, { repositoryId, path }), 'Open the file at the indexed commit'),
          link(folderAddress(visit, { repositoryId, path: parent }), 'Open its folder at the indexed commit'),
          link(folderAddress(visit, { repositoryId, path: '' }), 'Open all files'),
        ),
      ),
    ],
  };
}

function link(href: string, text: string): VNode {
  return el('li', null, el('a', { href }, text));
}
