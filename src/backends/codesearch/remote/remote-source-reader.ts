import type { z } from 'zod';
import type { OrgScope } from '../../../foundation/kernel/org-scope.ts';
import type { ReadFileRequest, SourceReader } from '../port.ts';
import type { Connection } from './connection.ts';
import { fileAnswer, treeAnswer } from './protocol/source.ts';

const waitMs = 15_000;
/** Bytes. A mebibyte of text as JSON is at most six; a folder may hold 100,000 names. */
const limits = { line: 64 * 1024 ** 2, whole: 64 * 1024 ** 2 };

/** `SourceReader` at a code search service, from the mirrors that it keeps of what it indexes. */
export function remoteSourceReader(connection: Connection): SourceReader {
  const ask = <Answer>(
    path: string,
    line: z.ZodType<Answer>,
    { scope, request, signal }: { scope: OrgScope; request: ReadFileRequest; signal: AbortSignal },
  ): Promise<Answer> =>
    connection.ask({
      method: 'POST',
      path,
      body: { json: { scope, request } },
      line,
      limits,
      stallMs: waitMs,
      totalMs: waitMs,
      repeatable: true,
      signal,
    });
  return {
    readFile: async (scope, request, signal) =>
      (await ask('/read', fileAnswer, { scope, request, signal })).file ?? undefined,
    listTree: async (scope, request, signal) =>
      (await ask('/tree', treeAnswer, { scope, request, signal })).tree ?? undefined,
    close: async () => undefined,
  };
}
