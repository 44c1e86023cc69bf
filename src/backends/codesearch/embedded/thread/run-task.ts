import { compileQuery } from '../query/compile-query.ts';
import { type Checkpoint, searchSegments } from '../query/search-segments.ts';
import { rankSegments } from '../rank/rank-segments.ts';
import type { OpenIndexes } from '../read/open-indexes.ts';
import { DamagedSegment } from '../read/segment.ts';
import type { Task, TaskResult } from './task.ts';

/** Damage found while running is set aside, and the rest is asked again; beyond this something else is wrong. */
const MOST_DAMAGED = 100;

export function runTask(indexes: OpenIndexes, task: Task, checkpoint: Checkpoint): TaskResult {
  for (let tries = 0; ; tries++) {
    try {
      return runOnce(indexes, task, checkpoint);
    } catch (error) {
      if (!(error instanceof DamagedSegment) || tries === MOST_DAMAGED) throw error;
      indexes.condemn(error);
    }
  }
}

function runOnce(indexes: OpenIndexes, task: Task, checkpoint: Checkpoint): TaskResult {
  const { organizationId, request } = task;
  const { segments, damaged } = indexes.inRange({ organizationId, repositories: request.repositories });
  const result =
    task.kind === 'search'
      ? searchSegments(compileQuery(task.request.query), segments, task.request, checkpoint)
      : rankSegments(task.request, segments, checkpoint);
  return damaged ? { ...result, incomplete: 'damaged' } : result;
}
