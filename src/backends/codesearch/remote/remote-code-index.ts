import type { z } from 'zod';
import { presentCommits, shallowCommits, writeBundle } from '../../../foundation/git/bundle/write-bundle.ts';
import type { RepositoryId } from '../../../foundation/kernel/ids.ts';
import type { DataScope } from '../../../foundation/kernel/org-scope.ts';
import type { CodeIndex, IndexRequest, IndexStatus } from '../port.ts';
import type { Call, Connection } from './connection.ts';
import { errorOf, unreachable, unreadableResponse } from './errors.ts';
import {
  commitsResponse,
  damageResponse,
  heartbeatMs,
  type IndexHead,
  indexResponse,
  type WorkLine,
  workLine,
} from './protocol/index-work.ts';

/** Time-out without a byte, in milliseconds. The service sends a heartbeat every few seconds. */
const stallMs = 12 * heartbeatMs;
/**
 * Time-out of a transfer and the work on it, in milliseconds: the maximum duration of a clone, and the same again for
 * indexing.
 */
const workMs = 4 * 3_600_000;
/** Time-out of the full status, in milliseconds, which reads every byte of an index. */
const statusMs = 120_000;
/** Time-out of the other status requests, in milliseconds. */
const statusPartMs = 15_000;
const limits = { line: 1024 ** 2, whole: 64 * 1024 ** 2 };

/**
 * A `CodeIndex` at a code search service. Sends the missing commits to the service as a Git bundle, directly from the
 * mirror, so the service needs no credential and no access to the source.
 */
export function remoteCodeIndex(connection: Connection): CodeIndex {
  const fetchStatus = <Response>(
    part: 'index' | 'damage' | 'commits',
    line: z.ZodType<Response>,
    repository: { scope: DataScope; id: RepositoryId },
    signal: AbortSignal = new AbortController().signal,
  ): Promise<Response> => {
    const { scope, id } = repository;
    const query = new URLSearchParams({ organizationId: scope.organizationId, repositoryId: id, part });
    const totalMs = part === 'index' ? statusMs : statusPartMs;
    return connection.fetchOne({
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
    return readOutcome(connection.lines({ ...call, repeatable: false, signal }), request);
  };
  const upkeep = async (
    path: '/define' | '/compact',
    request: IndexRequest,
    signal: AbortSignal,
  ): Promise<IndexStatus> => {
    const { scope, repository, branches } = request;
    const json = { scope, repository: identityOf(repository), branches };
    const done = await work(path, { json }, request, signal);
    if (done === 'lacking') throw unreadableResponse(`the response to ${path} requests a bundle`);
    return done;
  };
  return {
    apply: async (request, signal) => {
      const { scope, repository } = request;
      const present = await fetchStatus('commits', commitsResponse, { scope, id: repository.id }, signal);
      const sent = await work('/index', await bundleOf(request, present.commits, signal), request, signal);
      if (sent !== 'lacking') return sent;
      // Its mirror was lost or recreated in the meantime: send a complete bundle.
      const whole = await work('/index', await bundleOf(request, [], signal), request, signal);
      if (whole === 'lacking') throw unreadableResponse('a complete bundle is not enough');
      return whole;
    },
    define: (request, signal) => upkeep('/define', request, signal),
    compact: (request, signal) => upkeep('/compact', request, signal),
    remove: (scope, id) =>
      connection.send({
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
    status: async (scope, id) =>
      (await fetchStatus('index', indexResponse, { scope, id })).status ?? undefined,
    isDamaged: async (scope, id) => (await fetchStatus('damage', damageResponse, { scope, id })).damaged,
  };
}

/** Removes other columns of the repository row, which the service must not receive. */
function identityOf({ id, number, name }: IndexRequest['repository']): IndexRequest['repository'] {
  return { id, number, name };
}

/** Creates the body of an index request. Only the first line is sent if the service has every commit. */
async function bundleOf(
  { scope, repository, branches, gitDir }: IndexRequest,
  present: readonly string[],
  signal: AbortSignal,
): Promise<{ stream: () => AsyncIterable<Uint8Array> }> {
  const tips = [...new Set(branches.map(({ commit }) => commit))];
  const have = await presentCommits(gitDir, present, signal);
  const head: IndexHead = {
    scope,
    repository: identityOf(repository),
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

async function readOutcome(
  lines: AsyncIterable<WorkLine>,
  { onProgress }: IndexRequest,
): Promise<IndexStatus | 'lacking'> {
  for await (const line of lines) {
    if ('problem' in line) throw errorOf(line.problem, line.problem.retryAfter);
    if ('progress' in line) onProgress?.(line.progress.done, line.progress.total);
    if ('lacking' in line) return 'lacking';
    if ('status' in line) return line.status;
  }
  throw unreachable('the response ended early');
}
