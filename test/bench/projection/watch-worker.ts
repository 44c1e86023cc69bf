import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

/** Peak memory of one process with its threads, in bytes, and what it used of the processors. */
export interface WorkerUse {
  readonly resident: number;
  /** Without mapped files, whose pages can be evicted at any time. Sampled. */
  readonly anonymous: number;
  readonly cpuSeconds: number;
}

const sampleMs = 50;

/** Returns the process id of the worker below a process. */
export function findWorker(parent: number): number | undefined {
  for (const child of childrenOf(parent)) {
    const words = readFileSync(`/proc/${child}/cmdline`, 'utf8').split('\0');
    const found = words.includes('worker') ? child : findWorker(child);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Records the memory and processor time of a process from now on, from Linux's /proc. */
export function watchWorker(worker: number): { stop(): WorkerUse } {
  // Resets the peak that the kernel records.
  writeFileSync(`/proc/${worker}/clear_refs`, '5');
  let anonymous = 0;
  const cpuBefore = cpuSecondsOf(worker);
  const sample = (): void => {
    anonymous = Math.max(anonymous, bytesOf(worker, 'RssAnon'));
  };
  const timer = setInterval(sample, sampleMs);
  return {
    stop: () => {
      clearInterval(timer);
      sample();
      const cpuSeconds = cpuSecondsOf(worker) - cpuBefore;
      return { resident: bytesOf(worker, 'VmHWM'), anonymous, cpuSeconds };
    },
  };
}

function childrenOf(parent: number): readonly number[] {
  return readdirSync(`/proc/${parent}/task`).flatMap((thread) =>
    readFileSync(`/proc/${parent}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
  );
}

function bytesOf(worker: number, name: string): number {
  const status = readFileSync(`/proc/${worker}/status`, 'utf8');
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1] ?? 0) * 1024;
}

/** Linux counts in hundredths of a second. */
function cpuSecondsOf(worker: number): number {
  const stat = readFileSync(`/proc/${worker}/stat`, 'utf8');
  // The name of the program is in parentheses and may contain any character.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}
