import { compileQuery } from '../query/compile-query.ts';
import type { TextArena } from '../query/scan/text-arena.ts';
import { type Checkpoint, searchSegments } from '../query/search-segments.ts';
import { rankSegments } from '../rank/rank-segments.ts';
import type { OpenIndexes } from '../read/open-indexes.ts';
import { DamagedSegment } from '../read/segment.ts';
import type { Task, TaskResult } from './task.ts';

/** Damage found while running is set aside, and the rest is asked again; beyond this something else is wrong. */
const MOST_DAMAGED = 100;

/** What a thread keeps from task to task. */
export interface Desk {
  readonly indexes: OpenIndexes;
  readonly arena: TextArena;
}

export function runTask(desk: Desk, task: Task, checkpoint: Checkpoint): TaskResult {
  for (let tries = 0; ; tries++) {
    try {
      return runOnce(desk, task, checkpoint);
    } catch (error) {
      if (!(error instanceof DamagedSegment) || tries === MOST_DAMAGED) throw error;
      desk.indexes.condemn(error);
    }
  }
}

function runOnce({ indexes, arena }: Desk, task: Task, checkpoint: Checkpoint): TaskResult {
  const { organizationId, request } = task;
  const { segments, damaged } = indexes.inRange({ organizationId, repositories: request.repositories });
  const result =
    task.kind === 'search'
      ? searchSegments(compileQuery(task.request.query), segments, task.request, checkpoint, arena)
      : rankSegments(task.request, segments, checkpoint, arena);
  return damaged ? { ...result, incomplete: 'damaged' } : result;
}
