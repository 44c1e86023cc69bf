import { isCommitPrefix } from '../../foundation/git/objects/commit-id.ts';
import { InvalidInput } from '../../foundation/kernel/errors.ts';
import { shortCommit } from '../../foundation/kernel/text/short-commit.ts';
import { shorten, visibleLine } from '../../foundation/kernel/text/visible-text.ts';
import { given } from '../../foundation/kernel/wire/given.ts';
import { invalidField } from '../../foundation/kernel/wire/invalid-field.ts';
import { pointerTo } from '../../foundation/kernel/wire/json-pointer.ts';
import { parseLineRange, printRange } from '../../foundation/kernel/wire/line-range.ts';
import {
  type FileResource,
  isResourceUri,
  parseResourceUri,
  printFileUri,
} from '../../foundation/kernel/wire/resource-uri.ts';
import { closestRepository, lastPart } from '../repositories/repository-name.ts';
import { sourcePath } from './source-path.ts';

/** A place of a repository. An empty path means the repository itself, or its commit. */
export type Place = FileResource;

/**
 * Prints a place as `repository/path@commit:10-20` (contract, section 8), a commit as `repository@commit`. A path that
 * this form cannot hold (one that ends like a commit or lines, has a line break, several spaces or a backtick, which
 * inline code cannot hold, or a colon, a commit or a number of lines where a line of an answer would end the address)
 * is printed as its `ctx://` address.
 */
