import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** The rules that depend on the width of the window, and on the colour scheme. */
const ofWidth = ['color-contrast', 'target-size', 'scrollable-region-focusable'];
const ofScheme = ['color-contrast'];

/**
 * Returns the violations of the accessibility rules (WCAG 2.2 A and AA, and best practices, or only `rules`) in the
 * tab.
 */
export async function violations(page: Page, rules?: readonly string[]): Promise<readonly string[]> {
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axe.source);
  const runOnly = rules ?? ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa', 'best-practice'];
  const run = `axe.run({ runOnly: ${JSON.stringify(runOnly)}, resultTypes: ["violations"] })`;
  const result = (await page.evaluate(run)) as {
    violations: { id: string; nodes: { html: string; failureSummary: string }[] }[];
  };
  return result.violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
  );
}

/** Each width in each colour scheme. All rules apply in the first view; the others have those that can differ there. */
const views = [
  { width: 1280, colorScheme: 'light', rules: undefined },
  { width: 1280, colorScheme: 'dark', rules: ofScheme },
  { width: 360, colorScheme: 'dark', rules: ofWidth },
  { width: 360, colorScheme: 'light', rules: ofScheme },
] as const;

/** WCAG 1.4.10: nothing scrolls horizontally at this width. */
const narrowest = 320;

/**
 * Expects no violation and no horizontal scrolling, in narrow and wide windows, light and dark. One load of the page.
 */
export async function expectAccessible(page: Page): Promise<void> {
  // On a busy machine, the stylesheet may come after the text.
  await page.waitForLoadState();
  for (const { width, colorScheme, rules } of views) {
    await page.setViewportSize({ width, height: 800 });
    await page.emulateMedia({ colorScheme });
    expect(await violations(page, rules), `${width} px, ${colorScheme}`).toEqual([]);
  }
  for (const width of [1280, narrowest]) {
    await page.setViewportSize({ width, height: 800 });
    const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
    expect(overflow, `${width} px wide`).toBeLessThanOrEqual(0);
  }
}
