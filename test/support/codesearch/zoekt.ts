import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePort } from '../http/free-port.ts';
import { killProcess } from '../kill/kill-process.ts';
import { projectRoot } from '../run/gates.ts';

/** The Zoekt version that the tests expect. */
const version = 'v0.0.0-20260807124253-c4d8f3537f7a';
const programs = ['zoekt-webserver', 'zoekt-git-index'];
const cache = join(projectRoot, 'node_modules', '.cache', 'orgctx-zoekt', version);
const day = 24 * 3_600_000;

/** The folder of Zoekt's programs, or the reason why they are missing. */
export type ZoektPrograms =
  | { readonly folder: string; readonly missing?: undefined }
  | { readonly folder?: undefined; readonly missing: string };

/**
 * Finds Zoekt's programs in ORGCTX_TEST_ZOEKT, PATH or the cache of an earlier run; otherwise builds them with `go
 * install`, which it tries once a day. Without them the suites over Zoekt are skipped with a warning. Not every machine
 * with Go can fetch that module, so only these suites may be skipped where everything else is required
 * (`test-totals.ts`).
 */
export async function findZoekt(): Promise<ZoektPrograms> {
  const folders = [
    process.env['ORGCTX_TEST_ZOEKT'] ?? '',
    ...(process.env['PATH'] ?? '').split(delimiter),
    cache,
  ];
  const known = folders.find(hasPrograms);
  if (known !== undefined) return { folder: known };
  const missing = await install();
  if (missing === undefined) return { folder: cache };
  console.warn(`WARNING: every suite over a real Zoekt is SKIPPED: ${missing}`);
  return { missing };
}

function hasPrograms(folder: string): boolean {
  return folder !== '' && programs.every((program) => existsSync(join(folder, program)));
}

/** Installs Zoekt; returns the reason if that fails. */
async function install(): Promise<string | undefined> {
  const failureFile = join(cache, 'refused');
  if (existsSync(failureFile) && Date.now() - statSync(failureFile).mtimeMs < day)
    return readFileSync(failureFile, 'utf8');
  mkdirSync(cache, { recursive: true });
  const packages = programs.map((program) => `github.com/sourcegraph/zoekt/cmd/${program}@${version}`);
  try {
    const env = { ...process.env, GOBIN: cache };
    await promisify(execFile)('go', ['install', ...packages], { env, timeout: 50_000 });
  } catch (error) {
    const { stderr } = error as { stderr?: string };
    const reason = `go install fails: ${(stderr ?? String(error)).trim().split('\n').slice(0, 2).join(' ').slice(0, 300)}`;
    writeFileSync(failureFile, reason);
    return reason;
  }
  return undefined;
}

export interface RunningZoekt extends AsyncDisposable {
  readonly url: string;
  readonly indexDir: string;
  /** Value of ZOEKT_GIT_INDEX: path of the indexer. */
  readonly gitIndex: string;
  stop(): Promise<void>;
}

/** Starts `zoekt-webserver` over `indexDir` and waits until it is ready. */
export async function startZoekt(
  folder: string,
  indexDir: string,
  { rpc = true }: { readonly rpc?: boolean } = {},
): Promise<RunningZoekt> {
  mkdirSync(indexDir, { recursive: true });
  const listen = `127.0.0.1:${await freePort()}`;
  const args = ['-index', indexDir, '-listen', listen, '-html=false', ...(rpc ? ['-rpc'] : [])];
  const child = spawn(join(folder, 'zoekt-webserver'), args, { stdio: ['ignore', 'ignore', 'pipe'] });
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    log = `${log}${text}`.slice(-8192);
  });
  const ended = once(child, 'exit').then(() => {
    throw new Error(`zoekt-webserver did not start:\n${log}`);
  });
  ended.catch(() => undefined);
  await Promise.race([untilReady(`http://${listen}/readyz`), ended]);
  const stop = (): Promise<void> => killProcess(child);
  return {
    url: `http://${listen}`,
    indexDir,
    gitIndex: join(folder, 'zoekt-git-index'),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/** Polls the URL until it responds, because Zoekt does not report that it listens. */
async function untilReady(url: string): Promise<void> {
  for (;;) {
    const status = await fetch(url).then(
      (answer) => answer.status,
      () => 0,
    );
    if (status === 200) return;
    await sleep(20);
  }
}
