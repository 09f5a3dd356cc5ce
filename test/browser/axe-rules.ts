/**
 * Rules of the accessibility checker axe for a page that was checked with all rules before, and is now shown in another
 * way. The other rules would find the same again.
 */

/** Rules that depend on colours. */
export const COLOUR_RULES = ['color-contrast', 'link-in-text-block']

/** Rules that depend on colours, or on sizes and so on the width of a phone. */
export const PHONE_RULES = [...COLOUR_RULES, 'scrollable-region-focusable', 'target-size']
