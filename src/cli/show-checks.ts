import type { Channel, Style } from './frame/channel.ts';

/** What both doctors say of one thing they looked at. */
interface ShownCheck {
  readonly title: string;
  readonly status: 'pass' | 'warning' | 'fail' | 'skipped';
  readonly message: string;
  readonly hint?: string;
}

const signs: Readonly<Record<ShownCheck['status'], { readonly word: string; readonly style: Style }>> = {
  pass: { word: 'pass', style: 'green' },
  warning: { word: 'warning', style: 'yellow' },
  fail: { word: 'FAIL', style: 'red' },
  skipped: { word: 'skipped', style: 'dim' },
};

/** A line a check, what to do about it below, and the verdict last. */
export function showChecks(checks: readonly ShownCheck[], verdict: string, out: Channel): string {
  const lines = checks.flatMap(({ title, status, message, hint }) => {
    const { word, style } = signs[status];
    const line = `${out.style(style, word.padEnd(8))} ${title}: ${message}`;
    return hint === undefined ? [line] : [line, `         ${hint}`];
  });
  return [...lines, '', verdict].join('\n');
}
