import { z } from 'zod';
import { findSymbol } from '../../../search/find-symbol.ts';
import { lineSource } from './line-source.ts';
import { answerTool } from './tool.ts';

const args = z.strictObject({
  name: z.string().min(1).max(200).describe('The name of a definition, or a part of it.'),
});

const maxDefinitions = 12;

export const findSymbolTool = answerTool({
  name: 'find_symbol',
  description: 'Finds where a function, class, type or constant is defined.',
  args,
  async run({ name }, context) {
    const { deps, inquiry, signal } = context;
    const { items } = await findSymbol(deps, inquiry.scope, { name, limit: maxDefinitions }, signal);
    const sources = items
      .slice(0, maxDefinitions)
      .flatMap(({ repositoryId, path, commit, line, text, kind }) =>
        lineSource(
          context,
          { repositoryId, path, commit, startLine: line, lines: [text] },
          `definition of a ${kind}`,
        ),
      );
    return { sources, notes: sources.length === 0 ? ['No definition has this name.'] : [] };
  },
});
