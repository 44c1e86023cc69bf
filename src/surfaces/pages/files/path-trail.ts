import type { VNode } from 'preact';
import type { Visit } from '../app/app-page.ts';
import { el } from '../kit/html/element.ts';
import { name } from '../kit/html/name.ts';
import { folderAddress } from './file-address.ts';

export interface Place {
  readonly repositoryId: string;
  /** Name of the repository. */
  readonly repository: string;
  readonly path: string;
  /** The commit of the request; `undefined` for the indexed one. */
  readonly commit: string | undefined;
}

/** Links to the repository and the folders that a path lies in. */
export function pathTrail(visit: Visit, { repositoryId, repository, path, commit }: Place): VNode {
  const segments = path === '' ? [] : path.split('/');
  const folders = segments.slice(0, -1).map((segment, index) => ({
    segment,
    path: segments.slice(0, index + 1).join('/'),
  }));
  return el(
    'nav',
    { class: 'trail', 'aria-label': 'Place' },
    el(
      'ol',
      null,
      el('li', null, el('a', { href: visit.path(`/repositories/${repositoryId}`) }, name(repository))),
      el('li', null, el('a', { href: folderAddress(visit, { repositoryId, path: '', commit }) }, 'files')),
      ...folders.map((folder) =>
        el(
          'li',
          null,
          el(
            'a',
            { href: folderAddress(visit, { repositoryId, path: folder.path, commit }) },
            name(folder.segment),
          ),
        ),
      ),
    ),
  );
}
