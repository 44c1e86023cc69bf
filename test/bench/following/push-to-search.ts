import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { type FollowingService, hostToken, until } from './service.ts';

const run = promisify(execFile);
const filesPerPush = 10;
const filesOfRepository = 300;
/** Pause after each push, in milliseconds: the service limits the requests of a key. */
const pauseMs = 1_000;

export interface PushTimes {
  /** Milliseconds from each push webhook to the first hit over REST. */
  readonly product: readonly number[];
  /** The same while three clones of other repositories never end. */
  readonly besideClones: readonly number[];
  /** Milliseconds of `git fetch`, a checkout and `rg` after each push of `product`, in a clone of the same repository. */
  readonly anchor: readonly number[];
}

/** Pushes to a followed repository, and waits for each push. @throws when a push is not found */
export async function measurePushes(service: FollowingService, rounds: number): Promise<PushTimes> {
  const { githost, call, githostId, addHosted } = service;
  const hosted = addHosted('pushed', corpus());
  const add = async (source: string): Promise<string> =>
    String((await call('POST', '/repositories', { source, githostConnectionId: githostId }))['id']);
  const stateOf = async (id: string): Promise<unknown> => (await call('GET', `/repositories/${id}`))['state'];
  const pushed = await add(hosted.fullName);
  const isIndexed = async (): Promise<boolean> => (await stateOf(pushed)) === 'indexed';
  await until('the repository is indexed', isIndexed, { everyMs: 200 });
  await until('the webhook is added', () => hosted.hooks.length === 1, { everyMs: 100 });
  let count = 0;
  const push = async (): Promise<{ readonly word: string; readonly took: number }> => {
    const word = `pushed${count}word`;
    githost.commit(hosted, change(count, word));
    const sentAt = performance.now();
    count += 1;
    const isFound = async (): Promise<boolean> =>
      ((await call('GET', `/search?limit=1&q=${word}`))['items'] as readonly unknown[]).length > 0;
    await until(`push ${count} is found`, isFound, { everyMs: 15, timeoutMs: 30_000 });
    const took = performance.now() - sentAt;
    await until('the repository is indexed', isIndexed, { everyMs: 100 });
    return { word, took };
  };
  const clone = await cloneOf(githost.origin, hosted.fullName);
  const times = { product: [] as number[], besideClones: [] as number[], anchor: [] as number[] };
  for (let round = 0; round < rounds; round += 1) {
    const { word, took } = await push();
    times.product.push(took);
    times.anchor.push(await fetchAndSearch(clone, word));
    await sleep(pauseMs);
  }
  const endless = await Promise.all(
    endlessClones.map((name) => {
      const silent = addHosted(name, { 'a.txt': 'a' });
      silent.git = { kind: 'silent' };
      return add(silent.fullName);
    }),
  );
  const areCloning = async (): Promise<boolean> =>
    (await Promise.all(endless.map(stateOf))).every((state) => state === 'cloning');
  for (let round = 0; round < rounds; round += 1) {
    // A clone without data is given up after two minutes, and started again.
    await until('three clones run', areCloning, { everyMs: 100 });
    times.besideClones.push((await push()).took);
    await sleep(pauseMs);
  }
  for (const id of endless) await call('DELETE', `/repositories/${id}`);
  return times;
}

const endlessClones = ['endless-a', 'endless-b', 'endless-c'];

async function cloneOf(origin: string, fullName: string): Promise<string> {
  const folder = temporaryFolder();
  const url = new URL(`${origin}/${fullName}.git`);
  [url.username, url.password] = ['bot', hostToken];
  await run('git', ['clone', '--quiet', url.href, folder]);
  return folder;
}

/** Makes the last push searchable as a person does. @throws if `rg` does not find the word */
async function fetchAndSearch(clone: string, word: string): Promise<number> {
  const started = performance.now();
  await run('git', ['-C', clone, 'fetch', '--quiet', 'origin']);
  await run('git', ['-C', clone, 'reset', '--quiet', '--hard', 'origin/main']);
  await run('rg', ['--files-with-matches', word, clone]);
  return performance.now() - started;
}

function corpus(): Record<string, string> {
  return Object.fromEntries(
    Array.from({ length: filesOfRepository }, (_, index) => [pathOf(index), textOf(index, 'first')]),
  );
}

function change(round: number, word: string): Record<string, string> {
  return Object.fromEntries(
    Array.from({ length: filesPerPush }, (_, file) => {
      const index = (round * filesPerPush + file) % filesOfRepository;
      return [pathOf(index), textOf(index, word)];
    }),
  );
}

function pathOf(index: number): string {
  return `src/module-${index % 20}/file-${index}.ts`;
}

function textOf(index: number, word: string): string {
  const lines = Array.from({ length: 60 }, (_, line) => `export const value${index}x${line} = ${line};\n`);
  return `// ${word}\n${lines.join('')}`;
}
