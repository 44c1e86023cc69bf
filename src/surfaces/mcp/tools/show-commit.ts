import { z } from 'zod';
import { diffBytes, readCommitPage } from '../../../features/history/read-commit.ts';
import { parsePlace } from '../../../features/search/address.ts';
import { offerExisting } from '../../../features/search/offer-existing.ts';
import { InvalidInput } from '../../../foundation/kernel/errors.ts';
import { given } from '../../../foundation/kernel/wire/given.ts';
import { parseLineRange } from '../../../foundation/kernel/wire/line-range.ts';
import { commitText } from './commit-text.ts';
import { defineTool, fitting, maxText } from './tool.ts';

const input = z.object({
  address: z
    .string()
    .max(4_600)
    .optional()
    .describe('repository@commit as in history, or repository/path@commit:10-20.'),
  repository: z.string().max(400).optional().describe('With `commit`.'),
  commit: z.string().max(4_600).optional().describe('Commit id, 7 digits or more.'),
  path: z.string().max(4_096).optional().describe('Only this file or folder.'),
  lines: z.string().max(40).optional().describe('Only changes of these lines of the new `path`: `10-20`.'),
  cursor: z.string().max(500).optional(),
});

type Input = z.infer<typeof input>;

export const showCommit = defineTool({
  name: 'show_commit',
  description:
    'Shows what a commit did: message, author, parents, files with counts of lines, and the unified difference to its ' +
    'first parent, in pages.',
  input,
  async run(request, { deps, access, signal }) {
    const names = [...(await deps.knowledge.repositoryNames(access.scope)).values()];
    const { cursor } = request;
    const parse = () => placeOf(request, names);
    const place = await offerExisting(deps.answers, access.scope, parse, signal);
    return fitting({ limit: maxText.page, isLarge: false }, async (bytes) => {
      const asked = given({ ...place, cursor, bytes: Math.max(diffBytes.min, bytes) });
      const page = await readCommitPage(deps.answers, access.scope, asked, signal);
      return commitText(page, { isFirst: cursor === undefined, path: place.path });
    });
  },
});

/** Returns the commit that is asked for: models pass its address as each of the arguments. */
function placeOf({ address, repository, commit, path, lines }: Input, names: readonly string[]) {
  const range = lines === undefined ? undefined : parseLineRange(lines);
  const named = address ?? [commit, repository].find((text) => text?.includes('@'));
  if (address !== undefined && (repository !== undefined || commit !== undefined))
    throw new InvalidInput('`address` already names repository and commit; leave those out.');
  if (named === undefined) return { ...complete(repository, commit), path, lines: range };
  const place = parsePlace(named, names);
  const whole = complete(place.repository, place.commit ?? commit);
  if (place.path === '') return { ...whole, path, lines: range };
  if (path === undefined && lines === undefined) return { ...whole, path: place.path, lines: place.lines };
  throw new InvalidInput('`address` already names a path; leave `path` and `lines` out.');
}

function complete(repository: string | undefined, commit: string | undefined) {
  if (repository !== undefined && commit !== undefined) return { repository, commit };
  throw new InvalidInput(
    'Pass `address`: repository@commit, as history prints it; or `repository` and `commit`.',
  );
}
