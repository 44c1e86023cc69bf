import { resolve } from 'node:path';
import { ownProgram, untilStopped } from '../app/process-life.ts';
import { repositoryAround } from '../app/provision.ts';
import { type QuickstartResult, quickstart } from '../app/quickstart.ts';
import { shortCommit } from '../foundation/kernel/short-commit.ts';
import { visibleLine } from '../foundation/kernel/visible-text.ts';
import { createLogger } from '../foundation/telemetry/logger.ts';
import { answerInWords } from './citation.ts';
import { defineCommand } from './frame/command.ts';
import type { CommandContext } from './frame/context.ts';
import { text, toggle } from './frame/parameters.ts';
import type { Terminal } from './frame/terminal.ts';
import { UsageError } from './frame/usage-error.ts';
import { hostFlags, hostFlagWords, loadHostConfig, portFlag } from './host-flags.ts';
import { claudeCommand } from './mcp-client-config.ts';

export const quickstartCommand = defineCommand({
  description:
    'From nothing to an answer: makes the data folder, an organization with an API key and the source as a repository, ' +
    'starts the server and its worker, and stays up. Run it again to use all of it again.',
  args: { source: text('source', "a folder or a Git URL; default: the current folder's repository") },
  flags: {
    ...hostFlags,
    port: portFlag,
    org: text('slug', 'the organization (default: local)'),
    ask: text('question', 'ask the advisor once the source is searchable'),
    newKey: toggle('make another API key; the former ones keep working'),
    exit: toggle('stop everything after the result is printed'),
  },
  examples: [
    'orgctx quickstart',
    'orgctx quickstart https://github.com/owner/name --ask "How are requests routed?"',
  ],
  async run({ args, flags }, context) {
    const settings = loadHostConfig(context, flags, { PORT: flags.port?.toString() });
    const { terminal, signal } = context;
    const progress = terminal.progress();
    const log = createLogger({ level: 'warn', name: 'quickstart', pretty: true, destination: 'stderr' });
    const { result, serve } = await quickstart({
      settings,
      orgSlug: flags.org ?? 'local',
      source: sourceOf(args.source, context),
      newKey: flags.newKey,
      question: flags.ask,
      program: ownProgram(),
      serveArgs: [...hostFlagWords(settings), '--port', String(settings.config.http.port)],
      onProgress: progress.report,
      signal,
      log,
    }).finally(progress.end);
    terminal.out.write(terminal.json ? `${JSON.stringify(jsonOf(result))}\n` : asText(result, terminal));
    if (!flags.exit) {
      terminal.note('Running; Ctrl-C stops everything.');
      await Promise.race([untilStopped(signal), serve.ended]);
    }
    await serve.stop();
    return undefined;
  },
});

/** A folder is made absolute; what looks like an address stays as it is and is judged where it is used. */
function sourceOf(given: string | undefined, { cwd }: CommandContext): string {
  if (given !== undefined)
    return /^[\w.+-]+:|@/.test(given) || given.startsWith('-') ? given : resolve(cwd, given);
  const around = repositoryAround(cwd);
  if (around !== undefined) return around;
  throw new UsageError(
    'The current folder is in no Git repository.',
    'Name a source: orgctx quickstart <folder or Git URL>.',
  );
}

/** Contract section 1, quickstart. */
function jsonOf({ repository, answer, ...result }: QuickstartResult): unknown {
  const { id, name, source, state, indexedCommit, files, bytes } = repository;
  return {
    ...result,
    repository: { id, name, source, state, indexedCommit: indexedCommit ?? null, files, bytes },
    ...(answer === undefined ? {} : { answer: { answer: answer.answer, citations: answer.citations } }),
  };
}

function asText(result: QuickstartResult, { out }: Terminal): string {
  const { repository, answer, apiKey } = result;
  const lines = [
    ...(answer === undefined ? [] : [answerInWords(answer.answer, answer.citations, out), '']),
    `${out.style('bold', visibleLine(repository.name))} is searchable: ${repository.files} files at ${shortCommit(repository.indexedCommit ?? '')}`,
    '',
    `  MCP URL   ${result.mcpUrl}`,
    `  API key   ${apiKey ?? 'made earlier; another one: --new-key'}`,
    `  Link      ${result.signInUrl} (signs you in with a browser, once)`,
    `  Data      ${visibleLine(result.dataDir)}`,
    '',
    'Connect a client, for example Claude Code:',
    `  ${claudeLine(result)}`,
    `Others: orgctx mcp config --client cursor --auth key --org ${result.orgSlug} --url ${result.baseUrl}`,
  ];
  return `${lines.join('\n')}\n`;
}

function claudeLine({ mcpUrl, apiKey }: QuickstartResult): string {
  return claudeCommand({ url: mcpUrl, apiKey: apiKey ?? '<API_KEY>' });
}
