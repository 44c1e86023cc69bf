import { z } from 'zod';
import { fileKey } from '../../../features/knowledge/links/keys.ts';
import { outlineOf } from '../../../features/knowledge/queries/file-definitions.ts';
import { type Place, parseAddress, parseRepository, printAddress } from '../../../features/search/address.ts';
import { findSearchable } from '../../../features/search/find-repository.ts';
import { offerExisting } from '../../../features/search/offer-existing.ts';
import { readSource, type SourceText } from '../../../features/search/read-source.ts';
import { sourcePath } from '../../../features/search/source-path.ts';
import { InvalidInput, isCallerError } from '../../../foundation/kernel/errors.ts';
import { counted } from '../../../foundation/kernel/text/counted.ts';
import { fittingLines } from '../../../foundation/kernel/text/fitting-lines.ts';
import { shorten, visibleLine, visibleSource } from '../../../foundation/kernel/text/visible-text.ts';
import { given } from '../../../foundation/kernel/wire/given.ts';
import { parseLineRange, printRange } from '../../../foundation/kernel/wire/line-range.ts';
import { withGraphNotes } from './graph-notes.ts';
import { quotedNote } from './page-notes.ts';
import {
  clip,
  defineTool,
  maxErrorCharacters,
  maxText,
  type Room,
  roomFor,
  type ToolContext,
} from './tool.ts';

const input = z.object({
  places: z
    .array(z.string().max(5_000))
    .min(1)
    .max(10)
    .optional()
    .describe('Addresses, several files or ranges at once: repository/path, repository/path:10-80, ctx://….'),
  repository: z.string().optional().describe('Repository name, with `path`, instead of `places`.'),
  path: z.string().optional(),
  lines: z.string().optional().describe('`10-80`, `10-` or `10`. Default: from the first line.'),
  commit: z.string().optional().describe('Commit id; default: the indexed commit.'),
  outline: z.boolean().default(false).describe('The definitions with their lines instead of the text.'),
});

type Input = z.infer<typeof input>;

export const readFile = defineTool({
  name: 'read_file',
  description:
    'Reads files or lines of any indexed repository, several places at once, or the outline of a file. ' +
    'A long file without a range is cut after the first lines, with the range to ask for next.',
  input,
  isAlwaysLoaded: true,
  async run(request, context) {
    const names = [...(await context.deps.knowledge.repositoryNames(context.access.scope)).values()];
    const { places, repository, path, lines, commit } = request;
    if (places !== undefined && [repository, path, lines, commit].some((each) => each !== undefined))
      throw new InvalidInput('Pass `places` alone: an address has its path, lines and commit.');
    const asked: readonly (string | undefined)[] = places ?? [undefined];
    const texts: string[] = [];
    for (const address of asked) {
      const read = async (): Promise<string> => {
        const parse = () => (address === undefined ? placeOf(request, names) : parseAddress(address, names));
        const { deps, access, signal } = context;
        const place = await offerExisting(deps.answers, access.scope, parse, signal);
        const room = roomOf(place, asked.length);
        return request.outline ? outlineText(place, room, context) : textOf(place, room, context);
      };
      texts.push(await (asked.length > 1 ? orError(address ?? '', read) : read()));
    }
    const result = async (notes: readonly string[]) => [...texts, ...notes].join('\n');
    return request.outline ? withGraphNotes(context, result) : result([quotedNote]);
  },
});

/** Returns the text of one of several places, or why it cannot be read: the others can. */
async function orError(address: string, read: () => Promise<string>): Promise<string> {
  try {
    return await read();
  } catch (error) {
    if (!isCallerError(error)) throw error;
    return shorten(visibleLine(`Error: ${shorten(address)}: ${error.message}`), maxErrorCharacters);
  }
}

function placeOf({ repository, path, lines, commit }: Input, names: readonly string[]): Place {
  if (path === undefined)
    throw new InvalidInput('Pass `places`, such as ["repository/path:10-80"], or `repository` and `path`.');
  if (repository === undefined) return parseAddress(path, names);
  const named = parseRepository(repository);
  return given({
    ...named,
    path: sourcePath(path),
    commit: commit ?? named.commit,
    lines: lines === undefined ? undefined : parseLineRange(lines),
  });
}

