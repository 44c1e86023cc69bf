import { compileQuery } from '../query/compile-query.ts';
import type { ShouldStop } from '../query/find-hits.ts';
import { listLines } from '../query/list-lines.ts';
import { v8Engine } from '../query/pattern/engine.ts';
import { re2Engine } from '../query/pattern/re2-engine.ts';
import type { TextArena } from '../query/scan/text-arena.ts';
import { searchSegments } from '../query/search-segments.ts';
import { rankSegments } from '../rank/rank-segments.ts';
import type { OpenIndexes } from '../read/open-indexes.ts';
import { DamagedSegment } from '../read/segment.ts';
import type { EngineName, Task, TaskResult } from './task.ts';

/**
 * Maximum number of damaged indexes that are quarantined during one task, which then restarts without them. More
 * indicate another problem.
 */
const maxDamaged = 100;

/** State that a thread keeps between tasks. */
export interface ThreadContext {
  readonly indexes: OpenIndexes;
  readonly arena: TextArena;
}

export function runTask(
  context: ThreadContext,
  task: Task,
  shouldStop: ShouldStop,
  engineName: EngineName = 'fast',
): TaskResult {
  for (let tries = 0; ; tries++) {
    try {
      return runOnce(context, task, shouldStop, engineName);
    } catch (error) {
      if (!(error instanceof DamagedSegment) || tries === maxDamaged) throw error;
      context.indexes.removeDamaged(error);
    }
  }
}

function runOnce(
  { indexes, arena }: ThreadContext,
  task: Task,
  shouldStop: ShouldStop,
  engineName: EngineName,
): TaskResult {
  const { organizationId, request } = task;
  const { segments, damaged } = indexes.inRange({ organizationId, repositories: request.repositories });
  // Marks the start of execution: a pattern may hang from here on, so the progress watch begins.
  shouldStop();
  if (task.kind === 'rank')
    return withDamage(rankSegments(task.request, segments, { shouldStop, arena }), damaged);
  const engine = engineName === 'safe' ? re2Engine() : v8Engine;
  const query = compileQuery(task.request.query, engine);
  const search = task.request.everyLine === true ? listLines : searchSegments;
  const result = search(query, segments, task.request, { shouldStop, arena });
  return withDamage(engine.hasSkippedLines() ? { ...result, incomplete: 'deadline' } : result, damaged);
}

function withDamage<Result extends TaskResult>(result: Result, damaged: boolean): Result {
  return damaged ? { ...result, incomplete: 'damaged' } : result;
}
