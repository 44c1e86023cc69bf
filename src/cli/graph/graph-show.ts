import { visibleLine } from '../../foundation/kernel/text/visible-text.ts';
import { defineCommand } from '../frame/command.ts';
import { withApi } from '../remote/api-client.ts';
import { remoteFlags } from '../remote/remote-target.ts';
import { entityPath, keyArgument, type RemoteEntity, remoteEntity } from './remote-entity.ts';

export const graphShowCommand = defineCommand({
  args: { key: keyArgument },
  flags: remoteFlags,
  examples: ['orgctx graph show ENG-123'],
  run: ({ args, flags }, context) =>
    withApi(context, flags, async (api) => {
      const entity = await api.call({ path: entityPath(args.key) }, remoteEntity);
      return { json: entity, text: inWords(entity) };
    }),
});

function inWords({ key, kind, name, url, uri, repository, properties }: RemoteEntity): string {
  const fields = { key, kind, url, uri, repository, ...properties };
  const lines = Object.entries(fields).flatMap(([label, value]) =>
    value === null || value === undefined ? [] : [`  ${visibleLine(`${label}: ${value}`)}`],
  );
  return [visibleLine(name), ...lines].join('\n');
}
