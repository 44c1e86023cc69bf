import { isCommitPrefix } from '../../foundation/git/objects/commit-id.ts';
import { encodePath } from '../../foundation/kernel/text/encode-path.ts';
import { shorten, visibleLine } from '../../foundation/kernel/text/visible-text.ts';
import { invalidField } from '../../foundation/kernel/wire/invalid-field.ts';
import { closestRepository } from '../repositories/repository-name.ts';
import { type LineRange, parseLineRange } from './line-range.ts';

/** A file or folder of a repository, with lines of it, at a commit. */
export interface Place {
  /** Repository name. */
  readonly repository: string;
  readonly path: string;
  /** Default: the indexed commit. */
  readonly commit?: string;
  readonly lines?: LineRange;
}

/**
 * Prints a place as `repository/path@commit:10-20` (contract, section 8). A path that this form cannot hold (one that
 * ends like a commit or lines, or has a line break) is printed as its `ctx://` address.
 */
export function printAddress(place: Place): string {
  const { repository, path, commit } = place;
  const plain = `${repository}/${path}`;
  const at = commit === undefined ? '' : `@${commit}`;
  const isPlain = visibleLine(plain) === plain && plain.trim() === plain && cutEnd(plain).rest === plain;
  if (isPlain) return `${plain}${at}${place.lines === undefined ? '' : `:${printRange(place.lines)}`}`;
  const ref = commit === undefined ? '' : `?ref=${commit}`;
  return `${repoPrefix}${encodePath(repository)}${fileInfix}${encodePath(path)}${ref}${printFragment(place.lines)}`;
}

/**
 * Parses `repository/path`, with `@commit` and `:10` or `:10-20` after it, or a `ctx://` address of a file. `names` are
 * those of all repositories of the caller; the longest that fits is the repository.
 * @throws InvalidInput that names the nearest right address
 */
export function parseAddress(text: string, names: readonly string[]): Place {
  const place = text.startsWith('ctx://') ? placeOfUri(text) : placeOfText(text.trim(), names);
  if (place === undefined || place.path === '') throw refuse(text, names);
  return place;
}

const repoPrefix = 'ctx://repo/';
const fileInfix = '/file/';

/**
 * Parses `ctx://repo/{repo}/file/{+path}{?ref}#L10-L20`, in time proportional to the length of the text. Returns
 * undefined for other addresses.
 */
export function placeOfUri(uri: string): Place | undefined {
  if (!uri.startsWith(repoPrefix)) return undefined;
  const [withoutFragment = ''] = uri.split('#', 1);
  const fragment = uri.slice(withoutFragment.length);
  const [place = ''] = withoutFragment.split('?', 1);
  const query = withoutFragment.slice(place.length);
  const at = place.indexOf(fileInfix, repoPrefix.length + 1);
  const path = place.slice(at + fileInfix.length);
  const ref = query === '' ? '' : /^\?ref=([^&#]*)$/.exec(query)?.[1];
  if (at === -1 || path === '' || ref === undefined) return undefined;
  try {
    return {
      repository: decodeURIComponent(place.slice(repoPrefix.length, at)),
      path: decodeURIComponent(path),
      ...(ref === '' ? {} : { commit: decodeURIComponent(ref) }),
      ...linesOf(/^#L(\d{1,9}(?:-L?\d{1,9})?)$/.exec(fragment)?.[1]?.replace('L', '')),
    };
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
}

function placeOfText(text: string, names: readonly string[]): Place | undefined {
  const { rest, commit, lines } = cutEnd(text);
  const repository = names
    .filter((name) => rest.startsWith(`${name}/`))
    .reduce<string | undefined>(
      (longest, name) => (name.length > (longest?.length ?? 0) ? name : longest),
      undefined,
    );
  if (repository === undefined) return undefined;
  const path = rest.slice(repository.length + 1);
  return { repository, path, ...(commit === undefined ? {} : { commit }), ...linesOf(lines) };
}

/** Cuts the commit and the lines off the end of an address. */
function cutEnd(text: string): { readonly rest: string; readonly commit?: string; readonly lines?: string } {
  const colon = text.lastIndexOf(':');
  const lines = colon > 0 && /^[1-9]\d{0,8}(?:-\d{0,9})?$/.test(text.slice(colon + 1)) ? colon : text.length;
  const sign = text.lastIndexOf('@', lines);
  const id = text.slice(sign + 1, lines).toLowerCase();
  const end = sign > 0 && isCommitPrefix(id) ? sign : lines;
  return {
    rest: text.slice(0, end),
    ...(end < lines ? { commit: id } : {}),
    ...(lines < text.length ? { lines: text.slice(lines + 1) } : {}),
  };
}

function linesOf(text: string | undefined): { readonly lines?: LineRange } {
  return text === undefined ? {} : { lines: parseLineRange(text) };
}

/** Prints a range as `parseLineRange` reads it: `10`, `10-20` or `10-`. */
export function printRange({ first, last }: LineRange): string {
  return last === first ? `${first}` : `${first}-${last ?? ''}`;
}

function printFragment(lines: LineRange | undefined): string {
  if (lines === undefined) return '';
  return lines.last === undefined || lines.last === lines.first
    ? `#L${lines.first}`
    : `#L${lines.first}-L${lines.last}`;
}

/** Maximum length of an address that an error repeats. */
const maxRepeated = 120;

function refuse(text: string, names: readonly string[]): Error {
  const nearest = nearestAddress(text, names);
  const advice =
    nearest === undefined
      ? 'write `repository/path:10-20`; list the repositories to see their names.'
      : `did you mean \`${shorten(nearest, maxRepeated)}\`?`;
  const message = `names no file of a repository here: \`${shorten(visibleLine(text), maxRepeated)}\``;
  return invalidField('address', message, `The address ${message}; ${advice}`);
}

/** Returns the address with the repository that its first segments probably meant. */
function nearestAddress(text: string, names: readonly string[]): string | undefined {
  const segments = text.replace(/^ctx:\/\/(?:repo\/)?/, '').split('/');
  if (segments.length < 2) return undefined;
  const [first = '', second = ''] = segments;
  const owned = segments.length > 2 ? closestRepository(`${first}/${second}`, names) : undefined;
  const single = owned === undefined ? closestRepository(first, names) : undefined;
  const inner = owned ?? (single === undefined && segments.length > 2 ? exact(second, names) : undefined);
  const [repository, taken] = inner === undefined ? [single, 1] : [inner, 2];
  const nearest = repository && [repository, ...segments.slice(taken)].join('/').replace(/\/file\//, '/');
  return nearest === text ? undefined : nearest;
}

function exact(name: string, names: readonly string[]): string | undefined {
  return names.includes(name) ? name : undefined;
}
