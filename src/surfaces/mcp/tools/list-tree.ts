import { z } from 'zod';
import { parsePlace, parseRepository, printAddress } from '../../../features/search/address.ts';
import { offerExisting } from '../../../features/search/offer-existing.ts';
import { listSource } from '../../../features/search/read-source.ts';
import { sourcePath } from '../../../features/search/source-path.ts';
import { InvalidInput } from '../../../foundation/kernel/errors.ts';
import { counted } from '../../../foundation/kernel/text/counted.ts';
import { given } from '../../../foundation/kernel/wire/given.ts';
import { defineTool, fitting } from './tool.ts';

/** Maximum number of entries in the answer. Search larger folders with `file:`. */
const maxEntries = 300;

const input = z.object({
  repository: z.string().optional().describe('Repository name; or leave it out and pass repository/path.'),
  path: z.string().default('').describe('Folder, from the root of the repository; default: the root.'),
  commit: z.string().optional().describe('Commit id; default: the indexed commit.'),
});

export const listTree = defineTool({
  name: 'list_tree',
  description: 'Lists the files and folders directly under a folder of an indexed repository.',
  input,
  async run({ repository, path, commit }, { deps, access: { scope }, signal }) {
    if (repository === undefined && path === '')
      throw new InvalidInput(
        'Pass `path` as `repository/path`, or `repository`; list_repositories shows the names.',
      );
    const names = [...(await deps.knowledge.repositoryNames(scope)).values()];
    const place =
      repository === undefined
        ? await offerExisting(deps.answers, scope, () => parsePlace(path, names), signal)
        : { path: sourcePath(path), ...parseRepository(repository) };
    const request = given({ repository: place.repository, path: place.path, commit: commit ?? place.commit });
    const { entries } = await listSource(deps.answers, scope, request, signal);
    return fitting({ limit: maxEntries, isLarge: false }, (limit) => {
      const shown = entries.slice(0, limit).map((entry) => {
        if (entry.kind === 'directory') return printAddress({ ...request, path: `${entry.path}/` });
        const what = entry.kind === 'file' ? `${entry.bytes} bytes` : `(${entry.kind})`;
        return `${printAddress({ ...request, path: entry.path })} ${what}`;
      });
      const left = entries.length - shown.length;
      return [
        `${printAddress(request)}: ${counted(entries.length, 'entry', 'entries')}`,
        ...shown,
        ...(left === 0
          ? []
          : [`(${left} more; narrow down with search_code "repo:${place.repository} file:…")`]),
      ].join('\n');
    });
  },
});
