import { git } from './git.ts';

/** A past change as a question: its message, and the files that it changed. */
export interface Query {
  readonly id: string;
  /** The commit that is searched; the change and everything after it are unknown to it. */
  readonly parent: string;
  readonly text: string;
  /** The changed files of the corpus. */
  readonly files: readonly string[];
}

export type Mode = 'subject' | 'full';

/** Maximum number of changed files; larger changes are about no place in particular. */
const maxFiles = 8;
const maxFullText = 4000;
const sourceFile =
  /\.(?:[cm]?[jt]sx?|py|go|java|kt|kts|scala|rb|rs|c|h|cc|cpp|hpp|cs|php|swift|vue|svelte|ex|exs|clj|hs|ml|lua|zig|dart)$/;
const notCorpus =
  /(?:^|\/)(?:tests?|__tests__|specs?|testdata|fixtures?|e2e|docs?|examples?|samples?|bench(?:marks?)?|vendor|third_party|node_modules|dist|deno_dist|runtime[-_]tests?)\/|(?:^|\/)(?:test_[^/]*|conftest\.py)$|[._-](?:test|tests|spec|bench|min)\.\w+$|_test\.\w+$|(?:Test|Tests|Spec)\.\w+$|\.d\.ts$/;
/** Subjects of changes that no question corresponds to. */
const routine =
  /^(?:merge|revert|release|bump|update (?:depend|lock|changelog)|v?\d+\.\d|chore\(?(?:deps|release)|build\(deps|deps|\d+\.\d+)|\b(?:typos?|format(?:ting)?|lint|prettier|whitespace|dependabot|renovate|changelog|release notes|bump(?:s|ed)? (?:version|to)|version bump)\b/i;
const robot = /\[bot\]|dependabot|renovate|github-actions/i;

/** Returns whether a file belongs to the corpus that all rankings are compared on: source code without its tests. */
export function isInCorpus(path: string): boolean {
  return sourceFile.test(path) && !notCorpus.test(path);
}

/** Returns the newest `count` changes of the default branch that make a question, oldest first. */
export function drawQueries(gitDir: string, count: number, mode: Mode): Query[] {
  const log = git(gitDir, [
    'log',
    '--first-parent',
    '--no-merges',
    '--no-renames',
    '--diff-filter=AM',
    '--name-status',
    '--format=%x01%H%x00%P%x00%an%x00%B%x00',
    'HEAD',
  ]);
  const queries: Query[] = [];
  for (const record of log.split('\x01').slice(1)) {
    const query = queryOf(record, mode);
    if (query !== undefined) queries.push(query);
    if (queries.length === count) break;
  }
  return queries.toReversed();
}

function queryOf(record: string, mode: Mode): Query | undefined {
  const [id = '', parent = '', author = '', message = '', changes = ''] = record.split('\0');
  const subject = message.trim().split('\n', 1)[0] ?? '';
  if (parent === '' || robot.test(author) || routine.test(subject)) return undefined;
  const changed = changes.split('\n').flatMap((line) => {
    const [status, path] = line.split('\t');
    return path === undefined ? [] : [{ status, path }];
  });
  // A change that adds files is kept for those that it modifies.
  const files = changed
    .filter(({ status, path }) => status === 'M' && isInCorpus(path))
    .map(({ path }) => path);
  const text = questionOf(message, mode);
  const words = text.match(/\p{L}{3,}/gu) ?? [];
  if (files.length === 0 || files.length > maxFiles || words.length < 2) return undefined;
  return { id, parent, text, files };
}

/** Removes what names the change itself: numbers of pull requests, addresses, and lines that tools add. */
function questionOf(message: string, mode: Mode): string {
  const [subject = '', ...body] = message.trim().split('\n');
  const text = mode === 'subject' ? subject : [subject, ...body].join('\n');
  return text
    .replaceAll(/^[A-Za-z-]+-by: .*$/gm, '')
    .replaceAll(/https?:\/\/\S+/g, '')
    .replaceAll(/\(?#\d+\)?/g, '')
    .slice(0, maxFullText)
    .trim();
}
