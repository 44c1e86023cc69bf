import { defineCommand } from '../frame/command.ts';
import { requiredWords, text } from '../frame/parameters.ts';
import { withApi } from '../remote/api-client.ts';
import { pageFlags, type RemoteList, showPage } from '../remote/remote-page.ts';
import { remoteFlags } from '../remote/remote-target.ts';
import { nameOf, type RemoteEntity, remoteEntity } from './remote-entity.ts';

const entityList: RemoteList<RemoteEntity> = {
  path: '/graph/entities',
  item: remoteEntity,
  plural: 'entities',
  idOf: ({ key }) => key,
  labelOf: ({ name }) => name,
  columns: () => [
    { title: 'KIND', cell: ({ kind }) => kind },
    { title: 'NAME', cell: nameOf, shrinks: 1 },
    { title: 'KEY', cell: ({ key }) => key },
  ],
  none: 'No entity has this name. Try fewer or shorter words, or search the code: "orgctx search <words>".',
};

export const graphSearchCommand = defineCommand({
  description:
    'Finds entities by the beginning of their name or title, or by words of it. Their keys are arguments of "orgctx graph show <key>" ' +
    'and "orgctx graph related <key>".',
  args: { name: requiredWords('the beginning of the name, or words of it') },
  flags: {
    kind: text('kinds', 'only these kinds, separated by commas: issue, person, file, symbol and others'),
    ...pageFlags,
    ...remoteFlags,
  },
  examples: ['orgctx graph search retry payment', 'orgctx graph search ada --kind person --json'],
  run: ({ args, flags }, context) =>
    withApi(context, flags, (api) =>
      showPage(api, entityList, flags, context.terminal, { q: args.name, kind: flags.kind }),
    ),
});
