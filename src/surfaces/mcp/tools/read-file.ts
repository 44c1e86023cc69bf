import { z } from 'zod';
import { fileKey } from '../../../features/knowledge/links/keys.ts';
import { outlineOf } from '../../../features/knowledge/queries/file-definitions.ts';
import { type Place, parseAddress, parseRepository, printAddress } from '../../../features/search/address.ts';
import { findSearchable } from '../../../features/search/find-repository.ts';
import { readSource, type SourceText } from '../../../features/search/read-source.ts';
import { sourcePath } from '../../../features/search/source-path.ts';
import { InvalidInput, isCallerError } from '../../../foundation/kernel/errors.ts';
import { counted } from '../../../foundation/kernel/text/counted.ts';
import { shorten, visibleLine, visibleSource } from '../../../foundation/kernel/text/visible-text.ts';
import { given } from '../../../foundation/kernel/wire/given.ts';
import { parseLineRange } from '../../../foundation/kernel/wire/line-range.ts';
import { withGraphNotes } from './graph-notes.ts';
import { quotedNote } from './page-notes.ts';
import { defineTool, fittingLines, maxErrorCharacters, maxText, type ToolContext } from './tool.ts';

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
        const place = address === undefined ? placeOf(request, names) : parseAddress(address, names);
        const isExact = asked.length > 1 || place.lines !== undefined;
        const max = Math.floor((isExact ? maxText.bytes - 500 : maxText.page - 300) / asked.length);
        return request.outline ? outlineText(place, max, context) : textOf(place, max, context);
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

async function textOf(
  place: Place,
  maxBytes: number,
  { deps, access, signal }: ToolContext,
): Promise<string> {
  const { lines } = place;
  const read = await readSource(deps.answers, access.scope, place, signal);
  const { shown, last } = numbered(read, maxBytes);
  const range = { first: read.startLine, last: Math.max(last, read.startLine) };
  const isCut = last < Math.min(lines?.last ?? read.totalLines, read.totalLines);
  const rest = { ...place, lines: { first: last + 1, last: lines?.last } };
  const next = isCut ? [`(cut: continue with ${printAddress(rest)}, or outline: true)`] : [];
  const total = counted(read.totalLines, 'line');
  return [`${printAddress({ ...place, lines: range })} of ${total}`, ...shown, ...next].join('\n');
}

/** Numbers the lines that fit, at least one. */
function numbered(
  { content, startLine }: SourceText,
  maxBytes: number,
): { readonly shown: readonly string[]; readonly last: number } {
  const lines = content === '' ? [] : visibleSource(content).replace(/\n$/, '').split('\n');
  const texts = lines.map((line, index) => `${startLine + index}  ${shorten(line, maxText.line - 100)}`);
  const shown = fittingLines(texts, maxBytes);
  return { shown, last: startLine + shown.length - 1 };
}

async function outlineText(
  { repository, path, lines: range }: Place,
  maxBytes: number,
  { deps, access, signal }: ToolContext,
): Promise<string> {
  // Refuses a file that does not exist, and names what does.
  await readSource(deps.answers, access.scope, { repository, path, lines: { first: 1, last: 1 } }, signal);
  const { id } = await findSearchable(deps.answers.queries, access.scope, repository);
  const all = await outlineOf(deps.knowledge, access.scope, fileKey(id, path));
  const { first, last = Number.POSITIVE_INFINITY } = range ?? { first: 1 };
  const symbols = all.filter(({ line, endLine }) => endLine >= first && line <= last);
  const lines = symbols.map(({ qualifiedName, kind, line, endLine }) =>
    visibleLine(`${line}-${endLine} ${kind} ${qualifiedName}`),
  );
  const shown = fittingLines(lines, maxBytes);
  const rest = symbols[shown.length];
  const notes =
    all.length === 0
      ? ['(None is known: read the text.)']
      : rest === undefined
        ? []
        : [
            `(cut: continue with ${printAddress({ repository, path, lines: { first: rest.line, last: range?.last } })})`,
          ];
  const head = `${printAddress(given({ repository, path, lines: range }))}: ${counted(symbols.length, 'definition')}`;
  return [head, ...shown, ...notes].join('\n');
}
