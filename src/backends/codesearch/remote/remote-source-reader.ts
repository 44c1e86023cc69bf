import type { z } from 'zod';
import type { DataScope } from '../../../foundation/kernel/org-scope.ts';
import type { SourceReader } from '../port.ts';
import type { Connection } from './connection.ts';
import {
  commitsResponse,
  diffResponse,
  fileResponse,
  historyResponse,
  treeResponse,
} from './protocol/source.ts';

const timeoutMs = 15_000;
/** Maximum sizes in bytes. A mebibyte of text is at most six mebibytes of JSON; a folder may contain 100,000 names. */
const limits = { line: 64 * 1024 ** 2, whole: 64 * 1024 ** 2 };

/** A `SourceReader` at a code search service, which reads the mirrors of its indexed repositories. */
export function remoteSourceReader(connection: Connection): SourceReader {
  const fetchResponse = <Response>(
    path: string,
    line: z.ZodType<Response>,
    { scope, request, signal }: { scope: DataScope; request: object; signal: AbortSignal },
  ): Promise<Response> =>
    connection.fetchOne({
      method: 'POST',
      path,
      body: { json: { scope, request } },
      line,
      limits,
      stallMs: timeoutMs,
      totalMs: timeoutMs,
      repeatable: true,
      signal,
    });
  return {
    readFile: async (scope, request, signal) =>
      (await fetchResponse('/read', fileResponse, { scope, request, signal })).file ?? undefined,
    listTree: async (scope, request, signal) =>
      (await fetchResponse('/tree', treeResponse, { scope, request, signal })).tree ?? undefined,
    findCommits: async (scope, request, signal) =>
      (await fetchResponse('/commits', commitsResponse, { scope, request, signal })).commits,
    readHistory: async (scope, request, signal) =>
      (await fetchResponse('/history', historyResponse, { scope, request, signal })).history ?? undefined,
    readDiff: async (scope, request, signal) =>
      (await fetchResponse('/diff', diffResponse, { scope, request, signal })).diff ?? undefined,
    close: async () => undefined,
  };
}
