import { appendFileSync, rmSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { type RecordedEntity, type Recording, recordConnection } from '../../app/doctor/record-connection.ts';
import { Conflict } from '../../foundation/kernel/errors.ts';
import { visibleLine } from '../../foundation/kernel/text/visible-text.ts';
import { defineCommand } from '../frame/command.ts';
import { exitCodes } from '../frame/exit-code.ts';
import { repeated, requiredText, text } from '../frame/parameters.ts';
import { UsageError } from '../frame/usage-error.ts';
import { completeConnection } from '../host/host-connection.ts';
import { hostFlags } from '../host/host-flags.ts';
import { withHostDatabase } from '../host/with-host-database.ts';

/** Maximum size of a trace, in bytes. */
const maxBytes = 16 * 1024 ** 2;

export const connectorRecordCommand = defineCommand({
  description:
    'Runs the checks of a connection on the host and reads the given entities, and writes each call to the provider ' +
    'and the Git host to a new file, one line of JSON each: at most 500 calls and 16 MiB. Tokens, names, titles and ' +
    'texts are replaced, and so are names of fields that people chose; ids, times, states and messages of errors stay. ' +
    'Read the file before you share it. Nothing is changed, except that expiring tokens are renewed. If no call could be ' +
    'made, the command says what the connection lacks, and writes no file.',
  args: {
    connection: requiredText('connection', 'name, id or start of the id'),
  },
  flags: {
    ...hostFlags,
    output: text('file', 'the new file; default orgctx-trace.jsonl'),
    entity: repeated('kind:id', 'an entity to read: type and id in the head of its mirrored file'),
  },
  examples: ['orgctx connector record product --entity issue:2f1c8d7e-6c0b-4f0a-9a51-8a1c3a3d2b10'],
  run: ({ args, flags }, context) =>
    withHostDatabase(
      context,
      flags,
      { name: 'record', level: 'warn' },
      async ({ database, settings, log }) => {
        const id = await completeConnection(database.queries, args.connection);
        const entities = flags.entity.map(entityOf);
        const file = resolve(context.cwd, flags.output ?? 'orgctx-trace.jsonl');
        create(file);
        let [calls, bytes] = [0, 0];
        const checking = { settings, database, log, signal: context.signal };
        const recording = await recordConnection(checking, id, entities, (line) => {
          bytes += Buffer.byteLength(line) + 1;
          if (bytes > maxBytes) return;
          calls += 1;
          appendFileSync(file, `${line}\n`);
        }).finally(() => {
          if (calls === 0) rmSync(file);
        });
        const { unread } = recording;
        if (calls === 0) throw nothingRecorded(recording);
        return {
          json: { file, calls, unread },
          text: `Wrote ${calls} calls to ${visibleLine(file)}. Read the file before you share it.`,
          notes: unread.map(({ kind, id: entity, message }) =>
            visibleLine(`${kind}:${entity} was not read. ${message}`),
          ),
          exitCode: unread.some(({ called }) => !called) ? exitCodes.failed : exitCodes.ok,
        };
      },
    ),
});

function entityOf(given: string): RecordedEntity {
  const [, kind, id] = /^([a-z-]{1,40}):([\w-]{1,100})$/.exec(given) ?? [];
  if (kind === undefined || id === undefined)
    throw new UsageError('--entity must be a kind and an id.', 'For example: --entity issue:2f1c8d7e.');
  return { kind, id };
}

/** Creates the error for a connection that makes no call. It says what the connection lacks. */
function nothingRecorded({ report: { connection, checks } }: Recording): Conflict {
  const first = checks.find(({ status }) => status === 'fail' || status === 'warning');
  const cause = [first?.message, first?.hint].filter(Boolean).join(' ');
  return new Conflict(
    'nothing_recorded',
    `Nothing was recorded, because ${connection.name} made no call. ${cause}`.trim(),
  );
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
