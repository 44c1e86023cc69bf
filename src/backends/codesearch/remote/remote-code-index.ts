import type { z } from 'zod';
import { presentCommits, shallowCommits, writeBundle } from '../../../foundation/git/bundle/write-bundle.ts';
import type { RepositoryId } from '../../../foundation/kernel/ids.ts';
import type { OrgScope } from '../../../foundation/kernel/org-scope.ts';
import type { CodeIndex, IndexRequest, IndexStatus } from '../port.ts';
import type { Call, Connection } from './connection.ts';
import { errorOf, notUnderstood, unreachable } from './faults.ts';
import {
  commitsAnswer,
  damageAnswer,
  type IndexHead,
  indexAnswer,
  signOfLifeMs,
  type WorkLine,
  workLine,
} from './protocol/index-work.ts';

/** Signs of life come every few seconds; a service that is so long silent is gone. */
const stallMs = 12 * signOfLifeMs;
/** Of a whole transfer and the work on it; what a mirror may take to be cloned, and as long to be indexed. */
const workMs = 4 * 3_600_000;
/** Every byte of an index is read for it. */
const statusMs = 120_000;
const askMs = 15_000;
const limits = { line: 1024 ** 2, whole: 64 * 1024 ** 2 };

/**
 * `CodeIndex` at a code search service. What the service lacks is sent to it as a Git bundle, straight from the mirror:
 * it needs no credential and no way to the source.
 */
export function remoteCodeIndex(connection: Connection): CodeIndex {
  const about = <Answer>(
    part: 'index' | 'damage' | 'commits',
    line: z.ZodType<Answer>,
    repository: { scope: OrgScope; id: RepositoryId },
    signal: AbortSignal = new AbortController().signal,
  ): Promise<Answer> => {
    const { scope, id } = repository;
    const query = new URLSearchParams({ organizationId: scope.organizationId, repositoryId: id, part });
    const totalMs = part === 'index' ? statusMs : askMs;
    return connection.ask({
      method: 'GET',
      path: `/status?${query.toString()}`,
      line,
      limits,
      stallMs: totalMs,
      totalMs,
      repeatable: true,
      signal,
    });
  };
  const work = (
    path: string,
    body: NonNullable<Call<WorkLine>['body']>,
    request: IndexRequest,
    signal: AbortSignal,
  ): Promise<IndexStatus | 'lacking'> => {
    const call = { method: 'POST', path, body, line: workLine, limits, stallMs, totalMs: workMs } as const;
    return settle(connection.lines({ ...call, repeatable: false, signal }), request);
  };
  return {
    apply: async (request, signal) => {
      const { scope, repository } = request;
      const there = await about('commits', commitsAnswer, { scope, id: repository.id }, signal);
      const sent = await work('/index', await bundleOf(request, there.commits, signal), request, signal);
      if (sent !== 'lacking') return sent;
      // Its mirror was lost, or made anew meanwhile: then all of it.
      const whole = await work('/index', await bundleOf(request, [], signal), request, signal);
      if (whole === 'lacking') throw notUnderstood('a whole bundle is not enough');
      return whole;
    },
    tidy: async (request, signal) => {
      const { scope, repository, branches } = request;
      const json = { scope, repository: plain(repository), branches };
      const done = await work('/tidy', { json }, request, signal);
      if (done === 'lacking') throw notUnderstood('nothing was sent');
      return done;
    },
    remove: (scope, id) =>
      connection.tell({
        method: 'POST',
        path: '/remove',
        body: { json: { scope, repositoryId: id } },
        line: workLine,
        limits,
        stallMs: statusMs,
        totalMs: statusMs,
        repeatable: true,
        signal: new AbortController().signal,
      }),
    status: async (scope, id) => (await about('index', indexAnswer, { scope, id })).status ?? undefined,
    isDamaged: async (scope, id) => (await about('damage', damageAnswer, { scope, id })).damaged,
  };
}

/** A repository as rows know it has much more to tell than the service may know. */
function plain({ id, number, name }: IndexRequest['repository']): IndexRequest['repository'] {
  return { id, number, name };
}

/** Nothing is sent but the first line where the service has every commit. */
async function bundleOf(
  { scope, repository, branches, gitDir }: IndexRequest,
  there: readonly string[],
  signal: AbortSignal,
): Promise<{ stream: () => AsyncIterable<Uint8Array> }> {
  const tips = [...new Set(branches.map(({ commit }) => commit))];
  const have = await presentCommits(gitDir, there, signal);
  const head: IndexHead = {
    scope,
    repository: plain(repository),
    branches,
    shallow: [...(await shallowCommits(gitDir))],
  };
  const isComplete = tips.every((tip) => have.includes(tip));
  return {
    stream: async function* () {
      yield Buffer.from(`${JSON.stringify(head)}\n`);
      if (!isComplete) yield* writeBundle(gitDir, { tips, have }, signal);
    },
  };
}

async function settle(
  lines: AsyncIterable<WorkLine>,
  { onProgress }: IndexRequest,
): Promise<IndexStatus | 'lacking'> {
  for await (const line of lines) {
    if ('problem' in line) throw errorOf(line.problem, line.problem.retryAfter);
    if ('progress' in line) onProgress?.(line.progress.done, line.progress.total);
    if ('lacking' in line) return 'lacking';
    if ('status' in line) return line.status;
  }
  throw unreachable('the answer broke off');
}
