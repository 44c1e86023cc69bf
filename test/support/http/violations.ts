import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** Returns the violations of the accessibility rules (WCAG 2.2 A and AA, and best practices) in the tab. */
export async function violations(page: Page): Promise<readonly string[]> {
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axe.source);
  const run = 'axe.run({ runOnly: ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa", "best-practice"] })';
  const result = (await page.evaluate(run)) as {
    violations: { id: string; nodes: { html: string; failureSummary: string }[] }[];
  };
  return result.violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
  );
}

/** Each width and each colour scheme. */
const viewports = [
  { width: 320, colorScheme: 'dark' },
  { width: 1280, colorScheme: 'light' },
] as const;

/** Expects no violation and no horizontal scrolling, in a narrow dark and a wide light window. */
export async function expectAccessible(page: Page): Promise<void> {
  for (const { width, colorScheme } of viewports) {
    await page.setViewportSize({ width, height: 800 });
    await page.emulateMedia({ colorScheme });
    expect(await violations(page), `${width} px, ${colorScheme}`).toEqual([]);
    const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
    expect(overflow, `${width} px wide`).toBeLessThanOrEqual(0);
  }
}
