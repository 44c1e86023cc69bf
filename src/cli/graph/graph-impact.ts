import { visibleLine } from '../../foundation/kernel/text/visible-text.ts';
import { defineCommand } from '../frame/command.ts';
import { requiredText, text } from '../frame/parameters.ts';
import { withApi } from '../remote/api-client.ts';
import { remoteFlags } from '../remote/remote-target.ts';
import { reasonTable, remoteImpact } from './remote-entity.ts';

/** The parts of an impact in the order in which a change is planned, with their titles. */
const parts = [
  ['dependents', 'dependent'],
  ['owners', 'owner'],
  ['issues', 'open issue'],
  ['incidents', 'open incident'],
  ['commits', 'commit'],
] as const;

export const graphImpactCommand = defineCommand({
  description:
    'Shows what a change of a file or symbol touches: what depends on it, who owns it, open issues and incidents, and commits.',
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
      const reasons = parts.flatMap(([group, title]) =>
        impact[group].map((reason) => ({ ...reason, group: title })),
      );
      const empty = parts.filter(([group]) => impact[group].length === 0).map(([, title]) => title);
      const notes = [
        `${impact.target.kind} ${visibleLine(impact.target.name)}`,
        ...(empty.length > 0 ? [`The knowledge graph has none of these: ${empty.join(', ')}.`] : []),
        ...(impact.possible === 0
          ? []
          : [`${impact.possible} possible dependents are not listed. Use graph related.`]),
        ...(impact.truncated ? ['A limit left something out.'] : []),
      ];
      return { json: impact, text: reasonTable(reasons, context.terminal.out), notes };
    }),
});
