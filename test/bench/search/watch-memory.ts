import { readdirSync, readFileSync } from 'node:fs';

/** Bytes that processes held at their largest: resident, and of that what is no file's (heap, stacks, buffers). */
export interface PeakMemory {
  /** Of the program and all that it started, at one time. */
  readonly together: number;
  /** As `together`, without pages of files: Git maps packs, and what is mapped can be dropped at any time. */
  readonly anonymous: number;
  /** Of the program alone. */
  readonly own: number;
  /** Of all that it started, at one time. */
  readonly children: number;
}

interface Held {
  readonly resident: number;
  readonly anonymous: number;
  /** Resident at its largest, as the kernel keeps it: nothing between two looks is missed. */
  readonly highest: number;
}

/** Children of an index job live for tenths of a second. */
const SAMPLE_MS = 20;

/** Looks at the one child of `shell` and its descendants, from Linux's /proc, until `stop`. */
export function watchMemory(shell: number | undefined): { peak(): PeakMemory | undefined; stop(): void } {
  let peak: PeakMemory | undefined;
  const look = (): void => {
    const program = childrenOf(shell)[0];
    if (program === undefined) return;
    const own = heldBy(program);
    const children = descendantsOf(program).map(heldBy);
    const sum = (of: keyof Held): number => children.reduce((total, held) => total + held[of], 0);
    peak = {
      together: Math.max(peak?.together ?? 0, own.resident + sum('resident')),
      anonymous: Math.max(peak?.anonymous ?? 0, own.anonymous + sum('anonymous')),
      own: Math.max(peak?.own ?? 0, own.highest),
      children: Math.max(peak?.children ?? 0, sum('resident')),
    };
  };
  const timer = setInterval(look, SAMPLE_MS);
  return { peak: () => peak, stop: () => clearInterval(timer) };
}

function descendantsOf(process: number): number[] {
  return childrenOf(process).flatMap((child) => [child, ...descendantsOf(child)]);
}

/** Those of every thread: a child belongs to the thread that started it. */
function childrenOf(process: number | undefined): number[] {
  try {
    return readdirSync(`/proc/${process}/task`).flatMap((thread) => readPids(process, thread));
  } catch {
    return [];
  }
}

/** A process may end between two looks. */
function readPids(process: number | undefined, thread: string): number[] {
  try {
    const pids = readFileSync(`/proc/${process}/task/${thread}/children`, 'utf8').trim();
    return pids === '' ? [] : pids.split(' ').map(Number);
  } catch {
    return [];
  }
}

function heldBy(process: number): Held {
  try {
    const status = readFileSync(`/proc/${process}/status`, 'utf8');
    const bytes = (name: string): number =>
      Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1] ?? 0) * 1024;
    const anonymous = bytes('RssAnon') + bytes('RssShmem');
    return { resident: bytes('VmRSS'), anonymous, highest: bytes('VmHWM') };
  } catch {
    return { resident: 0, anonymous: 0, highest: 0 };
  }
}
