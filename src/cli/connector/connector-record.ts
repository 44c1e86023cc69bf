import { appendFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { type RecordedEntity, recordConnection } from '../../app/doctor/record-connection.ts';
import { visibleLine } from '../../foundation/kernel/text/visible-text.ts';
import { connectionRecords } from '../deliveries/delivery-records.ts';
import { defineCommand } from '../frame/command.ts';
import { repeated, requiredText, text } from '../frame/parameters.ts';
import { UsageError } from '../frame/usage-error.ts';
import { hostFlags } from '../host/host-flags.ts';
import { completeId } from '../host/host-ids.ts';
import { withHostDatabase } from '../host/with-host-database.ts';

/** Maximum size of a trace, in bytes. */
const maxBytes = 16 * 1024 ** 2;

export const connectorRecordCommand = defineCommand({
  description:
    'Runs the checks of a connection on the host and reads the given entities, and writes each call to the provider ' +
    'and the Git host to a new file, one line of JSON each: at most 500 calls and 16 MiB. Tokens, names, titles and ' +
    'texts are replaced; ids, times, states and messages of errors stay. Read the file before you share it. Nothing is ' +
    'changed, except that expiring tokens are renewed.',
  args: {
    connection: requiredText(
      'id',
      'id of the connection, or its start, as printed by "orgctx connector list"',
    ),
  },
  flags: {
    ...hostFlags,
    output: text('file', 'the new file; default orgctx-trace.jsonl'),
    entity: repeated('kind:id', 'an entity to read, by its id at the provider; repeatable'),
  },
  examples: ['orgctx connector record 0190f3a0 --entity issue:2f1c8d7e-6c0b-4f0a-9a51-8a1c3a3d2b10'],
  run: ({ args, flags }, context) =>
    withHostDatabase(
      context,
      flags,
      { name: 'record', level: 'warn' },
      async ({ database, settings, log }) => {
        const id = await completeId(database.queries, connectionRecords, args.connection);
        const entities = flags.entity.map(entityOf);
        const file = resolve(context.cwd, flags.output ?? 'orgctx-trace.jsonl');
        create(file);
        let calls = 0;
        let bytes = 0;
        await recordConnection({ settings, database, log, signal: context.signal }, id, entities, (line) => {
          bytes += Buffer.byteLength(line) + 1;
          if (bytes > maxBytes) return;
          calls += 1;
          appendFileSync(file, `${line}\n`);
        });
        const shown = visibleLine(file);
        const words = `Wrote ${calls} calls to ${shown}. Read the file before you share it.`;
        return { json: { file, calls }, text: words };
      },
    ),
});

function entityOf(given: string): RecordedEntity {
  const [, kind, id] = /^([a-z-]{1,40}):([\w-]{1,100})$/.exec(given) ?? [];
  if (kind === undefined || id === undefined)
    throw new UsageError('--entity must be a kind and an id.', 'For example: --entity issue:2f1c8d7e.');
  return { kind, id };
}

/** Creates the file, which only this user can read. @throws UsageError if it exists or cannot be created */
function create(file: string): void {
  try {
    writeFileSync(file, '', { flag: 'wx', mode: 0o600 });
  } catch (error) {
    const exists = (error as NodeJS.ErrnoException).code === 'EEXIST';
    throw new UsageError(
      exists ? `${visibleLine(file)} exists already.` : `${visibleLine(file)} cannot be created.`,
      'Name another file with --output.',
    );
  }
}
