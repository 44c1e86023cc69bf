import { compileQuery } from '../query/compile-query.ts';
import type { Checkpoint } from '../query/find-hits.ts';
import { v8Engine } from '../query/pattern/engine.ts';
import { re2Engine } from '../query/pattern/re2-engine.ts';
import type { TextArena } from '../query/scan/text-arena.ts';
import { searchSegments } from '../query/search-segments.ts';
import { lacksSymbols } from '../query/symbol-matches.ts';
import { rankSegments } from '../rank/rank-segments.ts';
import type { OpenIndexes } from '../read/open-indexes.ts';
import { DamagedSegment } from '../read/segment.ts';
import type { EngineName, Task, TaskResult } from './task.ts';

/** Damage found while running is set aside, and the rest is asked again; beyond this something else is wrong. */
const MOST_DAMAGED = 100;

/** What a thread keeps from task to task. */
export interface Desk {
  readonly indexes: OpenIndexes;
  readonly arena: TextArena;
}

export function runTask(
  desk: Desk,
  task: Task,
  checkpoint: Checkpoint,
  engineName: EngineName = 'fast',
): TaskResult {
  for (let tries = 0; ; tries++) {
    try {
      return runOnce(desk, task, checkpoint, engineName);
    } catch (error) {
      if (!(error instanceof DamagedSegment) || tries === MOST_DAMAGED) throw error;
      desk.indexes.condemn(error);
    }
  }
}

function runOnce(
  { indexes, arena }: Desk,
  task: Task,
  checkpoint: Checkpoint,
  engineName: EngineName,
): TaskResult {
  const { organizationId, request } = task;
  const { segments, damaged } = indexes.inRange({ organizationId, repositories: request.repositories });
  // From here on a pattern may hang: who watches the thread's progress starts to count.
  checkpoint();
  if (task.kind === 'rank')
    return withDamage(rankSegments(task.request, segments, { checkpoint, arena }), damaged);
  const engine = engineName === 'safe' ? re2Engine() : v8Engine;
  const query = compileQuery(task.request.query, engine);
  const cannotTell = damaged || lacksSymbols(query, segments);
  const result = searchSegments(query, segments, task.request, { checkpoint, arena });
  return withDamage(engine.passedOver() ? { ...result, incomplete: 'deadline' } : result, cannotTell);
}

function withDamage<Result extends TaskResult>(result: Result, damaged: boolean): Result {
  return damaged ? { ...result, incomplete: 'damaged' } : result;
}