export function printAddress(place: Place): string {
  const { repository, path, commit, lines } = place;
  const plain = path === '' ? repository : `${repository}/${path}`;
  const at = commit === undefined ? '' : `@${commit}`;
  const isPlain =
    visibleLine(plain) === plain &&
    plain.trim() === plain &&
    cutEnd(plain).rest === plain &&
    !/[`\t]| {2}|:(?: |\d[\d-]*[: ])|@[\da-f]{7,64} | of \d+ lines?$/.test(plain);
  if (isPlain || path === '') return `${plain}${at}${lines === undefined ? '' : `:${printRange(lines)}`}`;
  return printFileUri(place);
}

/** Prints a commit for a person or a model to read and to pass on: `repository@commit`, the id shortened. */
export function printCommit(repository: string, commit: string): string {
  return printAddress({ repository, path: '', commit: shortCommit(commit) });
}

/**
 * Parses the address of a file or folder: `repository/path`, with `@commit` and `:10`, `:10-20` or `#L10-L20` after it,
 * a `ctx://` address, or a link to a file at a Git host. `names` are those of all repositories of the caller.
 * @throws UnknownAddress if no repository has the name; InvalidInput with both addresses if the names of two fit
 */
export function parseAddress(text: string, names: readonly string[]): Place {
  const place = parsePlace(text, names);
  if (place.path !== '') return place;
  const address = printAddress(place);
  const what = place.commit === undefined ? 'a repository' : 'a commit, which show_commit shows';
  const message = `\`${address}\` names ${what}; a file of it is \`${printAddress({ ...place, path: 'path' })}\``;
  throw invalidField('address', message, `The address ${message}.`);
}

/** Parses the address of a repository or commit too: `repository` or `repository@commit`. @throws as `parseAddress` */
export function parsePlace(text: string, names: readonly string[]): Place {
  const { uri = text, isMeant = true } = uriOfLink(text.trim(), names) ?? {};
  const place = isResourceUri(uri) ? placeOfUri(uri) : placeOfText(text.trim(), names);
  const isLines = place?.path === '' && place.lines !== undefined;
  if (place === undefined || !names.includes(place.repository) || isLines || !isMeant)
    throw new UnknownAddress(text, nearestPlace(uri, names), names);
  return { ...place, path: sourcePath(place.path) };
}

/** Parses `repository`, a name or an id, or `repository@commit`, as a history prints it. */
export function parseRepository(text: string): { readonly repository: string; readonly commit?: string } {
  const { rest, commit, lines } = cutEnd(text);
  return lines !== undefined || commit === undefined ? { repository: text } : { repository: rest, commit };
}

function placeOfUri(uri: string): Place | undefined {
  const resource = parseResourceUri(uri);
  if (resource === undefined || resource.kind === 'record') return undefined;
  const { kind: _kind, ...place } = resource;
  return { path: '', ...place };
}

function placeOfText(text: string, names: readonly string[]): Place | undefined {
  const { rest, ...end } = cutEnd(text);
  const places = names
    .filter((name) => rest === name || rest.startsWith(`${name}/`))
    .toSorted((one, other) => other.length - one.length)
    .map((repository) => placeIn(repository, rest.slice(repository.length + 1), end));
  const [longest, ...others] = places;
  // The whole name of a repository means it. Other texts may be a file of each.
  if (longest !== undefined && longest.path !== '' && others.length > 0) throw ambiguous(text, places);
  return longest;
}

/** Returns a place with the commit and lines at the end of its address. */
function placeIn(repository: string, path: string, end: Omit<AddressParts, 'rest'>): Place {
  return { repository, ...placeOfPath(path, end) };
}

function placeOfPath(path: string, { commit, lines }: Omit<AddressParts, 'rest'>): Omit<Place, 'repository'> {
  return given({ path, commit, lines: lines === undefined ? undefined : parseLineRange(lines) });
}

function ambiguous(text: string, places: readonly Place[]): Error {
  const each = places.map((place) => `\`${printFileUri(place)}\``).join(' or ');
  const message = `could be ${each}: pass one of them`;
  return invalidField('address', message, `The address ${repeated(text)} ${message}.`);
}

interface AddressParts {
  readonly rest: string;
  readonly commit?: string | undefined;
  readonly lines?: string | undefined;
}

/** Cuts the commit and the lines, `:10-20` or as in links `#L10-L20`, off the end of an address. */
function cutEnd(text: string): AddressParts {
  const [mark = '', first = '', last = ''] = /(?::|#L)([1-9]\d{0,8})(-L?\d{0,9})?$/.exec(text) ?? [];
  const lines = text.length - mark.length;
  const sign = text.lastIndexOf('@', lines);
  const id = text.slice(sign + 1, lines).toLowerCase();
  const end = sign > 0 && isCommitPrefix(id) ? sign : lines;
  return {
    rest: text.slice(0, end),
    ...(end < lines ? { commit: id } : {}),
    ...(mark === '' ? {} : { lines: `${first}${last.replace('L', '')}` }),
  };
}

/** Matches a link to a file at a Git host: its repository, its branch, tag or commit, and its path and lines. */
const link =
  /^https?:\/\/[^/\s]+\/((?:[^\s?#/]{1,99}\/){0,4}?[^\s?#/]{1,99})\/(?:-\/)?(?:blob|raw|src)\/(?:(?:branch|commit|tag)\/)?([^/\s?#]+)\/([^\s?#]+)(?:\?[^\s#]*)?(#L\S*)?$/;
/** Usual names of the indexed branch. */
const indexed = new Set(['HEAD', 'main', 'master']);

/** Returns the `ctx://` address of a link, and whether that has the file as the link means it. */
function uriOfLink(text: string, names: readonly string[]) {
  const [, owned, ref = '', path, lines = ''] = link.exec(text) ?? [];
  if (owned === undefined) return undefined;
  const name = names.find((one) => one === owned) ?? names.find((one) => owned.endsWith(`/${one}`)) ?? owned;
  const commit = isCommitPrefix(ref.toLowerCase()) ? `?ref=${ref}` : '';
  return {
    uri: `ctx://repo/${name}/file/${path}${commit}${lines}`,
    isMeant: commit !== '' || indexed.has(ref),
  };
}

/** Maximum length of an address that an error repeats, and number of those that it offers. */
const max = { repeated: 120, offered: 3 } as const;

/** The error for an address that names no file of a repository. It offers only addresses that are known to exist. */
export class UnknownAddress extends InvalidInput {
  readonly address: string;
  readonly nearest: Place | undefined;
  readonly names: readonly string[];

  constructor(
    address: string,
    nearest: Place | undefined,
    names: readonly string[],
    existing: readonly Place[] = [],
  ) {
    const offered = existing.slice(0, max.offered).map((place) => repeated(printAddress(place)));
    const known = nearest === undefined ? [] : [`a path in ${repeated(nearest.repository)}`];
    const all = (offered.length > 0 ? offered : known).join(' or ');
    const advice =
      all === ''
        ? 'write `repository/path:10-20`; list the repositories to see their names.'
        : `did you mean ${all}?`;
    const message = `names no file of a repository here: ${repeated(address)}`;
    super(`The address ${message}; ${advice}`, { errors: [{ path: pointerTo(['address']), message }] });
    this.address = address;
    this.nearest = nearest;
    this.names = names;
  }

  /**
   * Returns the places that may be meant, `count` at most: the nearest, then the whole text as a path of each repository,
   * first of those whose name is a part of it.
   */
  possible(count: number): readonly Place[] {
    const nearest = this.nearest === undefined ? [] : [this.nearest];
    const { rest, ...end } = cutEnd(this.address.trim());
    const place = rest.includes('://') ? undefined : usablePlace(rest, end);
    if (place === undefined) return nearest;
    const parts = new Set(rest.split('/'));
    const isPart = (name: string): boolean => parts.has(lastPart(name));
    const names = [...this.names.filter(isPart), ...this.names.filter((name) => !isPart(name))];
    const inEach = names.slice(0, count - nearest.length).map((repository) => ({ ...place, repository }));
    return [...nearest, ...inEach];
  }

  /** Returns the same error with addresses that exist. */
  offering(existing: readonly Place[]): UnknownAddress {
    return new UnknownAddress(this.address, this.nearest, this.names, existing);
  }
}

function repeated(text: string): string {
  return `\`${shorten(visibleLine(text), max.repeated)}\``;
}

/** Returns a path, with the commit and lines after it, that a repository may have; `undefined` for other texts. */
function usablePlace(path: string, end: Omit<AddressParts, 'rest'>): Omit<Place, 'repository'> | undefined {
  try {
    const place = placeOfPath(sourcePath(path), end);
    return place.path === '' ? undefined : place;
  } catch {
    return undefined;
  }
}

/** Returns the place in the repository whose name an address probably meant. */
function nearestPlace(text: string, names: readonly string[]): Place | undefined {
  const place = placeOfUri(text);
  if (place !== undefined) {
    const repository = closestRepository(place.repository, names);
    return repository === undefined ? undefined : { ...place, repository };
  }
  const plain = text.replace(/^ctx:\/\/(?:repo\/)?/, '');
  const { rest, ...end } = cutEnd(plain);
  const segments = rest.split('/');
  if (segments.length < 2 && end.commit === undefined) return undefined;
  const [first = '', second = ''] = segments;
  const owned = segments.length > 1 ? closestRepository(`${first}/${second}`, names) : undefined;
  const single = owned === undefined ? closestRepository(first, names) : undefined;
  const inner = owned ?? (single === undefined && segments.length > 2 ? exact(second, names) : undefined);
  const [repository, taken] = inner === undefined ? [single, 1] : [inner, 2];
  return repository === undefined ? undefined : placeIn(repository, segments.slice(taken).join('/'), end);
}

function exact(name: string, names: readonly string[]): string | undefined {
  return names.includes(name) ? name : undefined;
}
