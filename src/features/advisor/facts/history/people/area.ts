import type { RankedFile } from '../../../../../backends/codesearch/port.ts';
import { textBefore } from '../../../../../foundation/kernel/text/cut-text.ts';
import { isAskingWord, isChangeWord } from '../../../question/words/asking-words.ts';
import { stemsOf } from '../../../text/split-words.ts';
import type { Inquiry } from '../../inquiry.ts';
import { isProductFile } from '../../test-path.ts';

/** A folder of a repository, with its file that fits a question best. */
export interface Area {
  readonly repositoryId: string;
  /** Path of a folder or file, without a slash at the end. */
  readonly path: string;
  readonly isFolder: boolean;
  readonly file: string;
}

/** Number of files whose folders are compared. */
const maxFiles = 40;
/** Folders that hold the whole code of a repository. */
const isWhole = /^(?:src|lib|source|sources|pkg|packages|internal|app|main|cmd|core)$/iu;

/** The share of the words of a question that the name of an area must have: one word of many names no area. */
const minShare = 0.5;

/** Returns the folder or else the file whose name is most of a question; `undefined` if no name is. */
export function areaOf(inquiry: Inquiry): Area | undefined {
  const { named, files, subject, repositories } = inquiry.ranked;
  const names = new Set(repositories.flatMap(({ name }) => stemsOf(name)));
  const words = subject.terms.filter((term) => !isAskingWord(term)).flatMap(stemsOf);
  const wanted = new Set(words.filter((word) => !names.has(word)));
  const isMost = ({ path }: Area): boolean => {
    const own = new Set(path.split('/').flatMap((name) => stemsOf(textBefore(name, '.'))));
    const said = subject.terms.filter((term) => !isChangeWord(term)).flatMap(stemsOf);
    const content = new Set(said.filter((word) => wanted.has(word)));
    return [...content].filter((word) => own.has(word)).length >= content.size * minShare;
  };
  const ids = new Set<string>(named.map(({ id }) => id));
  const compared = files
    .filter((file) => isProductFile(file) && (ids.size === 0 || ids.has(file.repository)))
    .slice(0, maxFiles);
  for (const find of [folderOf, moduleOf]) {
    const areas = compared.flatMap((file) => find(file, wanted) ?? []).filter(isMost);
    if (areas.length > 0) return mostFrequent(areas);
  }
  return undefined;
}

function folderOf({ path, repository }: RankedFile, wanted: ReadonlySet<string>): Area | undefined {
  const folders = path.split('/').slice(0, -1);
  const at = folders.findLastIndex((name) => !isWhole.test(name) && isNamed(name, wanted));
  if (at < 0) return undefined;
  const folder = folders.slice(0, at + 1).join('/');
  return { repositoryId: repository, path: folder, isFolder: true, file: path };
}

function moduleOf({ path, repository }: RankedFile, wanted: ReadonlySet<string>): Area | undefined {
  const name = textBefore(path.slice(path.lastIndexOf('/') + 1), '.');
  return isNamed(name, wanted) ? { repositoryId: repository, path, isFolder: false, file: path } : undefined;
}

/** Returns whether all words of a name are in the question. */
function isNamed(name: string, wanted: ReadonlySet<string>): boolean {
  const words = stemsOf(name);
  return words.length > 0 && words.every((word) => wanted.has(word));
}

/** Returns the area of most files, with the first of them; of equal ones the first. */
function mostFrequent(areas: readonly Area[]): Area | undefined {
  const counts = new Map<string, number>();
  const keyOf = ({ repositoryId, path }: Area): string => `${repositoryId}:${path}`;
  for (const area of areas) counts.set(keyOf(area), (counts.get(keyOf(area)) ?? 0) + 1);
  return areas.toSorted((a, b) => (counts.get(keyOf(b)) ?? 0) - (counts.get(keyOf(a)) ?? 0))[0];
}
