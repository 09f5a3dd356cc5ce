export const CONTENT = 'content'

/** For a control that goes away when it is pressed. The focus would be lost otherwise. */
export const focusContent = () => document.getElementById(CONTENT)?.focus({ preventScroll: true })

/** For a control in `leaving`, which goes away. The focus stays where it is if the user has moved it elsewhere meanwhile. */
export function focusContentFrom(leaving: Element | null) {
  const focused = document.activeElement
  if (focused === null || focused === document.body || leaving?.contains(focused)) focusContent()
}
