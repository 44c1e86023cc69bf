import type { z } from 'zod';
import { enqueue } from '../../../foundation/jobs/enqueue.ts';
import type { Task } from '../../../foundation/jobs/task.ts';
import type { ScopedEntity } from '../entities/forget-entities.ts';
import type { EntityStore } from '../entities/open-entity-store.ts';
import type { ConnectorJobsDeps, EntityChange, SyncRequest, SyncRun } from '../port.ts';
import { applyChanges, type EntityChanges } from './apply-changes.ts';
import { changeMirror, type JobMirror, removeOutOfScope, startRequestedRebuild } from './change-mirror.ts';
import { readCheckpoint, saveCheckpoint } from './checkpoints.ts';
import type { Families } from './families.ts';

/** The family of the checkpoint of a comparison. */
export const contentFamily = 'content';

/** The progress of a comparison. */
interface Progress {
  /** The configuration that the files follow. */
  readonly configuration?: unknown;
}

/** What one step of a comparison read. */
export interface ComparisonStep<State> {
  /** The progress after the step. */
  readonly state: State;
  /** What the record shows while the comparison goes on; `undefined` at its end. */
  readonly run: SyncRun | undefined;
  readonly changes?: EntityChanges;
  /** Further effects, in the transaction of the step. */
  apply?(store: EntityStore): Promise<void>;
}

/** The first step of a new plan. */
export interface ComparisonPlan<State> extends Omit<ComparisonStep<State>, 'changes'> {
  /** The present scope, if it may be narrower: what it leaves out is removed first. */
  readonly isInScope?: ((entity: ScopedEntity) => boolean) | undefined;
}

/** How a connector compares its provider with the mirrored files. */
export interface Comparison<State extends Progress> {
  readonly mirror: JobMirror;
  readonly families: Families;
  readonly task: Task<SyncRequest>;
  /** The task that fetches single entities. */
  readonly changeTask: Task<EntityChange>;
  readonly shape: z.ZodType<State>;
  /** The progress of a connection that was never read. */
  readonly initial: State;
  /** Returns whether a new plan is due; otherwise the comparison goes on. */
  needsPlan(state: State): boolean | Promise<boolean>;
  plan(state: State): Promise<ComparisonPlan<State>>;
  /** Reads the next page. Returns `undefined` if there is none. */
  step(state: State): Promise<ComparisonStep<State> | undefined>;
}

/** Does one step of a comparison, and enqueues the next one in the transaction that saves what it read. */
export async function compare<State extends Progress>(
  { saveRun }: Pick<ConnectorJobsDeps, 'saveRun'>,
  comparison: Comparison<State>,
): Promise<void> {
  const { mirror, families, task, changeTask, shape, initial } = comparison;
  await startRequestedRebuild(mirror);
  const { queries } = mirror.database;
  const state = (await readCheckpoint(queries, mirror.connectionId, contentFamily, shape)) ?? initial;
  const step = (await comparison.needsPlan(state))
    ? await planned(comparison, state)
    : await comparison.step(state);
  if (step === undefined) return;
  await changeMirror(mirror, async (store) => {
    const { tx, connectionId } = store;
    await families.save(store);
    if (step.changes !== undefined) await applyChanges(store, changeTask, step.changes, 'backfill');
    await step.apply?.(store);
    await saveCheckpoint(store, contentFamily, step.state);
    await saveRun(tx, connectionId, step.run);
    // At once, even if a step that failed earlier waits for its next attempt.
    if (step.run !== undefined) await enqueue(tx, task, { connectionId, full: false }, { runAt: 0 });
  });
}

async function planned<State extends Progress>(
  { mirror, plan }: Comparison<State>,
  state: State,
): Promise<ComparisonStep<State>> {
  const { isInScope, ...step } = await plan(state);
  if (isInScope !== undefined) await removeOutOfScope(mirror, { family: contentFamily, state }, isInScope);
  return step;
}
