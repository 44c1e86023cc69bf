import { Script } from 'node:vm';
import type { CollectedPattern } from './collected-patterns.ts';
import { type HostileInput, hostileInputs } from './hostile-inputs.ts';

/** The two lengths, in characters, whose times are compared. The first one is also used to find slow inputs. */
const lengths = [1_000, 4_000] as const;
/** A linear pattern takes 4 times as long for the longer input, a quadratic one 16 times. */
const maxRatio = 8;
/** A run of the shorter input that takes more, in milliseconds, is a fault: the longer one might not end. */
const maxShortMs = 100;
/** A run of the shorter input that takes less, in milliseconds, is linear: a quadratic pattern takes some. */
const slowMs = 0.05;
const runs = 5;
/** Number of measurements that must all show growth, because a busy machine delays single runs. */
const attempts = 3;
/** Maximum time of all inputs of one pattern, in milliseconds; one that takes longer does not return. */
const maxPatternMs = 60_000;
/** Maximum time of a pattern with a written bound for an input of that length, in milliseconds. */
const maxBoundedMs = 20;

/** Returns what is wrong with a pattern, such as an input for which its time grows too fast; `undefined` if nothing is. */
export function fault(pattern: CollectedPattern): string | undefined {
  if (pattern.bound === undefined) return growthOf(pattern);
  const [, digits] = /^at most ([\d,]+) characters \(.+\)$/u.exec(pattern.bound) ?? [];
  if (digits === undefined)
    return 'its bound is not written as "// bounded: at most N characters (what limits them)"';
  return slowAt(pattern, Number(digits.replaceAll(',', '')));
}

function growthOf(pattern: CollectedPattern): string | undefined {
  const run = runnerOf(pattern);
  return firstOf(pattern, (input) => {
    const short = textOf(input, lengths[0]);
    const once = Math.min(timeOf(run, short), timeOf(run, short));
    if (once < slowMs) return undefined;
    if (once > maxShortMs) return `${lengths[0]} characters take ${once.toFixed(0)} ms`;
    const long = textOf(input, lengths[1]);
    let ratio = 0;
    for (let attempt = 0; attempt < attempts; attempt += 1) {
      const [fastest, slower] = fastestRuns(run, [short, long]);
      if (fastest < slowMs) return undefined;
      ratio = slower / fastest;
      if (ratio <= maxRatio) return undefined;
    }
    return `4 times the input takes ${ratio.toFixed(1)} times as long`;
  });
}

function slowAt(pattern: CollectedPattern, length: number): string | undefined {
  const run = runnerOf(pattern);
  return firstOf(pattern, (input) => {
    const text = textOf(input, length);
    if (timeOf(run, text) <= maxBoundedMs) return undefined;
    const [fastest] = fastestRuns(run, [text, '']);
    return fastest > maxBoundedMs ? `its bound allows ${fastest.toFixed(0)} ms` : undefined;
  });
}

/** Returns the first fault of the hostile inputs. The engine stops when the time of the pattern is used up. */
function firstOf(
  { source, flags }: CollectedPattern,
  judge: (input: HostileInput) => string | undefined,
): string | undefined {
  let current: HostileInput | undefined;
  const judgeAll = (): string | undefined => {
    for (const input of hostileInputs(source, flags)) {
      current = input;
      const found = judge(input);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  let found: string | undefined;
  try {
    found = withTimeout(judgeAll, maxPatternMs);
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error) || error.code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT')
      throw error;
    found = `it does not end within ${maxPatternMs / 1000} s`;
  }
  return found && `${found}: ${describe(current)}`;
}

function describe(input: HostileInput | undefined): string {
  const { begin, pump, end } = input ?? { begin: '', pump: '', end: '' };
  return `${JSON.stringify(begin)} + ${JSON.stringify(pump)} × n + ${JSON.stringify(end)}`;
}

const caller = new Script('(work) => work()').runInThisContext() as (work: unknown) => unknown;

function withTimeout<T>(work: () => T, timeout: number): T {
  Object.assign(globalThis, { patternWork: () => caller(work) });
  return new Script('globalThis.patternWork()').runInThisContext({ timeout }) as T;
}

/** Returns a function that uses a pattern as the program does: once, or at every match. */
function runnerOf({ source, flags, isSeparator }: CollectedPattern): (text: string) => void {
  // A sticky pattern is tried at one place after another.
  const isRepeated = isSeparator || /[gy]/u.test(flags);
  const pattern = new RegExp(source, flags.replaceAll(/[gy]/gu, '') + (isRepeated ? 'g' : ''));
  return isRepeated ? (text) => void text.replace(pattern, '') : (text) => void pattern.exec(text);
}

function textOf({ begin, pump, end }: HostileInput, length: number): string {
  const text = begin + pump.repeat(Math.ceil(length / pump.length)).slice(0, length) + end;
  // Makes one flat string, so that the first run does not pay for it.
  return Buffer.from(text, 'utf16le').toString('utf16le');
}

/** Returns the fastest times of two texts, run in turns: a busy machine then slows both down, or neither. */
function fastestRuns(
  run: (text: string) => void,
  [one, other]: readonly [string, string],
): readonly [number, number] {
  const times = Array.from({ length: runs }, () => [timeOf(run, one), timeOf(run, other)] as const);
  return [Math.min(...times.map(([first]) => first)), Math.min(...times.map(([, second]) => second))];
}

/** Returns the processor time of a run, in milliseconds: other processes do not lengthen it. */
function timeOf(run: (text: string) => void, text: string): number {
  const started = process.cpuUsage();
  run(text);
  const { user, system } = process.cpuUsage(started);
  return (user + system) / 1000;
}
