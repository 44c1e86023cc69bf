import { visibleLine } from '../../foundation/kernel/text/visible-text.ts';
import type { Channel } from './channel.ts';

/** The progress of a long operation at one moment. */
export interface ProgressStep {
  /** The current phase: `cloning`, `indexing files`. */
  readonly phase: string;
  readonly done?: number;
  /** 0 or absent if unknown. */
  readonly total?: number;
}

export interface Progress {
  report(step: ProgressStep): void;
  /** Moves the cursor to the start of an empty line. Idempotent. */
  end(): void;
}

export const noProgress: Progress = { report: () => undefined, end: () => undefined };

const barWidth = 24;
const clearLine = '\r\u001b[K';

/** Creates a progress bar on a terminal, or prints one line per phase elsewhere (a log, a pipe). */
export function openProgress(channel: Channel): Progress {
  return channel.isTerminal ? barOn(channel) : linesOn(channel);
}

function barOn(channel: Channel): Progress {
  let drawn = false;
  return {
    report: (step) => {
      channel.write(clearLine + drawStep(step, channel));
      drawn = true;
    },
    end: () => {
      if (drawn) channel.write(clearLine);
      drawn = false;
    },
  };
}

function linesOn(channel: Channel): Progress {
  let last: string | undefined;
  return {
    report: ({ phase }) => {
      if (phase !== last) channel.write(`${visibleLine(phase)}\n`);
      last = phase;
    },
    end: () => undefined,
  };
}

function drawStep({ phase: text, done = 0, total = 0 }: ProgressStep, channel: Channel): string {
  const phase = visibleLine(text);
  if (total <= 0) return channel.style('dim', done > 0 ? `${phase}: ${done}` : `${phase} …`);
  const share = Math.min(1, done / total);
  const filled = Math.round(share * barWidth);
  const bar =
    channel.style('green', '█'.repeat(filled)) + channel.style('dim', '░'.repeat(barWidth - filled));
  return `${bar} ${String(Math.floor(share * 100)).padStart(3)} %  ${phase} (${done}/${total})`;
}
