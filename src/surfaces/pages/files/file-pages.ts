import { asSearchable, requireRepository } from '../../../features/repositories/repository-store.ts';
import { hostFilePage } from '../../../features/search/file-url.ts';
import { listSource, readSourceFile } from '../../../features/search/read-source.ts';
import { Conflict, NotFound } from '../../../foundation/kernel/errors.ts';
import { orUndefined } from '../../../foundation/kernel/or-undefined.ts';
import { invalidField } from '../../../foundation/kernel/wire/invalid-field.ts';
import type { LineRange } from '../../../foundation/kernel/wire/line-range.ts';
import type { AppPage, Visit } from '../app/app-page.ts';
import type { PageContext } from '../pages-deps.ts';
import { fileRelations } from './file-relations.ts';
import { fileView } from './file-view.ts';
import { fileWindow } from './file-window.ts';
import { missingView } from './missing-view.ts';
import type { Place } from './path-trail.ts';
import { shownLines } from './shown-lines.ts';
import { treeView } from './tree-view.ts';

const own = { method: 'GET', role: 'member', section: 'Repositories' } as const;

/** The pages of a file and of a folder. Citations of answers lead to the page of a file. */
export const filePages: readonly AppPage[] = [
  {
    ...own,
    path: '/repositories/:id/file',
    async handle(visit, { answers, knowledge }) {
      const path = visit.query('path');
      if (path === undefined) throw invalidField('path', 'is missing', 'The address names no file.');
      const { place, searchable } = await placeOf(visit, answers, path);
      const window = fileWindow(visit.query('lines'), visit.query('from'));
      const file = await readIfPresent(visit, answers, place, window.lines);
      if (file === undefined) return visit.show(missingView(visit, place));
      const { part: text } = file;
      const isIndexed = text.commit === searchable.indexedCommit;
      const relations = isIndexed
        ? await fileRelations(knowledge, visit.scope, place, visit.signal)
        : undefined;
      const { marked = { first: 1, last: 1 } } = window;
      const span = {
        path,
        commit: text.commit,
        startLine: marked.first,
        endLine: Math.min(marked.last, text.totalLines),
      };
      const hostPage = hostFilePage(searchable, span);
      const lines = shownLines(text, file.text);
      return visit.show(fileView(visit, { place, text, lines, window, relations, hostPage }));
    },
  },
  {
    ...own,
    path: '/repositories/:id/tree',
    async handle(visit, { answers }) {
      const { place } = await placeOf(visit, answers, visit.query('path') ?? '');
      const listing = await listSource(answers, visit.scope, requestOf(place), visit.signal);
      const offset = Number.parseInt(visit.query('offset') ?? '0', 10) || 0;
      return visit.show(treeView(visit, { place, listing, offset: Math.max(0, offset) }));
    },
  },
];

/** @throws NotFound; Conflict while the repository has no index */
async function placeOf(visit: Visit, { queries }: Pick<PageContext['answers'], 'queries'>, path: string) {
  const repository = await requireRepository(queries, visit.scope, visit.param('id'));
  const searchable = asSearchable(repository);
  if (searchable === undefined) {
    throw new Conflict(
      'conflict',
      `${repository.name} has no index yet, so its files cannot be shown. Try again later.`,
    );
  }
  const { id: repositoryId, name } = searchable;
  const place: Place = { repositoryId, repository: name, path, commit: visit.query('commit') };
  return { place, searchable };
}

/** Reads the lines. Returns `undefined` if the file is gone. */
async function readIfPresent(
  visit: Visit,
  answers: PageContext['answers'],
  place: Place,
  lines: LineRange,
): Promise<Awaited<ReturnType<typeof readSourceFile>> | undefined> {
  const read = readSourceFile(answers, visit.scope, { ...requestOf(place), lines }, visit.signal);
  return read.catch(orUndefined((error) => error instanceof NotFound));
}

function requestOf({ repositoryId, path, commit }: Place) {
  return { repository: repositoryId, path, ...(commit !== undefined && { commit }) };
}
