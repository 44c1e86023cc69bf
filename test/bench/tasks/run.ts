import { execFileSync } from 'node:child_process';
import { basename, dirname, join, resolve } from 'node:path';
import type { Access } from '../../../src/features/identity/access/principal.ts';
import type { McpDeps } from '../../../src/surfaces/mcp/deps.ts';
import { tools } from '../../../src/surfaces/mcp/tools/all.ts';
import { openAdvisor } from '../../support/advisor/opened-advisor.ts';
import { silentLog } from '../../support/silent-log.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { type Task, type ToolCall, tasks } from './tasks.ts';

/**
 * `node test/bench/tasks/run.ts [--show] FOLDER…`: does the tasks of `tasks.ts` in clones of Git repositories, once with
 * the exact tools of the MCP server, once with `svc_advisor` too and once with ripgrep and Git, and compares the calls
 * and the tokens (four bytes each, of arguments and results). A task whose repositories are not given is left out. Fails
 * if a side lacks the answer. `--show` prints the results of the tools.
 */
const show = process.argv.includes('--show');
const folders = process.argv.slice(2).filter((each) => each !== '--show');
const clones = temporaryFolder();
const { deps, projecting, compact, close } = await openAdvisor();
const names: string[] = [];
for (const folder of folders.length === 0 ? ['.'] : folders) {
  const name = nameOf(resolve(folder));
  const copy = join(clones, name);
  execFileSync('git', ['clone', '--quiet', '--shared', resolve(folder), copy]);
  const { state, error } = await projecting.add(copy);
  if (state !== 'indexed') throw new Error(`${folder} was not indexed: ${error?.message ?? state}`);
  names.push(name);
  console.log(
    `${name} at ${execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: copy, encoding: 'utf8' }).trim()}`,
  );
}
await compact();

const sums = {
  ours: { calls: 0, tokens: 0 },
  asking: { calls: 0, tokens: 0 },
  theirs: { calls: 0, tokens: 0 },
};
for (const task of tasks) {
  // The last task is for any repository, where no other fits.
  const isKnown = task.repositories.every((name) => names.includes(name));
  if (!isKnown || (task.repositories.length === 0 && sums.ours.calls > 0)) {
    console.log(`left out: ${task.title}`);
    continue;
  }
  const ours = await withTools(task.calls);
  const { prompt } = task;
  const asking =
    prompt === undefined ? ours : await withTools([{ tool: 'svc_advisor', arguments: { prompt } }]);
  const theirs = withCommands(task);
  for (const [side, { calls, tokens }] of Object.entries({ ours, asking, theirs })) {
    sums[side as keyof typeof sums].calls += calls;
    sums[side as keyof typeof sums].tokens += tokens;
  }
  console.log(
    `${task.title}: calls ${ours.calls} of ${theirs.calls}, tokens ${ours.tokens} of ${theirs.tokens}`,
  );
  check(task, 'orgctx', ours.text);
  if (asking !== ours) {
    console.log(`  asking: calls ${asking.calls}, tokens ${asking.tokens}`);
    check(task, 'svc_advisor', asking.text);
  }
  check(task, 'ripgrep and Git', theirs.text);
}
await close();
printRatio('exact tools', sums.ours, 'calls 1.00, tokens 1.50');
printRatio('with svc_advisor', sums.asking, 'calls 0.80, tokens 1.20');

function printRatio(what: string, { calls, tokens }: Omit<Done, 'text'>, must: string): void {
  const { theirs } = sums;
  const ratio = (own: number, other: number) => (own / other).toFixed(2);
  console.log(
    `${what} / ripgrep and Git: calls ${ratio(calls, theirs.calls)}, tokens ${ratio(tokens, theirs.tokens)} ` +
      `(must: ${must}): ${calls} of ${theirs.calls} calls, ${tokens} of ${theirs.tokens} tokens`,
  );
}

interface Done {
  readonly calls: number;
  readonly tokens: number;
  readonly text: string;
}

async function withTools(calls: readonly ToolCall[]): Promise<Done> {
  const texts: string[] = [];
  for (const call of calls) texts.push(await callTool(call));
  return done(
    calls.map((call) => JSON.stringify(call)),
    texts,
  );
}

async function callTool({ tool, arguments: args }: ToolCall): Promise<string> {
  const access = { scope: projecting.scope, principal: { scopes: [] } } as unknown as Access;
  const mcp = { answers: deps, knowledge: deps.knowledge } as unknown as McpDeps;
  const found = tools.find(({ listing }) => listing.name === tool);
  if (found === undefined) throw new Error(`There is no tool ${tool}.`);
  const signal = new AbortController().signal;
  const { content } = await found.call(args, {
    deps: mcp,
    access,
    log: silentLog,
    signal,
    progress: () => {},
  });
  const text = content.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
  if (show) console.log(`--- ${tool} ${JSON.stringify(args)}\n${text}\n---`);
  return text;
}

function withCommands({ commands }: Task): Done {
  const texts = commands.map(([folder, command = '', ...args]) =>
    execFileSync(command, args, {
      cwd: join(clones, folder),
      encoding: 'utf8',
      maxBuffer: 1e8,
      // ripgrep reads its input if that is not a terminal or closed.
      stdio: ['ignore', 'pipe', 'inherit'],
    }),
  );
  return done(
    commands.map(([, ...command]) => command.join(' ')),
    texts,
  );
}

function done(asked: readonly string[], texts: readonly string[]): Done {
  const bytes = Buffer.byteLength([...asked, ...texts].join(''));
  return { calls: asked.length, tokens: Math.ceil(bytes / 4), text: texts.join('\n') };
}

function check({ title, answer }: Task, side: string, text: string): void {
  const missing = answer.filter((each) => !text.includes(each));
  if (missing.length === 0) return;
  console.log(`${title}: ${side} lacks ${missing.join(', ')}`);
  process.exitCode = 1;
}

/** Returns the name of the folder, or the last part of its parent for a bare repository that is named `repo`. */
function nameOf(folder: string): string {
  return basename(folder) === 'repo' ? basename(dirname(folder)).split('+').at(-1)! : basename(folder);
}
