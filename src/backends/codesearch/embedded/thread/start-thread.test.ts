import type { Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';
import { indexRequest } from '../../../../../test/support/codesearch/index-request.ts';
import { needleSearch } from '../../../../../test/support/codesearch/needle-tasks.ts';
import { openTestIndex } from '../../../../../test/support/codesearch/open-test-index.ts';
import { createRepository } from '../../../../../test/support/git/git-repository.ts';
import { silentLog } from '../../../../../test/support/silent-log.ts';
import { temporaryFolder } from '../../../../../test/support/temporary-folder.ts';
import type { OrganizationId } from '../../../../foundation/kernel/ids.ts';
import type { TableChanges } from '../read/shared-tables.ts';
import { startThread } from './start-thread.ts';
import { tableExchange } from './table-exchange.ts';
import type { TaskAnswer, TaskMessage } from './task.ts';

const organizationId = 'org' as OrganizationId;
async function indexed(): Promise<string> {
  const root = temporaryFolder();
  const repository = createRepository({ 'a.ts': 'export function needle() {}\n' });
  const [gitDir, to] = [`${repository.folder}/.git`, repository.git('rev-parse', 'HEAD')];
  const scope = { organizationId, orgSlug: 'org' };
  const request = indexRequest({ scope, repository: 'repo', gitDir, to });
  await openTestIndex({ root, log: silentLog }).apply(request, new AbortController().signal);
  return root;
}

it('threads of a process share the tables that the first one loaded, even after it ended', async () => {
  const root = await indexed();
  const messages: TableChanges[] = [];
  const exchange = tableExchange<Worker>();
  const recording: typeof exchange = {
    ...exchange,
    received: (thread, changes) => {
      messages.push(changes);
      exchange.received(thread, changes);
    },
  };
  const workers: Worker[] = [];
  const answerOfNext = (): Promise<TaskAnswer> =>
    new Promise((resolve) => {
      const worker = startThread({ root }, recording, resolve);
      workers.push(worker);
      const shared = new Int32Array(new SharedArrayBuffer(8));
      const message: TaskMessage = { id: 1, task: needleSearch, deadlineMs: 10_000, shared, engine: 'fast' };
      worker.postMessage(message, []);
    });
  const found = { result: { files: [{ path: 'a.ts' }] } };
  expect(await answerOfNext()).toMatchObject(found);
  expect(await answerOfNext()).toMatchObject(found);
  await workers[0]?.terminate();
  expect(await answerOfNext()).toMatchObject(found);
  await Promise.all(workers.map((worker) => worker.terminate()));
  const [first, ...others] = messages.map(({ open, loaded }) => [open.length, loaded.length]);
  expect(first?.[0]).toBe(1);
  expect(first?.[1]).toBeGreaterThan(0);
  expect(others).toEqual([
    [1, 0],
    [1, 0],
  ]);
});
