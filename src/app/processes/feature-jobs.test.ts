import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { connectors } from '../../features/connectors/registry.ts';
import type { Schedule } from '../../foundation/jobs/schedule/schedule.ts';
import type { Task } from '../../foundation/jobs/task.ts';
import { featureJobs } from './worker.ts';

const src = join(import.meta.dirname, '../..');
const production = globSync('**/*.ts', { cwd: src }).filter((file) => !file.endsWith('.test.ts'));
const taskFiles = production.filter((file) => /^features\/.*\/tasks\.ts$/.test(file));
// Creating the handlers uses no dependencies; only running a job does.
const jobs = featureJobs({ connectors, provider: {} } as Parameters<typeof featureJobs>[0]);

const namesOf = (items: readonly { readonly name: string }[]) => items.map(({ name }) => name).toSorted();

function objectsIn(value: object): readonly object[] {
  const values = Object.values(value) as unknown[];
  return values.filter((each) => typeof each === 'object' && each !== null);
}

async function declared(): Promise<{ tasks: readonly Task[]; schedules: readonly Schedule[] }> {
  const modules = await Promise.all(taskFiles.map((file) => import(join(src, file)) as Promise<object>));
  const objects = modules.flatMap(objectsIn);
  const isTask = (value: object): value is Task => 'maxAttempts' in value;
  const isSchedule = (value: object): value is Schedule => 'cron' in value;
  // Tasks are exported one by one, or those of a connector together.
  const groups = objects.filter((value) => !isTask(value) && !isSchedule(value));
  return {
    tasks: [...new Set([...objects, ...groups.flatMap(objectsIn)])].filter(isTask),
    schedules: objects.filter(isSchedule),
  };
}

it('binds or declares as unhandled each task that a feature declares, once', async () => {
  const { tasks } = await declared();
  const bound = jobs.flatMap(({ handlers }) => handlers.map(({ task }) => task));
  const unhandled = jobs.flatMap((each) => each.unhandled ?? []);
  expect(tasks.length).toBeGreaterThan(5);
  expect(namesOf([...bound, ...unhandled])).toEqual(namesOf(tasks));
});

it('runs each schedule that a feature declares', async () => {
  const { schedules } = await declared();
  expect(namesOf(jobs.flatMap((each) => each.schedules ?? []))).toEqual(namesOf(schedules));
});

it('finds tasks and schedules declared in files named tasks.ts alone', () => {
  const declaring = production.filter((file) =>
    /\bdefine(?:Task|Schedule)\((?!<)/.test(
      readFileSync(join(src, file), 'utf8').replaceAll(/export function .*/g, ''),
    ),
  );
  expect(declaring.length).toBeGreaterThan(5);
  expect(declaring.filter((file) => !taskFiles.includes(file))).toEqual([]);
});
