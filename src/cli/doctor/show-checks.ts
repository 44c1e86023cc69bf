import type { Channel, Style } from '../frame/channel.ts';

/** The result of one check of `doctor` or `doctor mcp`. */
interface ShownCheck {
  readonly title: string;
  readonly status: 'pass' | 'warning' | 'fail' | 'skipped';
  readonly message: string;
  readonly hint?: string;
}

const labels: Readonly<Record<ShownCheck['status'], { readonly word: string; readonly style: Style }>> = {
  pass: { word: 'pass', style: 'green' },
  warning: { word: 'warning', style: 'yellow' },
  fail: { word: 'FAIL', style: 'red' },
  skipped: { word: 'skipped', style: 'dim' },
};

/** Formats one line per check, with its hint below, and the overall result last. */
export function showChecks(checks: readonly ShownCheck[], summary: string, out: Channel): string {
  const lines = checks.flatMap(({ title, status, message, hint }) => {
    const { word, style } = labels[status];
    const line = `${out.style(style, word.padEnd(8))} ${title}: ${message}`;
    return hint === undefined ? [line] : [line, `         ${hint}`];
  });
  return [...lines, '', summary].join('\n');
}
