import { readdirSync, readFileSync } from 'node:fs';

/** Peak memory of processes in bytes: resident, and anonymous (without mapped files: heap, stacks, buffers). */
export interface PeakMemory {
  /** Resident memory of the program and all processes that it started, at the same time. */
  readonly together: number;
  /** Like `together`, without mapped files: Git maps packs, and mapped pages can be evicted at any time. */
  readonly anonymous: number;
  /** Resident memory of the program alone. */
  readonly own: number;
  /** Resident memory of all processes that it started, at the same time. */
  readonly children: number;
}

interface MemoryUse {
  readonly resident: number;
  readonly anonymous: number;
  /** Peak resident memory as the kernel records it, so that it includes peaks between two samples. */
  readonly peakResident: number;
}

/** Interval between two samples, in milliseconds. Short, because children of an index job live for tenths of a second. */
const sampleMs = 20;

/** Samples the memory of the only child of `shell` and of its descendants from Linux's /proc until `stop`. */
export function watchMemory(shell: number | undefined): { peak(): PeakMemory | undefined; stop(): void } {
  let peak: PeakMemory | undefined;
  const sample = (): void => {
    const program = childrenOf(shell)[0];
    if (program === undefined) return;
    const own = memoryOf(program);
    const children = descendantsOf(program).map(memoryOf);
    const sum = (of: keyof MemoryUse): number => children.reduce((total, use) => total + use[of], 0);
    peak = {
      together: Math.max(peak?.together ?? 0, own.resident + sum('resident')),
      anonymous: Math.max(peak?.anonymous ?? 0, own.anonymous + sum('anonymous')),
      own: Math.max(peak?.own ?? 0, own.peakResident),
      children: Math.max(peak?.children ?? 0, sum('resident')),
    };
  };
  const timer = setInterval(sample, sampleMs);
  return { peak: () => peak, stop: () => clearInterval(timer) };
}

/** Returns the processes that a process started, and those that they started. Needs Linux's /proc. */
export function descendantsOf(process: number): number[] {
  return childrenOf(process).flatMap((child) => [child, ...descendantsOf(child)]);
}

/** Returns the children of every thread: a child belongs to the thread that started it. */
function childrenOf(process: number | undefined): number[] {
  try {
    return readdirSync(`/proc/${process}/task`).flatMap((thread) => readPids(process, thread));
  } catch {
    return [];
  }
}

/** Returns no children if the process has already ended. */
function readPids(process: number | undefined, thread: string): number[] {
  try {
    const pids = readFileSync(`/proc/${process}/task/${thread}/children`, 'utf8').trim();
    return pids === '' ? [] : pids.split(' ').map(Number);
  } catch {
    return [];
  }
}

function memoryOf(process: number): MemoryUse {
  try {
    const status = readFileSync(`/proc/${process}/status`, 'utf8');
    const bytes = (name: string): number =>
      Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1] ?? 0) * 1024;
    const anonymous = bytes('RssAnon') + bytes('RssShmem');
    return { resident: bytes('VmRSS'), anonymous, peakResident: bytes('VmHWM') };
  } catch {
    return { resident: 0, anonymous: 0, peakResident: 0 };
  }
}
