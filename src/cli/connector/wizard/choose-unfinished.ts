import { visibleLine } from '../../../foundation/kernel/text/visible-text.ts';
import type { CommandContext } from '../../frame/context.ts';
import type { ApiClient } from '../../remote/api-client.ts';
import type { RemoteConnection } from '../remote-connection.ts';
import { createConnection } from '../start-connection.ts';
import { openPrompts } from './prompts.ts';

/** Asks whether to go on with an unfinished connection or to add another one. */
export async function chooseUnfinished(
  api: ApiClient,
  kind: string,
  unfinished: readonly RemoteConnection[],
  context: CommandContext,
): Promise<RemoteConnection> {
  const prompts = openPrompts(context);
  const chosen = await prompts.choose<RemoteConnection | undefined>(
    'A setup is not finished. Go on with it?',
    [
      ...unfinished.map((each) => ({
        value: each,
        label: `Go on with ${each.name}`,
        hint: visibleLine(each.stateLabel),
      })),
      { value: undefined, label: 'Add another connection' },
    ],
  );
  if (chosen !== undefined) return chosen;
  return createConnection(api, kind, await prompts.text('Name of the new connection'));
}
