import { expect, it } from 'vitest';
import { tracker as connector } from '../../../src/features/connectors/tracker/connector.ts';
import { LeaseLost } from '../../../src/foundation/jobs/lease/lease-lost.ts';
import { newId } from '../../../src/foundation/kernel/ids.ts';
import type { HttpClient } from '../../../src/foundation/net/http.ts';
import { recordCalls } from '../../../src/foundation/net/record-calls.ts';
import { replayCalls } from '../../support/connectors/replay-calls.ts';
import { jobContext } from '../../support/jobs/job-context.ts';
import { useSyncService } from '../../support/tracker/use-sync-service.ts';

const { opened, connected } = useSyncService();

it('a trace of a read has no token and no text of people, and can be replayed without the provider', async () => {
  const { tracker, example } = opened();
  tracker.workspace.update(example.issue, {
    title: 'Salaries of Jane Doe',
    description: 'Ask jane.doe@example.com, see https://files.example/secret-plan?token=abc',
  });
  const synced = await connected();
  const read = async (http: HttpClient): Promise<void> => {
    const { handlers } = connector.jobs({ ...synced.jobs, http });
    const { incremental: task } = connector.tasks;
    const payload = { connectionId: synced.id, kind: 'issue', id: example.issue.id };
    const handler = handlers.find((each) => each.task.name === task.name);
    // Ends where it would store what it read.
    const assertHeld = () => Promise.reject(new LeaseLost());
    await handler?.run([{ id: newId(), payload }], jobContext({ assertHeld }));
  };
  const lines: string[] = [];
  const recorded = recordCalls(synced.jobs.http, (line) => lines.push(line));
  await expect(read(recorded)).rejects.toThrow(LeaseLost);
  const trace = lines.join('\n');
  expect(lines.length).toBeGreaterThan(1);
  expect(trace).toContain(`"id":"${example.issue.id}"`);
  expect(trace).toContain('"identifier":"ENG-1"');
  expect(trace).toContain('query List');
  for (const secret of ['Jane', 'jane.doe', 'secret-plan', 'Salaries', 'lin_oauth', 'Bearer', 'Seen twice'])
    expect(trace).not.toContain(secret);
  const replay = replayCalls(lines);
  await expect(read(replay)).rejects.toThrow(LeaseLost);
  expect(replay.left()).toBe(0);
});
