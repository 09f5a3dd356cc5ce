import axe from 'axe-core'
import type { Page } from 'playwright-core'

/** Rules of axe that depend on colours, for a page that was checked with all rules in other colours. */
export const COLOUR_RULES = ['color-contrast', 'link-in-text-block']

/** Rules that depend on colours or on sizes, for a page that was checked with all rules at the width of a desktop. */
export const PHONE_RULES = [...COLOUR_RULES, 'scrollable-region-focusable', 'target-size']

/** Adds the rule for small targets, which axe leaves out unless it is asked for. */
const ALL_RULES = { rules: { 'target-size': { enabled: true } } }

/**
 * Checks a page with the accessibility checker axe. Returns the problems that are more than minor, each with its rule
 * and its elements.
 *
 * @param within selector of the checked part
 * @param only names of the rules; without it, the usual rules of axe and `target-size` are checked
 */
export async function graveProblems(page: Page, within: string, only?: readonly string[]): Promise<string[]> {
  // A document keeps the checker until it is left, so the checker is loaded only once.
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axe.source)
  const { violations } = await page.evaluate(
    ([selector, rules]) =>
      (globalThis as unknown as { axe: typeof axe }).axe.run(selector, { resultTypes: ['violations'], ...rules }),
    [within, only ? { runOnly: [...only] } : ALL_RULES] as const,
  )
  return violations
    .filter(({ impact }) => impact !== 'minor')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(' ')}`)
}
