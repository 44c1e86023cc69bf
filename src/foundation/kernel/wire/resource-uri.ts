import { encodePath, encodeSegment } from '../text/encode-path.ts';
import { type LineRange, parseLineRange } from './line-range.ts';

/** A file or folder of a repository, with lines of it, at a commit. */
export interface FileResource {
  /** Repository name. */
  readonly repository: string;
  readonly path: string;
  /** Default: the indexed commit. */
  readonly commit?: string;
  readonly lines?: LineRange;
}

/** What the `ctx://` address of an MCP resource names. `connector`, `type` and `id` are those of a mirrored record. */
export type Resource =
  | ({ readonly kind: 'file' } & FileResource)
  | { readonly kind: 'commit'; readonly repository: string; readonly commit: string }
  | { readonly kind: 'record'; readonly connector: string; readonly type: string; readonly id: string };

const scheme = 'ctx://';
const repoPrefix = `${scheme}repo/`;
const fileInfix = '/file/';

/** Returns whether a text is a `ctx://` address, of whatever form. */
export function isResourceUri(text: string): boolean {
  return text.startsWith(scheme);
}

/** Prints `ctx://repo/<name>/file/<path>?ref=<commit>#L10-L20`. */
export function printFileUri({ repository, path, commit, lines }: FileResource): string {
  const ref = commit === undefined ? '' : `?ref=${commit}`;
  return `${repoPrefix}${encodeName(repository)}${fileInfix}${encodePath(path)}${ref}${printFragment(lines)}`;
}

/** Prints `ctx://repo/<name>/commit/<id>`. */
export function printCommitUri(repository: string, commit: string): string {
  return `${repoPrefix}${encodeName(repository)}/commit/${encodeSegment(commit)}`;
}

/** Encodes the name of a repository; its slashes only if one of its parts would read as the word after the name. */
function encodeName(name: string): string {
  return /\/file(?:\/|$)/.test(name) ? encodeSegment(name) : encodePath(name);
}

/** Prints the address of a mirrored record: `ctx://<connector>/<type>/<id>`. */
export function printRecordUri(connector: string, type: string, id: string): string {
  return `${scheme}${connector}/${type}/${encodeSegment(id)}`;
}

/**
 * Parses an address in time proportional to its length. Returns undefined for another text. @throws InvalidInput for
 * bad lines
 */
export function parseResourceUri(uri: string): Resource | undefined {
  try {
    if (!uri.startsWith(repoPrefix)) return parseRecord(uri);
    return parseFile(uri) ?? parseCommit(uri);
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
}

function parseFile(uri: string): Resource | undefined {
  const [withoutFragment = ''] = uri.split('#', 1);
  const fragment = uri.slice(withoutFragment.length);
  const [place = ''] = withoutFragment.split('?', 1);
  const query = withoutFragment.slice(place.length);
  const at = place.indexOf(fileInfix, repoPrefix.length + 1);
  const path = place.slice(at + fileInfix.length);
  const ref = query === '' ? '' : /^\?ref=([^&#]*)$/.exec(query)?.[1];
  if (at === -1 || path === '' || ref === undefined) return undefined;
  const lines = /^#L(\d{1,9}(?:-(?:L?\d{1,9})?)?)$/.exec(fragment)?.[1]?.replace('L', '');
  return {
    kind: 'file',
    repository: decodeURIComponent(place.slice(repoPrefix.length, at)),
    path: decodeURIComponent(path),
    ...(ref === '' ? {} : { commit: decodeURIComponent(ref) }),
    ...(lines === undefined ? {} : { lines: parseLineRange(lines) }),
  };
}

function parseCommit(uri: string): Resource | undefined {
  const [, repository, commit] = /^ctx:\/\/repo\/([^?#]+)\/commit\/([\da-f]{7,64})$/i.exec(uri) ?? [];
  if (repository === undefined || commit === undefined) return undefined;
  return { kind: 'commit', repository: decodeURIComponent(repository), commit: commit.toLowerCase() };
}

function parseRecord(uri: string): Resource | undefined {
  const [, connector, type, id] = /^ctx:\/\/([a-z]+)\/([^/]+)\/([^?#]+)$/.exec(uri) ?? [];
  if (connector === undefined || type === undefined || id === undefined) return undefined;
  return { kind: 'record', connector, type, id: decodeURIComponent(id) };
}

function printFragment(lines: LineRange | undefined): string {
  if (lines === undefined) return '';
  const { first, last } = lines;
  return last === first ? `#L${first}` : `#L${first}-${last === undefined ? '' : `L${last}`}`;
}