/** Returns the room of each of several places. A range is a wish for a longer text, a whole file is not. */
function roomOf({ lines }: Place, places: number): Room {
  const isLarge = lines !== undefined;
  const { max, sizeOf } = roomFor(isLarge);
  return { max: Math.floor((max - (isLarge ? 500 : 300)) / places), sizeOf };
}

async function textOf(
  place: Place,
  { max, sizeOf }: Room,
  { deps, access, signal }: ToolContext,
): Promise<string> {
  const { lines } = place;
  const read = await readSource(deps.answers, access.scope, place, signal);
  const { startLine, totalLines } = read;
  const wanted = Math.min(lines?.last ?? totalLines, totalLines);
  const head = (last: number): string =>
    `${headOf({ ...place, lines: { first: startLine, last } }, max)} of ${counted(totalLines, 'line')}`;
  const next = (first: number): string =>
    continueWith({ ...place, lines: { first, last: lines?.last } }, max, ', or outline: true');
  const left = max - bytesOf(head(totalLines), next(totalLines));
  const { shown, last } = numbered(read, { max: left, sizeOf });
  return [head(Math.max(last, startLine)), ...shown, ...(last < wanted ? [next(last + 1)] : [])].join('\n');
}

/** Numbers the lines that fit, at least the beginning of one. */
function numbered(
  { content, startLine }: SourceText,
  { max, sizeOf }: Room,
): { readonly shown: readonly string[]; readonly last: number } {
  const lines = content === '' ? [] : visibleSource(content).replace(/\n$/, '').split('\n');
  const texts = lines.map((line, index) =>
    clip(`${startLine + index}  ${shorten(line, maxText.line - 100)}`, max),
  );
  const shown = fittingLines(texts, max, sizeOf);
  return { shown, last: startLine + shown.length - 1 };
}

/** Returns a number of bytes for lines, each with its line break. */
function bytesOf(...lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0);
}

/** Maximum length of the name of a definition. */
const maxName = 300;

/** Returns the maximum size of the address of a place, in bytes, so that its text has most of `maxBytes`. */
function maxAddress(maxBytes: number): number {
  return Math.min(maxBytes / 4, maxText.line / 2);
}

/** Prints the address of a place. The end of a long one is cut, so its lines are printed in words. */
function headOf(place: Place, maxBytes: number): string {
  const address = printAddress(place);
  const max = maxAddress(maxBytes);
  if (Buffer.byteLength(address) <= max) return address;
  const { lines, ...file } = place;
  return `${clip(printAddress(file), max)}${lines === undefined ? '' : `, lines ${printRange(lines)}`}`;
}

/** Says how the rest of a place is asked for. A long address would only be cut. */
function continueWith(place: Place, maxBytes: number, advice = ''): string {
  const address = printAddress(place);
  const { lines = { first: 1, last: undefined } } = place;
  const rest =
    Buffer.byteLength(address) <= maxAddress(maxBytes) ? address : `lines ${printRange(lines)} of this place`;
  return `(cut: continue with ${rest}${advice})`;
}

async function outlineText(
  { repository, path, lines: range }: Place,
  { max, sizeOf }: Room,
  { deps, access, signal }: ToolContext,
): Promise<string> {
  // Refuses a file that does not exist, and names what does.
  await readSource(deps.answers, access.scope, { repository, path, lines: { first: 1, last: 1 } }, signal);
  const { id } = await findSearchable(deps.answers.queries, access.scope, repository);
  const all = await outlineOf(deps.knowledge, access.scope, fileKey(id, path));
  const { first, last = Number.POSITIVE_INFINITY } = range ?? { first: 1 };
  const symbols = all.filter(({ line, endLine }) => endLine >= first && line <= last);
  const lines = symbols.map(({ qualifiedName, kind, line, endLine }) =>
    visibleLine(`${line}-${endLine} ${kind} ${shorten(qualifiedName, maxName)}`),
  );
  const place = given({ repository, path, lines: range });
  const head = `${headOf(place, max)}: ${counted(symbols.length, 'definition')}`;
  const next = (from: number): string =>
    continueWith({ repository, path, lines: { first: from, last: range?.last } }, max);
  const shown = fittingLines(lines, max - bytesOf(head, next(symbols.at(-1)?.line ?? 1)), sizeOf);
  const rest = symbols[shown.length];
  const notes =
    all.length === 0 ? ['(None is known: read the text.)'] : rest === undefined ? [] : [next(rest.line)];
  return [head, ...shown, ...notes].join('\n');
}
