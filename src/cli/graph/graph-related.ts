import { notesOfPaths } from '../../features/knowledge/entity-record.ts';
import { defineCommand } from '../frame/command.ts';
import { choice, integer, text } from '../frame/parameters.ts';
import { withApi } from '../remote/api-client.ts';
import { remoteFlags } from '../remote/remote-target.ts';
import { entityPath, keyArgument, reasonTable, remoteRelated } from './remote-entity.ts';

export const graphRelatedCommand = defineCommand({
  description:
    'Lists the edges around an entity with the rule and the evidence of each. An arrow (<-) marks an edge to the entity.',
  args: { key: keyArgument },
  flags: {
    depth: integer('steps', 'steps from the entity; default: 1', [1, 3]),
    kinds: text('kinds', 'only edges of these kinds, separated by commas'),
    direction: choice(['out', 'in', 'both'], 'edges from the entity, to it, or both; default: both'),
    limit: integer('count', 'maximum number of other entities', [1, 500]),
    ...remoteFlags,
  },
  examples: ['orgctx graph related ENG-123', 'orgctx graph related ENG-123 --kinds mentions,closes --json'],
  run: ({ args, flags }, context) =>
    withApi(context, flags, async (api) => {
      const { depth, kinds, direction, limit } = flags;
      const query = { depth, kinds, direction, limit };
      const found = await api.call({ path: `${entityPath(args.key)}/related`, query }, remoteRelated);
      const byKey = new Map(found.nodes.map((node) => [node.key, node]));
      const reasons = found.edges.flatMap((edge) => {
        const points = edge.to === found.key ? ('from' as const) : ('to' as const);
        const entity = byKey.get(points === 'from' ? edge.from : edge.to);
        return entity === undefined ? [] : [{ edge, entity, points }];
      });
      const notes = [
        ...(reasons.length === 0 ? ['Nothing is connected with this entity.'] : []),
        ...(found.possible === 0 ? [] : [`${found.possible} of the edges are possible, not certain.`]),
        ...(found.truncated ? ['A limit left something out. Use --kinds, --direction or --limit.'] : []),
        ...found.nodes.filter(({ key }) => key === found.key).flatMap(notesOfPaths),
      ];
      return { json: found, text: reasonTable(reasons, context.terminal.out), notes };
    }),
});
