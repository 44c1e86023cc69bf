import { listNamesWithoutGraph } from '../../../features/repositories/named-repositories.ts';
import { NotFound } from '../../../foundation/kernel/errors.ts';
import { visibleLine } from '../../../foundation/kernel/text/visible-text.ts';
import { quotedNote } from './page-notes.ts';
import type { ToolContext } from './tool.ts';

/** Maximum number of repositories that a note names. */
const maxNamed = 3;

/**
 * Runs a question to the knowledge graph. `notes` are the last lines of its result: the repositories whose definitions
 * and history were not read yet, and what quoted text is. An entity that is not found may be in one of them.
 */
export async function withGraphNotes(
  { deps, access: { scope } }: ToolContext,
  ask: (notes: readonly string[]) => Promise<string>,
): Promise<string> {
  const names = await listNamesWithoutGraph(deps.answers.queries, scope, maxNamed + 1);
  const shown = visibleLine(names.slice(0, maxNamed).join(', '));
  const missing =
    'definitions, owners and history may be missing. Ask again later; search_code has the text already.';
  const unread =
    names.length === 0
      ? []
      : [`(Not in the graph yet: ${shown}${names.length > maxNamed ? ' and more' : ''}; ${missing})`];
  try {
    return await ask([...unread, quotedNote]);
  } catch (error) {
    if (error instanceof NotFound && unread.length > 0)
      throw new NotFound(`${error.message} ${unread.join('')}`, { cause: error });
    throw error;
  }
}
