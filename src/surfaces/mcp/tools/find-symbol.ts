import { z } from 'zod';
import { qualifiedDefinitions } from '../../../features/references/qualified-definitions.ts';
import { printAddress } from '../../../features/search/address.ts';
import { type FoundSymbol, findSymbol as find } from '../../../features/search/find-symbol.ts';
import { symbolKindName } from '../../../features/search/search-record.ts';
import { lastPart, partsOfName } from '../../../features/search/symbol-name.ts';
import { counted } from '../../../foundation/kernel/text/counted.ts';
import { shorten, visibleLine } from '../../../foundation/kernel/text/visible-text.ts';
import { given } from '../../../foundation/kernel/wire/given.ts';
import { lastLines } from './page-notes.ts';
import { defineTool, fitting } from './tool.ts';

const usual = 20;

const input = z.object({
  name: z
    .string()
    .describe(
      'The name (`renew`, `Lease.renew`) or a part of it; longer names come last. Case matters only with an upper-case letter.',
    ),
  kind: symbolKindName.optional().describe('Only definitions of this kind.'),
  repositories: z.array(z.string()).max(50).optional().describe('By name.'),
  limit: z.int().min(1).max(100).default(usual).describe('Definitions; those of one file stay together.'),
  cursor: z.string().optional(),
});

export const findSymbol = defineTool({
  name: 'find_symbol',
  description:
    'Finds the definition of a function, class, method, type or constant by its name, in all repositories. ' +
    'find_references finds where it is used.',
  input,
  async run(request, { deps, access, signal }) {
    const lookup = { ...deps.answers, knowledge: deps.knowledge };
    const among = await qualifiedDefinitions(lookup, access.scope, request.name, signal);
    return fitting({ limit: request.limit, isLarge: request.limit > usual }, async (limit) => {
      const search = (some: typeof among) =>
        find(deps.answers, access.scope, { ...given(request), limit, among: some }, signal);
      const meant = await search(among);
      const isOther = meant.items.length === 0 && among !== undefined && request.cursor === undefined;
      const { items, incomplete, nextCursor } = isOther ? await search(undefined) : meant;
      const wanted = lastPart(request.name).toLowerCase();
      const isExact = items.length > 0 && items.every(({ name }) => name.toLowerCase() === wanted);
      const total =
        nextCursor === null ? '' : isExact ? ' of this name; more or longer names may follow' : ' so far';
      const isLast = items.length === 0 && incomplete === undefined && nextCursor === null;
      const none =
        request.cursor === undefined
          ? 'No definition has this name. search_code finds it as text; list_repositories shows what is indexed.'
          : 'No longer name has it.';
      const hasLastPart = (among === undefined || isOther) && isExact && partsOfName(request.name).length > 1;
      const caveat = hasLastPart ? `By the last part of ${visibleLine(shorten(request.name))}: ` : '';
      const first = isLast ? none : `${caveat}${counted(items.length, 'definition')}${total}.`;
      return [first, ...items.map(lineOf), ...lastLines({ incomplete, nextCursor })].join('\n');
    });
  },
});

/** Maximum length of the line that defines a name; `read_file` returns the whole line. */
const maxLineCharacters = 240;

function lineOf({ repository, path, line, kind, name, text }: FoundSymbol): string {
  const address = printAddress({ repository, path, lines: { first: line, last: line } });
  return `${address}: ${kind} ${visibleLine(name)}: ${visibleLine(shorten(text.trim(), maxLineCharacters))}`;
}
