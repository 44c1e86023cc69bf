import { z } from 'zod';
import { outlineOf } from '../../../features/knowledge/ask-graph.ts';
import { fileKey } from '../../../features/knowledge/links/keys.ts';
import { type Place, parseAddress, printAddress, printRange } from '../../../features/search/address.ts';
import { findSearchable } from '../../../features/search/find-repository.ts';
import { parseLineRange } from '../../../features/search/line-range.ts';
import { readSource, type SourceText } from '../../../features/search/read-source.ts';
import { InvalidInput } from '../../../foundation/kernel/errors.ts';
import { counted } from '../../../foundation/kernel/text/counted.ts';
import { shorten, visibleLine } from '../../../foundation/kernel/text/visible-text.ts';
import { withGraphNotes } from './graph-notes.ts';
import { quotedNote } from './page-notes.ts';
import { defineTool, maxText, type ToolContext } from './tool.ts';

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
    const places = await placesOf(request, context);
    const isExact = places.length > 1 || places[0]?.lines !== undefined;
    const max = Math.floor((isExact ? maxText.bytes - 500 : maxText.page - 300) / places.length);
    const texts: string[] = [];
    for (const place of places)
      texts.push(await (request.outline ? outlineText(place, context) : textOf(place, max, context)));
    const result = (notes: readonly string[]) => Promise.resolve([...texts, ...notes].join('\n'));
    return request.outline ? withGraphNotes(context, result) : result([quotedNote]);
  },
});

async function placesOf(
  { places, repository, path, lines, commit }: Input,
  { deps, access: { scope } }: ToolContext,
): Promise<readonly Place[]> {
  const names = [...(await deps.knowledge.repositoryNames(scope)).values()];
  if (places !== undefined) return places.map((place) => parseAddress(place, names));
  if (path === undefined)
    throw new InvalidInput('Pass `places`, such as ["repository/path:10-80"], or `repository` and `path`.');
  if (repository === undefined) return [parseAddress(path, names)];
  return [
    {
      repository,
      path,
      ...(commit === undefined ? {} : { commit }),
      ...(lines === undefined ? {} : { lines: parseLineRange(lines) }),
    },
  ];
}

async function textOf(
  place: Place,
  maxBytes: number,
  { deps, access, signal }: ToolContext,
): Promise<string> {
  const { lines, ...file } = place;
  const request = { ...file, ...(lines === undefined ? {} : { lines: printRange(lines) }) };
  const read = await readSource(deps.answers, access.scope, request, signal);
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
  const lines = content === '' ? [] : content.replace(/\n$/, '').split('\n');
  const shown: string[] = [];
  let bytes = 0;
  for (const [index, line] of lines.entries()) {
    const text = `${startLine + index}  ${shorten(line, maxText.line - 100)}`;
    bytes += Buffer.byteLength(text) + 1;
    if (bytes > maxBytes && shown.length > 0) break;
    shown.push(text);
  }
  return { shown, last: startLine + shown.length - 1 };
}

async function outlineText({ repository, path }: Place, { deps, access }: ToolContext): Promise<string> {
  const { id } = await findSearchable(deps.answers.queries, access.scope, repository);
  const symbols = await outlineOf(deps.knowledge, access.scope, fileKey(id, path));
  const first = `${printAddress({ repository, path })}: ${counted(symbols.length, 'definition')}`;
  const lines = symbols.map(({ name, kind, startLine, endLine }) =>
    visibleLine(`${startLine}-${endLine} ${kind} ${name}`),
  );
  const none = symbols.length === 0 ? ['(None is known: read the text.)'] : [];
  return [first, ...lines, ...none].join('\n');
}
