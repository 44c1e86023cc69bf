import { resolve } from 'node:path';
import { ownProgram, untilStopped } from '../../app/processes/process-life.ts';
import { type QuickstartOptions, type QuickstartResult, quickstart } from '../../app/processes/quickstart.ts';
import { endedUnexpectedly } from '../../app/processes/serve-process.ts';
import { enclosingRepository } from '../../app/provision.ts';
import { loopbackUrl } from '../../foundation/config/build-config.ts';
import { Conflict } from '../../foundation/kernel/errors.ts';
import { visibleJson, visibleLine } from '../../foundation/kernel/text/visible-text.ts';
import { createLogger } from '../../foundation/telemetry/logger.ts';
import { defineCommand } from '../frame/command.ts';
import type { CommandContext } from '../frame/context.ts';
import { text, toggle } from '../frame/parameters.ts';
import { typedProgram } from '../frame/typed-program.ts';
import { UsageError } from '../frame/usage-error.ts';
import { hostFlags, hostFlagWords, loadHostConfig, portFlag } from '../host/host-flags.ts';
import { rememberedHost, rememberHost } from '../host/remembered-host.ts';
import { warnMisspelled } from '../host/warn-misspelled.ts';
import { signInOnHost } from '../login/sign-in-on-host.ts';
import { loginHint } from '../remote/login-hint.ts';
import { quickstartText } from './quickstart-text.ts';

export const quickstartCommand = defineCommand({
  description:
    'Sets up and starts everything: creates the data folder, an organization with an API key and a repository for the ' +
    'source, then runs the server and its worker. Running it again reuses what exists. Commands in another terminal are ' +
    'signed in and use the same data folder.',
  args: { source: text('source', 'folder or Git URL; default: the repository of the current folder') },
  flags: {
    ...hostFlags,
    port: portFlag,
    org: text('slug', 'the organization (default: local)'),
    ask: text('question', 'ask the advisor after the source is indexed'),
    newKey: toggle('create another API key; existing ones keep working'),
    exit: toggle('stop everything after printing the result'),
  },
  examples: [
    'orgctx quickstart',
    'orgctx quickstart https://git.example.com/team/service.git --ask "How are requests routed?"',
  ],
  async run({ args, flags }, context) {
    const settings = loadHostConfig(context, flags, { PORT: flags.port?.toString() });
    const { terminal, signal } = context;
    const progress = terminal.progress();
    const log = createLogger({ level: 'warn', name: 'quickstart', pretty: true, destination: 'stderr' });
    warnMisspelled(settings, log);
    const { result, ownerEmail, serve } = await quickstart({
      settings,
      orgSlug: flags.org ?? 'local',
      source: sourceOf(args.source, context),
      newKey: flags.newKey,
      question: flags.ask,
      program: ownProgram(),
      serveArgs: [...hostFlagWords(settings), '--port', String(settings.config.http.port)],
      ...(!flags.exit && { signIn: signInWith(context, settings.config.dataDir, flags.org ?? 'local') }),
      onProgress: progress.report,
      signal,
      log,
    })
      .catch((error: unknown) => {
        throw withTypedPort(error, context);
      })
      .finally(progress.end);
    if (!flags.exit) await remember(result.dataDir, serve.listening.port, context);
    const { questionError } = result;
    if (questionError !== undefined && !flags.exit) {
      terminal.note(visibleLine(`warning: The question was not answered: ${questionError.message}`));
    }
    const shown = { ...result, ownerEmail, program: typedProgram(context), staysUp: !flags.exit };
    const question = questionError === undefined ? flags.ask : undefined;
    terminal.out.write(
      terminal.json ? `${visibleJson(jsonOf(result))}\n` : quickstartText(shown, question, terminal.out),
    );
    if (!flags.exit) {
      terminal.note('Running. Press Ctrl-C to stop everything.');
      const ended = await Promise.race([
        untilStopped(signal).then(() => false),
        serve.ended.then(() => true),
      ]);
      if (ended && !signal.aborted) throw endedUnexpectedly(serve.logFile);
    }
    await serve.stop();
    if (!flags.exit) terminal.note('Stopped.');
    // A script that asks once must notice that nothing was answered.
    else if (questionError !== undefined) throw questionError;
    return undefined;
  },
});

/** Names the command that chooses another port under `npm start`, where a flag alone would be one of npm. */
function withTypedPort(error: unknown, { env }: CommandContext): unknown {
  const isPort = error instanceof Conflict && error.code === 'port_in_use';
  if (!isPort || env['npm_lifecycle_event'] !== 'start') return error;
  return new Conflict(error.code, `${error.message} With npm: npm start -- --port 3100`, { cause: error });
}

/** Makes a folder absolute. Text that looks like a URL is returned unchanged and validated where it is used. */
function sourceOf(given: string | undefined, { cwd }: CommandContext): string {
  if (given !== undefined)
    return /^[\w.+-]+:|@/.test(given) || given.startsWith('-') ? given : resolve(cwd, given);
  const repository = enclosingRepository(cwd);
  if (repository !== undefined) return repository;
  throw new UsageError(
    'The current folder is not in a Git repository.',
    'Give a source: orgctx quickstart <folder or Git URL>.',
  );
}

/** Returns the JSON output (contract section 1, quickstart). */
function jsonOf({ repository, answer, questionError, ...result }: QuickstartResult): unknown {
  const { id, name, source, state, indexedCommit, files, bytes } = repository;
  return {
    ...result,
    repository: { id, name, source, state, indexedCommit: indexedCommit ?? null, files, bytes },
    ...(answer === undefined ? {} : { answer: { answer: answer.answer, citations: answer.citations } }),
    ...(questionError === undefined
      ? {}
      : { questionError: { code: questionError.code, message: questionError.message } }),
  };
}

/** Returns the sign-in of this account. If it fails, everything else still works, so it is only a warning. */
function signInWith(
  context: CommandContext,
  dataDir: string,
  orgSlug: string,
): NonNullable<QuickstartOptions['signIn']> {
  const former = rememberedHost(context);
  const formerBaseUrl = former?.dataDir === dataDir ? loopbackUrl(former.port) : undefined;
  return async (baseUrl, allow) => {
    try {
      await signInOnHost({ baseUrl, orgSlug, dataDir, formerBaseUrl, allow }, context);
    } catch (error) {
      warn('You are not signed in here', error, context, `Run ${loginHint(baseUrl)}.`);
    }
  };
}

async function remember(dataDir: string, port: number, context: CommandContext): Promise<void> {
  try {
    const former = await rememberHost(context, { dataDir, port });
    if (former === undefined || former === dataDir) return;
    const message = `Commands in other terminals now use this data folder (before: ${former}).`;
    context.terminal.note(visibleLine(message));
  } catch (error) {
    warn('The data folder could not be saved as the default', error, context, 'Set DATA_DIR and PORT.');
  }
}

function warn(what: string, error: unknown, { signal, terminal }: CommandContext, remedy: string): void {
  signal.throwIfAborted();
  const reason = error instanceof Error ? error.message : String(error);
  terminal.note(visibleLine(`warning: ${what}: ${reason} ${remedy}`));
}
