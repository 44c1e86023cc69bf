import { visibleLine } from '../../foundation/kernel/visible-text.ts';
import { defineCommand } from '../frame/command.ts';
import { requiredText, text } from '../frame/parameters.ts';
import { withApi } from '../remote/api-client.ts';
import { remoteFlags } from '../remote/remote-target.ts';
import { reasonTable, remoteImpact } from './remote-entity.ts';

export const graphImpactCommand = defineCommand({
  description:
    'Shows what a change of a file or symbol touches: what depends on it, who owns it, commits, open issues and incidents.',
  args: { path: text('path', 'path of a file, from the root of its repository') },
  flags: {
    repository: requiredText('name', 'name or id of the repository'),
    symbol: text('name', 'name of a function, class or the like, instead of a path or of that file'),
    ...remoteFlags,
  },
  examples: [
    'orgctx graph impact src/lease.ts --repository service',
    'orgctx graph impact --symbol renewLease --repository service',
  ],
  run: ({ args, flags }, context) =>
    withApi(context, flags, async (api) => {
      const { repository, symbol } = flags;
      const query = { repository, path: args.path, symbol };
      const impact = await api.call({ path: '/graph/impact', query }, remoteImpact);
      const reasons = (['dependents', 'owners', 'commits', 'issues', 'incidents'] as const).flatMap((group) =>
        impact[group].map((reason) => ({ ...reason, group })),
      );
      const { terminal } = context;
      terminal.note(`${impact.target.kind} ${visibleLine(impact.target.name)}`);
      if (reasons.length === 0) terminal.note('The knowledge graph connects nothing with it.');
      if (impact.truncated) terminal.note('A limit left something out.');
      return { json: impact, text: reasonTable(reasons, terminal.out) };
    }),
});
