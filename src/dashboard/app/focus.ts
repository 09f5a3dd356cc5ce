export const CONTENT = 'content'

/**
 * Moves the focus to the content. Used by controls that disappear when they are pressed, because the focus would be
 * lost.
 */
export const focusContent = () => document.getElementById(CONTENT)?.focus({ preventScroll: true })

/**
 * Moves the focus to the content, unless a control outside of `leaving` has it. Must be called before `leaving` is
 * removed.
 */
export function focusContentFrom(leaving: Element | null) {
  const focused = document.activeElement
  if (focused === null || focused === document.body || leaving?.contains(focused)) focusContent()
}
